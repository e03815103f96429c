#include "plumb/math/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace plumb::math {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kLow32 = 0xFFFF'FFFF;
constexpr int kUnit = -1106;                        // the exponent of the lowest bit of word 0
constexpr std::uint32_t kMostUncarried = 1u << 28;  // of less than 2^34 a word each, so 63 bits hold them

}  // namespace

void ExactSum::add(double value, std::uint64_t count) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto exponent = static_cast<unsigned>(bits >> 52 & 0x7FF);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const std::uint64_t mantissa = exponent == 0 ? fraction : fraction | std::uint64_t{1} << 52;
  const unsigned place = std::max(exponent, 1u) - 1 + 32;  // of the mantissa's lowest bit, above kUnit
  const bool negative = bits >> 63 != 0;
  std::size_t word = place / 32;
  for (Wide product = Wide{mantissa} * count; product != 0; product >>= 32, ++word) {
    const std::uint64_t part = (static_cast<std::uint64_t>(product) & kLow32) << place % 32;
    const auto low = static_cast<std::int64_t>(part & kLow32), high = static_cast<std::int64_t>(part >> 32);
    words_[word] += negative ? -low : low;
    words_[word + 1] += negative ? -high : high;
  }
  if (++uncarried_ == kMostUncarried) {
    carry(words_);
    uncarried_ = 0;
  }
}

// Every word but the last into 0 ... 2^32 - 1; the last has the sign.
void ExactSum::carry(Words& words) noexcept {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    words[i + 1] += words[i] >> 32;  // rounds down, so the remainder is not negative
    words[i] &= static_cast<std::int64_t>(kLow32);
  }
}

double ExactSum::divided_by(std::uint64_t divisor) const noexcept {
  Words words = words_;
  carry(words);
  const bool negative = words.back() < 0;
  if (negative) {
    for (std::int64_t& word : words) word = -word;
    carry(words);
  }
  // Long division; the remainder only shows that the quotient has further bits.
  std::uint64_t left = 0;
  for (std::size_t i = words.size(); i-- > 0;) {
    const Wide dividend = Wide{left} << 32 | static_cast<std::uint64_t>(words[i]);
    words[i] = static_cast<std::int64_t>(dividend / divisor);
    left = static_cast<std::uint64_t>(dividend % divisor);
  }
  std::size_t top = words.size() - 1;
  while (top > 0 && words[top] == 0) --top;
  // 53 bits are kept, or those from 2^-1074 up; the rest is rounded, ties to even.
  const auto length = 32 * top + static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(words[top])));
  const std::size_t drop = std::max<std::size_t>(length, 32 + 53) - 53;
  const auto bit = [&](std::size_t i) { return static_cast<std::uint64_t>(words[i / 32] >> i % 32) & 1; };
  std::uint64_t kept = 0;
  for (std::size_t i = length; i-- > drop;) kept = kept << 1 | bit(i);
  const bool half = bit(drop - 1) != 0;
  bool beyond = left != 0;
  for (std::size_t i = 0; i + 1 < drop && !beyond; ++i) beyond = bit(i) != 0;
  if (half && (beyond || (kept & 1) != 0)) ++kept;
  const double quotient = std::ldexp(static_cast<double>(kept), static_cast<int>(drop) + kUnit);
  return negative ? -quotient : quotient;
}

}  // namespace plumb::math
