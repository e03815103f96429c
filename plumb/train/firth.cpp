#include "plumb/train/firth.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/math/special.h"
#include "plumb/objective/objective.h"
#include "plumb/train/curvature.h"
#include "plumb/train/likelihood.h"
#include "plumb/train/weight_rows.h"

namespace plumb {
namespace {

constexpr std::size_t kMostFirthWeights = 2048;  // whose information is worth a matrix

Error excludes(const std::string& option, const std::string& why, const std::string& hint) {
  return Error(ErrorCode::usage, "--firth and " + option + " cannot be combined: " + why, hint);
}

// Columns that are linear combinations of others, the bias before them, and empty ones, as that of an offset.
std::vector<bool> columns_aside(Objective& f, const Objective::Point& point) {
  const std::size_t q = f.size();
  const bool bias = f.matrix().bias();
  const std::vector<double> hessian = f.hessian(point);
  std::vector<double> moved(q * q);  // the bias first: a feature is set aside rather than the bias
  const auto from = [&](std::size_t i) { return !bias ? i : i == 0 ? q - 1 : i - 1; };
  for (std::size_t a = 0; a < q; ++a)
    for (std::size_t b = 0; b <= a; ++b)
      moved[a * q + b] = hessian[std::max(from(a), from(b)) * q + std::min(from(a), from(b))];
  const math::Cholesky factor(std::move(moved), q, 1e-12);
  std::vector<bool> aside(q);
  for (std::size_t i = 0; i < q; ++i) aside[from(i)] = factor.aliased()[i];
  return aside;
}

}  // namespace

void expect_firth(const ConvexOptions& options) {
  if (!options.bias && options.penalise_bias) return;  // the trainer refuses that
  if (options.penalise_bias)
    throw excludes("--penalise-bias", "its penalty is that of all weights", "leave out --penalise-bias");
  if (options.l2.given) throw excludes("--l2", "it has a penalty of its own", "leave out --l2");
  if (!options.sparse.none()) throw excludes("--l1", "it has a penalty of its own", "leave out --l1");
  if (!options.class_weight.empty())
    throw excludes("--class-weight", "its penalty is that of the likelihood of the rows", "leave out --class-weight");
  if (!options.penalty_factor.empty())
    throw excludes("--penalty-factor", "its penalty has no factors", "leave out --penalty-factor");
  if (options.weighting != FeatureWeighting::none)
    throw excludes("--weighting", "its penalty is that of the features as they are", "leave out --weighting");
  if (options.solver != "auto" && options.solver != "newton")
    throw excludes("--solver " + options.solver, "it needs Newton's method", "leave out --solver");
  if (options.step != StepRule::line_search || options.stop != StopRule::gap || !options.start.zero())
    throw excludes("--step, --stop and --start", "it has Newton's method with halved steps", "leave them out");
}

Trained fit_by_firth(const Problem& problem, const ConvexOptions& options, const Run& run) {
  if (problem.labels.size() != 2)
    throw Error(ErrorCode::usage, "--firth is for two labels; there are " + count_text(problem.labels.size()),
                "--classes " + as_typed(problem.labels[0] + "," + problem.labels[1]) + ", or --l2 1 for a penalty");
  DesignMatrix x(problem.examples, options.bias, problem.map.offset(), {}, run);
  if (options.bias) x.centre();
  if (x.columns() > kMostFirthWeights)
    throw Error(ErrorCode::usage,
                "--firth needs the information matrix, which is for at most " + count_text(kMostFirthWeights) +
                    " weights; there are " + count_text(x.columns()),
                "--l2 1 for a penalty");
  Objective f(x, row_loss(Loss::logistic), std::vector<double>(x.columns()), run);
  const std::vector<double> zero(x.columns());
  const std::vector<bool> aside = columns_aside(f, f.at(zero));
  Likelihood likelihood(f, true, aside);
  const Likelihood::Found found =
      likelihood.minimise(zero, {}, options.max_iterations > 0 ? options.max_iterations : 1000);

  const std::uint32_t p = problem.map.features();
  WeightRows rows;
  rows.add(found.point.w, x, problem.map.offset());
  for (const double each : rows.weights)
    if (!std::isfinite(each))
      throw Error(ErrorCode::data, "a weight is too large for a number: its feature has tiny values",
                  "--scale standard brings the features to one scale");
  LinearModel::Parts parts;
  parts.map = problem.map;
  parts.link = Link::logistic;
  parts.labels.assign(problem.labels.begin(), problem.labels.end());
  parts.bias = std::move(rows.bias);
  parts.weights = Weights::dense(1, p, std::move(rows.weights));

  Record record;
  record.solver = "newton";
  record.train_rows = x.all_rows();
  record.iterations = found.steps;
  double units = 0.0;  // log of the units of the columns, which det I has twice
  for (std::uint32_t j = 0; j < p; ++j)
    if (!aside[j]) units += x.exponent(j) * math::log(2.0);
  record.objective = found.value - units;
  record.converged = found.converged;
  record.certificate = {"Newton decrement", found.decrement / 2};
  record.fit = {{"l2", 0.0},
                {"training_loss", found.point.loss},
                {"passes", f.passes()},
                {kFirthLikelihood, units - found.value}};
  Trained fit{LinearModel(std::move(parts)), std::move(record), {}};
  constexpr std::size_t kMostNamedAliases = 5;
  for (std::uint32_t j = 0; j < p; ++j)
    if (aside[j] && j != problem.map.offset()) {
      fit.record.aliased.push_back(j);
      if (fit.record.aliased.size() > kMostNamedAliases) continue;
      fit.warnings.push_back("feature " + in_quotes(problem.map.name(j)) +
                             " has no unique weight: it is a linear combination of other features, within rounding, "
                             "and its weight is 0");
    }
  if (const std::size_t all = fit.record.aliased.size(); all > kMostNamedAliases)
    fit.warnings.push_back("so have " + count_text(all - kMostNamedAliases) +
                           " more features (plumb inspect lists them)");
  if (!found.converged)
    fit.warnings.push_back("Firth's fit stopped after " + counted(found.steps, "step") +
                           " with a Newton decrement of " + number_text(found.decrement / 2, 2) +
                           "; --max-iterations " + std::to_string(10 * std::max<std::uint64_t>(found.steps, 100)) +
                           " goes on");
  if (problem.infers && found.converged) fit.curvature = curvature_at(f, found.point, fit.record.aliased, {});
  return fit;
}

}  // namespace plumb
