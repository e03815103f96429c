// With Z the rows, centred, times the roots of their weights and divided by the roots of the factors, and K = ZZ': the
// optimum is w = Z'a where (K + l2) a = y. The leave-one-out error of row i is a_i / (diagonal of (K + l2)^-1)_i, with
// the direction that the bias fits in every row removed.
#include "plumb/train/wide_least_squares.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/text.h"
#include "plumb/math/cholesky.h"
#include "plumb/math/eigen.h"
#include "plumb/math/kernels.h"
#include "plumb/train/offset.h"

namespace plumb {
namespace {

constexpr std::uint64_t kFewFeatures = 1'000;    // their own matrix costs next to nothing, and gives standard errors
constexpr std::uint64_t kMostRows = 16'384;      // their matrix takes 2 GiB
constexpr std::uint64_t kMostForChoice = 4'096;  // the eigenvectors of more take minutes
constexpr std::size_t kRowsAtOnce = 32;
constexpr double kAliased = 1e-11;  // of a row's length, left by the others: rounding
constexpr double kGap = 1e-12;

class WideRows {
 public:
  WideRows(const Problem& problem, bool bias, const std::vector<double>& factors, const Run& run)
      : run_(run), p_(problem.map.features()), bias_(bias), sparse_(problem.examples.sparse()), mean_(p_), scale_(p_) {
    for (std::size_t j = 0; j < p_; ++j) scale_[j] = factors[j] > 0.0 ? 1.0 / std::sqrt(factors[j]) : 0.0;
    add_rows(problem.examples, Offset(problem.map.offset()));
    if (bias_) centre();
    for (std::size_t i = 0; i < y_.size() && !bias_; ++i) y_[i] *= root_[i];
  }

  std::size_t size() const noexcept { return y_.size(); }
  double weight() const noexcept { return weight_; }
  const std::vector<double>& roots() const noexcept { return root_; }  // of the weights of rows
  const std::vector<double>& target() const noexcept { return y_; }    // centred, times the roots
  double squared_target() const { return math::kernels().dot(y_.data(), y_.data(), y_.size()); }

  // The lower triangle of K.
  std::vector<double> products() const {
    const std::size_t n = size();
    std::vector<double> k(n * n), of_mean(n);
    double mean_mean = 0.0;
    if (sparse_ && bias_) {
      for (std::size_t j = 0; j < p_; ++j) mean_mean += mean_[j] * mean_[j];
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t t = begin_[i]; t < begin_[i + 1]; ++t) of_mean[i] += value_[t] * mean_[index_[t]];
    }
    run_.for_each(Phase::fitting, (n + kRowsAtOnce - 1) / kRowsAtOnce, [&](std::size_t part) {
      std::vector<double> spread(sparse_ ? p_ : 0);
      for (std::size_t i = part * kRowsAtOnce; i < std::min(n, (part + 1) * kRowsAtOnce); ++i) {
        const double* const own = sparse_ ? spread.data() : value_.data() + i * p_;
        if (sparse_)
          for (std::size_t t = begin_[i]; t < begin_[i + 1]; ++t) spread[index_[t]] = value_[t];
        for (std::size_t o = 0; o <= i; ++o) {
          double sum = 0.0;
          if (sparse_)
            for (std::size_t t = begin_[o]; t < begin_[o + 1]; ++t) sum += value_[t] * own[index_[t]];
          else
            sum = math::kernels().dot(own, value_.data() + o * p_, p_);
          k[i * n + o] = root_[i] * root_[o] * (sum - of_mean[i] - of_mean[o] + mean_mean);
        }
        if (sparse_)
          for (std::size_t t = begin_[i]; t < begin_[i + 1]; ++t) spread[index_[t]] = 0.0;
      }
    });
    return k;
  }

  // Z'a: weights in the scale of the rows here.
  std::vector<double> combine(const std::vector<double>& a) const {
    std::vector<double> w(p_);
    double sum = 0.0;
    for (std::size_t i = 0; i < size(); ++i) {
      const double c = root_[i] * a[i];
      sum += c;
      if (sparse_)
        for (std::size_t t = begin_[i]; t < begin_[i + 1]; ++t) w[index_[t]] += c * value_[t];
      else
        math::kernels().axpy(c, value_.data() + i * p_, w.data(), p_);
    }
    for (std::size_t j = 0; j < p_ && sparse_ && bias_; ++j) w[j] -= sum * mean_[j];
    return w;
  }

