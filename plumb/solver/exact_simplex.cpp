#include "plumb/solver/exact_simplex.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumb {
namespace {

using math::BigInteger;

constexpr std::uint64_t kMostWork = 2'000'000'000;  // products of words: some seconds
constexpr int kLongStall = 20;                      // steps without progress, after which Bland's rule ends any circle

}  // namespace

ExactSimplex::ExactSimplex(std::vector<Column> columns, std::vector<BigInteger> target, const Run& run)
    : columns_(std::move(columns)),
      size_(target.size()),
      run_(run),
      turned_(size_),
      adjoint_(size_, std::vector<BigInteger>(size_)),
      values_(std::move(target)),
      prices_(size_, BigInteger(1)),
      basis_(size_) {
  for (std::size_t r = 0; r < size_; ++r) {
    adjoint_[r][r] = BigInteger(1);
    basis_[r] = columns_.size() + r;
    turned_[r] = values_[r].sign() < 0;
    if (turned_[r]) values_[r] = -values_[r];
  }
  for (Column& column : columns_)
    for (Entry& each : column)
      if (turned_[each.place]) each.value = -each.value;
}

bool ExactSimplex::solve() {
  int stalled = 0;
  while (true) {
    run_.report(Phase::fitting, 0, 0);
    const std::size_t entering = stalled < kLongStall ? steepest() : first_rising();
    if (entering == columns_.size()) return true;
    const std::optional<bool> progress = pivot(entering);
    if (!progress || work_ > kMostWork) return false;
    stalled = *progress ? 0 : stalled + 1;
  }
}

bool ExactSimplex::feasible() const {
  for (std::size_t r = 0; r < size_; ++r)
    if (basis_[r] >= columns_.size() && values_[r].sign() != 0) return false;
  return true;
}

// If the artificial columns cannot all go, pi A_i <= 0 for all i and pi t > 0.
std::vector<BigInteger> ExactSimplex::direction() const {
  std::vector<BigInteger> d;
  for (std::size_t r = 0; r < size_; ++r) d.push_back(turned_[r] ? prices_[r] : -prices_[r]);
  return d;
}

BigInteger ExactSimplex::times(const std::vector<BigInteger>& row, const Column& column) {
  BigInteger sum;
  for (const Entry& each : column) {
    work_ += row[each.place].words() * each.value.words() + 1;
    sum += row[each.place] * each.value;
  }
  return sum;
}

std::size_t ExactSimplex::first_rising() {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (times(prices_, columns_[i]).sign() > 0) return i;
  return columns_.size();
}

std::size_t ExactSimplex::steepest() {
  std::size_t best = columns_.size();
  BigInteger most;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (BigInteger rise = times(prices_, columns_[i]); rise.sign() > 0 && most < rise) {
      most = std::move(rise);
      best = i;
    }
  return best;
}

// Whether the artificial columns have lost; nothing if there is no row to leave, which cannot be: a sum is bounded.
std::optional<bool> ExactSimplex::pivot(std::size_t entering) {
  std::vector<BigInteger> along(size_);
  for (std::size_t r = 0; r < size_; ++r) along[r] = times(adjoint_[r], columns_[entering]);
  const BigInteger rise = times(prices_, columns_[entering]);
  std::size_t leaving = size_;
  for (std::size_t r = 0; r < size_; ++r) {
    if (along[r].sign() <= 0) continue;
    if (leaving == size_) {
      leaving = r;
      continue;
    }
    const BigInteger here = values_[r] * along[leaving], there = values_[leaving] * along[r];
    if (here < there || (here == there && basis_[r] < basis_[leaving])) leaving = r;
  }
  if (leaving == size_) return {};
  const bool progress = values_[leaving].sign() != 0;
  const BigInteger determinant = along[leaving];
  const auto replace = [&](BigInteger& number, const BigInteger& factor, const BigInteger& of_leaving) {
    work_ += number.words() * determinant.words() * 2 + factor.words() * of_leaving.words() + 4;
    number = exact_quotient(determinant * number - factor * of_leaving, determinant_);
  };
  for (std::size_t r = 0; r < size_; ++r) {
    if (r == leaving) continue;
    for (std::size_t c = 0; c < size_; ++c) replace(adjoint_[r][c], along[r], adjoint_[leaving][c]);
    replace(values_[r], along[r], values_[leaving]);
  }
  for (std::size_t c = 0; c < size_; ++c) replace(prices_[c], rise, adjoint_[leaving][c]);
  determinant_ = determinant;
  basis_[leaving] = entering;
  return progress;
}

// The lowest set bit of a double stands for 2^this.
int lowest_bit(double value) {
  int exponent = 0;
  auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  exponent -= 53;
  for (; mantissa % 2 == 0; mantissa /= 2) ++exponent;
  return exponent;
}

std::vector<math::DoubleDouble> as_weights(std::span<const BigInteger> whole, std::span<const int> unit) {
  const auto exponent_of = [&](std::size_t j) { return whole[j].approximate().exponent - unit[j]; };
  std::int64_t largest = std::numeric_limits<std::int64_t>::min();
  for (std::size_t j = 0; j < whole.size(); ++j)
    if (whole[j].sign() != 0) largest = std::max(largest, exponent_of(j));
  std::vector<math::DoubleDouble> weights(whole.size());
  for (std::size_t j = 0; j < whole.size(); ++j) {
    if (whole[j].sign() == 0) continue;
    const BigInteger::Approximate high = whole[j].approximate();
    const BigInteger::Approximate low =
        (whole[j] - BigInteger::of(high.mantissa, static_cast<int>(high.exponent))).approximate();
    const auto scaled = [&](const BigInteger::Approximate& part) {
      const std::int64_t exponent = exponent_of(j) - high.exponent + part.exponent - largest;
      return std::ldexp(part.mantissa, static_cast<int>(std::max<std::int64_t>(exponent, -3000)));
    };
    weights[j] = math::two_sum(scaled(high), scaled(low));
  }
  return weights;
}

}  // namespace plumb
