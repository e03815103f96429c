#include "plumb/data/missing.h"

#include <algorithm>
#include <array>

#include "plumb/base/number.h"
#include "plumb/base/text.h"

namespace plumb {

MissingMarks::MissingMarks(const std::vector<std::string>& texts, bool usual) : usual_(usual) {
  for (const std::string& text : texts) {
    texts_.emplace_back(trimmed(text));
    const ParsedNumber number = parse_number(text);
    if (number.fault == NumberFault::none) numbers_.push_back(number.value);
  }
}

bool MissingMarks::has_mark(std::string_view text) const noexcept {
  return std::find(texts_.begin(), texts_.end(), trimmed(text)) != texts_.end();
}

bool MissingMarks::is_usual_mark(std::string_view text, bool of_numbers) noexcept {
  constexpr std::array<std::string_view, 7> usual = {"NA", "N/A", "n/a", "NaN", "nan", "null", "NULL"};
  constexpr std::array<std::string_view, 5> numbers = {"None", "?", "-", "--", "."};
  text = trimmed(text);
  return std::find(usual.begin(), usual.end(), text) != usual.end() ||
         (of_numbers && std::find(numbers.begin(), numbers.end(), text) != numbers.end());
}

bool MissingMarks::has(double number) const noexcept {
  return std::find(numbers_.begin(), numbers_.end(), number) != numbers_.end();
}

bool looks_missing(std::string_view field) noexcept {
  constexpr std::array<std::string_view, 10> marks = {"na", "n/a", "nan", "null", "none", "nil", "?", "-", ".", "#n/a"};
  const std::string_view text = trimmed(field);
  return std::any_of(marks.begin(), marks.end(), [text](std::string_view mark) {
    return std::equal(mark.begin(), mark.end(), text.begin(), text.end(), [](char a, char b) {
      return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
    });
  });
}

}  // namespace plumb
