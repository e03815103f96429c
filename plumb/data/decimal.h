// Fast parsing of the decimals that data files consist of. Numbers that are longer, have an exponent or end too close
// to the end of the text are left to parse_number (plumb/base/number.h), which reads any number.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "plumb/base/number.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace plumb {

// That many bytes must be readable behind the pointers given to the functions below.
inline constexpr std::ptrdiff_t kDecimalRoom = 40;

// The digits that a text starts with, eight at most. `packed` has them as the last bytes of a word of eight.
struct DigitRun {
  unsigned count;
  std::uint64_t packed;

  // Neighbours are joined in all lanes at once: digits to pairs, pairs to fours, fours to the eight.
  std::uint64_t value() const noexcept {
    std::uint64_t w = packed * (1 + (10 << 8)) >> 8;
    w = (w & 0x00FF00FF00FF00FF) * (1 + (100 << 16)) >> 16;
    return (w & 0x0000FFFF0000FFFF) * (1 + (10000ull << 32)) >> 32;
  }
};

[[gnu::always_inline]] inline DigitRun leading_digits(const char* p) noexcept {
  static_assert(std::endian::native == std::endian::little, "other machines have to swap the bytes here");
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  word ^= 0x3030303030303030;  // a digit becomes its value, any other byte 10 or more
  // The top bit of a byte says that it is not a digit. A carry reaches only bytes behind the first such byte.
  const std::uint64_t others = (word | (word + 0x7676767676767676)) & 0x8080808080808080;
  const auto count = static_cast<unsigned>(std::countr_zero(others)) >> 3;  // 64 for no bits
  const unsigned half = 32 - 4 * count;  // a word cannot be shifted by 64 bits at once
  return {count, word << half << half};
}

// The powers of ten that are doubles.
inline constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                          1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr std::uint64_t kWholePowersOfTen[] = {1,
                                                      10,
                                                      100,
                                                      1000,
                                                      10000,
                                                      100000,
                                                      1000000,
                                                      10000000,
                                                      100000000,
                                                      1000000000,
                                                      10000000000,
                                                      100000000000,
                                                      1000000000000,
                                                      10000000000000,
                                                      100000000000000,
                                                      1000000000000000,
                                                      10000000000000000,
                                                      100000000000000000,
                                                      1000000000000000000};

// The double nearest to digits / 10^decimals, for at most 22 decimals. If the digits are a double, as the power of ten
// is, their quotient is rounded once and is the nearest (Clinger 1990).
[[gnu::always_inline]] inline double with_decimals(std::uint64_t digits, unsigned decimals) noexcept {
  constexpr std::uint64_t kAllDoubles = std::uint64_t{1} << 53;
  if (digits <= kAllDoubles) return static_cast<double>(static_cast<std::int64_t>(digits)) / kPowersOfTen[decimals];
  return nearest_decimal(digits, -static_cast<std::int64_t>(decimals));
}

// The rest of a number with more digits than read_decimal divides exactly: `digits` has `count` digits, without a zero
// before the point, eight of them behind it; `more` are those from `p` on. 19 digits are below 2^64, so one more run
// fits.
[[gnu::noinline]] inline const char* read_many_decimals(const char* p, std::uint64_t digits, unsigned count,
                                                        DigitRun more, double& value) noexcept {
  digits = digits * kWholePowersOfTen[more.count] + more.value();
  unsigned decimals = 8 + more.count;
  p += more.count;
  count += more.count;
  if (more.count == 8) {
    const DigitRun last = leading_digits(p);
    digits = digits * kWholePowersOfTen[last.count] + last.value();
    decimals += last.count;
    p += last.count;
    count += last.count;
  }
  if (count > 19) return nullptr;
  value = with_decimals(digits, decimals);
  return p;
}

// [-]digits[.digits] with 1 to 7 digits before the point and at most 19 in all, a single zero before the point not
// counted. Returns its end, or nullptr if the text does not start with such a number. Up to 15 digits are a whole
// number below 10^15 < 2^53, and the power of ten is at most 10^14 < 10^22, so both are doubles and their quotient is
// rounded once: it is the double nearest to the decimal (Clinger 1990). The caller must check what follows: an "e"
// makes it another number.
[[gnu::always_inline]] inline const char* read_decimal(const char* p, double& value) noexcept {
  constexpr double signs[] = {1.0, -1.0};  // a product cannot be mispredicted like a branch
  const bool negative = *p == '-';
  p += negative;
  DigitRun whole{1, std::uint64_t{static_cast<unsigned char>(*p ^ '0')} << 56};
  if (p[1] != '.' || whole.packed > 9ull << 56) {  // a guess that is mostly right is faster than counting the digits
    whole = leading_digits(p);
    if (whole.count - 1 >= 7) return nullptr;
  }
  p += whole.count;
  if (*p != '.') {
    value = static_cast<double>(static_cast<std::int64_t>(whole.value())) * signs[negative];
    return p;
  }
  const DigitRun fraction = leading_digits(++p);
  if (fraction.count == 0) return nullptr;
  p += fraction.count;
  unsigned decimals = fraction.count;
  std::uint64_t digits = whole.value() * kWholePowersOfTen[decimals] + fraction.value();
  if (decimals == 8) {
    const DigitRun more = leading_digits(p);
    if (whole.count + 8 + more.count > 15) {
      const unsigned before = whole.count == 1 && whole.packed == 0 ? 0 : whole.count;
      p = read_many_decimals(p, digits, before + 8, more, value);
      value *= signs[negative];
      return p;
    }
    p += more.count;
    decimals += more.count;
    digits = digits * kWholePowersOfTen[more.count] + more.value();
  }
  value = static_cast<double>(static_cast<std::int64_t>(digits)) / kPowersOfTen[decimals] * signs[negative];
  return p;
}

