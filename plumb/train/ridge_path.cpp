// Notation: E are the columns without a penalty (including the bias), P the others; G = sum s z z' of all. The columns
// P with E projected out, on the scale where the penalty is l2 |w|^2, have S = D (G_PP - G_PE G_EE^-1 G_EP) D with
// eigenvalues L and vectors V. For a row, t = V' D (z_P - G_PE G_EE^-1 z_E); then for every l2
//   fitted = fit of E alone + sum_k t_k c_k / (L_k + l2)          with c the same sum for the target,
//   leverage h = s (z_E' G_EE^-1 z_E + sum_k t_k^2 / (L_k + l2)),   left out: residual / (1 - h).
#include "plumb/train/ridge_path.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/math/cholesky.h"
#include "plumb/math/dense.h"
#include "plumb/math/eigen.h"
#include "plumb/math/kernels.h"
#include "plumb/train/design.h"

namespace plumb {
namespace {

constexpr double kLeast = -15, kMost = 2;  // powers of ten of the largest eigenvalue
constexpr double kNoGain = 1e-9;           // of an error: a smaller reduction does not count
constexpr double kNarrow = 16;             // largest eigenvalue to the smallest: below, few columns span all penalties
constexpr double kWide = 0x1p20;           // below, some do
constexpr std::size_t kMostKeptPaths = std::size_t{1}
                                       << 23;  // numbers of rows that are kept for the fine penalties: 64 MiB
constexpr double kSpanned = 0x1p-50;           // precision of the span, relative to every number

class Path {
 public:
  Path(const Examples& examples, bool bias, const Offset& offset, const std::vector<double>& factors, const Run& run,
       const RidgeGrid& grid)
      : examples_(examples),
        run_(run),
        grid_(grid),
        design_(examples, bias, offset, run, Design::Look::all, true),
        gram_(design_.gram()),
        q_(design_.columns()) {
    const std::size_t first = design_.first();
    const Moments& moments = design_.moments();
    if (first != 0) free_.push_back(0);
    for (std::size_t j = 0; j < design_.features(); ++j) {
      if (factors[j] > 0 && !moments.zero[j]) {
        held_.push_back(first + j);
        // On this scale |w|^2 is sum factor w^2 in the user's units, up to the unit of the target.
        scale_.push_back(std::ldexp(1 / std::sqrt(factors[j]), moments.unit[j].exponent));
      } else {
        free_.push_back(first + j);
      }
    }
    for (std::size_t i = 0; i < held_.size(); ++i) together_ = together_ && held_[i] == q_ - held_.size() + i;
    make_free();
    make_held();
  }

  RidgePath find() {
    const double largest = eigen_.values.empty() ? 0.0 : eigen_.values.back();
    std::vector<double> l2;
    const double gap = (kMost - kLeast) / static_cast<double>(std::max<std::size_t>(grid_.coarse, 2) - 1);
    for (std::size_t i = 0; i < grid_.coarse && largest > 0; ++i)
      l2.push_back(largest * std::pow(10.0, kLeast + gap * static_cast<double>(i)));
    if (l2.empty()) l2.push_back(1.0);
    const bool plain = has_plain_fit();
    std::vector<double> tried = l2;
    if (plain) tried.push_back(0.0);
    std::vector<RidgePoint> coarse = measure(shares_of(tried), true);
    const RidgePoint none = coarse.back();
    if (plain) coarse.pop_back();
    const std::size_t best = best_of(coarse);
    if (l2.size() > 1 && std::isfinite(coarse[best].loo_rmse)) {
      const double low = l2[best == 0 ? 0 : best - 1], high = l2[std::min(best + 1, l2.size() - 1)];
      std::vector<double> fine;
      for (std::size_t i = 1; i + 1 < grid_.fine; ++i)
        fine.push_back(low * std::pow(high / low, static_cast<double>(i) / static_cast<double>(grid_.fine - 1)));
      for (const RidgePoint& point : measure(next_shares_of(fine), false)) coarse.push_back(point);
      std::sort(coarse.begin(), coarse.end(), [](const RidgePoint& a, const RidgePoint& b) { return a.l2 < b.l2; });
      coarse.erase(std::unique(coarse.begin(), coarse.end(),
                               [](const RidgePoint& a, const RidgePoint& b) { return a.l2 == b.l2; }),
                   coarse.end());
    }
    RidgePath path{std::move(coarse), 0};
    path.best = best_of(path.points);
    const RidgePoint& least = path.points[path.best];
    if (is_as_good(path.points.front(), least)) path.best = 0;
    if (plain && is_as_good(none, least)) path.none = none;
    for (RidgePoint& point : path.points) bring_back(point);
    if (path.none) bring_back(*path.none);
    return path;
  }

