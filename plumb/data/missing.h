// Which texts stand for a missing value: the empty field, and those that the user names with --na. A mark that is a
// number, such as -999, is known by its value among numbers and by its spelling among categories.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumb {

class MissingMarks {
 public:
  MissingMarks() = default;
  explicit MissingMarks(const std::vector<std::string>& texts);

  const std::vector<std::string>& texts() const noexcept { return texts_; }
  // Nothing, or a mark; blanks around it do not count.
  bool has(std::string_view text) const noexcept { return text.empty() || (!texts_.empty() && has_mark(text)); }
  bool has(double number) const noexcept;
  bool any_numbers() const noexcept { return !numbers_.empty(); }

 private:
  bool has_mark(std::string_view text) const noexcept;

  std::vector<std::string> texts_;
  std::vector<double> numbers_;
};

// Whether a text is commonly written where a value is missing: NA, n/a, null, ?, ...
bool looks_missing(std::string_view field) noexcept;

}  // namespace plumb
