// Reports the solution of the normal equations in the user's units: weights, standard errors, certificate, warnings.
// Notation as in normal_equations.cpp; k_y, k_s, k_j are the exponents of the units of target, weights and column j.
#include "plumb/train/least_squares.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/math/double_double.h"
#include "plumb/objective/row_loss.h"
#include "plumb/train/alias_relations.h"
#include "plumb/train/basis.h"
#include "plumb/train/hashed.h"
#include "plumb/train/logistic.h"
#include "plumb/train/normal_equations.h"
#include "plumb/train/penalty.h"
#include "plumb/train/ridge_path.h"
#include "plumb/train/weight_spread.h"
#include "plumb/train/wide_least_squares.h"

namespace plumb {
namespace {

constexpr double kSolvedGap = 1e-12;         // "converged" promises this relative gap before rounding to doubles ...
constexpr double kRoundedGap = 1e-6;         // ... and this gap after: doubles may not come closer
constexpr std::uint32_t kMostRelated = 512;  // features: up to this number the relations of aliased ones are stored
constexpr std::uint32_t kMostFeatures = 16'384;  // the Gram matrix of that many takes 2 GiB

class Reporter {
 public:
  Reporter(const NormalSolution& solution, const Problem& problem, bool bias, double l2, const Run& run)
      : solution_(solution),
        l2_(l2),
        moments_(solution.moments),
        map_(problem.map),
        p_(problem.map.features()),
        first_(bias ? 1 : 0),
        k_y_(moments_.target_unit.exponent),
        k_s_(moments_.weight_unit.exponent),
        basis_(solved_basis(solution, problem.examples, run)),
        spread_(find_weight_spread(solution, basis_, problem.examples, run)) {}

  Trained fit() {
    check_range();
    const double squared_target = solution_.squared_target;
    const auto rank = static_cast<double>(solution_.factor.rank());
    const double freedom = spread_.freedom;
    record_.solver = "cholesky";
    record_.train_rows = moments_.all_rows;
    record_.iterations = solution_.passes;
    record_.objective = std::ldexp(solution_.squared_error + solution_.squared_weights, k_squares()) / 2;
    record_.certificate = {"gap", squared_target > 0 ? solution_.decrement / squared_target
                                                     : std::ldexp(solution_.decrement / 2, k_squares())};
    // For a constant target, errors are relative to its own size (1 in its unit).
    const double reference = squared_target > 0 ? squared_target : moments_.weight;
    record_.converged =
        solution_.solved_decrement <= kSolvedGap * reference && solution_.decrement <= kRoundedGap * reference;
    record_.fit = {{"residual_sum_of_squares", sum_of_squares()}, {"rank", rank}, {"degrees_of_freedom", freedom}};
    if (l2_ > 0) record_.fit.emplace_back("l2", l2_);
    if (l2_ > 0) record_.fit.emplace_back("effective_weights", spread_.free_weights);
    if (const double total = std::ldexp(squared_target, k_squares()); std::isfinite(total))
      record_.fit.emplace_back("total_sum_of_squares", total);
    if (squared_target > 0) record_.fit.emplace_back("r_squared", 1 - solution_.solved_error / squared_target);
    record_.fit.emplace_back("condition_number", std::sqrt(solution_.factor.condition_estimate()));
    record_.fit.emplace_back("digits", std::floor(solution_.digits * 10) / 10);
    for (std::uint32_t j = 0; j < p_; ++j)
      if (aliased(j) && j != map_.offset() && (!solution_.shared || moments_.zero[j])) record_.aliased.push_back(j);
    if (!solution_.shared && solution_.penalty.empty()) keep_relations();
    if (freedom > 0) add_residual_sd(freedom);
    if (freedom > 0 && !solution_.shared && spread_.known) add_errors(freedom);
    warn_of_leverages();
    if (!solution_.shared && !spread_.why.empty()) warnings_.push_back(spread_.why);
    warn_of_aliased();
    warn_of_few_rows(freedom);
    warn_of_gap();
    if (solution_.solved_error > 0 && sum_of_squares() < std::numeric_limits<double>::min())
      warnings_.push_back("the squared errors add up to less than a number can hold, and are given as " +
                          number_text(sum_of_squares(), 3) + "; multiply the target by a power of ten");

    LinearModel::Parts parts;
    parts.map = map_;
    parts.bias = {solution_.bias};
    parts.weights = Weights::dense(1, p_, solution_.weights);
    return {LinearModel(std::move(parts)), std::move(record_), std::move(warnings_), basis(),
            solution_.weight_lows,         solution_.bias_low};
  }

