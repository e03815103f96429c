#include "plumb/select/out_of_fold.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "plumb/infer/diagnostics.h"

namespace plumb {
namespace {

// The rows that the examples show.
template <class Visit>
void for_each_row(const Examples& examples, const Visit& visit) {
  for (std::size_t b = 0; b < examples.blocks(); ++b) examples.block(b).for_each(visit);
}

// The prediction of one row by the fit to all others.
double refitted(const Trainer& trainer, const Problem& problem, std::uint64_t row, const Run& run) {
  RowSet alone(problem.examples.rows());
  alone.add(row);
  const Examples others = problem.examples.with(alone.complement());
  const Fit fit = trainer.train({others, problem.map}, run);
  return predict_rows(fit.model, problem.examples.with(alone), run).prediction.at(0);
}

}  // namespace

Predicted predict_out_of_fold(const Trainer& trainer, const Problem& problem, std::span<const std::uint32_t> fold,
                              const Run& run) {
  const LearntExamples once{problem.examples, problem.map};
  return predict_out_of_fold(
      trainer, [&](const RowSet&) { return once; }, fold, run);
}

Predicted predict_out_of_fold(const Trainer& trainer, const std::function<LearntExamples(const RowSet&)>& learn,
                              std::span<const std::uint32_t> fold, const Run& run) {
  Predicted all;
  if (fold.empty()) return all;
  const std::uint32_t folds = *std::max_element(fold.begin(), fold.end()) + 1;
  std::vector<Predicted> parts(folds);
  std::optional<LearntExamples> learnt;  // of the last fold; targets and weights are the same in all
  for (std::uint32_t f = 0; f < folds; ++f) {
    RowSet test(fold.size());
    for (std::uint64_t row = 0; row < fold.size(); ++row)
      if (fold[row] == f) test.add(row);
    learnt.reset();  // before the next takes its memory
    learnt = learn(test.complement());
    const Examples others = learnt->examples.with(test.complement());
    const Fit fit = trainer.train({others, learnt->map}, run);
    parts[f] = predict_rows(fit.model, learnt->examples.with(test), run);
  }
  // Each part is in row order, so the whole is found by taking turns.
  std::vector<std::size_t> taken(folds);
  for_each_row(learnt->examples, [&](const Example& e) {
    if (!(e.weight > 0)) return;
    const std::uint32_t f = fold[e.number];
    all.add(parts[f].prediction[taken[f]++], e.target, e.weight);
  });
  return all;
}

bool has_exact_leave_one_out(const Fit& fit) { return fit.basis != nullptr; }

Predicted predict_left_out(const Trainer& trainer, const Problem& problem, const Fit& fit, const Run& run) {
  RowDiagnostics rows = row_diagnostics(fit, problem.examples, run);
  for (std::size_t i = 0; i < rows.left_out.size(); ++i)
    if (std::isnan(rows.left_out[i])) rows.left_out[i] = refitted(trainer, problem, rows.number[i], run);
  Predicted all;
  all.prediction = std::move(rows.left_out);
  all.target = std::move(rows.actual);
  all.weight = std::move(rows.weight);
  return all;
}

}  // namespace plumb
