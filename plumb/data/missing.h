// Which texts stand for a missing value: the empty field, the usual marks such as NA, and those that the user names
// with
// --na. A mark that is a number, such as -999, is known by its value among numbers and by its spelling among
// categories.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumb {

// Which marks count in a column. named: those of the user alone, as in texts and in labels, where "NA" may be a name.
// usual: also NA, N/A, n/a, NaN, nan, null and NULL. numbers: also None, ?, -, -- and ., which a category may be
// called.
enum class Marks { named, usual, numbers };

class MissingMarks {
 public:
  MissingMarks() = default;
  explicit MissingMarks(const std::vector<std::string>& texts, bool usual = false);

  const std::vector<std::string>& texts() const noexcept { return texts_; }  // of the user
  // Empty, or a marker; blanks around it are ignored.
  bool has(std::string_view text, Marks marks = Marks::named) const noexcept {
    return text.empty() || (!texts_.empty() && has_mark(text)) ||
           (usual_ && marks != Marks::named && is_usual(text, marks == Marks::numbers));
  }
  bool has(double number) const noexcept;
  bool any_numbers() const noexcept { return !numbers_.empty(); }

 private:
  bool has_mark(std::string_view text) const noexcept;
  static bool is_usual(std::string_view text, bool of_numbers) noexcept {
    constexpr std::size_t kLongest = 4;
    // Most fields are told apart by their first byte.
    const char first = text.front();
    const bool may_be = first == 'N' || first == 'n' || first == ' ' || first == '\t' ||
                        (of_numbers && (first == '?' || first == '-' || first == '.') && text.size() <= kLongest);
    return may_be && is_usual_mark(text, of_numbers);
  }
  static bool is_usual_mark(std::string_view text, bool of_numbers) noexcept;

  std::vector<std::string> texts_;
  std::vector<double> numbers_;
  bool usual_ = false;
};

// Whether a text is a common marker for a missing value: NA, n/a, null, ?, ...
bool looks_missing(std::string_view field) noexcept;

}  // namespace plumb