 private:
  // To the user's units: s has a unit, too.
  void bring_back(RidgePoint& point) const {
    point.l2 = std::ldexp(point.l2, design_.moments().weight_unit.exponent);
    point.loo_rmse = std::ldexp(point.loo_rmse, design_.moments().target_unit.exponent);
    point.gcv = std::ldexp(point.gcv, 2 * design_.moments().target_unit.exponent);
  }

  static bool is_as_good(const RidgePoint& point, const RidgePoint& least) {
    return point.loo_rmse <= least.loo_rmse * (1 + kNoGain + point.rounding + least.rounding);
  }
  bool has_plain_fit() const {
    const auto is_nothing = [&](std::size_t place) {  // as for an offset, whose weight is known
      return place >= design_.first() && design_.moments().zero[place - design_.first()];
    };
    const auto nothing = static_cast<std::size_t>(std::count_if(free_.begin(), free_.end(), is_nothing));
    return factor_->rank() + nothing == free_.size() && (eigen_.values.empty() || eigen_.values.front() > 0) &&
           design_.moments().rows > q_ - nothing;
  }

  static std::size_t best_of(const std::vector<RidgePoint>& points) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < points.size(); ++i)
      if (points[i].loo_rmse <= points[best].loo_rmse) best = i;
    return best;
  }

  double gram(std::size_t i, std::size_t j) const { return gram_[std::max(i, j) * (q_ + 1) + std::min(i, j)]; }

  // The factor of G_EE, and G_EE^-1 times G_EP and G_Ey, a number for each of P and at last y.
  void make_free() {
    const std::size_t e = free_.size();
    std::vector<double> lower(e * e), right(e);
    for (std::size_t a = 0; a < e; ++a)
      for (std::size_t b = 0; b <= a; ++b) lower[a * e + b] = gram(free_[a], free_[b]);
    factor_.emplace(std::move(lower), e, 1e-11);
    by_free_.assign(e, std::vector<double>(held_.size() + 1));
    for (std::size_t k = 0; k <= held_.size(); ++k) {
      for (std::size_t a = 0; a < e; ++a) right[a] = gram(free_[a], k < held_.size() ? held_[k] : q_);
      factor_->solve(right, right);
      for (std::size_t a = 0; a < e; ++a) by_free_[a][k] = factor_->aliased()[a] ? 0.0 : right[a];
    }
  }

  void make_held() {
    const std::size_t p = held_.size();
    const auto left = [&](std::size_t i, std::size_t k) {  // of G_ik, with E projected out
      double sum = gram(held_[i], k < p ? held_[k] : q_);
      for (std::size_t a = 0; a < free_.size(); ++a) sum -= gram(free_[a], held_[i]) * by_free_[a][k];
      return sum;
    };
    std::vector<double> lower(p * p), slope(p);
    for (std::size_t i = 0; i < p; ++i) {
      for (std::size_t k = 0; k <= i; ++k) lower[i * p + k] = left(i, k) * scale_[i] * scale_[k];
      slope[i] = left(i, p) * scale_[i];
    }
    eigen_ = math::symmetric_eigen(std::move(lower), p);
    const double noise = eigen_.values.empty() ? 0.0 : eigen_.values.back() * static_cast<double>(p) * 0x1p-50;
    for (double& value : eigen_.values)
      if (value < noise) value = 0.0;
    for (std::size_t k = 0; k < p; ++k) along_.push_back(math::kernels().dot(&eigen_.vectors[k * p], slope.data(), p));
  }

  // The factors of the sums over t: for each l2, 1/(L_k + l2) = sum_j of[l2][j] span[j][k], and the same with
  // span_fitted for c_k/(L_k + l2). Often j is k, and span the identity, which is then left out.
  struct Shares {
    std::vector<double> l2, span, span_fitted, of, of_fitted;
    std::size_t rank = 0;  // how many j; 0: no span
  };
  Shares shares_of(const std::vector<double>& l2) const {
    Shares shares;
    shares.l2 = l2;
    return find_span(shares) ? shares : plain_shares_of(l2);
  }
  Shares plain_shares_of(const std::vector<double>& l2) const {
    Shares shares;
    shares.l2 = l2;
    for (const double each : l2)
      for (std::size_t k = 0; k < held_.size(); ++k) {
        shares.of.push_back(1 / (eigen_.values[k] + each));
        shares.of_fitted.push_back(along_[k] / (eigen_.values[k] + each));
      }
    return shares;
  }

