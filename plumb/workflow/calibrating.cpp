#include "plumb/workflow/calibrating.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "plumb/select/trials.h"

namespace plumb {
namespace {

constexpr std::uint64_t kFolds = 5;
constexpr std::uint64_t kEnoughRows = 50'000;

// Texts that are neighbours in a file are often alike: answers in one thread, reviews of one film. New texts are not so
// near, so those of each class are cut into runs, where the request does not say how rows belong together. Rows of
// other tables are drawn at random, like held-out rows.
std::vector<std::uint32_t> folds_of(const Experiment& experiment, const RowSet& rows, RandomKey key) {
  const Splitter& splitter = experiment.splitter();
  const SplitKeys& keys = splitter.keys();
  const std::uint64_t most = splitter.most_folds(rows), count = std::min(kFolds, most);
  if (!keys.fold.empty()) return splitter.folds(rows, most, key);
  const std::vector<FeaturePlan::Input>& inputs = experiment.plan().inputs;
  const bool texts =
      std::any_of(inputs.begin(), inputs.end(), [](const FeaturePlan::Input& each) { return each.kind == Kind::text; });
  if (!texts || !keys.group.empty() || keys.in_order) return splitter.folds(rows, count, key);
  const Classes& classes = experiment.classes();
  std::vector<std::uint64_t> sizes(classes.labels.size() + 1), seen(sizes.size());
  for (std::uint64_t row = 0; row < rows.rows(); ++row)
    if (rows.has(row)) ++sizes[classes.of_row[row]];
  std::vector<std::uint32_t> fold(rows.rows(), kNoFold);
  for (std::uint64_t row = 0; row < rows.rows(); ++row) {
    if (!rows.has(row)) continue;
    const std::uint32_t k = classes.of_row[row];
    // A class of fewer rows than folds has one in each of the first: otherwise runs of about the same size.
    fold[row] = static_cast<std::uint32_t>(sizes[k] < count ? seen[k] : seen[k] * count / sizes[k]);
    ++seen[k];
  }
  return fold;
}

// Trials until enough rows are predicted; with many classes fewer rows, so that their scores are kept.
std::vector<Trial> enough_trials(std::vector<Trial> trials, const Experiment& experiment, std::size_t classes,
                                 RandomKey key) {
  const std::uint64_t most =
      std::max<std::uint64_t>(2, PredictedClasses::kMostScores / std::max<std::size_t>(1, classes));
  const std::uint64_t enough = std::min(kEnoughRows, most);
  std::uint64_t rows = 0;
  std::size_t count = 0;
  for (; count < trials.size() && rows < enough; ++count) {
    RowSet& tried = trials[count].tried;
    if (classes > 2 && rows + tried.count() > most)
      tried = experiment.splitter().first_drawn(tried, most - rows, key).intersection(tried);
    rows += tried.count();
  }
  trials.resize(count, {RowSet(0), RowSet(0)});
  return trials;
}

}  // namespace

PredictedClasses out_of_fold(const Experiment& experiment, const RowSet& training, RandomKey key, const Run& run) {
  const RowSet rows = training.intersection(experiment.rows());
  const std::vector<std::uint32_t> fold = folds_of(experiment, rows, key);
  experiment.classes().expect_two_without_each(rows, fold);
  const std::size_t classes = experiment.classes().among(rows, "").size();
  const std::vector<Trial> trials = enough_trials(trials_of(fold), experiment, classes, key);
  return merged(std::move(try_all({&experiment, 1}, trials, {}, run).front())).classes;
}

}  // namespace plumb