  // Zw.
  std::vector<double> scores(const std::vector<double>& w) const {
    std::vector<double> scores(size());
    double at_mean = 0.0;
    for (std::size_t j = 0; j < p_ && sparse_ && bias_; ++j) at_mean += w[j] * mean_[j];
    for (std::size_t i = 0; i < size(); ++i) {
      double sum = 0.0;
      if (sparse_)
        for (std::size_t t = begin_[i]; t < begin_[i + 1]; ++t) sum += value_[t] * w[index_[t]];
      else
        sum = math::kernels().dot(value_.data() + i * p_, w.data(), p_);
      scores[i] = root_[i] * (sum - at_mean);
    }
    return scores;
  }

  // In the user's units; returns the bias for them.
  double in_units(std::vector<double>& w) const {
    double bias = bias_ ? mean_target_ : 0.0;
    for (std::size_t j = 0; j < p_ && bias_; ++j) bias -= w[j] * mean_[j];
    for (std::size_t j = 0; j < p_; ++j) w[j] *= scale_[j];
    return bias;
  }

 private:
  void add_rows(const Examples& examples, const Offset& offset) {
    begin_.push_back(0);
    for (std::size_t b = 0; b < examples.blocks(); ++b)
      examples.block(b).for_each([&](const Example& e) {
        if (e.weight == 0.0) return;
        root_.push_back(std::sqrt(e.weight));
        weight_ += e.weight;
        y_.push_back(offset.target(e));
        if (!sparse_) value_.resize(value_.size() + p_);
        double* const dense = sparse_ ? nullptr : value_.data() + value_.size() - p_;
        for (std::size_t t = 0; t < e.x.value.size(); ++t) {
          const std::size_t j = e.x.dense() ? t : e.x.index[t];
          const double value = e.x.value[t] * scale_[j];
          if (dense != nullptr) {
            dense[j] = value;
          } else if (value != 0.0) {
            index_.push_back(static_cast<std::uint32_t>(j));
            value_.push_back(value);
          }
        }
        begin_.push_back(value_.size());
      });
  }

  // Dense rows are centred, because columns far from 0 would cost digits; sparse ones stay sparse.
  void centre() {
    const std::size_t n = size();
    for (std::size_t i = 0; i < n; ++i) {
      const double share = root_[i] * root_[i] / weight_;
      mean_target_ += share * y_[i];
      if (sparse_)
        for (std::size_t t = begin_[i]; t < begin_[i + 1]; ++t) mean_[index_[t]] += share * value_[t];
      else
        math::kernels().axpy(share, value_.data() + i * p_, mean_.data(), p_);
    }
    for (std::size_t i = 0; i < n && !sparse_; ++i)
      math::kernels().axpy(-1.0, mean_.data(), value_.data() + i * p_, p_);
    for (std::size_t i = 0; i < n; ++i) y_[i] = root_[i] * (y_[i] - mean_target_);
  }

