#include "plumb/select/subtraction.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/foreseen.h"
#include "plumb/train/event_counts.h"
#include "plumb/train/naive_bayes_folds.h"

namespace plumb {
namespace {

constexpr std::uint64_t kMostKept = std::uint64_t{1} << 28;  // bytes of counts, of all folds

EventCounts counted_without(std::uint64_t row, const Problem& problem, const EventPlan& plan) {
  EventCounts counts(plan, problem.labels.size());
  EventAdder adder(plan);
  for (std::size_t b = 0; b < problem.examples.blocks(); ++b)
    problem.examples.block(b).for_each([&](const Example& example) {
      if (example.number != row && example.weight > 0.0)
        adder.add(example.x, static_cast<std::size_t>(example.target), example.weight, counts);
    });
  return counts;
}

// All that a row is predicted by is in a model of its own, so a block of rows is a unit of work.
PredictedClasses one_by_one(const NaiveBayes& trainer, const Problem& problem, const EventPlan& plan,
                            const EventCounts& counts, const LinearModel& whole, const Run& run) {
  const EstimateRules rules = trainer.rules(problem.labels);
  std::vector<PredictedClasses> parts(problem.examples.blocks(), PredictedClasses(whole));
  run.for_each(Phase::evaluating, parts.size(), [&](std::size_t b) {
    LeftOut left_out(counts, plan, problem.map, problem.labels, rules);
    problem.examples.block(b).for_each([&](const Example& example) {
      if (!(example.weight > 0)) return;
      const auto label = static_cast<std::size_t>(example.target);
      const LinearModel model =
          left_out.loses_digits(example.x, label, example.weight)
              ? model_of(counted_without(example.number, problem, plan), plan, problem.map, problem.labels, rules)
              : left_out.without(example.x, label, example.weight);
      Predictor predictor(model);
      parts[b].add(predictor, model.features() == 0 ? Row{} : example.x, example.target, example.weight);
    });
  });
  PredictedClasses all(whole);
  for (PredictedClasses& part : parts) all.append(std::move(part));
  return all;
}

const NaiveBayes& counting(const Trainer& trainer) {
  const NaiveBayes* const bayes = dynamic_cast<const NaiveBayes*>(&trainer);
  if (bayes == nullptr) throw Error(ErrorCode::internal, "only naive Bayes knows the fit without some rows");
  return *bayes;
}

}  // namespace

bool subtracts(const Experiment& experiment, const FeatureMap& map) {
  const auto* const bayes = dynamic_cast<const NaiveBayes*>(&experiment.trainer());
  if (bayes == nullptr) return false;
  const FeaturePlan& plan = experiment.plan();
  if (plan.missing == Missing::mean || plan.missing == Missing::median || plan.scale != Scaling::none) return false;
  for (const FeaturePlan::Input& input : plan.inputs)
    if (!input.levels.empty()) return false;
  if (!bayes->plan(map).groups.empty() && experiment.has_idle_entries()) return false;
  const TextRecipe& text = plan.text;
  const TermSelection& selection = text.selection;
  const bool selects = text.vocabulary || text.min_df != DocumentLimit{} || text.max_df != DocumentLimit{1.0, true} ||
                       selection.min_count > 1 || selection.drop_top > 0 || selection.max_terms > 0 ||
                       text.weighting.idf || text.weighting.norm != RowNorm::none;
  return std::none_of(map.parts().terms.begin(), map.parts().terms.end(), [&](const Term& term) {
    return std::holds_alternative<CrossTerm>(term) || (selects && std::holds_alternative<TextTerm>(term));
  });
}

std::vector<Tried> predict_by_subtraction(const Trainer& trainer, const Problem& problem,
                                          std::span<const std::uint32_t> fold, const Run& run) {
  const NaiveBayes& bayes = counting(trainer);
  const EventPlan plan = bayes.plan(problem.map);
  const EstimateRules rules = bayes.rules(problem.labels);
  const auto counted = [&](const Examples& rows) {
    return count_events(rows, plan, problem.map, problem.labels.size(), run);
  };
  const auto part = [](PredictedClasses classes, const Examples& tried) {
    Tried found;
    found.outcome.labels = true;
    found.outcome.classes = std::move(classes);
    found.number = numbers_of(tried);
    return found;
  };
  std::vector<Tried> parts;
  if (fold.empty()) {
    const EventCounts counts = counted(problem.examples);
    const LinearModel whole = model_of(counts, plan, problem.map, problem.labels, rules);
    parts.push_back(part(one_by_one(bayes, problem, plan, counts, whole, run), problem.examples));
    return parts;
  }
  // Each row is counted once, in its fold; where the counts of all folds would take much room, once more later.
  const std::vector<Trial> trials = trials_of(fold);
  EventCounts counts(plan, problem.labels.size());
  const bool kept = counts.bytes() <= kMostKept / trials.size();
  std::vector<EventCounts> of_fold;
  const auto report = [&](std::size_t done) {
    report_part(run, Phase::fitting, static_cast<double>(done) / static_cast<double>(2 * trials.size()));
  };
  for (const Trial& trial : trials) {
    report(static_cast<std::size_t>(&trial - trials.data()));
    EventCounts own = counted(problem.examples.with(trial.tried));
    counts.add(own);
    if (kept) of_fold.push_back(std::move(own));
  }
  const std::vector<std::string> labels(problem.labels.begin(), problem.labels.end());
  for (std::size_t f = 0; f < trials.size(); ++f) {
    report(trials.size() + f);
    const Examples tried = problem.examples.with(trials[f].tried);
    EventCounts rest = counts;
    rest.subtract(kept ? of_fold[f] : counted(tried));
    if (digits_lost(counts, rest)) rest = counted(problem.examples.with(trials[f].training));
    const LinearModel model = model_of(rest, plan, problem.map, problem.labels, rules);
    parts.push_back(part(predict_classes(model, tried, labels, run), tried));
  }
  return parts;
}

std::vector<Tried> predict_by_addition(const Trainer& trainer, const Problem& problem, std::span<const Trial> nested,
                                       bool seen_too, const Run& run) {
  const NaiveBayes& bayes = counting(trainer);
  const EventPlan plan = bayes.plan(problem.map);
  const EstimateRules rules = bayes.rules(problem.labels);
  const std::vector<std::string> labels(problem.labels.begin(), problem.labels.end());
  EventCounts counts(plan, labels.size());
  std::vector<Tried> parts;
  for (std::size_t i = 0; i < nested.size(); ++i) {
    const RowSet& training = nested[i].training;
    const RowSet fresh = i == 0 ? training : training.intersection(nested[i - 1].training.complement());
    counts.add(count_events(problem.examples.with(fresh), plan, problem.map, labels.size(), run));
    const LinearModel model = model_of(counts, plan, problem.map, problem.labels, rules);
    const auto outcome = [&](const RowSet& rows) {
      Outcome found;
      found.labels = true;
      found.classes = predict_classes(model, problem.examples.with(rows), labels, run);
      return found;
    };
    Tried tried;
    tried.outcome = outcome(nested[i].tried);
    if (seen_too) tried.seen = outcome(training);
    tried.number = numbers_of(problem.examples.with(nested[i].tried));
    parts.push_back(std::move(tried));
  }
  return parts;
}

}  // namespace plumb
