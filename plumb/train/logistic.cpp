#include "plumb/train/logistic.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "plumb/base/choices.h"
#include "plumb/base/error.h"
#include "plumb/base/foreseen.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/math/special.h"
#include "plumb/objective/objective.h"
#include "plumb/solver/solver.h"
#include "plumb/train/convex_fit.h"
#include "plumb/train/firth.h"
#include "plumb/train/penalty_path.h"

namespace plumb {
namespace {

// The starting weights from a model, in the units of the matrix; empty if none has this shape.
std::vector<double> start_of(const Problem& problem, const DesignMatrix& x, In factors, bool logistic) {
  std::vector<double> start;
  if (problem.start == nullptr) return start;
  const LinearModel& model = problem.start->model;
  const std::size_t rows = problem.labels.size() > 2 ? problem.labels.size() : 1, p = problem.map.features();
  if (model.rows() != rows || model.features() != p) return start;
  std::vector<double> w(p);
  for (std::size_t k = 0; k < rows; ++k) {
    model.parts().weights.row(k, w);
    std::vector<double> own = w;
    if (problem.map.offset()) own[*problem.map.offset()] = 0.0;
    double bias = model.parts().bias[k];
    if (!factors.empty() && logistic) bias += rows == 1 ? math::log(factors[1] / factors[0]) : math::log(factors[k]);
    if (x.bias()) own.push_back(bias);
    own = x.from_units(own);
    start.insert(start.end(), own.begin(), own.end());
  }
  return start;
}

// The numbers of --start: a weight for each feature, then the bias.
std::vector<double> given_start(const std::vector<double>& given, const Problem& problem, const DesignMatrix& x) {
  if (problem.labels.size() > 2)
    throw Error(
        ErrorCode::usage,
        "--start gives weights of one score, and " + count_text(problem.labels.size()) + " labels have one each",
        "--start zero");
  if (given.size() != x.columns()) {
    std::vector<std::string> names = problem.map.names();
    if (x.bias()) names.emplace_back("the bias");
    throw Error(
        ErrorCode::usage,
        "--start has " + counted(given.size(), "number") + "; one for each of " + listed(names, 8) + " was expected",
        "--start zero");
  }
  return x.from_units(given);
}

// A constant fit, for numbers: weights of 0, and a bias whose prediction is the mean of the targets.
std::vector<double> constant_start(const RowLoss& loss, const DesignMatrix& x) {
  std::vector<double> w(x.columns());
  if (!x.bias()) return w;
  double weight = 0.0, targets = 0.0, offsets = 0.0;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    weight += x.weights()[i];
    targets += x.weights()[i] * x.targets()[i];
    if (!x.offsets().empty()) offsets += x.weights()[i] * x.offsets()[i];
  }
  w.back() = loss.first_score(targets / weight) - offsets / weight;
  return x.from_units(w);
}

// Whether the solver may use centred columns: not if the bias has a penalty, nor if the steps, or the stopping rule,
// are a textbook's, in the units of the features.
bool centres(const ConvexOptions& options) {
  return options.bias && !options.penalise_bias && options.stop == StopRule::gap && options.solver != "sgd" &&
         options.solver != "gis" && options.solver != "iis" &&
         !(options.solver == "gradient-descent" && options.step == StepRule::fixed);
}

// Adding one number to all changes no probability: the reference's is set to 0, or otherwise the mean.
void shift_biases(std::vector<double>& bias, std::optional<std::size_t> reference) {
  double shift = reference ? bias[*reference] : 0.0;
  for (std::size_t k = 0; k < bias.size() && !reference; ++k) shift += bias[k] / static_cast<double>(bias.size());
  for (double& each : bias) each -= shift;
}

}  // namespace

void move_reference(DesignMatrix& x, std::size_t reference, std::size_t outputs) {
  std::vector<double> moved(x.targets().begin(), x.targets().end());
  const auto zero = static_cast<double>(reference);
  for (double& each : moved) each = each == zero ? static_cast<double>(outputs) : each > zero ? each - 1.0 : each;
  x.set_targets(std::move(moved));
}

Trained ConvexTrainer::train(const Problem& problem, const Run& run) const {
  check(problem.map);
  loss_->numbers() ? expect_numbers(problem) : expect_classes(problem);
  expect_memory(*this, problem.examples, problem.labels.size(), run);
  if (!options_.sparse.none()) return train_sparse(problem, run);
  if (options_.firth) return fit_by_firth(problem, options_, run);
  const Strength l2 = strength();
  if (!l2.automatic) return train_at({.l2 = l2.value}, problem, run);
  const std::vector<double> units = unit_penalties(problem.examples, problem.map, run);
  const PenaltyPath path = choose_penalty(
      problem, *loss_->kind(), units,
      [&](double each, const Problem& fold, const Run& own) {
        return train_at({.l2 = each, .units = units}, fold, own);
      },
      within(run, 0.0, 0.95));
  Trained fit = train_at({.l2 = path.l2[path.best], .units = units}, problem, within(run, 0.95, 1.0));
  path.add_to(fit);
  return fit;
}

