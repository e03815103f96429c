#include "plumb/select/prefix_squares.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "plumb/data/batch.h"
#include "plumb/math/cholesky.h"
#include "plumb/math/kernels.h"
#include "plumb/math/unit.h"
#include "plumb/train/least_squares.h"

namespace plumb {
namespace {

constexpr std::size_t kMostColumns = 1000;
constexpr double kMostCondition = 1e9;  // of the Gram matrix: one refinement then leaves errors of 1e-12 or so

// z = (1, (x - shift) scale), the 1 only with a bias, and the target as the last column; scales are powers of two.
struct Coordinates {
  bool bias = true;
  std::size_t p = 0;
  std::vector<double> shift, scale;

  std::size_t first() const { return bias ? 1 : 0; }
  std::size_t columns() const { return first() + p; }

  void write(const Example& e, Out row) const {
    std::fill(row.begin(), row.end(), 0.0);
    write_row(e.x, row.subspan(first(), p));
    for (std::size_t j = 0; j < p; ++j) row[first() + j] = (row[first() + j] - shift[j]) * scale[j];
    if (bias) row[0] = 1.0;
    row[columns()] = e.target;
  }
};

Coordinates coordinates_of(const Examples& examples, bool bias) {
  Coordinates z{bias, examples.features(), {}, {}};
  std::vector<double> sum(z.p), most(z.p), row(z.p);
  double weight = 0.0;
  for (std::size_t b = 0; b < examples.blocks(); ++b)
    examples.block(b).for_each([&](const Example& e) {
      if (!(e.weight > 0)) return;
      std::fill(row.begin(), row.end(), 0.0);
      write_row(e.x, row);
      weight += e.weight;
      for (std::size_t j = 0; j < z.p; ++j) {
        sum[j] += e.weight * row[j];
        most[j] = std::max(most[j], std::abs(row[j]));
      }
    });
  for (std::size_t j = 0; j < z.p; ++j) {
    z.shift.push_back(bias && weight > 0 ? sum[j] / weight : 0.0);
    z.scale.push_back(math::unit_of(most[j]).scale);
  }
  return z;
}

std::vector<double> gram_of(const Coordinates& z, const Examples& rows, const Run& run) {
  const std::size_t m = z.columns() + 1;
  std::vector<double> gram(m * m);
  run.reduce(Phase::fitting, rows.blocks(), gram, [&](std::size_t b, Out out) {
    for_each_batch(
        rows.block(b), m, [&](const Example& e, Out row) { z.write(e, row); },
        [&](const Batch& batch) {
          math::kernels().gram_add(batch.x, batch.rows, batch.stride, m, batch.weights.data(), out.data(), m);
        });
  });
  return gram;
}

// One pass of X'(y - Xw), less the penalty: what the rounding of the sums took is given back.
std::vector<double> slope_of(const Coordinates& z, const Examples& rows, In w, In penalty, const Run& run) {
  const std::size_t q = z.columns();
  std::vector<double> slope(q);
  run.reduce(Phase::fitting, rows.blocks(), slope, [&](std::size_t b, Out out) {
    std::vector<double> row(q + 1);
    rows.block(b).for_each([&](const Example& e) {
      if (!(e.weight > 0)) return;
      z.write(e, row);
      const double left = e.weight * (row[q] - math::kernels().dot(row.data(), w.data(), q));
      math::kernels().axpy(left, row.data(), out.data(), q);
    });
  });
  for (std::size_t j = 0; j < q; ++j) slope[j] -= penalty[j] * w[j];
  return slope;
}

std::optional<LinearModel> solved(const Coordinates& z, const std::vector<double>& gram, const Examples& rows,
                                  const FeatureMap& map, double l2, const Run& run) {
  const std::size_t q = z.columns(), m = q + 1;
  std::vector<double> lower(q * q), right(q), penalty(q), w(q), step(q);
  for (std::size_t j = 0; j < z.p; ++j) penalty[z.first() + j] = l2 * z.scale[j] * z.scale[j];
  for (std::size_t i = 0; i < q; ++i) {
    for (std::size_t j = 0; j <= i; ++j) lower[i * q + j] = gram[i * m + j];
    if (!(lower[i * q + i] > 0.0)) return {};  // no row has the level
    lower[i * q + i] += penalty[i];
    right[i] = gram[q * m + i];
  }
  const math::Cholesky factor(std::move(lower), q, math::Cholesky::Limits(1e-11));
  if (factor.rank() < q || factor.condition_estimate() > kMostCondition) return {};
  factor.solve(right, w);
  factor.solve(slope_of(z, rows, w, penalty, run), step);
  for (std::size_t j = 0; j < q; ++j) w[j] += step[j];
  LinearModel::Parts parts;
  parts.map = map;
  double bias = z.bias ? w[0] : 0.0;
  std::vector<double> weights;
  for (std::size_t j = 0; j < z.p; ++j) {
    weights.push_back(w[z.first() + j] * z.scale[j]);
    bias -= weights.back() * z.shift[j];
    if (!std::isfinite(weights.back())) return {};
  }
  parts.bias = {bias};
  parts.weights = Weights::dense(1, map.features(), std::move(weights));
  return LinearModel(std::move(parts));
}

}  // namespace

bool adds_up(const Experiment& experiment, const FeatureMap& map) {
  const auto* const squares = dynamic_cast<const LeastSquaresTrainer*>(&experiment.trainer());
  const FeaturePlan& plan = experiment.plan();
  return squares != nullptr && !squares->chooses_penalty() && !map.offset() && map.features() <= kMostColumns &&
         plan.missing != Missing::mean && plan.missing != Missing::median && plan.scale == Scaling::none &&
         std::all_of(plan.inputs.begin(), plan.inputs.end(), [](const FeaturePlan::Input& input) {
           return input.kind == Kind::number || input.kind == Kind::category || input.kind == Kind::date;
         });
}

std::vector<Tried> predict_by_prefix(const Experiment& experiment, const Experiment::Prepared& prepared, double l2,
                                     std::span<const Trial> nested, bool seen_too, const Run& run) {
  const Coordinates z = coordinates_of(prepared.examples.with(experiment.rows()), experiment.trainer().wishes().bias);
  std::vector<double> gram;
  std::vector<Tried> parts;
  for (std::size_t i = 0; i < nested.size(); ++i) {
    const RowSet& training = nested[i].training;
    const RowSet fresh = i == 0 ? training : training.intersection(nested[i - 1].training.complement());
    const std::vector<double> own = gram_of(z, prepared.examples.with(fresh), run);
    if (gram.empty()) gram.resize(own.size());
    for (std::size_t k = 0; k < own.size(); ++k) gram[k] += own[k];
    Tried tried;
    if (const auto model = solved(z, gram, prepared.examples.with(training), prepared.map, l2, run)) {
      tried.outcome = experiment.predict(prepared, *model, nested[i].tried, run);
      if (seen_too) tried.seen = experiment.predict(prepared, *model, training, run);
    } else {
      const Experiment::Fitted fitted = experiment.fit(training, run);
      tried.outcome = experiment.predict(fitted, nested[i].tried, run);
      if (seen_too) tried.seen = experiment.predict(fitted, training, run);
      tried.converged = fitted.fit.record.converged;
    }
    tried.number = numbers_of(prepared.examples.with(nested[i].tried));
    parts.push_back(std::move(tried));
  }
  return parts;
}

}  // namespace plumb