  // For more penalties, in terms of the data kept of the rows for the first ones, whether they were kept or not: that
  // must not change a bit. If these do not span them, nothing useful was kept.
  Shares next_shares_of(const std::vector<double>& l2) {
    if (first_.rank == 0) return is_wide() ? shares_of(l2) : plain_shares_of(l2);
    const std::size_t p = held_.size();
    const double largest = eigen_.values.back();
    const std::vector<double> size = sizes();
    Shares shares = first_;
    shares.l2 = l2;
    shares.of.clear();
    std::vector<double> unit = first_.span, column(p), rest(p);
    for (std::size_t i = 0; i < unit.size(); ++i) unit[i] *= size[i % p];
    bool spanned = true;
    for (const double each : l2) {
      for (std::size_t k = 0; k < p; ++k) rest[k] = column[k] = (largest + each) / (eigen_.values[k] + each) * size[k];
      for (std::size_t j = 0; j < shares.rank; ++j) {
        const double along = math::kernels().dot(&unit[j * p], rest.data(), p);
        math::kernels().axpy(-along, &unit[j * p], rest.data(), p);
        shares.of.push_back(along / (largest + each));
      }
      for (std::size_t k = 0; k < p; ++k) spanned = spanned && std::abs(rest[k]) <= 2 * nearness() * column[k];
    }
    shares.of_fitted = shares.of;
    if (spanned) return shares;
    kept_.clear();
    return shares_of(l2);
  }

  // The rescaling that brings the numbers closer together, and the wanted precision of a span.
  std::vector<double> sizes() const {
    std::vector<double> size(held_.size(), 1.0);
    for (std::size_t k = 0; k < size.size() && is_wide(); ++k)
      size[k] = std::sqrt(eigen_.values[k] / eigen_.values.back());
    return size;
  }
  double nearness() const {
    return kSpanned * (is_wide() ? std::sqrt(eigen_.values.back() / eigen_.values.front()) : 1.0);
  }

  bool is_narrow() const { return eigen_.values.front() * kNarrow >= eigen_.values.back(); }
  bool is_wide() const {
    return !eigen_.values.empty() && eigen_.values.front() > 0.0 && !is_narrow() &&
           eigen_.values.front() * kWide >= eigen_.values.back();
  }

