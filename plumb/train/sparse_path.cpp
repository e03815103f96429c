#include "plumb/train/sparse_path.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "plumb/base/error.h"
#include "plumb/base/foreseen.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/math/dense.h"
#include "plumb/math/power.h"
#include "plumb/solver/lasso_path.h"
#include "plumb/solver/proximal_newton.h"
#include "plumb/train/column_penalties.h"
#include "plumb/train/deal_folds.h"

namespace plumb {
namespace {

constexpr double kExplained = 0.999;                        // of the deviance: the path ends there
constexpr double kLeastPart = 1e-4, kLeastPartWide = 1e-2;  // of the largest penalty; with more features than rows
constexpr double kJustAbove = 1 + 1e-12;         // times the largest gradient: every weight is 0 despite rounding
constexpr std::size_t kMostWeights = 1'000'000;  // that a record keeps of a path

// All that is the same for every ratio.
class PathSearch {
 public:
  PathSearch(const Problem& problem, const ConvexOptions& options, const PenaltyStrengths& strengths,
             const RowLoss& loss, const DesignMatrix& x, const Run& run)
      : options_(options),
        loss_(loss),
        x_(x),
        run_(run),
        quiet_{run.executor, run.random, {}, run.memory},
        held_(deal_folds(problem, options.sparse.path_folds, "--l1", run)),
        fixed_l2_(strengths.l2) {
    PenaltyStrengths one = strengths;
    one.l1 = one.l2 = 1.0;
    ColumnPenalties unit = column_penalties(problem, options, one, x, {});
    units_.ridge = unit.ridge;
    units_.lasso = unit.lasso;
    units_.fixed_ridge = unit.ridge;
    for (double& each : units_.fixed_ridge) each *= strengths.l2;
    Objective whole(x, loss.copy(), units_.fixed_ridge, run);
    whole.set_lasso(units_.lasso);
    free_bias_ = whole.free_bias();
    units_.needless = needless_columns(whole);
    number_rows(problem);
    if (loss.kind() == Loss::squared && worth_square_sums(x)) sum_up();
  }

  SparsePath find(double ratio) const {
    SparsePath path;
    path.ratio = ratio;
    path.folds = held_.size();
    Objective f(x_, loss_.copy(), units_.fixed_ridge, run_);
    std::vector<std::vector<double>> weights;
    follow_all(f, ratio, path, weights);
    // Each fold on its own: its sums of rows are in no other's.
    const std::size_t points = path.points.size();
    std::vector<std::vector<double>> losses(held_.size(), std::vector<double>(points));
    std::vector<double> weight(held_.size());
    std::vector<std::size_t> short_of(held_.size());
    run_.for_each(Phase::fitting, held_.size(),
                  [&](std::size_t k) { weight[k] = fold_losses(k, path.points, losses[k], short_of[k]); });
    for (const std::size_t each : short_of) path.not_converged += each;
    choose(path, losses, weight);
    path.start = std::move(weights[path.chosen]);
    return path;
  }

 private:
  std::size_t outputs() const { return loss_.outputs(); }
  SolverOptions settings() const {
    SolverOptions settings;
    settings.tolerance = options_.tolerance;
    settings.iterations = options_.max_iterations > 0 ? options_.max_iterations : 1000;
    return settings;
  }

  // The fold of each row of the matrix.
  void number_rows(const Problem& problem) {
    rows_of_.resize(held_.size());
    std::uint32_t i = 0;
    for (std::size_t b = 0; b < problem.examples.blocks(); ++b)
      problem.examples.block(b).for_each([&](const Example& e) {
        if (!(e.weight > 0.0)) return;
        for (std::size_t k = 0; k < held_.size(); ++k)
          if (held_[k].has(e.number)) rows_of_[k].push_back(i);
        ++i;
      });
  }

  // The Gram matrix of all rows is the sum of those of the folds, each of which takes its own away again.
  void sum_up() {
    means_ = square_means(x_, free_bias_, run_);
    for (const std::vector<std::uint32_t>& rows : rows_of_)
      fold_sums_.push_back(square_sums(DesignMatrix(x_, rows, 1.0), means_, free_bias_, run_));
    sums_ = fold_sums_.front();
    for (std::size_t k = 1; k < fold_sums_.size(); ++k) sums_->add(fold_sums_[k], 1.0);
  }

  PathPenalty penalty(double strength, double ratio) const { return {strength * ratio, strength * (1 - ratio)}; }

