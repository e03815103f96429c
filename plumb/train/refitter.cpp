#include "plumb/train/refitter.h"

#include <algorithm>
#include <numeric>
#include <utility>

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

// The positions of numbers in ascending order of these, equal ones in their order: rows may be evaluated more than
// once.
std::vector<std::size_t> order_of(const std::vector<std::uint64_t>& numbers) {
  const std::uint64_t end = numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end()) + 1;
  std::vector<std::size_t> order(numbers.size());
  if (end / 16 > numbers.size()) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
    return order;
  }
  std::vector<std::size_t> next(end + 1);  // the destination of each number
  for (const std::uint64_t number : numbers) ++next[number + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  for (std::size_t i = 0; i < numbers.size(); ++i) order[next[numbers[i]]++] = i;
  return order;
}

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
    if (f != kNoFold) folds = std::max(folds, f + 1);
  std::vector<Trial> trials(folds, Trial{RowSet(fold.size()), RowSet(fold.size())});
  RowSet all(fold.size());
  for (std::uint64_t row = 0; row < fold.size(); ++row) {
    if (fold[row] == kNoFold) continue;
    trials[fold[row]].tried.add(row);
    all.add(row);
  }
  for (Trial& trial : trials) trial.training = all.intersection(trial.tried.complement());
  std::erase_if(trials, [](const Trial& trial) { return trial.tried.count() == 0; });
  return trials;
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
      all.numbers.counts = more.counts;
      for (std::uint64_t i = 0; i < more.rows(); ++i)
        all.numbers.add(more.prediction[i], more.target[i], more.weight[i]);
      continue;
    }
    // A part without rows, as for a left-out row of weight 0, is complete.
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