  // If eigenvalues are close together, 1/(L + l2) is smooth between them, and a few of these columns span all others to
  // the last digits: by projections, the column with the largest rest first. False if that does not save half of the
  // work. If they are far apart, numbers are rescaled by sqrt(L); the smallest then has a rounding error of 2^-53 times
  // the square root of the ratio, less than the error of the eigenvalues themselves. Any saving is worth it there. The
  // span also covers penalties between these, which are tried next: that adds few columns, and the data kept of a row
  // are much smaller than t.
  bool find_span(Shares& shares) const {
    const std::size_t p = held_.size();
    if (p == 0 || eigen_.values.front() == 0.0 || !(is_narrow() || is_wide())) return false;
    const double largest = eigen_.values.back();
    const bool wide = is_wide();
    const double near = nearness();
    const std::vector<double> size = sizes(), all = wide ? with_between(shares.l2) : shares.l2;
    const std::size_t n = all.size(), tried = shares.l2.size();
    std::vector<double> columns(n * p);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < p; ++k)
        columns[i * p + k] = (largest + all[i]) / (eigen_.values[k] + all[i]) * size[k];
    std::vector<double> rest = columns, span, of;  // of: [j][l2]
    const auto dot = [&](const double* a, const double* b) { return math::kernels().dot(a, b, p); };
    std::size_t rank = 0;
    for (bool found = false; !found;) {
      std::size_t worst = 0;
      double most = 0.0;
      found = true;
      for (std::size_t i = 0; i < n; ++i) {
        const double size = dot(&rest[i * p], &rest[i * p]);
        if (size > most) most = size, worst = i;
        for (std::size_t k = 0; k < p && found; ++k) found = std::abs(rest[i * p + k]) <= near * columns[i * p + k];
      }
      if (found) break;
      if ((wide ? 1 : 2) * (rank + 1) * (tried + p) > tried * p) return false;
      std::vector<double> next(rest.begin() + static_cast<std::ptrdiff_t>(worst * p),
                               rest.begin() + static_cast<std::ptrdiff_t>((worst + 1) * p));
      for (std::size_t j = 0; j < rank; ++j)  // the rest is rounding
        math::kernels().axpy(-dot(&span[j * p], next.data()), &span[j * p], next.data(), p);
      math::kernels().scale(1 / std::sqrt(dot(next.data(), next.data())), next.data(), p);
      for (std::size_t i = 0; i < n; ++i) {
        of.push_back(dot(next.data(), &rest[i * p]));
        math::kernels().axpy(-of.back(), next.data(), &rest[i * p], p);
      }
      span.insert(span.end(), next.begin(), next.end());
      ++rank;
    }
    shares.rank = rank;
    for (std::size_t j = 0; j < rank; ++j)
      for (std::size_t k = 0; k < p; ++k) span[j * p + k] /= size[k];
    for (std::size_t i = 0; i < tried; ++i)
      for (std::size_t j = 0; j < rank; ++j) shares.of.push_back(of[j * n + i] / (largest + shares.l2[i]));
    shares.of_fitted = shares.of;
    shares.span_fitted = shares.span = std::move(span);
    for (std::size_t j = 0; j < rank; ++j)
      for (std::size_t k = 0; k < p; ++k) shares.span_fitted[j * p + k] *= along_[k];
    return true;
  }

  // First the penalties themselves, ascending except for a 0 at the end, then some between those that the best is
  // likely to be near: if it is next to the least gcv, all that are tried next are between these.
  std::vector<double> with_between(const std::vector<double>& l2) const {
    constexpr int kSteps = 8;
    std::vector<double> all = l2, gcv;
    for (const double each : l2)
      if (each > 0.0) gcv.push_back(gcv_without_rows(each));
    if (gcv.size() < 2) return all;
    const auto least = static_cast<std::size_t>(std::min_element(gcv.begin(), gcv.end()) - gcv.begin());
    const std::size_t end = gcv.size() - 1;
    const bool below = least > 0 && (least == end || gcv[least - 1] < gcv[least + 1]);
    const std::size_t low = least - std::min<std::size_t>(least, below ? 2 : 1);
    for (std::size_t i = low; i < std::min(end, least + (below ? 1 : 2)); ++i)
      for (int step = 1; step < kSteps; ++step)
        all.push_back(l2[i] * std::pow(l2[i + 1] / l2[i], static_cast<double>(step) / kSteps));
    return all;
  }

  // Generalised cross-validation, from sum s r^2 = sum s y^2 - sum c^2 (L + 2 l2) / (L + l2)^2. It loses digits if the
  // fit is good: a guess.
  double gcv_without_rows(double l2) const {
    double rest = gram(q_, q_), freedom = static_cast<double>(factor_->rank());
    for (std::size_t a = 0; a < free_.size(); ++a) rest -= gram(free_[a], q_) * by_free_[a].back();
    for (std::size_t k = 0; k < held_.size(); ++k) {
      const double share = 1 / (eigen_.values[k] + l2);
      rest -= along_[k] * along_[k] * share * (1 + l2 * share);
      freedom += eigen_.values[k] * share;
    }
    const double copies = std::ldexp(design_.moments().weight, design_.moments().weight_unit.exponent);
    const double left = 1 - freedom / copies;
    return rest / (left * left);
  }

  // For each l2: sum s e^2 of left-out errors e = r / (1 - h), sum s r^2, whether a row has none, and the effect of
  // rounding of 1 - h on the first: sum s e^2 / (1 - h). The first time, keeps the data of the rows for the next time.
  std::vector<RidgePoint> measure(const Shares& shares, bool first) {
    const std::vector<double>& l2 = shares.l2;
    const std::size_t n = l2.size();
    std::vector<double> total(4 * n);
    const std::size_t numbers = examples_.size() * (sums_kept(shares) + 3);
    const bool keeps = first && numbers <= kMostKeptPaths &&
                       run_.memory.allows(examples_.bytes() + (3 * q_ * q_ + numbers) * sizeof(double));
    if (first) first_ = shares;
    if (keeps) kept_.resize(examples_.blocks());
    run_.reduce(Phase::fitting, examples_.blocks(), std::span<double>(total), [&](std::size_t b, Out out) {
      if (first || kept_.empty())
        add_block(b, shares, keeps ? &kept_[b] : nullptr, out);
      else
        add_kept(kept_[b], shares, out);
    });
    std::vector<RidgePoint> points;
    const double copies = std::ldexp(design_.moments().weight, design_.moments().weight_unit.exponent);
    for (std::size_t i = 0; i < n; ++i) {
      RidgePoint point{.l2 = l2[i],
                       .freedom = static_cast<double>(factor_->rank()),
                       .loo_rmse = std::numeric_limits<double>::infinity()};
      for (const double value : eigen_.values) point.freedom += value / (value + l2[i]);
      if (total[2 * n + i] == 0.0) point.loo_rmse = std::sqrt(total[i] / design_.moments().weight);
      if (total[i] > 0.0) point.rounding = 0x1p-50 * total[3 * n + i] / total[i];
      const double mean = total[n + i] / design_.moments().weight, share = 1 - point.freedom / copies;
      point.gcv = mean / (share * share);
      points.push_back(point);
    }
    return points;
  }

  // The data of a row for its sums over all penalties: t, or the sums of both spans.
  std::size_t sums_kept(const Shares& shares) const { return shares.rank > 0 ? 2 * shares.rank : held_.size(); }

  // The rows of a block, eight by eight: s, y and h, and then the data for their sums. Not initialised with zeros, and
  // t is computed in place.
  struct Kept {
    std::unique_ptr<double[]> numbers;
    std::size_t count = 0;

    double* room(std::size_t more) { return numbers.get() + std::exchange(count, count + more); }
  };

  // Eight rows in parallel, a lane each; lanes without a row have s = 0.
  struct Eight {
    explicit Eight(std::size_t p, std::size_t n)
        : rest(8 * (p + 1)),
          left(8 * p),
          t(8 * p),
          along(8 * p),
          across(8 * p),
          fitted(8 * n),
          leverage(8 * n),
          sums(4 * 8 * n) {}
    std::size_t rows = 0;
    std::array<double, 8> s = {}, y = {}, h = {};
    std::vector<double> rest;              // [lane][held, at last y]: a row with E projected out
    std::vector<double> left, t;           // [held][lane]
    std::vector<double> along, across;     // t and its squares, or their sums over the spans
    std::vector<double> fitted, leverage;  // [l2][lane]
    std::vector<double> sums;              // [sum][l2][lane], of all rows so far
  };

  void add_block(std::size_t b, const Shares& shares, Kept* kept, Out out) const {
    const std::size_t n = shares.l2.size(), p = held_.size(), e = free_.size();
    Eight eight(p, n);
    std::vector<double> z(q_ + 1), free(e);
    if (kept != nullptr) kept->numbers = std::make_unique_for_overwrite<double[]>(kBlockRows * (sums_kept(shares) + 3));
    design_.for_each_row(b, z, [&](double s) {
      const std::size_t lane = eight.rows++;
      eight.s[lane] = s;
      for (std::size_t a = 0; a < e; ++a) free[a] = z[free_[a]];
      eight.h[lane] = e > 0 ? factor_->inverse_form(free) : 0.0;
      double* const rest = eight.rest.data() + lane * (p + 1);
      if (together_)
        std::copy_n(z.data() + q_ - p, p + 1, rest);
      else
        for (std::size_t i = 0; i <= p; ++i) rest[i] = z[i < p ? held_[i] : q_];
      for (std::size_t a = 0; a < e; ++a) math::kernels().axpy(-free[a], by_free_[a].data(), rest, p + 1);
      eight.y[lane] = rest[p];
      if (eight.rows == 8) add_rows(shares, eight, kept);
    });
    if (eight.rows > 0) add_rows(shares, eight, kept);
    add_lanes(eight, out);
  }

  void add_rows(const Shares& shares, Eight& eight, Kept* kept) const {
    const std::size_t p = held_.size();
    for (std::size_t lane = eight.rows; lane < 8; ++lane) eight.s[lane] = 0.0;
    for (std::size_t i = 0; i < p; ++i)
      for (std::size_t lane = 0; lane < 8; ++lane)
        eight.left[8 * i + lane] = eight.rest[lane * (p + 1) + i] * scale_[i];
    double* const room = kept != nullptr ? kept->room(8 * (3 + sums_kept(shares))) : nullptr;
    double* const t = room != nullptr && shares.rank == 0 ? room + 24 : eight.t.data();
    math::times8(eigen_.vectors.data(), p, p, eight.left.data(), t);
    const Sums sums = sums_of(t, shares, eight);
    if (room != nullptr) {
      std::copy_n(eight.s.data(), 8, room);
      std::copy_n(eight.y.data(), 8, room + 8);
      std::copy_n(eight.h.data(), 8, room + 16);
    }
    if (room != nullptr && shares.rank > 0) {
      std::copy_n(sums.along, 8 * shares.rank, room + 24);
      std::copy_n(sums.across, 8 * shares.rank, room + 24 + 8 * shares.rank);
    }
    add_errors(shares, eight.s, eight.y, eight.h, sums, eight);
    eight.rows = 0;
  }

  // The rows of a block as add_rows kept them for the first penalties.
  void add_kept(const Kept& kept, const Shares& shares, Out out) const {
    Eight eight(held_.size(), shares.l2.size());
    const std::size_t width = 8 * sums_kept(first_);
    for (std::size_t i = 0; i < kept.count; i += 24 + width) {
      const double* const from = kept.numbers.get() + i;
      const double* const sums = from + 24;
      add_errors(shares, {from, 8}, {from + 8, 8}, {from + 16, 8},
                 first_.rank > 0 ? Sums{sums, sums + width / 2} : sums_of(sums, shares, eight), eight);
    }
    add_lanes(eight, out);
  }

  // The factors of the products with all penalties: t and its squares, or their sums over the spans.
  struct Sums {
    const double *along, *across;
  };
  Sums sums_of(const double* t, const Shares& shares, Eight& eight) const {
    const std::size_t p = held_.size();
    double* const squares = shares.rank > 0 ? eight.left.data() : eight.across.data();
    for (std::size_t i = 0; i < 8 * p; i += 8) square8(t + i, squares + i);
    if (shares.rank == 0) return {t, squares};
    math::times8(shares.span_fitted.data(), shares.rank, p, t, eight.along.data());
    math::times8(shares.span.data(), shares.rank, p, squares, eight.across.data());
    return {eight.along.data(), eight.across.data()};
  }

  static void square8(const double* __restrict t, double* __restrict squares) {
    for (std::size_t lane = 0; lane < 8; ++lane) squares[lane] = t[lane] * t[lane];
  }

  void add_errors(const Shares& shares, In s, In y, In h, const Sums& sums, Eight& eight) const {
    const std::size_t n = shares.l2.size(), width = shares.rank > 0 ? shares.rank : held_.size();
    math::times8(shares.of_fitted.data(), n, width, sums.along, eight.fitted.data());
    math::times8(shares.of.data(), n, width, sums.across, eight.leverage.data());
    math::left_out8(s, y, h, eight.fitted, eight.leverage, eight.sums);
  }

  static void add_lanes(const Eight& eight, Out out) {
    const std::size_t n = out.size() / 4;
    for (std::size_t i = 0; i < 4 * n; ++i) {
      const bool worst = i / std::max<std::size_t>(n, 1) == 2;
      for (std::size_t lane = 0; lane < 8; ++lane) {
        const double sum = eight.sums[8 * i + lane];
        out[i] = worst ? std::max(out[i], sum) : out[i] + sum;
      }
    }
  }

  const Examples& examples_;
  const Run& run_;
  RidgeGrid grid_;
  Design design_;
  std::vector<double> gram_;
  std::size_t q_;
  std::vector<std::size_t> free_, held_;  // places in z: without and with a penalty
  bool together_ = true;                  // the latter are the last ones, adjacent
  std::vector<double> scale_;             // of each of held_
  std::optional<math::Cholesky> factor_;
  std::vector<std::vector<double>> by_free_;  // [free][held, at last y]
  math::Eigen eigen_;
  std::vector<double> along_;
  Shares first_;            // of the penalties that were measured first
  std::vector<Kept> kept_;  // of each block, for the next penalties; empty: nothing
};

}  // namespace

RidgePath find_ridge_path(const Examples& examples, bool bias, const Offset& offset, const std::vector<double>& factors,
                          const Run& run, const RidgeGrid& grid) {
  return Path(examples, bias, offset, factors, run, grid).find();
}

}  // namespace plumb