  void follow_all(Objective& f, double ratio, SparsePath& path, std::vector<std::vector<double>>& weights) const {
    const std::unique_ptr<PathFollower> follower =
        sums_ ? follow_sums(*sums_, means_, units_, settings()) : follow_rows(f, units_, settings());
    const PathFit null = follower->null();
    const double largest = follower->largest() / ratio * kJustAbove;
    if (!(largest > 0.0) || !std::isfinite(largest))
      throw Error(ErrorCode::data,
                  "no feature with an L1 penalty has an effect on the target: all weights are 0 at any penalty",
                  "--l1 1");
    const std::size_t n = options_.sparse.path_points, features = x_.columns() - (x_.bias() ? 1 : 0);
    const double least = x_.rows() < features ? kLeastPartWide : kLeastPart;
    for (std::size_t k = 0; k < n; ++k) {
      run_.report(Phase::fitting, k, n);
      const double strength = largest * math::power(least, static_cast<double>(k) / static_cast<double>(n - 1));
      const PathPenalty own = penalty(strength, ratio);
      const PathFit fit = follower->at(own);
      SparsePath::Point point;
      point.strengths = {own.l2 + fixed_l2_, own.l1};
      point.loss = fit.loss;
      point.explained = null.loss > 0.0 ? 1 - fit.loss / null.loss : 0.0;
      point.gap = fit.value > 0.0 ? fit.gap / fit.value : fit.gap;
      path.not_converged += point.gap > options_.tolerance ? 1 : 0;
      keep_weights(fit.w, point);
      weights.push_back(fit.w);
      path.points.push_back(std::move(point));
      if (path.points.back().explained >= kExplained && k + 1 < n) {
        path.explained_all = true;
        break;
      }
    }
  }

  void keep_weights(In w, SparsePath::Point& point) const {
    const std::size_t p = x_.columns(), features = p - (x_.bias() ? 1 : 0);
    for (std::size_t c = 0; c < outputs(); ++c) {
      const std::vector<double> own = x_.in_units(w.subspan(c * p, p));
      for (std::size_t j = 0; j < features; ++j)
        if (own[j] != 0.0) {
          point.index.push_back(static_cast<std::uint32_t>(c * features + j));
          point.weight.push_back(own[j]);
        }
      if (x_.bias()) point.bias.push_back(own.back());
    }
    point.non_zeros = point.index.size();
  }

  // The losses of the rows of fold k by the fits to the others. The result is the weight of those rows.
  double fold_losses(std::size_t k, const std::vector<SparsePath::Point>& points, std::vector<double>& losses,
                     std::size_t& short_of) const {
    const DesignMatrix held(x_, rows_of_[k], 1.0);
    const double weight = math::sum(held.weights());
    const auto follow = [&](PathFollower& follower, auto&& loss_at) {
      follower.null();
      for (std::size_t i = 0; i < points.size(); ++i) {
        const PathFit fit = follower.at({points[i].strengths.l1, points[i].strengths.l2 - fixed_l2_});
        short_of += fit.gap > options_.tolerance * fit.value ? 1 : 0;
        losses[i] = loss_at(fit.w) / weight;
      }
    };
    if (sums_) {
      SquareSums others = *sums_;
      others.add(fold_sums_[k], -1.0);
      follow(*follow_sums(others, means_, units_, settings()),
             [&](In w) { return fold_sums_[k].squared_error(w, means_.column, means_.target); });
      return weight;
    }
    std::vector<std::uint32_t> rest;
    std::vector<bool> mine(x_.rows());
    for (const std::uint32_t i : rows_of_[k]) mine[i] = true;
    for (std::uint32_t i = 0; i < x_.rows(); ++i)
      if (!mine[i]) rest.push_back(i);
    const DesignMatrix others(x_, rest, 1.0);
    Objective f(others, loss_.copy(), units_.fixed_ridge, quiet_);
    std::vector<double> z(held.rows() * outputs());
    const double times = loss_.kind() == Loss::squared ? 2.0 : 1.0;  // the squared error is not halved
    follow(*follow_rows(f, units_, settings()), [&](In w) {
      held.times(w, outputs(), z, quiet_);
      for (std::size_t i = 0; i < held.offsets().size(); ++i)
        for (std::size_t c = 0; c < outputs(); ++c) z[i * outputs() + c] += held.offsets()[i];
      return times * loss_.value(z, held.targets(), held.weights());
    });
    return weight;
  }

  void choose(SparsePath& path, const std::vector<std::vector<double>>& losses, In weight) const {
    const double all = math::sum(weight);
    for (std::size_t i = 0; i < path.points.size(); ++i) {
      double mean = 0.0, squares = 0.0;
      for (std::size_t k = 0; k < losses.size(); ++k) mean += weight[k] / all * losses[k][i];
      for (std::size_t k = 0; k < losses.size(); ++k)
        squares += weight[k] / all * (losses[k][i] - mean) * (losses[k][i] - mean);
      path.points[i].held_out = mean;
      path.points[i].error = std::sqrt(squares / static_cast<double>(losses.size() - 1));
      if (mean < path.points[path.best].held_out) path.best = i;
    }
    const double enough = path.points[path.best].held_out + path.points[path.best].error;
    while (path.points[path.one_se].held_out > enough) ++path.one_se;
    path.chosen = options_.sparse.path_rule == PathRule::min ? path.best : path.one_se;
  }