// The value of 16 digits, with bytes outside the mask read as the digit 0: false if another byte is not a digit.
[[gnu::always_inline]] inline bool sixteen_digits(const char* p, const unsigned char* kept,
                                                  std::uint64_t& value) noexcept {
#ifdef __SSE2__
  const auto load = [](const void* at) { return _mm_loadu_si128(static_cast<const __m128i*>(at)); };
  const __m128i digits = _mm_and_si128(_mm_xor_si128(load(p), _mm_set1_epi8('0')), load(kept)), none{};
  if (_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_subs_epu8(digits, _mm_set1_epi8(9)), none)) != 0xFFFF) return false;
  // Digits to pairs, pairs to fours, fours to eights.
  const __m128i tens = _mm_set1_epi32(10 | 1 << 16);
  const __m128i pairs = _mm_packs_epi32(_mm_madd_epi16(_mm_unpacklo_epi8(digits, none), tens),
                                        _mm_madd_epi16(_mm_unpackhi_epi8(digits, none), tens));
  const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(100 | 1 << 16));
  const __m128i eights = _mm_madd_epi16(_mm_packs_epi32(fours, fours), _mm_set1_epi32(10000 | 1 << 16));
  std::uint32_t halves[4];
  std::memcpy(halves, &eights, sizeof halves);
  value = halves[0] * kWholePowersOfTen[8] + halves[1];
  return true;
#else
  std::uint64_t word[2], mask[2];
  std::memcpy(word, p, sizeof word);
  std::memcpy(mask, kept, sizeof mask);
  for (std::size_t i = 0; i < 2; ++i) word[i] = (word[i] ^ 0x3030303030303030) & mask[i];
  for (const std::uint64_t each : word)
    if (((each | (each + 0x7676767676767676)) & 0x8080808080808080) != 0) return false;
  value = DigitRun{8, word[0]}.value() * kWholePowersOfTen[8] + DigitRun{8, word[1]}.value();
  return true;
#endif
}

// The result of read_decimal for a number that is known to end at `stop`, if it is [-]d.digits with one digit before
// the point and 1 to 18 behind it: faster, because nothing has to be counted. False for all others. kDecimalRoom bytes
// must be readable before `stop`.
[[gnu::always_inline]] inline bool read_decimal_to(const char* p, const char* stop, double& value) noexcept {
  constexpr double signs[] = {1.0, -1.0};
  constexpr std::uint64_t kZeros = 0x3030303030303030, kTopBits = 0x8080808080808080;
  const bool negative = *p == '-';
  p += negative;
  const std::uint64_t whole = static_cast<unsigned char>(*p ^ '0');
  const auto decimals = static_cast<std::uint64_t>(stop - p - 2);
  if (whole > 9 || p[1] != '.' || decimals - 1 >= 18) return false;
  const auto word_at = [](const char* at) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return word ^ kZeros;
  };
  const auto others = [](std::uint64_t word) { return (word | (word + 0x7676767676767676)) & kTopBits; };
  if (decimals <= 8) {
    // The word that ends where the number does, without the bytes before its digits.
    const std::uint64_t own = word_at(stop - 8) >> (64 - 8 * decimals) << (64 - 8 * decimals);
    if (others(own) != 0) return false;
    const std::uint64_t digits = whole * kWholePowersOfTen[decimals] + DigitRun{8, own}.value();
    value = static_cast<double>(static_cast<std::int64_t>(digits)) / kPowersOfTen[decimals] * signs[negative];
    return true;
  }
  // The last 16 bytes, and two before them: bytes before the digits become 0, without branching on how many there are.
  static constexpr auto kKept = [] {
    std::array<unsigned char, 18 + 18> kept{};
    for (std::size_t i = 18; i < kept.size(); ++i) kept[i] = 0xFF;
    return kept;
  }();
  const unsigned char* const kept = kKept.data() + decimals;
  std::uint16_t front, front_kept;
  std::memcpy(&front, stop - 18, sizeof front);
  std::memcpy(&front_kept, kept, sizeof front_kept);
  const std::uint64_t first = static_cast<unsigned>(front ^ 0x3030) & front_kept;
  std::uint64_t digits;
  if (others(first) != 0 || !sixteen_digits(stop - 16, kept + 2, digits)) return false;
  digits += ((first & 0xFF) * 10 + (first >> 8)) * kWholePowersOfTen[16] + whole * kWholePowersOfTen[decimals];
  value = with_decimals(digits, static_cast<unsigned>(decimals)) * signs[negative];
  return true;
}

}  // namespace plumb
