#include "plumb/solver/combination.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "plumb/math/double_double.h"
#include "plumb/math/exact_sum.h"
#include "plumb/solver/row_arithmetic.h"

namespace plumb {
namespace {

using math::DoubleDouble;

constexpr std::size_t kMostRows = 252;  // of the linear systems: features, the bias, and one for the sum; some seconds
constexpr double kMostWork = 5e8;       // rows times the square of that: a second or so
constexpr double kQuickWork = 2e7;      // the same if the caller has little time
constexpr double kNoShare = 1e-12;      // in a proof: a share of at most this is rounding
constexpr double kBalance = 4096.0;     // with a free bias: price of a class's sum other than 1, in units of the radius
constexpr double kZero = 1e-26;         // entries of a sum of numbers up to 1 that is zero in double-double
constexpr double kMostMultiple = 1e5;   // the largest whole number of a share's proportion

template <class Use>
void for_each_nonzero(const Row& x, Use&& use) {
  for_each_entry(x, [&](std::size_t j, double value) {
    if (value != 0.0) use(j, value);
  });
}

std::uint64_t hash_of(const Row& x) {
  std::uint64_t hash = 0x9E3779B97F4A7C15;
  for_each_nonzero(x, [&](std::size_t j, double value) {
    hash = (hash ^ j) * 0xBF58476D1CE4E5B9;
    hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x94D049BB133111EB;
    hash ^= hash >> 31;
  });
  return hash;
}

bool equal(const Row& a, const Row& b) {
  std::vector<std::pair<std::size_t, double>> left, right;
  for_each_nonzero(a, [&](std::size_t j, double value) { left.emplace_back(j, value); });
  for_each_nonzero(b, [&](std::size_t j, double value) { right.emplace_back(j, value); });
  return left == right;
}

// A gradient of at most this is 0; also the squared share of a column that others must leave.
constexpr double kRightEnough = 1e-12;
template <class T>
constexpr double kDependent = 1e-26;
template <>
constexpr double kDependent<DoubleDouble> = 1e-54;

double square_root(double x) { return std::sqrt(x); }
DoubleDouble square_root(DoubleDouble x) { return math::sqrt(x); }

// Weights s that make sum s_k column_k nearest to the target, by Householder reflections. Empty if the columns are not
// independent within rounding.
template <class T>
std::vector<T> nearest(const std::vector<std::vector<double>>& columns, const std::vector<double>& target) {
  const std::size_t k = columns.size(), m = columns[0].size();
  if (k > m) return {};
  std::vector<std::vector<T>> a(k);
  for (std::size_t c = 0; c < k; ++c) a[c].assign(columns[c].begin(), columns[c].end());
  std::vector<T> right(target.begin(), target.end());
  std::vector<T> diagonal(k);
  for (std::size_t c = 0; c < k; ++c) {
    T square(0.0), whole(0.0);
    for (std::size_t i = c; i < m; ++i) square += a[c][i] * a[c][i];
    for (std::size_t i = 0; i < c; ++i) whole += a[c][i] * a[c][i];
    if (!(square > T(kDependent<T>) * (whole + square))) return {};
    const T norm = a[c][c] > T(0.0) ? -square_root(square) : square_root(square);
    diagonal[c] = norm;
    a[c][c] -= norm;  // the reflector; half its squared length is square - norm * a_cc
    T half(0.0);
    for (std::size_t i = c; i < m; ++i) half += a[c][i] * a[c][i];
    half /= T(2.0);
    const auto reflect = [&](std::vector<T>& v) {
      T along(0.0);
      for (std::size_t i = c; i < m; ++i) along += a[c][i] * v[i];
      along /= half;
      for (std::size_t i = c; i < m; ++i) v[i] -= along * a[c][i];
    };
    for (std::size_t other = c + 1; other < k; ++other) reflect(a[other]);
    reflect(right);
  }
  std::vector<T> s(k);
  for (std::size_t c = k; c-- > 0;) {
    T sum = right[c];
    for (std::size_t other = c + 1; other < k; ++other) sum -= a[other][c] * s[other];
    s[c] = sum / diagonal[c];
  }
  return s;
}

// The largest component of sum share y (x, 1), each feature in units of its largest value among these rows; the sums
// are exact.
double residual_of(const RowTable& rows, bool bias, const std::vector<DataMargin::Share>& shares) {
  RowReader reader(rows);
  std::vector<math::ExactSum> sums(rows.examples().features());
  std::vector<double> largest(sums.size());
  math::ExactSum balance;
  for (const DataMargin::Share& share : shares) {
    for_each_nonzero(reader.row(share.row), [&](std::size_t j, double x) {
      largest[j] = std::max(largest[j], std::abs(x));
      const DoubleDouble product = math::two_product(share.sign * share.share, x);
      sums[j].add(product.high);
      sums[j].add(product.low);
    });
    if (bias) balance.add(share.sign * share.share);
  }
  double most = std::abs(balance.divided_by(1));
  for (std::size_t j = 0; j < sums.size(); ++j)
    if (largest[j] > 0.0) most = std::max(most, std::abs(sums[j].divided_by(1)) / largest[j]);
  return most;
}

// min |sum a_i c_i - e|^2 over a >= 0, where c_i is y_i x_i with further components: y_i for a bias that is a feature,
// and 1, the only component of e. For shares of sum s the minimum is s^2 d^2 + (1 - s)^2, where d is the norm of the
// shortest convex combination: so a is that combination, and at d = 0 it is a proof. For a free bias each class has a
// sum of its own.
class NonNegativeSquares {
 public:
  // Scales features by powers of two: each its own, or one for all, which keeps lengths.
  NonNegativeSquares(const RowTable& rows, BiasKind bias, bool own_units, std::span<const std::uint64_t> only)
      : rows_(rows),
        reader_(rows),
        barred_(rows.size(), !only.empty()),
        p_(rows.examples().features()),
        bias_(bias),
        target_(p_ + (bias == BiasKind::none ? 1 : 2)),
        scale_(p_) {
    if (own_units && bias == BiasKind::augmented) find_shift();
    double largest = bias == BiasKind::augmented ? 1.0 : 0.0;
    for (std::uint64_t i = 0; i < rows.size(); ++i)
      each_entry(i, [&](std::size_t j, double v) { scale_[j] = std::max(scale_[j], std::abs(v)); });
    for (const double scale : scale_) largest = std::max(largest, scale);
    const auto unit = [](double size) { return size > 0.0 ? std::ldexp(1.0, -std::ilogb(size) - 1) : 1.0; };
    for (double& scale : scale_) scale = unit(own_units ? scale : largest);
    if (!own_units) one_ = unit(largest);
    target_.back() = 1.0;
    if (bias == BiasKind::free) target_.back() = target_[p_] = kBalance;
    for (const std::uint64_t i : only) barred_[i] = false;
  }