 private:
  bool aliased(std::uint32_t j) const { return solution_.factor.aliased()[first_ + j]; }
  std::size_t free_features() const { return p_ - (map_.offset() ? 1 : 0); }
  int k_squares() const { return 2 * k_y_ + k_s_; }
  double sum_of_squares() const { return std::ldexp(solution_.solved_error, k_squares()); }
  double copies() const { return std::ldexp(moments_.weight, k_s_); }  // weight 2 counts as two rows

  // The factor is that of scaled s: for s as given, the root has the root of that unit as a factor.
  std::shared_ptr<const Basis> basis() const {
    if (solution_.shared) return nullptr;  // many weights fit, and theory assumes one solution
    Basis::Parts parts = basis_.basis.parts();
    const math::DoubleDouble root = k_s_ % 2 == 0 ? math::DoubleDouble(1.0) : math::sqrt(math::DoubleDouble(2.0));
    const int k = (k_s_ - (k_s_ & 1)) / 2;
    for (std::size_t i = 0; i < parts.root.size(); ++i) {
      const double low = parts.root_low.empty() ? 0.0 : parts.root_low[i];
      const math::DoubleDouble each = math::DoubleDouble(parts.root[i], low) * root;
      parts.root[i] = std::ldexp(each.high, k);
      if (!parts.root_low.empty()) parts.root_low[i] = std::ldexp(each.low, k);
    }
    return std::make_shared<const Basis>(std::move(parts));
  }

  std::string smaller_target() const {
    return std::string("divide the target ") + (map_.offset() ? "and the offset " : "") + "by a power of ten";
  }

  void check_range() const {
    for (std::uint32_t j = 0; j < p_; ++j)
      if (!std::isfinite(solution_.weights[j])) refuse_size("weight", j);
    if (!std::isfinite(solution_.bias))
      throw Error(ErrorCode::data, "the bias is too large for a number", smaller_target());
    if (!std::isfinite(std::ldexp(solution_.squared_error, k_squares())))
      throw Error(ErrorCode::data, "the squared errors add up to more than a number can hold", smaller_target());
    if (!std::isfinite(copies()))
      throw Error(ErrorCode::data, "the weights of the rows add up to more than a number can hold",
                  "divide the weights by a power of ten");
  }

  [[noreturn]] void refuse_size(const std::string& what, std::uint32_t j) const {
    throw Error(ErrorCode::data,
                "the " + what + " of feature " + in_quotes(map_.name(j)) +
                    " is too large for a number: its values are tiny beside those of the target",
                "multiply the column by a power of ten, or divide the target by one");
  }

  // The relations of aliased features, so that predictions can check them: x_j - c_j = d_0 + sum_k d_k (x_k - c_k) in
  // units. Less than 3e-6 of the spread of such a feature is its own, or a rounding error.
  void keep_relations() {
    constexpr double kOwnShare = 1e-4;
    if (record_.aliased.empty() || p_ > kMostRelated) return;
    const std::vector<double>& shift = solution_.shift;
    std::vector<double> all, d(first_ + p_);
    for (const std::uint32_t j : record_.aliased) {
      solution_.factor.combination(first_ + j, d);
      const int unit = moments_.unit[j].exponent;
      double constant = shift[j] + (first_ != 0 ? d[0] : 0.0), size = 1.0;
      for (std::uint32_t k = 0; k < p_; ++k) {
        constant -= d[first_ + k] * shift[k];
        size += std::abs(d[first_ + k]);
      }
      const double spread = std::sqrt(solution_.factor.form(d) / moments_.weight);
      all.push_back(std::ldexp(constant, unit));
      for (std::uint32_t k = 0; k < p_; ++k) all.push_back(std::ldexp(d[first_ + k], unit - moments_.unit[k].exponent));
      const double off = std::max(kOwnShare * spread, AliasRelations::kRounding * size);
      all.push_back(moments_.zero[j] ? 0.0 : std::ldexp(off, unit));
    }
    if (std::all_of(all.begin(), all.end(), [](double each) { return std::isfinite(each); }))
      record_.statistics.push_back({AliasRelations::kStatistic, {record_.aliased.size(), p_ + 2}, std::move(all)});
  }