  const Run& run_;
  std::size_t p_;
  bool bias_, sparse_;
  std::vector<double> mean_, scale_;  // of the columns, the mean in the scale of the rows here
  std::vector<double> root_, y_;
  double weight_ = 0.0, mean_target_ = 0.0;
  std::vector<std::size_t> begin_;
  std::vector<std::uint32_t> index_;
  std::vector<double> value_;
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return math::kernels().dot(a.data(), b.data(), a.size());
}

// K a for the lower triangle of K.
std::vector<double> times(const std::vector<double>& k, const std::vector<double>& a) {
  const std::size_t n = a.size();
  std::vector<double> product(n);
  for (std::size_t i = 0; i < n; ++i) {
    product[i] += math::kernels().dot(&k[i * n], a.data(), i + 1);
    math::kernels().axpy(a[i], &k[i * n], product.data(), i);
  }
  return product;
}

// Leave-one-out errors for every penalty of a grid like that of find_ridge_path: from the eigenvectors of K.
RidgePath choose(const WideRows& rows, const std::vector<double>& k, bool bias, const RidgeGrid& grid) {
  const std::size_t n = rows.size();
  if (n > kMostForChoice)
    throw Error(ErrorCode::resources,
                "--l2 auto with more features than rows takes up to " + count_text(kMostForChoice) +
                    " rows; there are " + count_text(n),
                "plumb tune --grid l2=1e-3..1e3:7 chooses a penalty by cross-validation");
  const math::Eigen eigen = math::symmetric_eigen(k, n);
  // The direction of the bias has the eigenvalue 0, up to rounding; it is left out explicitly.
  std::vector<std::vector<double>> v;
  std::vector<double> value, along;
  for (std::size_t e = bias ? 1 : 0; e < n; ++e) {
    v.emplace_back(eigen.vectors.begin() + static_cast<std::ptrdiff_t>(e * n),
                   eigen.vectors.begin() + static_cast<std::ptrdiff_t>((e + 1) * n));
    value.push_back(std::max(0.0, eigen.values[e]));
    along.push_back(dot(v.back(), rows.target()));
  }
  const double largest = value.empty() ? 0.0 : value.back();
  const auto measure = [&](double l2) {
    std::vector<double> a(n), inverse(n);
    RidgePoint point{.l2 = l2, .freedom = bias ? 1.0 : 0.0};
    for (std::size_t e = 0; e < v.size(); ++e) {
      const double share = 1.0 / (value[e] + l2);
      point.freedom += value[e] * share;
      for (std::size_t i = 0; i < n; ++i) {
        a[i] += along[e] * share * v[e][i];
        inverse[i] += v[e][i] * v[e][i] * share;
      }
    }
    double left_out = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      left_out += inverse[i] > 0.0 ? a[i] / inverse[i] * (a[i] / inverse[i]) : std::numeric_limits<double>::infinity();
      squares += l2 * a[i] * (l2 * a[i]);
    }
    point.loo_rmse = std::sqrt(left_out / rows.weight());
    const double share = 1.0 - point.freedom / rows.weight();
    point.gcv = squares / rows.weight() / (share * share);
    return point;
  };
  RidgePath path;
  if (!(largest > 0.0)) {
    path.points = {measure(1.0)};
    return path;
  }
  constexpr double kLeast = -12.0, kMost = 2.0;  // powers of ten of the largest; below, K is rounding
  const double gap = (kMost - kLeast) / static_cast<double>(grid.coarse - 1);
  for (std::size_t i = 0; i < grid.coarse; ++i)
    path.points.push_back(measure(largest * std::pow(10.0, kLeast + gap * static_cast<double>(i))));
  const auto best = [&] {
    std::size_t least = 0;
    for (std::size_t i = 1; i < path.points.size(); ++i)
      if (path.points[i].loo_rmse <= path.points[least].loo_rmse) least = i;
    return least;
  };
  const std::size_t at = best();
  const double low = path.points[at == 0 ? 0 : at - 1].l2, high = path.points[std::min(at + 1, grid.coarse - 1)].l2;
  for (std::size_t i = 1; i + 1 < grid.fine; ++i)
    path.points.push_back(
        measure(low * std::pow(high / low, static_cast<double>(i) / static_cast<double>(grid.fine - 1))));
  std::sort(path.points.begin(), path.points.end(), [](const auto& a, const auto& b) { return a.l2 < b.l2; });
  path.best = best();
  return path;
}

}  // namespace

bool is_wide(std::uint64_t features, std::uint64_t rows) noexcept { return features > rows && features > kFewFeatures; }

std::uint64_t wide_memory(std::uint64_t rows) noexcept { return 3 * rows * rows * sizeof(double); }

