#include "plumb/train/penalty_path.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "plumb/base/error.h"
#include "plumb/base/foreseen.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/math/power.h"
#include "plumb/train/deal_folds.h"

namespace plumb {
namespace {

constexpr std::size_t kFolds = 5;
constexpr std::size_t kPatience = 4;  // penalties without a new best before the search ends
constexpr int kSteps = 20;            // at most, of half a power of ten each

// The trace of the second derivative at w = 0, with a curvature of 1/4 a row: with a penalty of this size no weight can
// be large. Columns are centred, as the bias does. Rounded up to half a power of ten.
int largest_exponent(const Problem& problem, std::span<const double> units, const Run& run) {
  const std::size_t p = problem.examples.features();
  std::vector<double> sums(2 * p + 1);
  run.reduce(Phase::fitting, problem.examples.blocks(), sums, [&](std::size_t b, Out out) {
    problem.examples.block(b).for_each([&](const Example& e) {
      out[2 * p] += e.weight;
      for (std::size_t t = 0; t < e.x.value.size(); ++t) {
        const std::size_t j = e.x.dense() ? t : e.x.index[t];
        out[j] += e.weight * e.x.value[t];
        out[p + j] += e.weight * e.x.value[t] * e.x.value[t];
      }
    });
  });
  double trace = 0.0;
  for (std::size_t j = 0; j < p; ++j)
    if (problem.map.offset() != j)
      trace += std::max(0.0, sums[p + j] - sums[j] * (sums[j] / sums[2 * p])) / (4 * units[j]);
  if (!(trace > 0.0) || !std::isfinite(trace)) return 0;
  return static_cast<int>(std::ceil(2 * math::log10(trace)));
}

// Sum of the losses of these rows, and of their weights. With more than two classes each has its score: one against the
// rest, unless the scores have probabilities.
std::array<double, 2> held_out_loss(const LinearModel& model, Loss loss, const Examples& rows, const Run& run) {
  std::array<double, 2> total{};
  run.reduce(Phase::fitting, rows.blocks(), total, [&](std::size_t b, Out out) {
    Predictor predictor(model);
    rows.block(b).for_each([&](const Example& e) {
      const auto label = static_cast<std::size_t>(e.target);
      predictor.predict(e.x);
      double own = 0.0;
      if (loss == Loss::logistic) {
        own = -predictor.log_probability(label);
      } else {
        const In scores = predictor.scores();
        for (std::size_t k = 0; k < scores.size(); ++k) {
          const double y = (scores.size() == 1 ? label == 1 : label == k) ? 1.0 : -1.0;
          own += with_loss(loss, [&](const auto& l) { return l.value(scores[k], y); });
        }
      }
      out[0] += e.weight * own;
      out[1] += e.weight;
    });
  });
  return total;
}

}  // namespace

PenaltyPath choose_penalty(const Problem& problem, Loss loss, std::span<const double> units, const FitAt& fit_at,
                           const Run& run) {
  PenaltyPath path;
  const std::vector<RowSet> held = deal_folds(problem, kFolds, "--l2", run);
  path.folds = held.size();
  const int top = largest_exponent(problem, units, run);
  std::vector<std::optional<SavedModel>> last(path.folds);  // of each fold, to start the next penalty from
  const double fits = static_cast<double>(kSteps) * static_cast<double>(path.folds);  // at most
  for (int k = 0; k < kSteps && path.l2.size() <= path.best + kPatience; ++k) {
    const double l2 = math::power(10.0, 0.5 * (top - k));
    double sum = 0.0, weight = 0.0;
    for (std::size_t fold = 0; fold < path.folds; ++fold) {
      const Examples others = problem.examples.with(held[fold].complement());
      const auto place = [&](std::size_t done) {
        return static_cast<double>(path.l2.size() * path.folds + done) / fits;
      };
      const Run own_run = within(run, place(fold), place(fold + 1));
      Trained fit = fit_at(l2, {others, problem.map, problem.labels, last[fold] ? &*last[fold] : nullptr}, own_run);
      if (fit.stopped) throw Error(ErrorCode::interrupted, "stopped on request before a penalty was chosen");
      const auto [own, counted] = held_out_loss(fit.model, loss, problem.examples.with(held[fold]), run);
      sum += own;
      weight += counted;
      last[fold] = SavedModel{std::move(fit.model), std::move(fit.record)};
    }
    path.l2.push_back(l2);
    path.loss.push_back(sum / weight);
    if (path.loss.back() < path.loss[path.best]) path.best = path.l2.size() - 1;
  }
  return path;
}

void PenaltyPath::add_to(Trained& fit) const {
  fit.record.fit.emplace_back("l2_folds", static_cast<double>(folds));
  fit.record.fit.emplace_back("l2_heldout_loss", loss[best]);
  std::vector<double> table;
  for (std::size_t i = 0; i < l2.size(); ++i) table.insert(table.end(), {l2[i], loss[i]});
  fit.record.statistics.push_back({"l2_path", {l2.size(), 2}, std::move(table)});
  if (best == 0 || best + 1 == l2.size())
    fit.warnings.push_back(
        "cross-validation chose the " + std::string(best == 0 ? "largest" : "smallest") + " penalty tried, l2 " +
        number_text(l2[best], 3) +
        (best == 0 ? "; the features may carry no information" : "; a smaller one, or --l2 0, may be as good"));
}

}  // namespace plumb
