#include "plumb/train/naive_bayes_refits.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "plumb/base/foreseen.h"
#include "plumb/feature/fill.h"
#include "plumb/model/piece_scores.h"
#include "plumb/train/event_counts.h"
#include "plumb/train/naive_bayes_folds.h"

namespace plumb {
namespace {

constexpr std::uint64_t kMostFoldCounts = std::uint64_t{1} << 28;  // bytes of counts, of all folds

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

// A block of rows is a unit of work, and its rows are predicted at once from their scores. A class whose last row is
// left out is ruled out, which needs a model to express.
PredictedClasses one_by_one(const NaiveBayesTrainer& trainer, const Problem& problem, const EventPlan& plan,
                            const EventCounts& counts, const LinearModel& whole, const Run& run) {
  const EstimateRules rules = trainer.rules(problem.labels);
  const WithoutRow left_out(counts, plan, problem.map, problem.labels, rules);
  const std::vector<std::uint64_t> before = rows_before_blocks(problem.examples);
  PredictedClasses all(whole);
  all.make_room(before.back());
  run.for_each(Phase::evaluating, problem.examples.blocks(), [&](std::size_t b) {
    WithoutRow::Room room;
    std::vector<double> scores, targets, weights;  // of waiting rows; with two classes the log-odds
    std::uint64_t place = before[b];
    const auto finish = [&] {
      if (problem.labels.size() == 2)
        all.put_log_odds(place, scores, targets, weights);
      else
        all.put_scores(place, scores, targets, weights);
      place += targets.size();
      scores.clear();
      targets.clear();
      weights.clear();
    };
    problem.examples.block(b).for_each([&](const Example& example) {
      if (!(example.weight > 0)) return;
      const auto label = static_cast<std::size_t>(example.target);
      const auto finite = [](double score) { return std::isfinite(score); };
      if (left_out.score(example.x, label, example.weight, room) && !room.lost &&
          std::ranges::all_of(room.scores, finite)) {
        if (room.scores.size() == 2)
          scores.push_back(room.scores[1] - room.scores[0]);
        else
          scores.insert(scores.end(), room.scores.begin(), room.scores.end());
        targets.push_back(example.target);
        weights.push_back(example.weight);
        return;
      }
      const LinearModel model =
          room.lost ? model_of(counted_without(example.number, problem, plan), plan, problem.map, problem.labels, rules)
                    : left_out.without(example.x, label, example.weight, room);
      Predictor predictor(model);
      PredictedClasses row(whole);
      row.add(predictor, model.features() == 0 ? Row{} : example.x, example.target, example.weight);
      finish();
      all.put(place++, row);
    });
    finish();
  });
  return all;
}

// Every row by the plain model of its fold, in one pass over the rows.
Tried predict_in_one_pass(const std::vector<LinearModel>& models, const Problem& problem,
                          std::span<const std::uint32_t> model_of_row, const Run& run) {
  const std::size_t blocks = problem.examples.blocks(), width = models.front().rows();
  const auto for_each_tried = [&](std::size_t b, auto&& visit) {
    problem.examples.block(b).for_each_run(
        [&](const Piece& piece, std::uint64_t begin, std::uint64_t end, std::uint64_t number) {
          for (std::uint64_t r = begin; r < end; ++r, ++number)
            if (model_of_row[number] < models.size() && (piece.weights.empty() || piece.weights[r] > 0))
              visit(piece, r, number);
        });
  };
  std::vector<std::uint64_t> before(blocks + 1);
  for (std::size_t b = 0; b < blocks; ++b) {
    before[b + 1] = before[b];
    for_each_tried(b, [&](const Piece&, std::uint64_t, std::uint64_t) { ++before[b + 1]; });
  }
  Tried all;
  all.outcome.labels = true;
  all.outcome.classes = PredictedClasses(models.front());
  all.outcome.classes.make_room(before[blocks]);
  all.number.resize(before[blocks]);
  run.for_each(Phase::evaluating, blocks, [&](std::size_t b) {
    const std::size_t rows = before[b + 1] - before[b];
    std::vector<double> scores(rows * width), targets(rows), weights(rows, 1.0);
    std::size_t i = 0;
    for_each_tried(b, [&](const Piece& piece, std::uint64_t r, std::uint64_t number) {
      score_rows_of_all(models[model_of_row[number]], piece, r, Out(scores).subspan(i * width, width));
      targets[i] = piece.targets[r];
      if (!piece.weights.empty()) weights[i] = piece.weights[r];
      all.number[before[b] + i++] = number;
    });
    if (width == 1)
      all.outcome.classes.put_log_odds(before[b], scores, targets, weights);
    else
      all.outcome.classes.put_scores(before[b], scores, targets, weights);
  });
  return all;
}

// Whether the sums without some rows give exactly the fit to the others, with features like these: not if all rows were
// used to select or weight terms, or to scale or fill numbers, nor if levels were declared; nor if rows name features
// without effect, such as written zeros.
bool subtracts(const NaiveBayesTrainer& bayes, const RefitData& data) {
  const FeaturePlan& plan = data.plan;
  if (fills_follow_rows(plan, data.problem.map) || plan.scale != Scaling::none) return false;
  for (const FeaturePlan::Input& input : plan.inputs)
    if (!input.levels.empty()) return false;
  const EventPlan events = bayes.plan(data.problem.map);
  if (!events.groups.empty() && data.idle_entries && data.idle_entries()) return false;
  // A variance that features share depends on their number, and sums do not tell which numbers of sparse rows occur in
  // no other row.
  const VarianceOf variance = bayes.options().variance;
  if ((variance == VarianceOf::class_only || variance == VarianceOf::one) && !events.gaussians.empty() &&
      std::any_of(plan.inputs.begin(), plan.inputs.end(),
                  [](const FeaturePlan::Input& input) { return input.kind == Kind::sparse; }))
    return false;
  const TextRecipe& text = plan.text;
  const TermSelection& selection = text.selection;
  const bool selects = text.vocabulary || text.min_df != DocumentLimit{} || text.max_df != DocumentLimit{1.0, true} ||
                       selection.min_count > 1 || selection.drop_top > 0 || selection.max_terms > 0 ||
                       text.weighting.idf || text.weighting.norm != RowNorm::none;
  const std::vector<Term>& terms = data.problem.map.parts().terms;
  return std::none_of(terms.begin(), terms.end(), [&](const Term& term) {
    return std::holds_alternative<CrossTerm>(term) || (selects && std::holds_alternative<TextTerm>(term));
  });
}

// Priors that do not follow from the counts keep the share of a class even if all its rows are left out, and a fit to
// the other rows would not know the class.
bool may_lose_a_class(const NaiveBayesTrainer& bayes, const RefitData& data) {
  if (bayes.options().prior.empirical() && !(bayes.options().virtual_examples > 0.0)) return false;
  if (data.folds_may_hold_a_class) return true;
  const Examples& examples = data.problem.examples;
  std::vector<std::uint64_t> rows(data.problem.labels.size() + 1);
  for (std::size_t b = 0; b < examples.blocks(); ++b)
    examples.block(b).for_each([&](const Example& example) {
      if (example.weight > 0.0) ++rows[std::min(static_cast<std::size_t>(example.target), rows.size() - 1)];
    });
  return std::find(rows.begin(), rows.end(), std::uint64_t{1}) != rows.end();
}

}  // namespace

std::vector<Tried> predict_by_subtraction(const NaiveBayesTrainer& bayes, const Problem& problem,
                                          std::span<const std::uint32_t> fold, const Run& run) {
  const EventPlan plan = bayes.plan(problem.map);
  const EstimateRules rules = bayes.rules(problem.labels);
  const std::vector<std::string> labels(problem.labels.begin(), problem.labels.end());
  const auto counted = [&](const Examples& rows) { return count_events(rows, plan, problem.map, labels.size(), run); };
  std::vector<Tried> parts;
  const auto add_part = [&](PredictedClasses classes, const Examples& tried) {
    Tried& part = parts.emplace_back();
    part.outcome.labels = true;
    part.outcome.classes = std::move(classes);
    part.number = numbers_of(tried);
  };
  if (fold.empty()) {
    const EventCounts counts = counted(problem.examples);
    const LinearModel whole = model_of(counts, plan, problem.map, problem.labels, rules);
    add_part(one_by_one(bayes, problem, plan, counts, whole, run), problem.examples);
    return parts;
  }
  // Each row is counted once, in its fold; twice if the counts of all folds would need much memory.
  std::vector<std::uint32_t> used(fold.begin(), fold.end());
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::erase(used, kNoFold);
  const std::vector<Trial> trials = trials_of(fold);
  EventCounts all(plan, labels.size());
  const std::size_t folds = used.empty() ? 0 : used.back() + std::size_t{1};
  const bool kept = folds > 0 && all.bytes() <= kMostFoldCounts / folds;
  std::vector<EventCounts> of_fold;
  if (kept) {
    // In one pass if the counts of all folds fit in the cache, otherwise fold by fold.
    constexpr std::uint64_t kNear = std::uint64_t{1} << 21;
    if (all.bytes() <= kNear / folds) {
      of_fold = count_events_by_part(problem.examples, plan, problem.map, labels.size(), fold, folds, run);
    } else {
      of_fold.resize(folds);
      for (std::size_t t = 0; t < trials.size(); ++t)
        of_fold[used[t]] = counted(problem.examples.with(trials[t].tried));
    }
    for (const std::uint32_t f : used) all.add(of_fold[f]);
  } else {
    all = counted(problem.examples);
  }
  std::vector<LinearModel> models;
  for (std::size_t t = 0; t < trials.size(); ++t) {
    report_part(run, Phase::fitting, static_cast<double>(t) / static_cast<double>(trials.size()));
    EventCounts rest = all;
    rest.subtract(kept ? of_fold[used[t]] : counted(problem.examples.with(trials[t].tried)));
    if (digits_lost(all, rest)) rest = counted(problem.examples.with(trials[t].training));
    models.push_back(model_of(rest, plan, problem.map, problem.labels, rules));
  }
  if (!models.empty() && std::all_of(models.begin(), models.end(), is_plain)) {
    std::vector<std::uint32_t> place(folds, kNoFold), model_of_row;
    for (std::uint32_t t = 0; t < used.size(); ++t) place[used[t]] = t;
    for (const std::uint32_t f : fold) model_of_row.push_back(f == kNoFold ? kNoFold : place[f]);
    parts.push_back(predict_in_one_pass(models, problem, model_of_row, run));
    return parts;
  }
  for (std::size_t t = 0; t < trials.size(); ++t) {
    const Examples tried = problem.examples.with(trials[t].tried);
    add_part(predict_classes(models[t], tried, labels, run), tried);
  }
  return parts;
}

namespace {

// Nested training sets: each row is counted once for all of them.
std::vector<std::optional<Tried>> predict_by_addition(const NaiveBayesTrainer& bayes, const Problem& problem,
                                                      std::span<const Trial> nested, bool seen_too, const Run& run) {
  const EventPlan plan = bayes.plan(problem.map);
  const EstimateRules rules = bayes.rules(problem.labels);
  const std::vector<std::string> labels(problem.labels.begin(), problem.labels.end());
  EventCounts counts(plan, labels.size());
  std::vector<std::optional<Tried>> parts;
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

class NaiveBayesRefitter final : public Refitter {
 public:
  NaiveBayesRefitter(const NaiveBayesTrainer& trainer, const RefitData& data) : trainer_(trainer), data_(data) {}

  FoldWay way(bool) const override { return may_lose_a_class(trainer_, data_) ? FoldWay::refits : FoldWay::sums; }
  std::vector<Tried> without(std::span<const std::uint32_t> fold, const Run& run) const override {
    return predict_by_subtraction(trainer_, data_.problem, fold, run);
  }
  bool adds(bool every_class) const override { return every_class; }
  std::vector<std::optional<Tried>> with_more(std::span<const Trial> nested, bool seen_too,
                                              const Run& run) const override {
    return predict_by_addition(trainer_, data_.problem, nested, seen_too, run);
  }

 private:
  const NaiveBayesTrainer& trainer_;
  const RefitData data_;
};

}  // namespace

std::unique_ptr<Refitter> NaiveBayesTrainer::refitter(const RefitData& data) const {
  return subtracts(*this, data) ? std::make_unique<NaiveBayesRefitter>(*this, data) : nullptr;
}

}  // namespace plumb
