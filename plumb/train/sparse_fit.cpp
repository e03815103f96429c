// A convex fit with an L1 penalty: as given, or chosen on a path.
#include <algorithm>
#include <optional>

#include "plumb/base/error.h"
#include "plumb/base/foreseen.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/objective/objective.h"
#include "plumb/train/lasso.h"
#include "plumb/train/logistic.h"
#include "plumb/train/sparse_path.h"

namespace plumb {

void ConvexTrainer::expect_sparse_fit() const {
  const SparseOptions& sparse = options_.sparse;
  const std::vector<double> ratios = sparse.ratios();  // throws for those that are none
  if (sparse.none()) {
    for (const auto& [name, given] :
         {std::pair("--l1-ratio", !sparse.l1_ratio.empty()), std::pair("--refit-selected", sparse.refit_selected)})
      if (given)
        throw Error(ErrorCode::usage, std::string(name) + " is for fits with an L1 penalty, and --l1 is 0",
                    "--l1 auto");
    return;
  }
  if (sparse.path && !sparse.l1.automatic && sparse.l1.given)
    throw Error(ErrorCode::usage, "--path chooses the L1 penalty, and --l1 gives it", "leave out --l1");
  if (options_.l2.automatic && options_.l2.given)
    throw Error(ErrorCode::usage, "--l2 auto cannot be combined with --l1", "--l1-ratio 0.1,0.5,0.9 chooses both");
  if (!sparse.l1_ratio.empty() && (options_.l2.given || options_.C > 0.0 || options_.prior_variance > 0.0))
    throw Error(ErrorCode::usage, "--l1-ratio and --l2 both set the L2 penalty; one was expected", "leave out --l2");
  if (!sparse.chooses() && ratios.size() > 1)
    throw Error(ErrorCode::usage, "--l1-ratio has several values, and --l1 is given; with --l1 auto the best is chosen",
                "--l1 auto");
  if (sparse.chooses() && loss_->scaled())
    throw Error(ErrorCode::usage,
                "--l1 auto is for losses without a scale of their own, and " + std::string(loss_->name()) + " fits one",
                "plumb tune --grid l1=0.1..100:7 chooses a penalty");
  if (options_.stop != StopRule::gap)
    throw Error(ErrorCode::usage, "--stop is for fits without --l1, which end by their certified gap",
                "leave out --stop");
}

Trained ConvexTrainer::train_sparse(const Problem& problem, const Run& run) const {
  PenaltyStrengths strengths{.l2 = strength().value, .l1 = options_.sparse.l1.value};
  const std::vector<double> factors = class_weights(problem);
  std::optional<SparsePath> path;
  std::vector<double> units;
  if (options_.standardise || options_.sparse.chooses()) {
    DesignMatrix x(problem.examples, options_.bias, problem.map.offset(), factors, run);
    if (options_.bias && !options_.penalise_bias) x.centre();
    if (options_.standardise) units = variances(x, run);
    strengths.units = units;
    if (options_.sparse.chooses()) {
      const std::size_t labels = problem.labels.size();
      const bool softmax = loss_->probabilistic() && labels > 2;
      if (labels > 2 && !softmax)
        throw Error(ErrorCode::usage,
                    "--l1 auto chooses one penalty, and -m " + std::string(loss_->name()) + " fits each of " +
                        count_text(labels) + " classes against all others",
                    "-m logistic");
      if (options_.weighting == FeatureWeighting::nb)
        throw Error(ErrorCode::usage, "--weighting nb needs a penalty that is given, and --l1 is auto", "--l1 1");
      const std::optional<std::size_t> reference = reference_of(problem);
      if (softmax && reference) move_reference(x, *reference, labels - 1);
      const std::unique_ptr<RowLoss> loss =
          softmax ? softmax_loss(labels - (reference ? 1 : 0), reference.has_value()) : loss_->copy();
      path = find_sparse_path(problem, options_, strengths, options_.sparse.ratios(), *loss, x, within(run, 0.0, 0.95));
      strengths.l1 = path->points[path->chosen].strengths.l1;
      strengths.l2 = path->points[path->chosen].strengths.l2;
    }
  }
  Trained fit = train_at(strengths, problem, path ? within(run, 0.95, 1.0) : run,
                         path ? std::move(path->start) : std::vector<double>());
  if (path) path->add_to(fit, problem.map.features());
  if (options_.sparse.refit_selected) refit(fit, strengths, problem, run);
  return fit;
}

// The features with a weight, in any class, get new ones without a penalty.
void ConvexTrainer::refit(Trained& fit, PenaltyStrengths strengths, const Problem& problem, const Run& run) const {
  const Weights& weights = fit.model.parts().weights;
  strengths.selected.assign(weights.features(), false);
  std::vector<double> w(weights.features());
  for (std::uint64_t r = 0; r < weights.rows(); ++r) {
    weights.row(r, w);
    for (std::size_t j = 0; j < w.size(); ++j)
      if (w[j] != 0.0 && problem.map.offset() != j) strengths.selected[j] = true;
  }
  Trained again = train_at(strengths, problem, run);
  std::erase_if(again.record.fit, [](const auto& each) { return each.first == "l1" || each.first == "l2"; });
  again.record.fit.emplace_back("l2", 0.0);
  again.record.fit.emplace_back("l1", 0.0);
  for (const auto& [name, value] : fit.record.fit) {
    if (name == "l1" || name == "l2") again.record.fit.emplace_back("selected_by_" + name, value);
    if (name == "l1_ratio" || name.starts_with("path_")) again.record.fit.emplace_back(name, value);
  }
  again.record.statistics = std::move(fit.record.statistics);
  const auto selected =
      static_cast<std::uint64_t>(std::count(strengths.selected.begin(), strengths.selected.end(), true));
  again.warnings = std::move(fit.warnings);
  again.warnings.push_back("the weights of " + counted(selected, "feature") +
                           " were fitted again without a penalty, to the rows that selected the features: standard "
                           "errors and p-values that ignore the selection would be too small");
  if (!again.record.converged)
    again.warnings.push_back(
        "the fit without a penalty found no optimum: the classes may be separable; leave out "
        "--refit-selected");
  fit = std::move(again);
}

LassoTrainer::LassoTrainer(const LassoOptions& options) : ConvexTrainer(row_loss(Loss::squared), options) {
  if (options.sparse.none())
    throw Error(ErrorCode::usage, "lasso and elastic-net need an L1 penalty above 0, and --l1 is 0",
                "--l1 auto chooses one");
}

LassoOptions::LassoOptions() {
  l2 = {0.0};
  sparse.l1 = {0.0, true};
  standardise = true;
  tolerance = 1e-10;
}

ElasticNetOptions::ElasticNetOptions() { sparse.usual_ratio = 0.5; }

OptionTable LassoOptions::table() {
  constexpr std::string_view kOwn[] = {"no-bias",        "penalise-bias", "l2",
                                       "penalty-factor", "tolerance",     "max-iterations"};
  OptionTable found{};
  const OptionTable all = sparse_table();
  for (const Option& each : all.options())
    if (std::find(std::begin(kOwn), std::end(kOwn), each.name) != std::end(kOwn)) found.add(each);
  add_sparse_options(found, static_cast<SparseOptions LassoOptions::*>(&LassoOptions::sparse));
  return found.add(option("no-standardise", static_cast<bool LassoOptions::*>(&LassoOptions::standardise),
                          "penalise the weights of the columns as they are, not as if each had standard deviation 1")
                       .off());
}

}  // namespace plumb
