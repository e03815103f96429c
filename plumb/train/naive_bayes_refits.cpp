#include "plumb/train/naive_bayes_refits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/foreseen.h"
#include "plumb/math/special.h"
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

// Rows that wait, so that their logarithms are taken at once; then they go to their places among all.
class Waiting {
 public:
  Waiting(PredictedClasses& found, std::uint64_t place) : found_(found), place_(place) {}

  // As BellsWithout::find_odds finds them.
  void add(const BellsWithout::Odds& found, double target, double weight) {
    odds_[count_] = found.odds;
    ratios_[count_] = found.ratio;
    targets_[count_] = target;
    weights_[count_] = weight;
    ++count_;
  }
  void add(In found, double target, double weight) {
    if (found.size() == 2) return add({found[1] - found[0], 1.0}, target, weight);
    scores_.insert(scores_.end(), found.begin(), found.end());
    targets_[count_] = target;
    weights_[count_] = weight;
    ++count_;
  }
  void add(const PredictedClasses& row) {
    finish();
    found_.put(place_++, row);
  }
  void finish() {
    const Out odds(odds_.get(), count_), ratios(ratios_.get(), count_);
    const In targets(targets_.get(), count_), weights(weights_.get(), count_);
    if (!scores_.empty()) {
      found_.put_scores(place_, scores_, targets, weights);
    } else if (count_ > 0) {
      math::log(ratios, ratios);
      for (std::size_t i = 0; i < count_; ++i) odds[i] += (targets[i] == 1.0 ? -0.5 : 0.5) * ratios[i];
      found_.put_log_odds(place_, odds, targets, weights);
    }
    place_ += count_;
    scores_.clear();
    count_ = 0;
  }

 private:
  using Room = std::unique_ptr<double[]>;  // of a block, written before it is read
  static Room room() { return std::make_unique_for_overwrite<double[]>(kBlockRows); }

  PredictedClasses& found_;
  std::uint64_t place_;
  Room odds_ = room(), ratios_ = room(), targets_ = room(), weights_ = room();
  std::vector<double> scores_;  // [row][class], where there are not two classes; then they have no odds
  std::size_t count_ = 0;
};

// A block of rows is a unit of work. A class that a row is the last of is ruled out, which takes a model to say.
PredictedClasses one_by_one(const NaiveBayesTrainer& trainer, const Problem& problem, const EventPlan& plan,
                            const EventCounts& counts, const LinearModel& whole, const Run& run) {
  const EstimateRules rules = trainer.rules(problem.labels);
  const WithoutRow left_out(counts, plan, problem.map, problem.labels, rules);
  const bool has_odds = left_out.has_odds() && !problem.examples.sparse() && problem.examples.lasting();
  const std::vector<std::uint64_t> before = rows_before_blocks(problem.examples);
  PredictedClasses all(whole);
  all.make_room(before.back());
  run.for_each(Phase::evaluating, problem.examples.blocks(), [&](std::size_t b) {
    WithoutRow::Room room;
    Waiting waiting(all, before[b]);
    const auto add = [&](const Example& example) {
      if (!(example.weight > 0)) return;
      const auto label = static_cast<std::size_t>(example.target);
      const auto finite = [](double score) { return std::isfinite(score); };
      const bool scored = left_out.score(example.x, label, example.weight, room);
      if (scored && !room.lost && std::ranges::all_of(room.scores, finite))
        return waiting.add(room.scores, example.target, example.weight);
      const LinearModel model =
          room.lost ? model_of(counted_without(example.number, problem, plan), plan, problem.map, problem.labels, rules)
                    : left_out.without(example.x, label, example.weight, room);
      Predictor predictor(model);
      PredictedClasses row(whole);
      row.add(predictor, model.features() == 0 ? Row{} : example.x, example.target, example.weight);
      waiting.add(row);
    };
    if (!has_odds) {
      problem.examples.block(b).for_each(add);
    } else {
      problem.examples.block(b).for_each_run(
          [&](const Piece& piece, std::uint64_t begin, std::uint64_t end, std::uint64_t number) {
            std::array<BellsWithout::Odds, 32> found;
            for (std::uint64_t r = begin; r < end;) {
              const std::size_t count = std::min<std::uint64_t>(end - r, found.size());
              left_out.find_odds(piece, r, room, std::span(found).first(count));
              for (std::size_t i = 0; i < count; ++i, ++r) {
                const double target = piece.targets[r], weight = piece.weights.empty() ? 1.0 : piece.weights[r];
                if (found[i].ratio > 0.0 && weight > 0.0) {
                  waiting.add(found[i], target, weight);
                } else {
                  const In x = piece.values.doubles().subspan(r * piece.features, piece.features);
                  add({number + (r - begin), {{}, x}, target, weight});
                }
              }
            }
          });
    }
    waiting.finish();
  });
  return all;
}

