#include "plumb/solver/hull_distance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plumb/math/dense.h"
#include "plumb/math/norm.h"
#include "plumb/math/sparse.h"
#include "plumb/solver/row_arithmetic.h"

namespace plumb {
namespace {

constexpr double kUnit = 0x1p-53;

math::DoubleDouble dot2(const Row& x, In w) noexcept {
  return x.dense() ? math::dot2(x.value, w) : math::sparse_dot2(x.index, x.value, w);
}

}  // namespace

HullDistance::HullDistance(const RowTable& rows, BiasKind bias)
    : rows_(rows),
      kind_(bias),
      rho_(bias == BiasKind::none ? 0.0 : 1.0),
      squared_norm_(rows.size()),
      a_(rows.size()),
      w_(rows.examples().features()),
      active_(rows.size()) {
  RowReader reader(rows);
  double entries = 0.0;
  for (std::uint64_t i = 0; i < rows.size(); ++i) {
    const Row x = reader.row(i);
    squared_norm_[i] = math::dot(x.value, x.value);
    entries += static_cast<double>(x.value.size());
  }
  // As large as an average entry of a row: with much more, rows would see little but each other's bias.
  if (bias == BiasKind::free) rho_ = std::max(math::sum(squared_norm_) / std::max(entries, 1.0), 1e-300);
  std::iota(active_.begin(), active_.end(), std::uint64_t{0});
}

// Along a the objective is c^2 |w|^2 / 2 - c sum a, least at c = sum a / |w|^2.
void HullDistance::start(std::vector<double> a, RowReader& reader) {
  a_ = std::move(a);
  look(reader);
  const double square = math::dot(w_, w_) + (kind_ == BiasKind::augmented ? balance_ * balance_ : 0.0);
  const double factor = math::sum(a_) / square;
  if (!(square > 0.0 && std::isfinite(factor))) return;
  math::scale(factor, a_);
  math::scale(factor, w_);
  balance_ *= factor;
  if (kind_ == BiasKind::free) b_ = bias * factor;
}

void HullDistance::pass(RowReader& reader, const RandomKey& random, std::uint64_t number) {
  const std::vector<std::uint64_t> order = random.with_stream(Stream::order, number).shuffled(active_.size());
  double largest = 0.0;
  std::vector<bool> rests(active_.size());
  for (std::size_t step = 0; step < order.size(); ++step) {
    if (step + 2 < order.size()) reader.expect(active_[order[step + 2]]);
    const std::uint64_t place = order[step], i = active_[place];
    const double y = sign(i), q = squared_norm_[i] + rho_;
    if (q == 0.0) continue;
    reader.with_row(i, [&](const auto& x) {
      const double slope = y * (dot(x, w_) + b_ + rho_ * balance_) - 1.0;
      if (a_[i] == 0.0 && slope >= 0.0) {
        rests[place] = slope > largest_;
        return;
      }
      largest = std::max(largest, std::abs(slope));
      const double next = std::max(0.0, a_[i] - slope / q), change = (next - a_[i]) * y;
      a_[i] = next;
      if (change == 0.0) return;
      axpy(change, x, w_);
      balance_ += change;
    });
  }
  largest_ = largest;
  std::size_t kept = 0;
  for (std::size_t place = 0; place < active_.size(); ++place)
    if (!rests[place]) active_[kept++] = active_[place];
  active_.resize(kept);
  if (kind_ == BiasKind::free) b_ += rho_ * balance_;
}

// |sum a y x| / sum a with a bias as a feature or none; with a free one, half the distance of the weighted means of the
// classes. Sums are in double-double, since the means of classes that nearly touch are almost equal, and a bound on
// their rounding errors is added.
double HullDistance::upper_bound(RowReader& reader) {
  using T = math::DoubleDouble;
  std::vector<T> plus(w_.size(), T(0.0)), minus(w_.size(), T(0.0));
  T plus_share(0.0), minus_share(0.0);
  double size = 0.0, count = 10.0;
  for (std::uint64_t i = 0; i < rows_.size(); ++i) {
    if (a_[i] == 0.0) continue;
    const bool positive = sign(i) > 0.0;
    std::vector<T>& sum = positive ? plus : minus;
    for_each_entry(reader.row(i), [&](std::size_t j, double value) { math::accumulate(sum[j], a_[i], value); });
    (positive ? plus_share : minus_share) += T(a_[i]);
    size += a_[i] * std::sqrt(squared_norm_[i] + rho_);
    count += 1.0;
  }
  const bool free = kind_ == BiasKind::free;
  const bool both = plus_share > T(0.0) && minus_share > T(0.0);
  if (free ? !both : !(plus_share + minus_share > T(0.0))) return std::numeric_limits<double>::infinity();
  std::vector<double> difference(w_.size());
  for (std::size_t j = 0; j < w_.size(); ++j) {
    w_[j] = static_cast<double>(plus[j] - minus[j]);  // recomputed: the rounding errors of the steps are gone
    difference[j] = free ? static_cast<double>(plus[j] / plus_share - minus[j] / minus_share) : w_[j];
  }
  balance_ = static_cast<double>(plus_share - minus_share);
  if (kind_ == BiasKind::augmented) difference.push_back(balance_);
  const double shares = static_cast<double>(plus_share + minus_share);
  const double both_sizes = free ? 1.0 / static_cast<double>(plus_share) + 1.0 / static_cast<double>(minus_share) : 1.0;
  const double length = math::norm(difference) * (1.0 + (static_cast<double>(w_.size()) + 16.0) * kUnit) +
                        (count + 8.0) * 0x1p-100 * size * both_sizes;
  return free ? length / 2.0 : length / shares * (1.0 + 4.0 * kUnit);
}

// The best bias for w is between the two nearest rows; every score in twice the precision, minus a bound on its error.
void HullDistance::lower_bound(In w, double b, RowReader& reader) {
  // Least y w.x of either class. For classes that nearly touch the two are almost opposite, so both keep their low
  // parts.
  math::DoubleDouble plus(std::numeric_limits<double>::infinity()), minus = plus;
  const bool free = kind_ == BiasKind::free;
  const double norm = math::norm(w), shift = kind_ == BiasKind::augmented ? b : 0.0;
  if (w.size() != w_.size() || !std::isfinite(norm) || !std::isfinite(shift)) return;  // steps may overflow
  for (std::uint64_t i = 0; i < rows_.size(); ++i) {
    const Row x = reader.row(i);
    const auto entries = static_cast<double>(x.value.size()) + 8.0;
    const double slack = entries * entries * 0x1p-104 * norm * std::sqrt(squared_norm_[i]);
    const double y = sign(i);
    math::DoubleDouble& least = y > 0.0 ? plus : minus;
    least = std::min(least, y * (dot2(x, w) + shift) - slack);
  }
  const double both[] = {norm, shift};
  const double length = math::norm(both) * (1.0 + (static_cast<double>(w.size()) + 8.0) * kUnit);
  if (!(length > 0.0)) return;
  const double least = static_cast<double>(free ? (plus + minus) * 0.5 : std::min(plus, minus));
  const double low = least / length * (1.0 - 8.0 * kUnit);
  if (!(low > bounds_.low) && !weights.empty()) return;
  bounds_.low = low > 0.0 ? low : 0.0;
  weights.assign(w.begin(), w.end());
  bias = free ? static_cast<double>(minus - plus) / 2.0 : shift;
}

void HullDistance::look(RowReader& reader) {
  bounds_.high = std::min(bounds_.high, upper_bound(reader));
  lower_bound(w_, balance_, reader);
  active_.resize(rows_.size());
  std::iota(active_.begin(), active_.end(), std::uint64_t{0});
  largest_ = std::numeric_limits<double>::infinity();
}

}  // namespace plumb
