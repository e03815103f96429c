#include "plumb/select/trials.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "plumb/base/shared_watch.h"
#include "plumb/select/data_checks.h"
#include "plumb/select/lockstep.h"
#include "plumb/train/logistic.h"

namespace plumb {
namespace {

template <class T>
void reorder(std::vector<T>& values, const std::vector<std::size_t>& order, std::size_t width) {
  if (values.empty()) return;
  std::vector<T> sorted;
  sorted.reserve(values.size());
  for (const std::size_t i : order)
    for (std::size_t k = 0; k < width; ++k) sorted.push_back(values[i * width + k]);
  values = std::move(sorted);
}

// The places of numbers in ascending order of these, equal ones as they stand: rows may be tried more than once.
std::vector<std::size_t> order_of(const std::vector<std::uint64_t>& numbers) {
  const std::uint64_t end = numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end()) + 1;
  std::vector<std::size_t> order(numbers.size());
  if (end / 16 > numbers.size()) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
    return order;
  }
  std::vector<std::size_t> next(end + 1);  // of each number, where it goes
  for (const std::uint64_t number : numbers) ++next[number + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  for (std::size_t i = 0; i < numbers.size(); ++i) order[next[numbers[i]]++] = i;
  return order;
}

// Only where there is one optimum does it not matter where a fit begins.
bool may_start_elsewhere(const Trainer& trainer) { return dynamic_cast<const ConvexClassifier*>(&trainer) != nullptr; }

// Trials side by side, each with all experiments one after the other.
class Trying {
 public:
  Trying(std::span<const Experiment> experiments, std::span<const Trial> trials, const TrialOptions& options,
         const Run& run)
      : experiments_(experiments),
        trials_(trials),
        options_(options),
        run_(run),
        watch_(run, Phase::fitting, trials.size() * experiments.size()),
        found_(experiments.size(), std::vector<Tried>(trials.size())),
        made_(trials.size()) {}

  std::vector<std::vector<Tried>> all() {
    // Side by side each trial has its own rows in memory; and where there are more threads than trials, the threads of
    // each fit are put to better use.
    const unsigned threads = run_.executor.threads();
    const std::uint64_t each = experiments_.empty() ? 0 : 3 * experiments_.front().bytes();
    const bool beside = trials_.size() >= threads && run_.memory.allows(each * std::max(1u, threads));
    const std::size_t step = beside ? std::max<std::size_t>(1, options_.over ? threads : trials_.size()) : 1;
    std::size_t done = 0, least = experiments_.size();
    while (done < trials_.size() && (done == 0 || !over())) {
      const std::size_t count = std::min(step, trials_.size() - done);
      run_.executor.for_each(count, [&](std::size_t i) {
        watch_.expect_going_on();
        try_one(done + i, done == 0);
      });
      if (done == 0)
        for (std::size_t i = 0; i < count; ++i) least = std::min(least, made_[i]);
      done += count;
    }
    found_.resize(least);
    for (std::vector<Tried>& tried : found_) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < done; ++i)
        if (made_[i] >= least) {
          if (kept != i) tried[kept] = std::move(tried[i]);
          ++kept;
        }
      tried.resize(kept);
    }
    return std::move(found_);
  }

 private:
  bool over() const { return options_.over && options_.over(); }

  // As far as there is time; of the first trials one fit is made however long it takes.
  void try_one(std::size_t place, bool first) {
    const Run unlimited = watch_.inner();
    Run limited = unlimited;
    if (options_.over)
      limited.watch = [&](const Progress& progress) { return unlimited.watch(progress) && !options_.over(); };
    std::unique_ptr<Experiment::Prepared> prepared;
    std::unique_ptr<SavedModel> last;
    for (std::size_t& e = made_[place]; e < experiments_.size(); ++e) {
      watch_.expect_going_on();
      const bool must = first && e == 0;
      if (!must && over()) return;
      try {
        if (!fit(place, e, must ? unlimited : limited, prepared, last)) return;
      } catch (const Error& error) {
        if (error.code() != ErrorCode::interrupted || must || !over()) throw;
        watch_.expect_going_on();  // it was the time, and not the observer
        return;
      }
      watch_.done();
    }
  }

  // False if the time was over before it came to its end.
  bool fit(std::size_t place, std::size_t e, const Run& run, std::unique_ptr<Experiment::Prepared>& prepared,
           std::unique_ptr<SavedModel>& last) {
    const Trial& trial = trials_[place];
    const Experiment& experiment = experiments_[e];
    if (e == 0 || !experiment.same_features(experiments_[e - 1])) {
      last.reset();
      prepared.reset();  // before the next takes its memory
      prepared = std::make_unique<Experiment::Prepared>(experiment.prepare(trial.training, run));
    }
    const bool warm = !options_.from_scratch && may_start_elsewhere(experiment.trainer());
    Trained fit = experiment.train(*prepared, trial.training, run, warm ? last.get() : nullptr);
    if (fit.stopped) {
      watch_.expect_going_on();
      return false;
    }
    Tried tried;
    tried.outcome = experiment.predict(*prepared, fit.model, trial.tried, run);
    if (options_.seen_too) tried.seen = experiment.predict(*prepared, fit.model, trial.training, run);
    tried.number = numbers_of(prepared->examples.with(trial.tried));
    tried.converged = fit.record.converged || !fit.promises_optimum;
    if (fit.record.converged && fit.promises_optimum)
      last = std::make_unique<SavedModel>(SavedModel{std::move(fit.model), std::move(fit.record)});
    if (e == 0 && place == options_.copies_in)
      tried.copies = rows_seen_before(prepared->examples.with(trial.training), prepared->examples.with(trial.tried));
    found_[e][place] = std::move(tried);
    return true;
  }

  std::span<const Experiment> experiments_;
  std::span<const Trial> trials_;
  const TrialOptions& options_;
  const Run& run_;
  SharedWatch watch_;
  std::vector<std::vector<Tried>> found_;
  std::vector<std::size_t> made_;  // of each trial, how many experiments
};

}  // namespace