  // The factor is that of scaled s, so the unit cancels between the variance, sum s r^2 / freedom, and the inverse.
  void add_residual_sd(double freedom) {
    record_.fit.emplace_back("residual_sd",
                             std::ldexp(std::sqrt(solution_.solved_error / std::ldexp(freedom, -k_s_)), k_y_));
  }
  void add_errors(double freedom) {
    const double variance = solution_.solved_error / freedom;
    record_.standard_errors.weights.resize(p_);
    for (std::uint32_t j = 0; j < p_; ++j) {
      double& error = record_.standard_errors.weights[j];
      error = std::ldexp(std::sqrt(variance * spread_.weights[j]), k_y_ - moments_.unit[j].exponent);
      if (!std::isfinite(error)) refuse_size("standard error", j);
    }
    if (first_ != 0) record_.standard_errors.bias = {std::ldexp(std::sqrt(variance * spread_.bias), k_y_)};
  }

  void warn_of_aliased() {
    if (solution_.shared)
      warnings_.push_back(
          "the weights are not unique: " + counted(first_ + free_features() - solution_.factor.rank(), "feature") +
          " of " + count_text(free_features()) +
          " linear combinations of others; the solution with the smallest norm is given, without standard errors "
          "(--rank drop leaves features out instead)");
    constexpr std::size_t kMostNamed = 5;
    for (std::size_t i = 0; i < std::min(kMostNamed, record_.aliased.size()); ++i) {
      const std::uint32_t j = record_.aliased[i];
      warnings_.push_back("feature " + in_quotes(map_.name(j)) + " has no unique weight: within rounding it is " +
                          (moments_.zero[j] ? "0 in every row"
                                            : "a linear combination of earlier features" +
                                                  std::string(first_ != 0 ? " and the bias" : "")));
    }
    if (record_.aliased.size() > kMostNamed)
      warnings_.push_back("so have " + count_text(record_.aliased.size() - kMostNamed) +
                          " more features (plumb inspect lists them)");
  }

  // Numbers derived from leverages have at least four digits, or are absent.
  void warn_of_leverages() {
    constexpr double kEnough = 1e-4;
    if (solution_.shared || spread_.leverage_error <= kEnough) return;
    record_.fit.emplace_back(kLeverageError, std::min(spread_.leverage_error, 1.0));
    warnings_.push_back(
        "the features are nearly collinear, so there are no leverages, leave-one-out errors, robust errors or "
        "intervals; --drop one of them");
  }

  void warn_of_few_rows(double freedom) {
    if (solution_.penalty.empty() && solution_.factor.rank() >= moments_.rows && solution_.factor.rank() > 0) {
      warnings_.push_back(
          "there are as many weights as rows: the fit passes through every row, so errors cannot be estimated");
    } else if (freedom <= 0 && moments_.weighted) {
      warnings_.push_back("the weights of the rows add up to " + number_text(copies(), 4) +
                          ": too few rows for standard errors of " + counted(solution_.factor.rank(), "weight") +
                          "; multiply them so that they add up to " + count_text(moments_.rows));
    }
  }

  void warn_of_gap() {
    if (record_.converged) return warn_of_rounding();
    const std::string above = "the objective exceeds its minimum by " + number_text(record_.certificate.value, 3) +
                              (solution_.squared_target > 0 ? " of the constant model's" : "");
    warnings_.push_back(solution_.decrement > 2 * solution_.solved_decrement && p_ > 0
                            ? above + ": rounding allows no better, because feature " +
                                  in_quotes(map_.name(farthest_feature())) +
                                  " is far from 0 relative to its spread; subtract its mean"
                            : above + ": the features are nearly collinear; --drop one of them");
  }

  // The cost of the last digits of w and b, if it is a visible part of the error and not of rounding in y itself.
  void warn_of_rounding() {
    const double lost = solution_.squared_error - solution_.solved_error;
    if (p_ == 0 || lost <= 0.01 * solution_.solved_error || lost <= 1e-24 * solution_.squared_target) return;
    warnings_.push_back("rounding the weights raises the squared error from " + number_text(sum_of_squares(), 4) +
                        " to " + number_text(2 * record_.objective, 4) + ", as feature " +
                        in_quotes(map_.name(farthest_feature())) +
                        " is far from 0 relative to its spread; subtract its mean");
  }

  // The feature whose mean is largest relative to the rest of its spread: the reason why b loses digits.
  std::uint32_t farthest_feature() const {
    std::vector<double> diagonal(first_ + p_);
    solution_.factor.inverse_diagonal(diagonal);
    std::uint32_t farthest = 0;
    double most = 0.0;
    for (std::uint32_t j = 0; j < p_; ++j) {
      const double distance = std::abs(moments_.mean[j]) * std::sqrt(diagonal[first_ + j]);
      if (distance <= most) continue;
      most = distance;
      farthest = j;
    }
    return farthest;
  }