  void solve(const Run& run) {
    std::vector<double> residual(target_.begin(), target_.end());
    std::vector<bool> barred = barred_;
    for (std::size_t round = 0; round < 20 * target_.size(); ++round) {
      run.report(Phase::fitting, round, 0);
      const std::uint64_t best = steepest(residual, barred);
      if (best == rows_.size()) return;
      barred[best] = true;  // until others move
      chosen_.push_back(best);
      columns_.push_back(column(best));
      shares_.push_back(0.0);
      if (!descend()) continue;
      barred = barred_;
      for (const std::uint64_t i : chosen_) barred[i] = true;
      residual.assign(target_.begin(), target_.end());
      for (std::size_t k = 0; k < chosen_.size(); ++k)
        for (std::size_t i = 0; i < residual.size(); ++i) residual[i] -= shares_[k] * columns_[k][i];
    }
  }

  // No row is at more than a right angle to the residual, which in the user's units is the normal of a hyperplane.
  void write_plane(NearestPoints& found) const {
    std::vector<double> sum(target_.size(), 0.0);
    for (std::size_t k = 0; k < chosen_.size(); ++k)
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += shares_[k] * columns_[k][i];
    for (std::size_t j = 0; j < p_; ++j) found.weights.push_back(sum[j] * scale_[j]);
    if (bias_ == BiasKind::augmented) found.bias = sum[p_] * one_;
    for (std::size_t j = 0; j < shift_.size(); ++j) found.bias -= found.weights[j] * shift_[j];
  }

