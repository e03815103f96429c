// w, q: the decimal number w 10^q;  m: its 54 leading bits, one more than a double keeps.
#include "plumb/base/number.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "plumb/base/powers_of_five.h"

namespace plumb {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr auto powers_of_five = make_powers_of_five();
constexpr double powers_of_ten[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
constexpr double signs[] = {1.0, -1.0};  // multiplying by one of them avoids a branch that could be mispredicted
constexpr std::uint64_t infinity_bits = 0x7FFull << 52;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

bool is_digit(char c) noexcept { return static_cast<unsigned char>(c - '0') < 10; }
bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

std::string_view without_blanks(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view without_sign(std::string_view text) noexcept {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  return text;
}

// ---- digits --------------------------------------------------------------------------------------------------------

// Four or eight characters as one word, the first in its lowest byte.
template <class Word>
Word load(const char* p) noexcept {
  static_assert(std::endian::native == std::endian::little, "other machines have to swap the bytes here");
  Word word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// A digit is 0x30 to 0x39: its upper half is 3, and still is after adding 6.
template <class Word>
bool are_digits(Word word) noexcept {
  constexpr auto ones = static_cast<Word>(0x0101010101010101);
  return ((word & ones * 0xF0) | ((word + ones * 0x06) & ones * 0xF0) >> 4) == ones * 0x33;
}

// Neighbours are joined in all lanes at once: digits to pairs, pairs to fours, fours to the eight.
std::uint32_t value_of_digits(std::uint32_t word) noexcept {
  word = (word & 0x0F0F0F0F) * (1 + (10 << 8)) >> 8;
  return (word & 0x00FF00FF) * (1 + (100 << 16)) >> 16;
}

std::uint64_t value_of_digits(std::uint64_t word) noexcept {
  word = (word & 0x0F0F0F0F0F0F0F0F) * (1 + (10 << 8)) >> 8;
  word = (word & 0x00FF00FF00FF00FF) * (1 + (100 << 16)) >> 16;
  return (word & 0x0000FFFF0000FFFF) * (1 + (10000ull << 32)) >> 32;
}

// Both append digits to w (modulo 2^64) and return where they end. Before the point there are usually few of them, and
// one at a time is fastest; after it there are many.
[[gnu::always_inline]] inline const char* read_few_digits(const char* p, const char* end, std::uint64_t& w) noexcept {
  for (; p != end && is_digit(*p); ++p) w = 10 * w + static_cast<std::uint64_t>(*p - '0');
  return p;
}

[[gnu::always_inline]] inline const char* read_many_digits(const char* p, const char* end, std::uint64_t& w) noexcept {
  while (end - p >= 8 && are_digits(load<std::uint64_t>(p))) {
    w = 100'000'000 * w + value_of_digits(load<std::uint64_t>(p));
    p += 8;
  }
  if (end - p >= 4 && are_digits(load<std::uint32_t>(p))) {
    w = 10'000 * w + value_of_digits(load<std::uint32_t>(p));
    p += 4;
  }
  return read_few_digits(p, end, w);
}

// The whole of [p, end) as an exponent: a sign, digits.
bool read_exponent(const char* p, const char* end, std::int64_t& exponent) noexcept {
  const bool negative = p != end && *p == '-';
  p += negative || (p != end && *p == '+');
  if (p == end) return false;
  for (; p != end && is_digit(*p); ++p) {
    if (exponent < 100'000'000'000'000'000) exponent = 10 * exponent + (*p - '0');  // no mantissa is that long
  }
  if (negative) exponent = -exponent;
  return p == end;
}

// ---- w 10^q to the nearest double ----------------------------------------------------------------------------------

// The bits of the double nearest to w 10^q, ties to even: 128 bits of 5^q times w give enough of the product to round.
// Lemire, "Number parsing at a gigabyte per second", Software: Practice and Experience 51 (2021), algorithm 1. Mushtak
// and Lemire, "Fast number parsing without fallback", same journal 53 (2023), prove that it decides for every w < 2^64.
std::uint64_t nearest_bits(std::uint64_t w, std::int64_t q) noexcept {
  if (w == 0 || q < least_power) return 0;
  if (q > largest_power) return infinity_bits;
  const int shift = std::countl_zero(w);
  w <<= shift;
  const PowerOfFive five = powers_of_five[static_cast<std::size_t>(q - least_power)];
  const Wide product = Wide{w} * five.high;
  auto high = static_cast<std::uint64_t>(product >> 64);
  auto low = static_cast<std::uint64_t>(product);
  if ((high & 0x1FF) == 0x1FF) {  // only then can the rest of 5^q carry into the kept bits
    const auto more = static_cast<std::uint64_t>((Wide{w} * five.low) >> 64);
    low += more;
    high += low < more;
  }
  const int top = static_cast<int>(high >> 63);
  std::uint64_t m = high >> (top + 9);
  const int floor_log2 = static_cast<int>((217706 * q) >> 16) + 63 - shift + top;  // of w 10^q; log2(10) 2^16 ~ 217706
  const int exponent = floor_log2 + 1023;
  if (exponent <= 0) {  // subnormal; such a small number is never a tie
    return exponent <= -63 ? 0 : ((m >> (1 - exponent)) + 1) >> 1;
  }
  // A tie needs 5^q to divide exactly, -4 <= q <= 23, and all bits below m to be zero; it goes down to an even number.
  const bool tie = low <= 1 && q >= -4 && q <= 23 && (m & 3) == 1 && m << (top + 9) == high;
  m = tie ? m >> 1 : (m + 1) >> 1;
  // The leading bit of m, or of m rounded up to 2^53, adds itself to the exponent field.
  return std::min((static_cast<std::uint64_t>(exponent - 1) << 52) + m, infinity_bits);
}

// `mantissa`, digits with at most one point, times 10^exponent. With more than 19 significant digits it lies between
// w 10^q and (w + 1) 10^q, which mostly have the same nearest double; if not, `whole`, the text of it all, is reread.
double nearest_of_many_digits(std::string_view mantissa, std::int64_t exponent, std::string_view whole) noexcept {
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  std::size_t i = mantissa.find_first_not_of("0.");
  std::uint64_t w = 0;
  for (int taken = 0; taken < 19 && i < mantissa.size(); ++i) {
    if (i == point) continue;
    w = 10 * w + static_cast<std::uint64_t>(mantissa[i] - '0');
    ++taken;
  }
  if (w == 0) return 0;
  const std::int64_t q = exponent + static_cast<std::int64_t>(point) - static_cast<std::int64_t>(i) + (i > point);
  const bool rest = mantissa.find_first_not_of("0.", i) != mantissa.npos;
  const std::uint64_t bits = nearest_bits(w, q);
  if (!rest || bits == nearest_bits(w + 1, q)) return std::bit_cast<double>(bits);
  double value = q < 0 ? 0 : std::numeric_limits<double>::infinity();  // stays if from_chars finds it out of range
  std::from_chars(whole.data(), whole.data() + whole.size(), value);
  return value;
}

// ---- the fault of a text
// ---------------------------------------------------------------------------------------------

bool is_word(std::string_view text, std::string_view word) noexcept {
  return std::equal(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) { return (a | 0x20) == b; });
}

// Is it a number with `mark` among the digits before its exponent? Between two digits, if requested.
bool is_number_but_for(char mark, bool between_digits, std::string_view text) noexcept {
  std::size_t i = 0, digits = 0, points = 0, marks = 0;
  const auto digit_at = [&](std::size_t k) { return k < text.size() && is_digit(text[k]); };
  for (; i < text.size(); ++i) {
    if (text[i] == mark) {
      if (between_digits && !(i > 0 && digit_at(i - 1) && digit_at(i + 1))) return false;
      ++marks;
    } else if (is_digit(text[i])) {
      ++digits;
    } else if (text[i] != '.' || ++points > 1) {
      break;
    }
  }
  if (i < text.size()) {
    if ((text[i] | 0x20) != 'e') return false;
    const auto exponent = without_sign(text.substr(i + 1));
    if (exponent.empty() || !std::all_of(exponent.begin(), exponent.end(), is_digit)) return false;
  }
  return digits > 0 && marks > 0;
}

// `text` is not a number and has no blanks around it.
[[gnu::cold, gnu::noinline]] ParsedNumber refuse(std::string_view text) noexcept {
  const auto fault = [&] {
    if (text.empty()) return NumberFault::empty;
    text = without_sign(text);
    if (is_word(text, "nan") || is_word(text, "inf") || is_word(text, "infinity")) return NumberFault::not_finite;
    if (text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == 'x') {
      const auto digits = text.substr(2);
      const bool hexadecimal = digits.find_first_of("0123456789abcdefABCDEF") != digits.npos &&
                               digits.find_first_not_of("0123456789abcdefABCDEF.pP+-") == digits.npos;
      return hexadecimal ? NumberFault::hexadecimal : NumberFault::not_a_number;
    }
    if (is_number_but_for(',', false, text)) return NumberFault::comma;
    if (is_number_but_for('_', true, text) || is_number_but_for('\'', true, text)) return NumberFault::separator;
    return NumberFault::not_a_number;
  };
  return {not_a_number, fault()};
}

}  // namespace

ParsedNumber parse_number(std::string_view text) noexcept {
  text = without_blanks(text);
  if (text.empty()) return refuse(text);
  const bool negative = text[0] == '-';
  const char* const begin = text.data() + (negative | (text[0] == '+'));
  const char* const end = text.data() + text.size();

  std::uint64_t w = 0;
  const char* p = read_few_digits(begin, end, w);
  std::int64_t digits = p - begin, q = 0;
  if (p != end && *p == '.') {
    const char* const fraction = ++p;
    p = read_many_digits(p, end, w);
    q = fraction - p;
    digits -= q;
  }
  if (digits == 0) return refuse(text);
  // w < 10^15 and the power of ten are doubles, so the division rounds once (Clinger 1990). Most data end here.
  if (p == end && digits <= 15) {
    return {static_cast<double>(w) / powers_of_ten[-q] * signs[negative], NumberFault::none};
  }

  const char* const mantissa_end = p;
  std::int64_t exponent = 0;
  if (p != end) {
    if ((*p | 0x20) != 'e' || !read_exponent(p + 1, end, exponent)) return refuse(text);
  }
  const double value = digits <= 19 ? std::bit_cast<double>(nearest_bits(w, q + exponent))
                                    : nearest_of_many_digits({begin, mantissa_end}, exponent, {begin, end});
  if (std::isinf(value)) return {not_a_number, NumberFault::too_large};
  return {value * signs[negative], NumberFault::none};
}

[[gnu::flatten]] double nearest_decimal(std::uint64_t w, std::int64_t q) noexcept {
  return std::bit_cast<double>(nearest_bits(w, q));
}

std::string_view describe(NumberFault fault) noexcept {
  switch (fault) {
    case NumberFault::none: return "is a number";
    case NumberFault::empty: return "is empty";
    case NumberFault::not_a_number: return "is not a number";
    case NumberFault::not_finite: return "is not a finite number";
    case NumberFault::too_large: return "is too large: numbers end at 1.8e308";
    case NumberFault::hexadecimal: return "is hexadecimal, not decimal";
    case NumberFault::comma: return "is not a number: it has a comma";
    case NumberFault::separator: return "is not a number: it has digit separators";
  }
  return "is not a number";
}

namespace {

template <class Integer>
bool parse_whole(std::string_view text, Integer& value) noexcept {
  text = without_blanks(text);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  Integer parsed = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, parsed);
  if (result.ec != std::errc{} || result.ptr != end) return false;
  value = parsed;
  return true;
}

}  // namespace

bool parse_integer(std::string_view text, std::int64_t& value) noexcept { return parse_whole(text, value); }
bool parse_integer(std::string_view text, std::uint64_t& value) noexcept { return parse_whole(text, value); }

// ---- to text -------------------------------------------------------------------------------------------------------

void append_number(std::string& out, double value) {
  char buffer[32];                                 // the longest is -2.2250738585072014e-308
  if (std::isnan(value)) value = std::abs(value);  // otherwise a sign would be printed
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

std::string number_text(double value) {
  std::string text;
  append_number(text, value);
  return text;
}

std::string number_text(double value, int significant_digits) {
  char buffer[32];
  if (std::isnan(value) || value == 0) value = std::abs(value);
  const int digits = std::clamp(significant_digits, 1, 17);
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits).ptr};
}

std::string count_text(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t i = text.size(); i > 3;) text.insert(i -= 3, 1, ',');
  return text;
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " bytes";
  double size = static_cast<double>(bytes) / 1000;
  for (const char* unit : {"kB", "MB", "GB"}) {
    if (size < 1000) return number_text(size, 3) + " " + unit;
    size /= 1000;
  }
  return number_text(size, 3) + " TB";
}

}  // namespace plumb
