// Numbers from text and to text: correctly rounded, shortest round trip, the same under every locale. Parsing says why
// a text is not a number, so that messages can.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumb {

enum class NumberFault {
  none,
  empty,         // nothing, or only blanks
  not_a_number,  // any other text
  not_finite,    // the words nan, inf, infinity, in any case
  too_large,     // beyond the largest double, like 1e400
  hexadecimal,   // 0x1F
  comma,         // a number except for its commas: 1,5 or 1,000
  separator,     // a number except for its digit separators: 1_000 or 1'000
};

struct ParsedNumber {
  double value;  // NaN if there is a fault
  NumberFault fault;
};

// The whole of `text` as a number: blanks (space, tab) around it, a sign, digits with or without a point (".5" and "5."
// too), an exponent e or E. The double nearest to the exact decimal value, ties to even; a number that is too small
// becomes a zero of its sign. Rounding modes other than to nearest are not supported.
ParsedNumber parse_number(std::string_view text) noexcept;

// The double nearest to w 10^q, ties to even; infinity if it exceeds the largest.
double nearest_decimal(std::uint64_t w, std::int64_t q) noexcept;

// The end of a sentence that begins with the quoted text: `"1e400"` + `is too large: ...`.
std::string_view describe(NumberFault fault) noexcept;

// The whole of `text` as an integer: blanks around it, a sign (no minus for the unsigned one), digits. False, and
// `value` unchanged, if it is anything else or does not fit.
bool parse_integer(std::string_view text, std::int64_t& value) noexcept;
bool parse_integer(std::string_view text, std::uint64_t& value) noexcept;

// The shortest text that parse_number turns back into the same bits ("0.1", "1e+22", "-0"); for files. Numbers that are
// not finite become "nan", "inf" and "-inf", which parse_number refuses: a format without such words checks first.
void append_number(std::string& out, double value);
std::string number_text(double value);

// For people: at most this many significant digits (1 to 17), no trailing zeros, no minus on zero.
std::string number_text(double value, int significant_digits);

// For people: "5,572".
std::string count_text(std::uint64_t count);

// For people: "1.2 kB", in powers of 1000.
std::string bytes_text(std::uint64_t bytes);

}  // namespace plumb