WideFit fit_wide(const Problem& problem, const LeastSquaresOptions& options, const std::vector<double>& factors,
                 const Run& run) {
  if (problem.examples.size() > kMostRows)
    throw Error(ErrorCode::resources,
                "least squares with more features than rows needs a matrix of the rows, and " +
                    count_text(problem.examples.size()) + " rows are too many for it; at most " +
                    count_text(kMostRows) + " were expected",
                "--max-terms 5000 keeps the commonest words of a text; else --drop a column with many levels");
  const WideRows rows(problem, options.bias, factors, run);
  const std::size_t n = rows.size();
  if (n == 0) throw Error(ErrorCode::data, "there are no rows with a weight above 0 to train on");
  std::vector<double> k = rows.products();
  std::optional<RidgePath> path;
  double l2 = options.l2.value;
  if (options.l2.automatic) {
    path = choose(rows, k, options.bias, {});
    l2 = path->chosen().l2;
    if (!std::isfinite(path->chosen().loo_rmse))
      throw Error(ErrorCode::data,
                  "--l2 auto cannot choose: with any penalty there is a row that the others cannot predict",
                  "--l2 1 gives a penalty");
  }
  std::vector<double> held = k;
  for (std::size_t i = 0; i < n; ++i) held[i * n + i] += l2;
  const math::Cholesky factor(std::move(held), n, kAliased);
  const auto solve = [&](const std::vector<double>& right) {
    std::vector<double> a(n);
    factor.solve(right, a);
    for (std::size_t i = 0; i < n; ++i)
      if (factor.aliased()[i]) a[i] = 0.0;
    return a;
  };
  std::vector<double> a = solve(rows.target());
  for (int round = 0; round < 2; ++round) {  // corrects the rounding of the factor
    std::vector<double> left = times(k, a);
    for (std::size_t i = 0; i < n; ++i) left[i] = rows.target()[i] - left[i] - l2 * a[i];
    const std::vector<double> step = solve(left);
    for (std::size_t i = 0; i < n; ++i) a[i] += step[i];
  }
  std::vector<double> w = rows.combine(a);
  const double squared_weights = l2 > 0.0 ? dot(w, w) : 0.0;
  const std::vector<double> scores = rows.scores(w);
  std::vector<double> off(n);
  double squares = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double residual = rows.target()[i] - scores[i];
    squares += residual * residual;
    off[i] = l2 * a[i] - residual;
  }
  // Twice the gain of a Newton step from here.
  const double decrement = std::abs(dot(off, times(k, solve(off))));
  const double total = rows.squared_target();
  double free_weights = (options.bias ? 1.0 : 0.0) + static_cast<double>(factor.rank());
  if (l2 > 0.0) {
    std::vector<double> diagonal(n);
    factor.inverse_diagonal(diagonal);
    free_weights = static_cast<double>(n) + (options.bias ? 1.0 : 0.0);
    for (const double each : diagonal) free_weights -= l2 * each;
  }
  const double rest = std::max(0.0, rows.weight() - free_weights);  // that the weights leave to errors

  Record record;
  record.solver = "cholesky";
  record.train_rows = problem.examples.size();
  record.iterations = 1;
  record.objective = (squares + l2 * squared_weights) / 2;
  record.certificate = {"gap", total > 0.0 ? decrement / total : decrement / 2};
  record.converged = decrement <= kGap * std::max(total, std::numeric_limits<double>::min());
  record.fit = {
      {"residual_sum_of_squares", squares}, {"rank", static_cast<double>(factor.rank())}, {"degrees_of_freedom", rest}};
  if (l2 > 0.0) record.fit.emplace_back("l2", l2);
  if (l2 > 0.0) record.fit.emplace_back("effective_weights", free_weights);
  record.fit.emplace_back("total_sum_of_squares", total);
  if (total > 0.0) record.fit.emplace_back("r_squared", 1.0 - squares / total);
  LinearModel::Parts parts;
  parts.bias = {rows.in_units(w)};
  if (problem.map.offset()) w[*problem.map.offset()] = 1.0;
  for (const double each : w)
    if (!std::isfinite(each))
      throw Error(ErrorCode::data, "a weight is too large for a number: its feature has tiny values",
                  "--scale standard puts the features into one range");
  parts.map = problem.map;
  parts.weights = Weights::dense(1, problem.map.features(), std::move(w));
  WideFit found{{LinearModel(std::move(parts)), std::move(record), {}}, std::move(path)};
  if (l2 == 0.0)
    found.trained.warnings.push_back("there are more features (" + count_text(problem.map.features()) +
                                     ") than rows (" + count_text(n) +
                                     "), so the weights are not unique; these have the smallest norm (-m "
                                     "ridge --l2 auto chooses a penalty)");
  if (!found.trained.record.converged)
    found.trained.warnings.push_back(
        "rows are too near to copies of each other for an exact fit; --l2 1 gives a penalty");
  return found;
}

}  // namespace plumb
