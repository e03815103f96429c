#include "plumb/data/number_style.h"

#include <algorithm>
#include <array>
#include <limits>

#include "plumb/base/text.h"

namespace plumb {
namespace {

constexpr std::size_t kLongestNumber = 64;

bool is_decimal_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr std::array<std::string_view, 5> kUnits = {"%", "$", "\u20AC", "\u00A3", "\u00A5"};
// Blanks that typesetting puts between thousands, or before a sign: no-break, narrow no-break.
constexpr std::array<std::string_view, 2> kWideBlanks = {"\u00A0", "\u202F"};
constexpr std::array<char, 4> kThousands = {0, 'o', ' ', '\''};  // o: the other one of point and comma

constexpr char other_of(char decimal) noexcept { return decimal == '.' ? ',' : '.'; }
constexpr char thousands_of(char decimal, std::size_t k) noexcept {
  return kThousands[k] == 'o' ? other_of(decimal) : kThousands[k];
}
constexpr std::uint8_t bit_of(char decimal, std::size_t k) noexcept {
  return static_cast<std::uint8_t>(1u << ((decimal == ',' ? kThousands.size() : 0) + k));
}

void take_blanks(std::string_view& text) noexcept {
  while (true) {
    const std::size_t before = text.size();
    text = trimmed(text);
    for (const std::string_view blank : kWideBlanks) {
      if (text.starts_with(blank)) text.remove_prefix(blank.size());
      if (text.ends_with(blank)) text.remove_suffix(blank.size());
    }
    if (text.size() == before) return;
  }
}

bool take_sign(std::string_view& text, bool& negative) noexcept {
  if (text.empty() || (text.front() != '-' && text.front() != '+')) return false;
  negative = text.front() == '-';
  text.remove_prefix(1);
  take_blanks(text);
  return true;
}

bool take_unit(std::string_view& text, std::string_view unit) noexcept {
  if (unit.empty()) return false;
  if (text.starts_with(unit)) {
    text.remove_prefix(unit.size());
  } else if (text.ends_with(unit)) {
    text.remove_suffix(unit.size());
  } else {
    return false;
  }
  take_blanks(text);
  return true;
}

// The same number with a point and nothing between its thousands; nothing if it is none of this style.
class Plain {
 public:
  Plain(std::string_view text, const NumberStyle& style) {
    take_blanks(text);
    bool negative = false;
    const bool had_sign = take_sign(text, negative);
    if (take_unit(text, style.unit) && !had_sign) take_sign(text, negative);
    if (negative) put('-');
    std::size_t digits = 0, groups = 0;  // digits since the start, or since the last mark
    while (!text.empty() && good_) {
      const std::size_t mark = mark_at(text, style.thousands);
      if (is_decimal_digit(text.front())) {
        put(text.front());
        ++digits;
        text.remove_prefix(1);
      } else if (mark > 0) {
        good_ = groups == 0 ? digits >= 1 && digits <= 3 : digits == 3;
        digits = 0;
        ++groups;
        text.remove_prefix(mark);
      } else {
        break;
      }
    }
    if (groups > 0 && digits != 3) good_ = false;
    if (good_ && !text.empty() && text.front() == style.decimal) {
      put('.');
      text.remove_prefix(1);
    }
    // Decimals and an exponent are as parse_number has them.
    for (const char c : text) {
      if (!is_decimal_digit(c) && c != 'e' && c != 'E' && c != '+' && c != '-') good_ = false;
      put(c);
    }
  }

  std::string_view text() const noexcept { return good_ ? std::string_view(text_.data(), size_) : std::string_view(); }

 private:
  // How long the mark between thousands is that the text begins with; 0: there is none.
  static std::size_t mark_at(std::string_view text, char thousands) noexcept {
    if (thousands == 0) return 0;
    if (text.front() == thousands) return 1;
    if (thousands == ' ')
      for (const std::string_view blank : kWideBlanks)
        if (text.starts_with(blank)) return blank.size();
    return 0;
  }
  void put(char c) noexcept {
    if (size_ == text_.size()) good_ = false;
    if (good_) text_[size_++] = c;
  }

  std::array<char, kLongestNumber> text_;
  std::size_t size_ = 0;
  bool good_ = true;
};

}  // namespace

std::string NumberStyle::text() const {
  std::string text = decimal == ',' ? "decimal comma" : "";
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  if (thousands == '.') add("points between thousands");
  if (thousands == ',') add("commas between thousands");
  if (thousands == ' ') add("blanks between thousands");
  if (thousands == '\'') add("apostrophes between thousands");
  if (!unit.empty()) add("\"" + unit + "\" taken off");
  return text;
}

namespace {

ParsedNumber parse_as(std::string_view text, const NumberStyle& style) {
  if (style.plain() || trimmed(text).empty()) return parse_number(text);
  const Plain plain(text, style);
  const ParsedNumber number = parse_number(plain.text());
  if (number.fault == NumberFault::none || number.fault == NumberFault::too_large) return number;
  return {std::numeric_limits<double>::quiet_NaN(), NumberFault::not_a_number};
}

}  // namespace

ParsedNumber parse_number(std::string_view text, const NumberStyle& style) {
  if (style.decimal != ',' || style.thousands != 0) return parse_as(text, style);
  return parse_as(text, {',', '.', style.unit});  // beside a decimal comma a point has one meaning
}

std::string_view unit_of(std::string_view text) noexcept {
  bool negative = false;
  take_blanks(text);
  take_sign(text, negative);
  for (const std::string_view unit : kUnits)
    if (text.starts_with(unit) || text.ends_with(unit)) return unit;
  return {};
}

StyleGuess::StyleGuess(char decimal, char thousands) {
  if (decimal == 0 && thousands != 0 && (thousands == '.' || thousands == ',')) decimal = other_of(thousands);
  for (const char each : {'.', ','})
    for (std::size_t k = 0; k < kThousands.size(); ++k)
      if ((decimal == 0 || decimal == each) && (thousands == 0 || k == 0 || thousands == thousands_of(each, k)))
        fitting_ |= bit_of(each, k);
}

void StyleGuess::see(std::string_view value) {
  if (fitting_ == 0) return;
  const std::string_view unit = unit_of(value);
  if (!unit.empty() && unit_.empty()) unit_ = unit;
  const bool plain = parse_number(value).fault == NumberFault::none;
  if (!plain && first_.empty()) first_ = value;
  std::array<double, 2> readings{};
  std::array<bool, 2> reads{};
  for (const char decimal : {'.', ','})
    for (std::size_t k = 0; k < kThousands.size(); ++k) {
      const std::uint8_t bit = bit_of(decimal, k);
      if ((fitting_ & bit) == 0) continue;
      // A unit of its own is no number in another.
      const ParsedNumber number = parse_as(value, {decimal, thousands_of(decimal, k), unit_});
      if (number.fault != NumberFault::none) {
        fitting_ &= static_cast<std::uint8_t>(~bit);
        continue;
      }
      reads[decimal == ','] = true;
      readings[decimal == ','] = number.value;
    }
  if (!reads[0] || !reads[1] || readings[0] == readings[1] || differ_) return;
  differ_ = true;
  telling_ = value;
}

bool StyleGuess::fits(char decimal) const noexcept { return (fitting_ & (decimal == ',' ? 0xF0 : 0x0F)) != 0; }

NumberStyle StyleGuess::style(char decimal) const {
  for (std::size_t k = 0; k < kThousands.size(); ++k)
    if ((fitting_ & bit_of(decimal, k)) != 0) return {decimal, thousands_of(decimal, k), unit_};
  return {};
}

}  // namespace plumb
