#include "plumb/data/kind_guess.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "plumb/base/digest.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/data/date_text.h"

namespace plumb {
namespace {

constexpr std::size_t kMostCodes = 20;
constexpr std::uint64_t kTextsSeen = 4096;
constexpr std::uint64_t kLeastTexts = 3;
constexpr std::uint64_t kWordsOfText = 4;
constexpr std::size_t kLongestShown = 64;

constexpr std::array<std::uint8_t, 256> kBlank = [] {
  std::array<std::uint8_t, 256> blank{};
  for (const char c : {' ', '\t', '\n', '\r'}) blank[static_cast<unsigned char>(c)] = 1;
  return blank;
}();

// Long texts are common, so this has no branch.
std::uint64_t words_in(std::string_view text) noexcept {
  std::uint64_t words = 0;
  std::uint8_t before = 1;
  for (const char c : text) {
    const std::uint8_t blank = kBlank[static_cast<unsigned char>(c)];
    words += before & (blank ^ 1u);
    before = blank;
  }
  return words;
}

}  // namespace

bool KindGuess::see(std::string_view value) {
  const ParsedNumber number = parse_number(value);
  if (number.fault == NumberFault::empty) return true;
  see_date(value);
  if (number.fault == NumberFault::not_a_number) {
    if (first_odd_.empty()) first_odd_ = value.substr(0, kLongestShown);
    see_words(value);
    return false;
  }
  if (number.fault == NumberFault::none) {
    ++plain_;
    whole_ = whole_ && std::trunc(number.value) == number.value;
    see_digits(trimmed(value));
  } else if (first_odd_.empty()) {
    first_odd_ = value.substr(0, kLongestShown);
  }
  ++numbers_;  // also "1,5", "0x10" and "nan": badly written numbers should be reported, not coded
  if (distinct_.size() <= kMostCodes && number.fault == NumberFault::none) distinct_.insert(number.value);
  return true;
}

void KindGuess::see_text(std::string_view value) {
  if (trimmed(value).empty()) return;
  see_date(value);
  see_words(value);
}

void KindGuess::see_words(std::string_view value) {
  if (texts_ == kTextsSeen) return;
  ++texts_;
  if (words_ < kWordsOfText * kTextsSeen) words_ += words_in(value);  // otherwise they are enough, whatever comes
  different_texts_.insert(digest64(value));
}

void KindGuess::see_date(std::string_view value) {
  if (dates_ == seen_++)
    if (const std::optional<DateOrder> order = date_order(trimmed(value))) {
      ++dates_;
      dates_order_.year_first = dates_order_.year_first && order->year_first;
      dates_order_.day_first = dates_order_.day_first && order->day_first;
      dates_order_.month_first = dates_order_.month_first && order->month_first;
      if (dates_ == 1) dates_order_.separator = order->separator;
      if (dates_order_.separator != order->separator) dates_order_.day_first = dates_order_.month_first = false;
    }
}

void KindGuess::see_digits(std::string_view number) {
  if (!digits_) return;
  digits_ = std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (digits_ && padded_.empty() && number.size() > 1 && number.front() == '0') padded_ = number;
}

SampledNumbers KindGuess::sampled() const noexcept { return {plain_, distinct_.size(), whole_}; }

Kind KindGuess::kind(std::string_view name) const noexcept {
  if (seen_ > 0 && dates_ == seen_) return Kind::date;
  if (!padded_.empty() && digits_ && plain_ == seen_) return Kind::category;
  const bool long_enough = words_ >= kWordsOfText * texts_ || name == "text";
  const bool text = texts_ >= (name == "text" ? 1 : kLeastTexts) && long_enough && different_texts_.size() * 2 > texts_;
  if (numbers_ == 0) return text ? Kind::text : Kind::category;
  if (numbers_ * 10 >= seen_ * 9) return Kind::number;
  if (numbers_ * 2 >= seen_ && distinct_.size() > kMostCodes) return Kind::number;
  return text ? Kind::text : Kind::category;
}

}  // namespace plumb