std::vector<std::uint64_t> numbers_of(const Examples& examples) {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(examples.size());
  for (std::size_t b = 0; b < examples.blocks(); ++b)
    examples.block(b).for_each_run(
        [&](const Piece& piece, std::uint64_t begin, std::uint64_t end, std::uint64_t number) {
          for (std::uint64_t r = begin; r < end; ++r, ++number)
            if (piece.weights.empty() || piece.weights[r] > 0) numbers.push_back(number);
        });
  return numbers;
}

std::vector<Trial> trials_of(std::span<const std::uint32_t> fold) {
  std::uint32_t folds = 0;
  for (const std::uint32_t f : fold)
    if (f != Splitter::kNoFold) folds = std::max(folds, f + 1);
  std::vector<Trial> trials(folds, Trial{RowSet(fold.size()), RowSet(fold.size())});
  RowSet all(fold.size());
  for (std::uint64_t row = 0; row < fold.size(); ++row) {
    if (fold[row] == Splitter::kNoFold) continue;
    trials[fold[row]].tried.add(row);
    all.add(row);
  }
  for (Trial& trial : trials) trial.training = all.intersection(trial.tried.complement());
  std::erase_if(trials, [](const Trial& trial) { return trial.tried.count() == 0; });
  return trials;
}

std::vector<std::vector<Tried>> try_all(std::span<const Experiment> experiments, std::span<const Trial> trials,
                                        const TrialOptions& options, const Run& run) {
  if (auto found = try_in_lockstep(experiments, trials, options, run)) return std::move(*found);
  return Trying(experiments, trials, options, run).all();
}

Outcome merged(std::vector<Tried> parts) {
  Outcome all;
  std::vector<std::uint64_t> numbers;
  std::uint64_t rows = 0;
  for (const Tried& part : parts) rows += part.number.size();
  if (parts.size() == 1)
    numbers = std::move(parts[0].number);
  else
    numbers.reserve(rows);
  bool scored = true;
  for (Tried& part : parts) {
    if (parts.size() > 1) numbers.insert(numbers.end(), part.number.begin(), part.number.end());
    all.labels = part.outcome.labels;
    if (!all.labels) {
      const Predicted& more = part.outcome.numbers;
      for (std::uint64_t i = 0; i < more.rows(); ++i)
        all.numbers.add(more.prediction[i], more.target[i], more.weight[i]);
      continue;
    }
    // A part without rows, as of a row of weight 0 that was left out alone, lacks nothing.
    scored = scored && (part.outcome.classes.rows() == 0 || !part.outcome.classes.scores.empty());
    if (all.classes.labels.empty()) {
      all.classes = std::move(part.outcome.classes);
      all.classes.reserve(rows);
    } else {
      all.classes.append(std::move(part.outcome.classes));
    }
  }
  PredictedClasses& c = all.classes;
  if (!scored || c.scores.size() != numbers.size() * c.scores_per_row()) c.scores = {};
  if (std::is_sorted(numbers.begin(), numbers.end())) return all;
  const std::vector<std::size_t> order = order_of(numbers);
  for (std::vector<double>* values : {&all.numbers.prediction, &all.numbers.target, &all.numbers.weight})
    reorder(*values, order, 1);
  if (!all.labels) return all;
  reorder(c.scores, order, c.scores_per_row());
  for (std::vector<double>* values : {&c.log_loss, &c.brier, &c.confidence, &c.weight}) reorder(*values, order, 1);
  for (std::vector<std::uint32_t>* values : {&c.predicted, &c.actual}) reorder(*values, order, 1);
  return all;
}

}  // namespace plumb
