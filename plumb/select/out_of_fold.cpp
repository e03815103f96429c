#include "plumb/select/out_of_fold.h"

#include <cmath>
#include <utility>

#include "plumb/infer/diagnostics.h"

namespace plumb {
namespace {

// The prediction of one row by the fit to all others.
double refitted(const Trainer& trainer, const Problem& problem, std::uint64_t row, const Run& run) {
  RowSet alone(problem.examples.rows());
  alone.add(row);
  const Examples others = problem.examples.with(alone.complement());
  const Trained fit = trainer.train({others, problem.map}, run);
  return predict_rows(fit.model, problem.examples.with(alone), run).prediction.at(0);
}

}  // namespace

bool has_exact_leave_one_out(const Trained& fit) { return has_leverages(fit); }

Predicted predict_left_out(const Trainer& trainer, const Problem& problem, const Trained& fit, const Run& run) {
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