Trained ConvexTrainer::train_at(const PenaltyStrengths& strengths, const Problem& problem, const Run& run,
                                std::vector<double> warm) const {
  const std::optional<std::size_t> reference = reference_of(problem);
  const std::vector<double> factors = class_weights(problem);
  DesignMatrix x(problem.examples, options_.bias, problem.map.offset(), factors, run);
  if (centres(options_)) x.centre();
  ConvexFit fitter(problem, options_, strengths, x, run);
  const bool logistic = loss_->probabilistic(), numbers = loss_->numbers();
  std::vector<double> start = start_of(problem, x, factors, logistic);
  if (!options_.start.weights.empty()) start = given_start(options_.start.weights, problem, x);
  if (!warm.empty()) start = std::move(warm);
  if (numbers && start.empty() && options_.start.zero()) start = constant_start(*loss_, x);
  const std::size_t labels = problem.labels.size();
  std::vector<std::vector<double>> ratios;
  if (options_.weighting == FeatureWeighting::nb) {
    if (logistic && labels > 2)
      throw Error(ErrorCode::usage,
                  "--weighting nb weighs the features of one class against all others, and logistic regression fits " +
                      counted(labels, "class") + " at once",
                  "-m squared-hinge");
    ratios = count_ratios(problem.examples, labels, problem.map.features(), run);
    fitter.weigh(ratios);
  }
  if (numbers || labels == 2)
    fitter.fit_one(*loss_, std::move(start));
  else if (logistic)
    fitter.fit_softmax(reference, std::move(start));
  else
    fitter.fit_one_against_rest(*loss_, start);
  WeightRows rows = fitter.rows();
  for (std::size_t k = 0; k < ratios.size(); ++k) {
    const Out own = Out(rows.weights).subspan(k * problem.map.features(), problem.map.features());
    interpolate(own, ratios[k]);
    const double label = labels == 2 ? 1.0 : static_cast<double>(k);
    if (options_.bias) rows.bias[k] = best_bias(own, problem.examples, *loss_, label, run);
  }
  // Weighting the rows of a class by c makes its odds c times as large: the bias is corrected for that.
  if (!factors.empty() && logistic && options_.bias) {
    if (labels == 2) rows.bias[0] -= math::log(factors[1] / factors[0]);
    for (std::size_t k = 0; labels > 2 && k < labels; ++k) rows.bias[k] -= math::log(factors[k]);
  }
  if (labels > 2 && logistic && options_.bias && (!factors.empty() || x.centred())) shift_biases(rows.bias, reference);
  for (const double each : rows.weights)
    if (!std::isfinite(each))
      throw Error(ErrorCode::data, "a weight is too large for a number: its feature has tiny values",
                  "--scale standard brings the features to one scale");

  LinearModel::Parts parts;
  parts.map = problem.map;
  parts.link = numbers ? link_ : !logistic ? Link::sign : labels == 2 ? Link::logistic : Link::softmax;
  parts.labels.assign(problem.labels.begin(), problem.labels.end());
  parts.weights = strengths.l1 > 0.0
                      ? Weights::non_zeros(rows.bias.size(), problem.map.features(), rows.weights)
                      : Weights::dense(rows.bias.size(), problem.map.features(), std::move(rows.weights));
  parts.bias = std::move(rows.bias);
  Trained fit{LinearModel(std::move(parts)), fitter.record(), fitter.warnings()};
  if (!options_.bias && logistic &&
      std::any_of(factors.begin(), factors.end(), [&](double each) { return each != factors.front(); }))
    fit.warnings.push_back(
        "--class-weight changes the odds of a class, and without a bias they cannot be corrected: probabilities do not "
        "match the data");
  if (strengths.l2 == 0.0 && strengths.l1 == 0.0 && !options_.penalty_factor.empty())
    fit.warnings.push_back(kNothingToMultiply);
  if (options_.solver == "auto") fit.solver_reason = fitter.reason();
  fit.trace = fitter.trace();
  fit.curvature = fitter.curvature();
  fit.stopped = fitter.stopped();
  fit.promises_optimum = fitter.solver().name != "sgd" && fitter.solver().name != kNoSolver;
  return fit;
}

}  // namespace plumb
