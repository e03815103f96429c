#include "plumb/select/experiment.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plumb/feature/levels.h"
#include "plumb/math/special.h"

namespace plumb {
namespace {

// Labels by their positions in another list, which has them all. A class that the fit did not see has probability 0, or
// a score below all others.
void relabel(PredictedClasses& rows, const std::vector<std::string>& labels) {
  std::vector<std::uint32_t> place;
  const LabelCodes codes(labels);
  for (const std::string& label : rows.labels) place.push_back(codes.find(label).value_or(0));
  for (std::uint32_t& label : rows.predicted) label = place[label];
  for (std::uint32_t& label : rows.actual) label = place[label];
  const std::size_t own = rows.scores_per_row(), width = labels.size() == 2 ? 1 : labels.size();
  const bool of_two = own == 1 && width > 1;
  if (of_two)
    for (double& each : rows.brier) each *= 2;  // with two labels half of the sum over labels
  if (width * rows.rows() > PredictedClasses::kMostScores) {
    rows.scores = {};
  } else if (width > 1 && !rows.scores.empty()) {
    std::vector<double> scores(rows.rows() * width, rows.probable ? 0.0 : -HUGE_VAL);
    for (std::uint64_t i = 0; i < rows.rows(); ++i) {
      for (std::size_t k = 0; k < own && !of_two; ++k) scores[i * width + place[k]] = rows.scores[i * own + k];
      if (!of_two) continue;
      const double log_odds = rows.scores[i];
      scores[i * width + place[0]] = rows.probable ? math::sigmoid(-log_odds) : -log_odds;
      scores[i * width + place[1]] = rows.probable ? math::sigmoid(log_odds) : log_odds;
    }
    rows.scores = std::move(scores);
  }
  rows.labels = labels;
  rows.known = labels.size();
}

}  // namespace

Experiment::Experiment(const SharedRows& shared, const FeaturePlan& plan, const Trainer& trainer,
                       const ClassOptions& options, const SplitOptions& split)
    : shared_(shared), plan_(plan), trainer_(trainer) {
  const Tables roles = shared.roles_for(plan);
  Content content{plan.target_kind == Kind::category,
                  options.positive,
                  {},
                  RowSet(shared.rows(), true),
                  {},
                  Splitter(shared.rows())};
  if (content.labels) {
    const std::size_t target = plan.inputs.size();
    content.classes = classes_of(roles, target, plan.weight.empty() ? std::nullopt : std::optional(target + 1));
    if (!options.classes.empty()) content.rows = content.classes.rows_of(options.classes);
    content.rows = content.rows.intersection(content.classes.counted);
    content.all_labels = content.classes.among(content.rows, content.positive);
  }
  content.splitter = Splitter(shared.rows(), split_keys(roles, plan, split), content.classes.of_row);
  content_ = std::make_shared<const Content>(std::move(content));
}

bool Experiment::same_features(const Experiment& other) const {
  const Wishes a = trainer_.wishes(), b = other.trainer_.wishes();
  return &plan_ == &other.plan_ && a.bias == b.bias && a.full_coding == b.full_coding && a.low_parts == b.low_parts &&
         a.complete_rows == b.complete_rows && a.every_number == b.every_number && !a.form && !b.form;
}

Experiment::Prepared Experiment::prepare(const RowSet& training, const Run& run) const {
  Tables tables = shared_.tables_for(plan_);
  Wishes wishes = trainer_.wishes();
  wishes.fill_ahead = false;  // no other rows will come
  Learnt learnt = learn_features(tables, plan_, training, wishes, run);
  const RowSet fitted = learnt.complete ? training.intersection(*learnt.complete) : training;
  std::size_t known = 0;
  if (labels()) {
    const std::string& positive = content_->positive;
    learnt.layout.labels = classes().among(fitted, content_->all_labels.size() > 2 ? "" : positive);
    known = learnt.layout.labels.size();
    learnt.layout.known_labels = known;
    append_new_labels(learnt.layout.labels, known, classes().labels);
  }
  trainer_.check(learnt.map);
  FeatureMap::Unseen unseen;
  Examples examples = learnt.map.apply(std::move(tables), learnt.layout, unseen, run);
  return {std::move(learnt.map),      std::move(examples),       std::move(learnt.layout.labels), known,
          std::move(learnt.complete), std::move(learnt.warnings)};
}

Trained Experiment::train(const Prepared& prepared, const RowSet& training, const Run& run,
                          const SavedModel* start) const {
  expect_memory(trainer_, prepared.examples, prepared.known, run);
  const RowSet fitted = prepared.fitted(training);
  const Examples seen = prepared.examples.with(labels() ? fitted.intersection(classes().counted) : fitted);
  const std::span labels(prepared.labels);
  Trained fit =
      trainer_.train({seen, prepared.map, labels.first(prepared.known), start, labels.subspan(prepared.known)}, run);
  if (plan_.target_formula) fit.model = fit.model.of_target(*plan_.target_formula);
  return fit;
}

Experiment::Fitted Experiment::fit(const RowSet& training, const Run& run) const {
  Prepared prepared = prepare(training, run);
  Trained fit = train(prepared, training, run);
  std::vector<std::string> warnings = prepared.warnings;
  warnings.insert(warnings.end(), fit.warnings.begin(), fit.warnings.end());
  return {std::move(fit), std::move(prepared), std::move(warnings)};
}

Outcome Experiment::predict(const Prepared& prepared, const LinearModel& model, const RowSet& rows,
                            const Run& run) const {
  Outcome outcome;
  outcome.labels = labels();
  const Examples tried = prepared.examples.with(rows);
  if (!labels()) {
    outcome.numbers = predict_rows(model, tried, run);
    return outcome;
  }
  outcome.classes = predict_classes(model, tried, prepared.labels, run);
  relabel(outcome.classes, content_->all_labels);
  return outcome;
}

}  // namespace plumb