  const ConvexOptions& options_;
  const RowLoss& loss_;
  const DesignMatrix& x_;
  const Run& run_;
  Run quiet_;  // for work inside the executor, which may not report
  std::vector<RowSet> held_;
  double fixed_l2_;
  PathUnits units_;
  bool free_bias_ = false;
  std::vector<std::vector<std::uint32_t>> rows_of_;
  SquareMeans means_;
  std::vector<SquareSums> fold_sums_;
  std::optional<SquareSums> sums_;
};

}  // namespace

SparsePath find_sparse_path(const Problem& problem, const ConvexOptions& options, const PenaltyStrengths& strengths,
                            std::vector<double> ratios, const RowLoss& loss, DesignMatrix& x, const Run& run) {
  x.lay_out(run);
  std::optional<SparsePath> best;
  const PathSearch search(problem, options, strengths, loss, x, run);
  std::vector<double> least;
  for (const double ratio : ratios) {
    SparsePath path = search.find(ratio);
    least.push_back(path.points[path.best].held_out);
    if (!best || least.back() < best->points[best->best].held_out) best = std::move(path);
  }
  best->ratios = std::move(ratios);
  best->ratio_loss = std::move(least);
  return std::move(*best);
}

void SparsePath::add_to(Trained& fit, std::uint32_t features) const {
  Record& record = fit.record;
  record.fit.emplace_back("l1_ratio", ratio);
  record.fit.emplace_back("path_folds", static_cast<double>(folds));
  record.fit.emplace_back("path_min", static_cast<double>(best));
  record.fit.emplace_back("path_1se", static_cast<double>(one_se));
  record.fit.emplace_back("path_chosen", static_cast<double>(chosen));
  record.fit.emplace_back("path_heldout_loss", points[chosen].held_out);
  record.fit.emplace_back("path_explained", points[chosen].explained);
  std::vector<double> table, entries, weights;
  std::vector<bool> entered(features);
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Point& point = points[k];
    table.insert(table.end(), {point.strengths.l1, point.strengths.l2, static_cast<double>(point.non_zeros),
                               point.explained, point.loss, point.gap, point.held_out, point.error});
    // Those that enter at the same point, in the order of their size.
    std::vector<std::size_t> order(point.index.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::abs(point.weight[a]) > std::abs(point.weight[b]);
    });
    for (const std::size_t i : order) {
      const std::uint32_t j = point.index[i] % features;
      if (!entered[j]) entries.insert(entries.end(), {static_cast<double>(j), static_cast<double>(k)});
      entered[j] = true;
    }
    for (std::size_t i = 0; i < point.index.size(); ++i)
      weights.insert(weights.end(), {static_cast<double>(k), static_cast<double>(point.index[i]), point.weight[i]});
  }
  record.statistics.push_back({kPathStatistic, {points.size(), kPathColumns}, std::move(table)});
  record.statistics.push_back({kPathEntries, {entries.size() / 2, 2}, std::move(entries)});
  if (weights.size() / 3 <= kMostWeights)
    record.statistics.push_back({kPathWeights, {weights.size() / 3, 3}, std::move(weights)});
  if (ratios.size() > 1) {
    std::vector<double> tried;
    for (std::size_t i = 0; i < ratios.size(); ++i) tried.insert(tried.end(), {ratios[i], ratio_loss[i]});
    record.statistics.push_back({kPathRatios, {ratios.size(), 2}, std::move(tried)});
  }
  if (explained_all)
    fit.warnings.push_back("the path ends at l1 " + number_text(points.back().strengths.l1, 3) + ", where " +
                           number_text(100 * points.back().explained, 4) +
                           " % of the deviance is explained: smaller penalties would only make the weights larger");
  else if (chosen + 1 == points.size())
    fit.warnings.push_back("cross-validation chose the smallest penalty tried, l1 " +
                           number_text(points.back().strengths.l1, 3) + "; a smaller one may be as good");
  if (chosen == 0)
    fit.warnings.push_back(
        "cross-validation chose the penalty at which all weights are 0; the features may carry no "
        "information");
  if (not_converged > 0)
    fit.warnings.push_back(counted(not_converged, "fit") +
                           " of the path stopped short of --tolerance; --scale standard may help");
}

}  // namespace plumb
