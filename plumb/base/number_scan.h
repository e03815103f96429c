// Numbers in the middle of a text, at the speed of a few operations each: the short decimal forms that files are full
// of. Whatever else stands there is left to parse_number, which has the last word on every text.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace plumb {

// How many bytes from `at` on scan_number and scan_digits may look at.
inline constexpr std::size_t kScanBytes = 40;

namespace detail {

// The number of leading bytes of `eight` (first byte lowest) that are digits.
inline unsigned digits_in(std::uint64_t eight) noexcept {
  // A byte c is a digit if and only if both c and c + 6 have the high half 3.
  const std::uint64_t high =
      (eight & 0xF0F0F0F0F0F0F0F0u) | (((eight + 0x0606060606060606u) & 0xF0F0F0F0F0F0F0F0u) >> 4);
  const std::uint64_t other = high ^ 0x3333333333333333u;
  return other == 0 ? 8 : static_cast<unsigned>(std::countr_zero(other)) / 8;
}

// The value of the first `count` (1 to 8) digits of `eight`: three multiplications that add neighbours, then pairs,
// then fours.
inline std::uint64_t value_of_digits(std::uint64_t eight, unsigned count) noexcept {
  eight = (eight - 0x3030303030303030u) << (64 - 8 * count);  // zeros come first, so the digits end at the last place
  eight = (eight * 10) + (eight >> 8);
  return (((eight & 0x000000FF000000FFu) * 0x000F424000000064u) +
          (((eight >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u)) >>
         32;
}

inline std::uint64_t eight_bytes(const char* at) noexcept {
  std::uint64_t eight;
  std::memcpy(&eight, at, 8);
  if constexpr (std::endian::native == std::endian::big) eight = __builtin_bswap64(eight);
  return eight;
}

inline constexpr std::uint64_t kWholePower[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
inline constexpr double kPower[] = {1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7, 1e8,
                                    1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};

// Up to 16 digits from `at` on, appended to `value`; gives their number. Of a run of 17 or more digits 16 are taken.
inline unsigned take_digits(const char* at, std::uint64_t& value) noexcept {
  const std::uint64_t eight = eight_bytes(at);
  const unsigned count = digits_in(eight);
  if (count == 0) return 0;
  value = value * kWholePower[count] + value_of_digits(eight, count);
  if (count < 8) return count;
  const std::uint64_t more = eight_bytes(at + 8);
  const unsigned rest = digits_in(more);
  if (rest != 0) value = value * kWholePower[rest] + value_of_digits(more, rest);
  return 8 + rest;
}

}  // namespace detail

// A whole number of 1 to 16 digits at `at`, of which kScanBytes bytes can be read. The byte after it, or nullptr.
inline const char* scan_digits(const char* at, std::uint64_t& value) noexcept {
  value = 0;
  const unsigned count = detail::take_digits(at, value);
  return count == 0 || static_cast<unsigned char>(at[count] - '0') < 10 ? nullptr : at + count;
}

// A number at `at`, of which kScanBytes bytes can be read: a sign or none, digits, with or without a point and more
// digits, at most 15 digits in all. Sets `value` and gives the byte after it; nullptr for anything else that is or is
// not a number, such as one with an exponent or with more digits. Digits with at most 15 places make a whole number
// below 2^53 over a power of ten below 10^22; both are exact, so their quotient is correctly rounded (Clinger, "How to
// read floating point numbers accurately", PLDI 1990).
inline const char* scan_number(const char* at, double& value) noexcept {
  const bool minus = *at == '-';
  at += minus || *at == '+';
  std::uint64_t digits = 0;
  unsigned count = detail::take_digits(at, digits);
  at += count;
  unsigned places = 0;
  if (*at == '.') {
    ++at;
    places = detail::take_digits(at, digits);
    at += places;
    count += places;
  }
  const char next = *at;
  if (count == 0 || count > 15 || static_cast<unsigned char>(next - '0') < 10 || (next | 0x20) == 'e') return nullptr;
  const double whole = static_cast<double>(digits);
  const double size = places == 0 ? whole : whole / detail::kPower[places];
  value = minus ? -size : size;
  return at;
}

}  // namespace plumb
