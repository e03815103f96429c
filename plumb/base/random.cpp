#include "plumb/base/random.h"

#include <numeric>
#include <utility>

namespace plumb {
namespace {

constexpr std::uint64_t multiplier_0 = 0xD2511F53, multiplier_1 = 0xCD9E8D57;
constexpr std::uint32_t weyl_0 = 0x9E3779B9, weyl_1 = 0xBB67AE85;  // golden ratio and sqrt(3) - 1

constexpr std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

struct Draw {
  std::uint64_t low, high;
};

Draw draw(const RandomKey& key, std::uint64_t index) noexcept {
  const auto words =
      philox({low(index), high(index), low(key.stream), high(key.stream)}, {low(key.seed), high(key.seed)});
  return {std::uint64_t{words[1]} << 32 | words[0], std::uint64_t{words[3]} << 32 | words[2]};
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) noexcept {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product_0 = multiplier_0 * counter[0];
    const std::uint64_t product_1 = multiplier_1 * counter[2];
    counter = {high(product_1) ^ counter[1] ^ key[0], low(product_1),  //
               high(product_0) ^ counter[3] ^ key[1], low(product_0)};
    key[0] += weyl_0;
    key[1] += weyl_1;
  }
  return counter;
}

std::uint64_t RandomKey::bits(std::uint64_t index) const noexcept { return draw(*this, index).low; }

double RandomKey::uniform(std::uint64_t index) const noexcept {
  return static_cast<double>(bits(index) >> 11) * 0x1p-53;
}

std::uint64_t RandomKey::below(std::uint64_t index, std::uint64_t bound) const noexcept {
  __extension__ using Wide = unsigned __int128;
  const Draw x = draw(*this, index);
  const Wide carry = (Wide{x.low} * bound) >> 64;
  return static_cast<std::uint64_t>((Wide{x.high} * bound + carry) >> 64);
}

std::vector<std::uint64_t> RandomKey::shuffled(std::uint64_t n) const {
  std::vector<std::uint64_t> order(n);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  for (std::uint64_t i = n; i > 1; --i) std::swap(order[i - 1], order[below(i - 1, i)]);
  return order;
}

}  // namespace plumb
