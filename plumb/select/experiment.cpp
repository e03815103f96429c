#include "plumb/select/experiment.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plumb/feature/levels.h"
#include "plumb/select/folds.h"

namespace plumb {
namespace {

// The numbers of the rows with a weight, in row order.
std::vector<std::uint64_t> numbers_of(const Examples& examples) {
  std::vector<std::uint64_t> numbers;
  for (std::size_t b = 0; b < examples.blocks(); ++b)
    examples.block(b).for_each([&](const Example& e) {
      if (e.weight > 0) numbers.push_back(e.number);
    });
  return numbers;
}

template <class T>
void reorder(std::vector<T>& values, const std::vector<std::size_t>& order, std::size_t width) {
  if (values.empty()) return;
  std::vector<T> sorted;
  sorted.reserve(values.size());
  for (const std::size_t i : order)
    for (std::size_t k = 0; k < width; ++k) sorted.push_back(values[i * width + k]);
  values = std::move(sorted);
}

// Labels by their places in another list, which has them all.
void relabel(PredictedClasses& rows, const std::vector<std::string>& labels) {
  std::vector<std::uint32_t> place;
  const LabelCodes codes(labels);
  for (const std::string& label : rows.labels) place.push_back(codes.find(label).value_or(0));
  for (std::uint32_t& label : rows.predicted) label = place[label];
  for (std::uint32_t& label : rows.actual) label = place[label];
  const std::size_t width = labels.size() == 2 ? 1 : labels.size();
  if (rows.known != labels.size()) {
    rows.scores = {};  // a class that the fit did not see has no score
  } else if (width > 1 && !rows.scores.empty()) {
    std::vector<double> scores(rows.scores.size());
    for (std::uint64_t i = 0; i < rows.rows(); ++i)
      for (std::size_t k = 0; k < width; ++k) scores[i * width + place[k]] = rows.scores[i * width + k];
    rows.scores = std::move(scores);
  }
  rows.labels = labels;
  rows.known = labels.size();
}

}  // namespace

std::vector<Metric> Outcome::metrics(const Run& run, std::uint64_t resamples) const {
  return labels ? class_metrics(classes, run, resamples).metrics : regression_metrics(numbers, run, resamples);
}

Outcome::Loss Outcome::loss() const {
  const auto of_row = [&](std::uint64_t i) {
    if (!labels) return (numbers.prediction[i] - numbers.target[i]) * (numbers.prediction[i] - numbers.target[i]);
    return classes.probable ? classes.log_loss[i] : classes.predicted[i] == classes.actual[i] ? 0.0 : 1.0;
  };
  const std::vector<double>& weight = labels ? classes.weight : numbers.weight;
  Loss found;
  double total = 0.0, spread = 0.0;
  for (std::uint64_t i = 0; i < rows(); ++i) {
    total += weight[i];
    found.mean += weight[i] * of_row(i);
  }
  if (!(total > 0)) return found;
  found.mean /= total;
  for (std::uint64_t i = 0; i < rows(); ++i) {
    const double away = weight[i] * (of_row(i) - found.mean);
    spread += away * away;
  }
  found.standard_error = std::sqrt(spread) / total;
  return found;
}

Experiment::Experiment(const SharedRows& shared, const FeaturePlan& plan, const Trainer& trainer,
                       const ClassOptions& options)
    : shared_(shared),
      plan_(plan),
      trainer_(trainer),
      labels_(plan.target_kind == Kind::category),
      positive_(options.positive),
      rows_(shared.rows(), true) {
  if (!labels_) return;
  classes_ = classes_of(shared.tables_for(plan), plan.inputs.size());
  if (!options.classes.empty()) rows_ = classes_.rows_of(options.classes);
  all_labels_ = classes_.among(rows_, positive_);
}

Experiment::Fitted Experiment::fit(const RowSet& training, const Run& run) const {
  Tables tables = shared_.tables_for(plan_);
  Learnt learnt = learn_features(tables, plan_, training, trainer_.wishes(), run);
  std::vector<std::string> known;
  if (labels_) {
    known = classes_.among(training, positive_.empty() || all_labels_.size() > 2 ? "" : positive_);
    learnt.layout.labels = known;
    learnt.layout.known_labels = known.size();
    append_new_labels(learnt.layout.labels, known.size(), classes_.labels);
  }
  trainer_.check(learnt.map);
  FeatureMap::Unseen unseen;
  const Examples examples = learnt.map.apply(std::move(tables), learnt.layout, unseen, run);
  expect_memory(trainer_, examples, run);
  const Examples others = examples.with(training);
  Fit fit = trainer_.train({others, learnt.map, known}, run);
  std::vector<std::string> warnings = std::move(learnt.warnings);
  warnings.insert(warnings.end(), fit.warnings.begin(), fit.warnings.end());
  return {std::move(fit), examples, learnt.layout.labels, std::move(warnings)};
}

Outcome Experiment::predict(const Fitted& fitted, const RowSet& rows, const Run& run) const {
  Outcome outcome;
  outcome.labels = labels_;
  const Examples tried = fitted.examples.with(rows);
  if (!labels_) {
    outcome.numbers = predict_rows(fitted.fit.model, tried, run);
    return outcome;
  }
  outcome.classes = predict_classes(fitted.fit.model, tried, fitted.labels, run);
  relabel(outcome.classes, all_labels_);
  return outcome;
}

Outcome Experiment::out_of_fold(std::span<const std::uint32_t> fold, const Run& run) const {
  Outcome all;
  all.labels = labels_;
  std::vector<std::uint64_t> numbers;
  bool scored = true;
  std::uint32_t folds = 0;
  for (const std::uint32_t f : fold)
    if (f != kNoFold) folds = std::max(folds, f + 1);
  for (std::uint32_t f = 0; f < folds; ++f) {
    RowSet test(fold.size()), training(fold.size());
    for (std::uint64_t row = 0; row < fold.size(); ++row)
      if (fold[row] != kNoFold) (fold[row] == f ? test : training).add(row);
    if (test.count() == 0) continue;
    const Fitted fitted = fit(training, run);
    Outcome part = predict(fitted, test, run);
    const std::vector<std::uint64_t> more = numbers_of(fitted.examples.with(test));
    numbers.insert(numbers.end(), more.begin(), more.end());
    if (!labels_) {
      for (std::uint64_t i = 0; i < part.numbers.rows(); ++i)
        all.numbers.add(part.numbers.prediction[i], part.numbers.target[i], part.numbers.weight[i]);
      continue;
    }
    scored = scored && !part.classes.scores.empty();
    if (all.classes.labels.empty()) {
      all.classes = std::move(part.classes);
    } else {
      all.classes.append(std::move(part.classes));
    }
  }
  std::vector<std::size_t> order(numbers.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
  for (std::vector<double>* values : {&all.numbers.prediction, &all.numbers.target, &all.numbers.weight})
    reorder(*values, order, 1);
  if (!labels_) return all;
  PredictedClasses& c = all.classes;
  if (!scored || c.scores.size() != numbers.size() * c.scores_per_row()) c.scores = {};
  reorder(c.scores, order, c.scores_per_row());
  for (std::vector<double>* values : {&c.log_loss, &c.brier, &c.confidence, &c.weight}) reorder(*values, order, 1);
  for (std::vector<std::uint32_t>* values : {&c.predicted, &c.actual}) reorder(*values, order, 1);
  return all;
}

std::vector<std::uint64_t> Experiment::listed(const RowSet& among) const {
  std::vector<std::uint64_t> rows;
  for (std::uint64_t row = 0; row < shared_.rows(); ++row)
    if (among.has(row)) rows.push_back(row);
  return rows;
}

std::vector<std::uint32_t> Experiment::classes_of_rows(const std::vector<std::uint64_t>& rows) const {
  std::vector<std::uint32_t> classes;
  for (const std::uint64_t row : rows) classes.push_back(classes_.of_row[row]);
  return classes;
}

std::vector<std::uint32_t> Experiment::folds(const RowSet& among, std::uint64_t count, RandomKey key) const {
  const std::vector<std::uint64_t> rows = listed(among);
  const std::vector<std::uint32_t> assigned =
      labels_ ? assign_folds(classes_of_rows(rows), count, key) : assign_folds(rows.size(), count, key);
  std::vector<std::uint32_t> fold(shared_.rows(), kNoFold);
  for (std::size_t i = 0; i < rows.size(); ++i) fold[rows[i]] = assigned[i];
  return fold;
}

RowSet Experiment::hold_out(const RowSet& among, const TestChoice& choice, RandomKey key) const {
  const std::vector<std::uint64_t> rows = listed(among);
  const RowSet chosen =
      labels_ ? choose_test_rows(classes_of_rows(rows), choice, key) : choose_test_rows(rows.size(), choice, key);
  RowSet held(shared_.rows());
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (chosen.has(i)) held.add(rows[i]);
  return held;
}

}  // namespace plumb