  const NormalSolution& solution_;
  double l2_;
  const Moments& moments_;
  const FeatureMap& map_;
  std::uint32_t p_;
  std::size_t first_;  // 1 with a bias
  int k_y_;
  int k_s_;
  SolvedBasis basis_;  // in the units of the solution
  WeightSpread spread_;
  Record record_;
  std::vector<std::string> warnings_;
};

// The path as a table, and the choice by name.
void add_path(Trained& fit, const RidgePath& path) {
  const RidgePoint& best = path.chosen();
  fit.record.fit.emplace_back("ridge_loo_rmse", best.loo_rmse);
  if (std::isfinite(best.gcv)) fit.record.fit.emplace_back("gcv", best.gcv);
  std::vector<double> table;
  for (const RidgePoint& point : path.points)
    if (std::isfinite(point.loo_rmse) && std::isfinite(point.gcv))
      table.insert(table.end(), {point.l2, point.freedom, point.loo_rmse, point.gcv});
  const std::uint64_t rows = table.size() / 4;
  fit.record.statistics.push_back({"ridge_path", {rows, 4}, std::move(table)});
  if (path.none)
    fit.warnings.push_back("cross-validation chose no penalty: no penalty tried is better than the fit without one");
  else if (path.best == 0 || path.best + 1 == path.points.size())
    fit.warnings.push_back("cross-validation chose the " + std::string(path.best == 0 ? "smallest" : "largest") +
                           " penalty tried, l2 " + number_text(best.l2, 3) +
                           (path.best == 0 ? "; a smaller one (or none: leave out --l2) may be as good"
                                           : "; the features may carry no information"));
}

}  // namespace

namespace {

// The same optimum by a descent, whose steps can be watched.
class SquaredDescent final : public ConvexTrainer {
 public:
  explicit SquaredDescent(const LeastSquaresOptions& given)
      : ConvexTrainer(row_loss(Loss::squared), options_of(given)) {}

