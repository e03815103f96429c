// The levels of a category and the labels of a category target: their order, and the label of a text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace plumb {

// As numbers if all are numbers, otherwise bytewise; the empty field last.
void sort_levels(std::vector<std::string>& levels);

// The labels among the levels of a target, sorted. The empty field is not a label. Numbers that are equal are one
// label, written as the first of them: "1" and "1.0" are "1".
std::vector<std::string> labels_among(std::vector<std::string> levels);

// The same for labels from several models or tables, with possible duplicates. With two labels, `positive` is the last,
// unless it is empty.
std::vector<std::string> labels_of_all(std::vector<std::string> labels, const std::string& positive);

// Borrows the labels: the first `known` of them as from labels_among, in any order, and others after them.
class LabelCodes {
 public:
  LabelCodes(std::span<const std::string> labels, std::size_t known);
  explicit LabelCodes(std::span<const std::string> labels) : LabelCodes(labels, labels.size()) {}
  // The position of the label in the list, if it is known.
  std::optional<std::uint32_t> find(std::string_view label) const;

 private:
  std::unordered_map<std::string_view, std::uint32_t> by_text_;
  std::map<double, std::uint32_t> by_number_;  // empty unless all known labels are numbers
};

// Appends the unknown levels to the labels, sorted: each becomes a label of its own. The empty field is not a label.
void append_new_labels(std::vector<std::string>& labels, std::size_t known, const std::vector<std::string>& levels);

}  // namespace plumb
