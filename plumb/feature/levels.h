// The levels of a category and the labels of a category target: their order, and which label a text is.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace plumb {

// As numbers if all are numbers, else bytewise; the empty field last.
void sort_levels(std::vector<std::string>& levels);

// The labels among the levels of a target, sorted. The empty field is no label. Numbers that are equal are one label,
// written as the first of them: "1" and "1.0" are "1".
std::vector<std::string> labels_among(std::vector<std::string> levels);

// Borrows the labels, which must be as labels_among gives them.
class LabelCodes {
 public:
  explicit LabelCodes(const std::vector<std::string>& labels);
  // The place of the label in the list, if it is there.
  std::optional<std::uint32_t> find(std::string_view label) const;

 private:
  std::unordered_map<std::string_view, std::uint32_t> by_text_;
  std::map<double, std::uint32_t> by_number_;  // empty unless all labels are numbers
};

}  // namespace plumb