 private:
  static ConvexOptions options_of(const LeastSquaresOptions& given) {
    return {.bias = given.bias,
            .l2 = given.l2,
            .sparse = given.sparse,
            .penalty_factor = given.penalty_factor,
            .solver = given.solver,
            .step = given.step,
            .stop = given.stop,
            .rate = given.rate,
            .tolerance = given.tolerance,
            .max_iterations = given.max_iterations,
            .start = given.start};
  }
};

}  // namespace

LeastSquaresTrainer::LeastSquaresTrainer(LeastSquaresOptions options) : options_(std::move(options)) {
  if (!options_.sparse.none() && !options_.l2.given) options_.l2 = {};  // ridge with --l1 alone chooses no --l2
  const int said = (options_.C > 0.0 ? 1 : 0) + (options_.prior_variance > 0.0 ? 1 : 0) + (options_.l2.none() ? 0 : 1);
  if (said > 1)
    throw Error(ErrorCode::usage, "--l2, --C and --prior-variance all set the penalty; give one",
                "--C 10 is the same as --prior-variance 10 and --l2 0.1");
  if (options_.C > 0.0) options_.l2 = {1.0 / options_.C};
  if (options_.prior_variance > 0.0) options_.l2 = {1.0 / options_.prior_variance};
  if (descends()) {
    if (options_.rank != RankRule::unsaid || options_.digits > 0)
      throw Error(ErrorCode::usage,
                  std::string(options_.digits > 0 ? "--digits" : "--rank") + " is for the closed form" +
                      (options_.sparse.none() ? "; --solver is " + options_.solver : ", and an L1 penalty has none"),
                  options_.sparse.none() ? "leave out --solver" : "leave out --l1");
    if (options_.l2.automatic)
      throw Error(ErrorCode::usage, "--l2 auto is for the closed form, and --solver is " + options_.solver, "--l2 1");
    SquaredDescent{options_};  // throws for options that contradict each other
  } else if (options_.step != StepRule::line_search || options_.rate != 0.0 || !options_.start.zero()) {
    throw Error(ErrorCode::usage, "--step, --rate and --start are for a descent, and --solver auto is the closed form",
                "--solver gradient-descent");
  }
}

// The Gram matrix with bias and target, once for every buffer of its reduce and once as their sum. When the buffers are
// freed, the factor, its inverse and their rounding errors follow. Vectors are negligible beside it.
std::uint64_t LeastSquaresTrainer::memory(const FitSize& size, const Executor& executor) const {
  if (descends()) return SquaredDescent(options_).memory(size, executor);
  if (is_wide(size.features, size.rows)) return wide_memory(size.rows);
  constexpr std::size_t kOfFactor = 5;
  const std::uint64_t m = (options_.bias ? 1u : 0u) + std::uint64_t{size.features} + 1;
  const std::size_t buffers = executor.reduce_buffers((size.rows + kBlockRows - 1) / kBlockRows);
  return std::max(buffers + 1, kOfFactor) * m * m * sizeof(double);
}

void LeastSquaresTrainer::expect_trainable(std::uint64_t features, bool hashed) {
  if (features <= kMostFeatures) return;
  throw Error(ErrorCode::resources,
              "least-squares with " + count_text(features) + " features needs a matrix of " +
                  number_text(8e-9 * static_cast<double>(features) * static_cast<double>(features), 3) +
                  " GB; at most " + count_text(kMostFeatures) + " features were expected",
              hashed ? "--hash-bits 12 makes fewer features of a text"
                     : "--max-terms 5000 keeps the commonest words of a text; else --drop a column with many levels");
}

void LeastSquaresTrainer::check(const FeatureMap& map) const { penalty_factors(options_.penalty_factor, map); }

// Not with --rank drop or --digits, nor if only some features have a penalty.
bool LeastSquaresTrainer::goes_wide(const Problem& problem) const {
  if (!is_wide(problem.map.features(), problem.examples.size()) || options_.rank == RankRule::drop ||
      options_.digits > 0)
    return false;
  const std::vector<double> factors = penalty_factors(options_.penalty_factor, problem.map);
  return std::all_of(factors.begin(), factors.end(), [](double factor) { return factor > 0.0; });
}

Trained LeastSquaresTrainer::train(const Problem& problem, const Run& run) const {
  check(problem.map);
  expect_memory(*this, problem.examples, 2, run);
  if (descends()) return SquaredDescent(options_).train(problem, run);
  const bool wide = goes_wide(problem);
  if (!wide) expect_trainable(problem.map.features(), has_hashed_terms(problem.map));
  const Offset offset(problem.map.offset());
  NormalOptions options{.bias = options_.bias, .offset = offset, .rank = options_.rank, .digits = options_.digits};
  double l2 = options_.l2.value;
  std::optional<RidgePath> path;
  std::vector<double> factors = penalty_factors(options_.penalty_factor, problem.map);
  if (offset.feature()) factors[*offset.feature()] = 0.0;
  if (options_.l2.automatic) {
    const std::vector<double> units = unit_penalties(problem.examples, problem.map, run);
    for (std::size_t j = 0; j < factors.size(); ++j) factors[j] *= units[j];
  }
  if (wide) {
    WideFit fit = fit_wide(problem, options_, factors, run);
    if (fit.path) add_path(fit.trained, *fit.path);
    if (fit.path) fit.trained.record.fit.emplace_back(kInSpreads, 1.0);
    return std::move(fit.trained);
  }
  if (options_.l2.automatic) {
    path = find_ridge_path(problem.examples, options_.bias, offset, factors, run);
    l2 = path->chosen().l2;
    if (!std::isfinite(path->chosen().loo_rmse))
      throw Error(ErrorCode::data, "--l2 auto cannot choose: leave-one-out is undefined for some row at every penalty",
                  "--l2 1 adds a penalty");
  }
  for (const double factor : factors)
    if (l2 > 0) options.penalty.push_back(l2 * factor);
  const NormalSolution solution = solve_normal_equations(problem.examples, options, run);
  Trained fit = Reporter(solution, problem, options_.bias, l2, run).fit();
  if (options_.l2.none() && !options_.penalty_factor.empty()) fit.warnings.push_back(kNothingToMultiply);
  if (solution.digits < options_.digits)
    fit.warnings.push_back("of the weights " + number_text(std::floor(solution.digits * 10) / 10) +
                           " digits are certain; --digits " + number_text(options_.digits) +
                           " asks for more than these data allow");
  if (path) add_path(fit, *path);
  if (path && l2 > 0) fit.record.fit.emplace_back(kInSpreads, 1.0);
  return fit;
}

namespace {

// Another way to say the penalty takes the place of the choice.
LeastSquaresOptions said_once(LeastSquaresOptions options) {
  if (options.l2.automatic && (options.C > 0.0 || options.prior_variance > 0.0)) options.l2 = {};
  return options;
}

}  // namespace

RidgeTrainer::RidgeTrainer(LeastSquaresOptions options) : LeastSquaresTrainer(said_once(std::move(options))) {
  if (!penalised()) throw Error(ErrorCode::usage, "ridge needs a penalty above 0; --l2 is 0", "--l2 auto chooses one");
}

}  // namespace plumb