  std::vector<double> shares() const {
    std::vector<double> all(rows_.size());
    for (std::size_t k = 0; k < chosen_.size(); ++k) all[chosen_[k]] = shares_[k];
    return all;
  }

  // Rows whose share is only rounding are left out, until the rest are a proof or empty.
  std::optional<Combination> certificate() {
    while (!chosen_.empty()) {
      const std::vector<DoubleDouble> shares = nearest<DoubleDouble>(columns_, target_);
      if (shares.empty()) return {};
      const auto least = std::min_element(shares.begin(), shares.end());
      if (!(least->high > kNoShare)) {
        drop(static_cast<std::size_t>(least - shares.begin()));
        continue;
      }
      double residual = 0.0;
      for (std::size_t i = 0; i < target_.size(); ++i) {
        DoubleDouble sum = -target_[i];
        for (std::size_t k = 0; k < shares.size(); ++k) sum += shares[k] * columns_[k][i];
        residual = std::max(residual, std::abs(sum.high));
      }
      if (!(residual <= kZero)) return {};
      Combination found;
      for (std::size_t k = 0; k < shares.size(); ++k)
        found.shares.push_back({chosen_[k], shares[k].high, sign(chosen_[k])});
      std::sort(found.shares.begin(), found.shares.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
      verify(found);
      return found;
    }
    return {};
  }

 private:
  // The residual of the shares as doubles. If it is not zero, whole numbers in their proportion may have residual zero:
  // shares of few rows with few digits are fractions of a small common denominator.
  void verify(Combination& found) const {
    const bool bias = bias_ != BiasKind::none;
    found.residual = residual_of(rows_, bias, found.shares);
    found.exact = found.residual == 0.0;
    for (double multiple = 2.0; multiple <= kMostMultiple && !found.exact; ++multiple) {
      std::vector<DataMargin::Share> whole = found.shares;
      bool near = true;
      for (DataMargin::Share& share : whole) {
        const double exact = share.share * multiple;
        share.share = std::round(exact);
        near = share.share > 0.0 && std::abs(exact - share.share) <= 1e-8;
        if (!near) break;
      }
      found.exact = near && residual_of(rows_, bias, whole) == 0.0;
    }
  }

  // With a bias, rows may be shifted by any point: by the first row, if all differences from it are exact. So times and
  // keys, which are far from 0, are treated like numbers near it.
  void find_shift() {
    for (std::uint64_t i = 0; i < rows_.size(); ++i) {
      const Row x = reader_.row(i);
      if (!x.dense()) return shift_.clear();
      if (i == 0) shift_.assign(x.value.begin(), x.value.end());
      for (std::size_t j = 0; j < p_; ++j)
        if (math::two_sum(x.value[j], -shift_[j]).low != 0.0) return shift_.clear();
    }
  }
  template <class Use>
  void each_entry(std::uint64_t i, Use&& use) {
    const Row x = reader_.row(i);
    if (shift_.empty()) return for_each_nonzero(x, use);
    for (std::size_t j = 0; j < p_; ++j) use(j, x.value[j] - shift_[j]);
  }

  double sign(std::uint64_t i) const { return rows_.target(i) > 0.5 ? 1.0 : -1.0; }
  bool first_sum(std::uint64_t i) const { return bias_ == BiasKind::free && sign(i) < 0.0; }

  std::vector<double> column(std::uint64_t i) {
    std::vector<double> c(target_.size());
    each_entry(i, [&](std::size_t j, double v) { c[j] = sign(i) * v * scale_[j]; });
    if (bias_ == BiasKind::augmented) c[p_] = sign(i) * one_;
    (first_sum(i) ? c[p_] : c.back()) = target_.back();
    return c;
  }

  // The row that reduces the residual most; none if no row can.
  std::uint64_t steepest(const std::vector<double>& residual, const std::vector<bool>& barred) {
    std::uint64_t best = rows_.size();
    double most = kRightEnough;
    for (std::uint64_t i = 0; i < rows_.size(); ++i) {
      if (barred[i]) continue;
      double sum = bias_ == BiasKind::augmented ? residual[p_] * one_ : 0.0;
      double square = target_.back() * target_.back();
      each_entry(i, [&](std::size_t j, double v) {
        const double scaled = v * scale_[j];
        sum += residual[j] * scaled;
        square += scaled * scaled;
      });
      const double own = (first_sum(i) ? residual[p_] : residual.back()) * target_.back();
      const double along = (sign(i) * sum + own) / std::sqrt(square);
      if (along > most) {
        most = along;
        best = i;
      }
    }
    return best;
  }

  void drop(std::size_t k) {
    const auto place = static_cast<std::ptrdiff_t>(k);
    chosen_.erase(chosen_.begin() + place);
    shares_.erase(shares_.begin() + place);
    columns_.erase(columns_.begin() + place);
  }

  // Moves towards the least squares of the chosen rows as far as shares stay positive, and drops those that reach 0.
  // False if the newest, the last, can have no share.
  bool descend() {
    const std::uint64_t newest = chosen_.back();
    while (!chosen_.empty()) {
      const std::vector<double> wanted = nearest<double>(columns_, target_);
      if (wanted.empty()) {
        drop(chosen_.size() - 1);
        return false;
      }
      double step = 1.0;
      std::size_t first = wanted.size();
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        if (wanted[k] > 0.0) continue;
        const double room = shares_[k] > 0.0 ? shares_[k] / (shares_[k] - wanted[k]) : 0.0;
        if (first != wanted.size() && !(room < step)) continue;
        step = std::min(step, room);
        first = k;
      }
      for (std::size_t k = 0; k < wanted.size(); ++k) shares_[k] += step * (wanted[k] - shares_[k]);
      if (first == wanted.size()) return std::find(chosen_.begin(), chosen_.end(), newest) != chosen_.end();
      drop(first);
    }
    return false;
  }

