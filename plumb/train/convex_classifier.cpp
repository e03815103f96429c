// The options of a convex classifier, and its checks of the data before a fit.
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
#include "plumb/feature/levels.h"
#include "plumb/math/special.h"
#include "plumb/objective/objective.h"
#include "plumb/solver/separation.h"
#include "plumb/solver/solver.h"
#include "plumb/train/firth.h"
#include "plumb/train/fit_forecast.h"
#include "plumb/train/penalty_path.h"

namespace plumb {

ConvexTrainer::ConvexTrainer(std::unique_ptr<RowLoss> loss, ConvexOptions options, Link link)
    : loss_(std::move(loss)), options_(std::move(options)), link_(link) {
  if (loss_->numbers() && options_.l2.automatic)
    throw Error(ErrorCode::usage, "--l2 auto needs classes, and -m " + std::string(loss_->name()) + " predicts numbers",
                "plumb tune --grid l2=0,0.1,1,10 chooses one");
  if (options_.firth) expect_firth(options_);
  expect_sparse_fit();
  if (options_.C > 0.0 && options_.prior_variance > 0.0)
    throw Error(ErrorCode::usage, "--C and --prior-variance both set the penalty; one was expected",
                "--C " + number_text(options_.prior_variance) + " is the same as that variance");
  if (!options_.bias && options_.penalise_bias)
    throw Error(ErrorCode::usage, "--no-bias and --penalise-bias cannot be combined", "leave out --penalise-bias");
  if (options_.weighting == FeatureWeighting::nb && (options_.l2.automatic || strength().none()))
    throw Error(
        ErrorCode::usage,
        "--weighting nb needs a penalty above 0, and --l2 is " + std::string(options_.l2.automatic ? "auto" : "0"),
        "--l2 1");
  if (options_.solver != "auto") find_solver(options_.solver);
  const bool rated = options_.step == StepRule::fixed && options_.solver != "newton";
  if (rated && options_.solver != "gradient-descent" && options_.solver != "sgd")
    throw Error(ErrorCode::usage,
                "--step fixed is for gradient-descent, newton and sgd; --solver is " + options_.solver,
                "--solver gradient-descent");
  if (options_.solver != "sgd")
    for (const auto& [name, given] :
         {std::pair("--order", options_.order != RowOrder::shuffled),
          std::pair("--start random", options_.start.rule != StartWeights::zero),
          std::pair("--average", options_.average), std::pair("--adaptive", options_.adaptive)})
      if (given)
        throw Error(ErrorCode::usage, std::string(name) + " is for sgd; --solver is " + options_.solver,
                    "--solver sgd");
  if (options_.solver == kNoSolver && options_.start.weights.empty())
    throw Error(ErrorCode::usage, "--solver none keeps the weights of --start, and none are given", "--start 1,0");
  constexpr std::string_view kPaths[] = {"gradient-descent", "newton", "conjugate-gradient", "lbfgs", kNoSolver};
  if (!options_.start.weights.empty() &&
      std::find(std::begin(kPaths), std::end(kPaths), options_.solver) == std::end(kPaths))
    throw Error(
        ErrorCode::usage,
        "--start with numbers is for gradient-descent, newton, conjugate-gradient, lbfgs and none; --solver is " +
            options_.solver,
        "--solver gradient-descent");
  if (options_.rate != 0.0 && !rated && options_.solver != "sgd")
    throw Error(ErrorCode::usage,
                "--rate is for sgd and for --step fixed of gradient-descent; --solver is " + options_.solver,
                options_.solver == "gradient-descent" ? "--step fixed" : "--solver sgd");
  if (rated && options_.rate == 0.0) throw Error(ErrorCode::usage, "--step fixed needs --rate", "--rate 0.001");
}

LogisticTrainer::LogisticTrainer(const LogisticOptions& options) : ConvexTrainer(row_loss(Loss::logistic), options) {}
HingeTrainer::HingeTrainer(const HingeOptions& options) : ConvexTrainer(row_loss(Loss::hinge), options) {}
SquaredHingeTrainer::SquaredHingeTrainer(const HingeOptions& options)
    : ConvexTrainer(row_loss(Loss::squared_hinge), options) {}

Loss ConvexTrainer::loss() const { return *loss_->kind(); }

Strength ConvexTrainer::strength() const {
  if (options_.firth) return {0.0};
  if (options_.C > 0.0) return {1.0 / options_.C};
  if (options_.prior_variance > 0.0) return {1.0 / options_.prior_variance};
  if (!options_.sparse.none() && !options_.l2.given)  // a default is for fits without --l1
    return {options_.sparse.chooses() ? 0.0 : options_.sparse.l2_beside()};
  return options_.l2;
}

// The solver's vectors, and the matrix.
std::uint64_t ConvexTrainer::memory(const FitSize& size, const Executor&) const {
  const std::uint64_t of_one = size.rows * 16 + std::uint64_t{size.features} * 24;
  const std::uint64_t of_planes = (size.rows + size.features) * size.planes() * 10;
  return std::max(of_one, of_planes) * sizeof(double) +
         DesignMatrix::bytes(size.rows, size.entries, size.features, size.sparse);
}

void ConvexTrainer::check(const FeatureMap& map) const { penalty_factors(options_.penalty_factor, map); }

// One factor for each label; empty if not requested.
std::vector<double> ConvexTrainer::class_weights(const Problem& problem) const {
  if (options_.class_weight.empty()) return {};
  const std::size_t labels = problem.labels.size();
  std::vector<double> factor(labels, 1.0);
  const auto balanced = std::count(options_.class_weight.begin(), options_.class_weight.end(), "balanced");
  if (balanced == std::ssize(options_.class_weight)) {
    std::vector<double> weight(labels);
    for (std::size_t b = 0; b < problem.examples.blocks(); ++b)
      problem.examples.block(b).for_each(
          [&](const Example& e) { weight[static_cast<std::size_t>(e.target)] += e.weight; });
    double total = 0.0;
    for (const double each : weight) total += each;
    for (std::size_t k = 0; k < labels; ++k)
      if (weight[k] > 0.0) factor[k] = total / (static_cast<double>(labels) * weight[k]);
    return factor;
  }
  if (balanced > 0)
    throw Error(ErrorCode::usage, "--class-weight mixes balanced with weights of labels; give one or the other",
                "--class-weight balanced");
  const LabelCodes codes(problem.labels);
  for (const std::string& item : options_.class_weight) {
    const std::size_t equals = item.rfind('=');
    const ParsedNumber number = parse_number(equals == item.npos ? "" : std::string_view(item).substr(equals + 1));
    if (number.fault != NumberFault::none || !(number.value > 0.0) || !std::isfinite(number.value))
      throw Error(ErrorCode::usage,
                  "--class-weight is " + in_quotes(item) + "; balanced or LABEL=W was expected, W a number above 0",
                  "--class-weight balanced");
    const std::string label = item.substr(0, equals);
    const std::optional<std::uint32_t> found = codes.find(label);
    if (!found) {
      const Error unknown = unknown_choice("label", label, problem.labels);
      const std::string meant = nearest(label, problem.labels);
      throw Error(unknown.code(), unknown.message(),
                  "--class-weight " + as_typed((meant.empty() ? problem.labels[0] : meant) + item.substr(equals)));
    }
    factor[*found] = number.value;
  }
  return factor;
}

namespace {

// The labels of a model that is trained further need not all occur: the bias of rows of one label has no optimum.
void expect_two_labels(const Problem& problem) {
  std::optional<double> first;
  bool others = false;
  for (std::size_t b = 0; b < problem.examples.blocks(); ++b)
    problem.examples.block(b).for_each([&](const Example& e) {
      if (e.weight == 0.0) return;
      if (!first) first = e.target;
      others = others || e.target != *first;
    });
  if (first && !others)
    throw Error(ErrorCode::data,
                "the rows to train further on have one label only, " +
                    in_quotes(problem.labels[static_cast<std::size_t>(*first)]) + "; at least two were expected",
                "name a file with rows of the other labels beside this one");
}

}  // namespace

void ConvexTrainer::expect_classes(const Problem& problem) const {
  const std::size_t labels = problem.labels.size();
  if (labels < 2)
    throw Error(ErrorCode::data,
                "the training rows have " + std::string(labels == 0 ? "no label" : "one label only, ") +
                    (labels == 0 ? "" : in_quotes(problem.labels[0])) + "; at least two classes were expected",
                "--target names the column of classes");
  if (problem.start != nullptr) expect_two_labels(problem);
  if (const std::optional<std::uint32_t> offset = problem.map.offset(); offset && labels > 2)
    throw Error(ErrorCode::usage,
                problem.map.name(*offset) + " is given, and " + count_text(labels) +
                    " classes have no one score that it could be added to; two classes were expected",
                "leave out --offset");
}

void ConvexTrainer::expect_numbers(const Problem& problem) const {
  const double least = loss_->least_target();
  for (std::size_t b = 0; b < problem.examples.blocks(); ++b)
    problem.examples.block(b).for_each([&](const Example& e) {
      if (e.weight == 0.0 || e.target >= least) return;
      throw Error(ErrorCode::data,
                  "the target of row " + count_text(e.number + 1) + " is " + number_text(e.target) + "; -m " +
                      std::string(loss_->name()) + " takes targets of at least " + number_text(least),
                  "-m least-squares takes any");
    });
}

std::optional<std::size_t> ConvexTrainer::reference_of(const Problem& problem) const {
  if (options_.reference.empty()) return {};
  const std::optional<std::uint32_t> found = LabelCodes(problem.labels).find(options_.reference);
  if (!found)
    throw unknown_choice("label", options_.reference, {problem.labels.begin(), problem.labels.end()}, "--reference ");
  if (problem.labels.size() == 2 && *found != 0)
    throw Error(ErrorCode::usage,
                "of two classes the reference is the first, " + in_quotes(problem.labels[0]) + "; --reference says " +
                    in_quotes(options_.reference),
                "--positive " + as_typed(problem.labels[0]) + " makes it the second");
  return *found;
}

}  // namespace plumb
