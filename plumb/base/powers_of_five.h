// The leading 128 bits of every power of five that a double can need, made by the compiler with plain long arithmetic.
// Part of number.cpp; nothing else includes it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace plumb {

// 5^q times a power of two: 2^127 <= 2^64 high + low < 2^128. Rounded down for q >= 0 (exact to q = 55), up for q < 0.
struct PowerOfFive {
  std::uint64_t high, low;
};

// w 10^q with 0 < w < 2^64 rounds to zero below these exponents and to infinity above them.
constexpr int least_power = -342, largest_power = 308;

class LongInteger {
 public:
  static constexpr std::size_t limbs = 34;  // 2^1087 / 5^342 still has 294 bits; 5^308 has 716

  constexpr explicit LongInteger(int power_of_two) {
    limb_[static_cast<std::size_t>(power_of_two / 32)] = 1u << (power_of_two % 32);
  }

  constexpr void times_five() {
    std::uint64_t carry = 0;
    for (auto& limb : limb_) {
      carry += std::uint64_t{limb} * 5;
      limb = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }

  // Rounds down; n such divisions in a row are the division by 5^n rounded down.
  constexpr void divide_by_five() {
    std::uint64_t rest = 0;
    for (std::size_t i = limbs; i-- > 0;) {
      rest = rest << 32 | limb_[i];
      limb_[i] = static_cast<std::uint32_t>(rest / 5);
      rest %= 5;
    }
  }

  constexpr PowerOfFive leading_bits() const {
    std::size_t top = limbs;
    while (limb_[top - 1] == 0) --top;
    const int zeros = std::countl_zero(limb_[top - 1]);
    const auto limb = [&](std::size_t k) { return k <= top ? std::uint64_t{limb_[top - k]} : 0; };  // k = 1 is the top
    const auto word = [&](std::size_t k) {
      return (limb(k) << 32 | limb(k + 1)) << zeros | limb(k + 2) >> (32 - zeros);
    };
    return {word(1), word(3)};
  }

 private:
  std::array<std::uint32_t, limbs> limb_{};  // least significant first
};

constexpr auto make_powers_of_five() {
  std::array<PowerOfFive, largest_power - least_power + 1> table{};
  LongInteger power(0);
  for (int q = 0; q <= largest_power; ++q, power.times_five()) {
    table[static_cast<std::size_t>(q - least_power)] = power.leading_bits();
  }
  LongInteger inverse(32 * LongInteger::limbs - 1);
  for (int q = -1; q >= least_power; --q) {
    inverse.divide_by_five();
    auto [high, low] = inverse.leading_bits();
    high += ++low == 0;  // never exact, so up is down plus one
    table[static_cast<std::size_t>(q - least_power)] = {high, low};
  }
  return table;
}

}  // namespace plumb