  const RowTable& rows_;
  RowReader reader_;
  std::vector<bool> barred_;  // excluded rows
  std::size_t p_;
  BiasKind bias_;
  std::vector<double> target_;  // e
  std::vector<double> scale_;
  double one_ = 1.0;           // the bias feature, scaled
  std::vector<double> shift_;  // see find_shift; or empty
  std::vector<std::uint64_t> chosen_;
  std::vector<double> shares_;
  std::vector<std::vector<double>> columns_;
};

}  // namespace

std::optional<Combination> contradiction(const RowTable& rows) {
  RowReader one(rows), other(rows);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> hashes;
  hashes.reserve(rows.size());
  for (std::uint64_t i = 0; i < rows.size(); ++i) hashes.emplace_back(hash_of(one.row(i)), i);
  std::sort(hashes.begin(), hashes.end());
  std::optional<std::pair<std::uint64_t, std::uint64_t>> found;
  for (std::size_t begin = 0, end = 0; begin < hashes.size(); begin = end) {
    while (end < hashes.size() && hashes[end].first == hashes[begin].first) ++end;
    const std::uint64_t first = hashes[begin].second;
    for (std::size_t k = begin + 1; k < end; ++k) {
      const std::uint64_t i = hashes[k].second;
      if (rows.target(i) == rows.target(first) || (found && found->first <= first)) continue;
      if (equal(one.row(first), other.row(i))) found = {first, i};
    }
  }
  if (!found) return {};
  const auto sign = [&](std::uint64_t i) { return rows.target(i) > 0.5 ? 1.0 : -1.0; };
  return Combination{{{found->first, 0.5, sign(found->first)}, {found->second, 0.5, sign(found->second)}}, 0.0, true};
}

bool few_enough(const RowTable& rows, bool quick) noexcept {
  const std::size_t m = std::size_t{rows.examples().features()} + 2;
  const double work = static_cast<double>(rows.size()) * static_cast<double>(m * m);
  return m <= kMostRows && work <= (quick ? kQuickWork : kMostWork);
}

NearestPoints nearest_points(const RowTable& rows, BiasKind bias, bool proof, const Run& run,
                             std::span<const std::uint64_t> only) {
  NonNegativeSquares squares(rows, bias, proof, only);
  squares.solve(run);
  NearestPoints found{squares.shares(), {}, 0.0, {}};
  squares.write_plane(found);
  if (proof) found.zero = squares.certificate();
  return found;
}

}  // namespace plumb