// Every row by the model of its fold, in one pass over the rows.
Tried predict_in_one_pass(const std::vector<LinearModel>& models, const Problem& problem,
                          std::span<const std::uint32_t> fold, const Run& run) {
  const std::size_t blocks = problem.examples.blocks();
  const auto is_tried = [&](const Piece& piece, std::uint64_t r, std::uint64_t number) {
    return fold[number] < models.size() && (piece.weights.empty() || piece.weights[r] > 0);
  };
  std::vector<std::uint64_t> before(blocks + 1);
  for (std::size_t b = 0; b < blocks; ++b) {
    std::uint64_t rows = before[b];
    problem.examples.block(b).for_each_run(
        [&](const Piece& piece, std::uint64_t begin, std::uint64_t end, std::uint64_t number) {
          for (std::uint64_t r = begin; r < end; ++r, ++number) rows += is_tried(piece, r, number) ? 1 : 0;
        });
    before[b + 1] = rows;
  }
  Tried all;
  all.outcome.labels = true;
  all.outcome.classes = PredictedClasses(models.front());
  all.outcome.classes.make_room(before[blocks]);
  all.number.resize(before[blocks]);
  run.for_each(Phase::evaluating, blocks, [&](std::size_t b) {
    PlainRows rows(models.front());
    std::vector<const LinearModel*> own;
    std::uint64_t* numbers = all.number.data() + before[b];
    problem.examples.block(b).for_each_run(
        [&](const Piece& piece, std::uint64_t begin, std::uint64_t end, std::uint64_t number) {
          own.resize(end - begin);
          for (std::uint64_t r = begin; r < end; ++r, ++number) {
            const bool tried = is_tried(piece, r, number);
            own[r - begin] = tried ? &models[fold[number]] : nullptr;
            if (tried) *numbers++ = number;
          }
          rows.add(piece, begin, own);
        });
    rows.move_to(all.outcome.classes, before[b]);
  });
  return all;
}

// Of each fold its place among those that have rows, as trials_of has them; kNoFold for others.
std::vector<std::uint32_t> places_of(std::span<const std::uint32_t> fold) {
  std::uint32_t folds = 0;
  for (const std::uint32_t f : fold) folds = std::max(folds, f + 1);  // kNoFold becomes 0
  std::vector<std::uint32_t> place(folds, kNoFold);
  for (const std::uint32_t f : fold)
    if (f != kNoFold) place[f] = 0;
  std::uint32_t next = 0;
  for (std::uint32_t& each : place)
    if (each == 0) each = next++;
  return place;
}

// Whether the sums without some rows give the very fit to the others, under features like these: not if terms were
// selected or weighed, or numbers scaled or filled in, by what all rows hold, nor if levels were declared; nor if rows
// name features that they do not add to, such as zeros that are written out.
bool subtracts(const NaiveBayesTrainer& bayes, const RefitData& data) {
  const FeaturePlan& plan = data.plan;
  if (plan.missing == Missing::mean || plan.missing == Missing::median || plan.scale != Scaling::none) return false;
  for (const FeaturePlan::Input& input : plan.inputs)
    if (!input.levels.empty()) return false;
  const EventPlan events = bayes.plan(data.problem.map);
  if (!events.groups.empty() && data.idle_entries && data.idle_entries()) return false;
  // A variance that features share depends on how many there are, and sums do not say which numbers of sparse rows are
  // in no other row.
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

// Priors that do not follow from the counts keep the share of a class even when all its rows are taken out, and a fit
// to the other rows would not know the class.
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
                                          std::span<const std::uint32_t> fold, const Run& run, std::uint64_t near) {
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
  // Each row is counted once, in its fold. Where the counts of all folds are small enough to stay near, that is one
  // pass over the rows; else each fold walks through its own, and where all would take much room they are counted once
  // more.
  EventCounts counts(plan, problem.labels.size());
  const std::vector<std::uint32_t> place = places_of(fold);
  const std::size_t count = static_cast<std::size_t>(
      std::count_if(place.begin(), place.end(), [](std::uint32_t each) { return each != kNoFold; }));
  const bool together = counts.bytes() <= near / std::max<std::size_t>(count, 1),
             kept = counts.bytes() <= kMostKept / std::max<std::size_t>(count, 1);
  std::vector<std::uint32_t> part_of_row(together ? fold.size() : 0);
  for (std::size_t row = 0; row < part_of_row.size(); ++row)
    part_of_row[row] = fold[row] == kNoFold ? kNoFold : place[fold[row]];
  std::vector<Trial> made;  // when they are asked for
  const auto trial = [&](std::size_t f) -> const Trial& {
    if (made.empty()) made = trials_of(fold);
    return made[f];
  };
  const auto report = [&](std::size_t done) {
    report_part(run, Phase::fitting, static_cast<double>(done) / static_cast<double>(2 * count));
  };
  std::vector<EventCounts> of_fold;
  if (together && count > 0)
    of_fold = count_events_by_part(problem.examples, plan, problem.map, problem.labels.size(), part_of_row, count, run);
  for (std::size_t f = 0; f < count; ++f) {
    report(f);
    if (!together) of_fold.push_back(counted(problem.examples.with(trial(f).tried)));
    counts.add(together ? of_fold[f] : of_fold.back());
    if (!kept) of_fold.clear();
  }
  const std::vector<std::string> labels(problem.labels.begin(), problem.labels.end());
  std::vector<LinearModel> models;
  const auto add_tried = [&](const LinearModel& model, std::size_t f) {
    const Examples tried = problem.examples.with(trial(f).tried);
    parts.push_back(part(predict_classes(model, tried, labels, run), tried));
  };
  for (std::size_t f = 0; f < count; ++f) {
    report(count + f);
    EventCounts rest = counts;
    rest.subtract(kept ? of_fold[f] : counted(problem.examples.with(trial(f).tried)));
    if (digits_lost(counts, rest)) rest = counted(problem.examples.with(trial(f).training));
    models.push_back(model_of(rest, plan, problem.map, problem.labels, rules));
    if (together) continue;
    add_tried(models.back(), f);
    models.clear();
  }
  if (count > 0 && together && std::all_of(models.begin(), models.end(), is_plain)) {
    parts.push_back(predict_in_one_pass(models, problem, part_of_row, run));
    return parts;
  }
  for (std::size_t f = 0; f < models.size(); ++f) add_tried(models[f], f);
  return parts;
}

namespace {

// Training sets that are each a part of the next: each row is counted once for all of them.
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
