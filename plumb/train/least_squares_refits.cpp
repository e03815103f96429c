// Least squares and ridge without refitting. Leave-one-out uses leverages. For growing training sets, Gram matrices are
// added, so each row is multiplied once for all of them.

#include <algorithm>
#include <cmath>
#include <optional>

#include "plumb/data/batch.h"
#include "plumb/feature/fill.h"
#include "plumb/math/cholesky.h"
#include "plumb/math/kernels.h"
#include "plumb/math/unit.h"
#include "plumb/train/least_squares.h"
#include "plumb/train/leverages.h"
#include "plumb/train/refitter.h"
#include "plumb/train/row_pass.h"

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

// One pass of X'(y - Xw), minus the penalty: corrects the rounding errors of the sums.
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

// Whether features of a row are independent of the rows that they were learnt from.
bool features_are_fixed(const FeaturePlan& plan, const FeatureMap& map) {
  return !plan.target_formula && !fills_follow_rows(plan, map) && plan.scale == Scaling::none &&
         std::none_of(plan.inputs.begin(), plan.inputs.end(),
                      [](const FeaturePlan::Input& input) { return input.kind == Kind::text; });
}

class LeastSquaresRefitter final : public Refitter {
 public:
  LeastSquaresRefitter(const LeastSquaresTrainer& trainer, const RefitData& data) : trainer_(trainer), data_(data) {}

  FoldWay way(bool alone) const override {
    return alone && data_.whole != nullptr && has_leverages(*data_.whole) ? FoldWay::leverages : FoldWay::refits;
  }

  // The prediction of the fit without row i is y_i - r_i / (1 - h_i), with the same penalty. If h_i is 1 such a fit is
  // made.
  std::vector<Tried> without(std::span<const std::uint32_t>, const Run& run) const override {
    const Examples& examples = data_.problem.examples;
    const Basis& basis = basis_of(*data_.whole);
    std::vector<std::vector<PlacedRow>> parts(examples.blocks());
    run.for_each(Phase::evaluating, parts.size(), [&](std::size_t b) {
      for_each_placed(examples.block(b), *data_.whole, basis, examples,
                      [&](std::span<const PlacedRow> rows, EightRows&) {
                        parts[b].insert(parts[b].end(), rows.begin(), rows.end());
                      });
    });
    std::vector<Tried> all(1);
    for (const std::vector<PlacedRow>& part : parts)
      for (const PlacedRow& row : part) {
        const double left_out =
            row.room > kLeverageOne ? row.actual - row.residual / row.room : predicted_without(row.number, run);
        all[0].outcome.numbers.add(left_out, row.actual, row.weight);
        all[0].number.push_back(row.number);
      }
    return all;
  }

  bool adds(bool) const override {
    const std::vector<FeaturePlan::Input>& inputs = data_.plan.inputs;
    return trainer_.options().penalty_factor.empty() && !data_.problem.map.offset() &&
           data_.problem.map.features() <= kMostColumns &&
           std::all_of(inputs.begin(), inputs.end(), [](const FeaturePlan::Input& input) {
             return input.kind == Kind::number || input.kind == Kind::category || input.kind == Kind::date;
           });
  }

  // If the sums of a trial do not give the weights to some 10 digits (nearly collinear columns, or a level that no row
  // has) it is left to a fit. Predictions agree with refits to 1e-10.
  std::vector<std::optional<Tried>> with_more(std::span<const Trial> nested, bool seen_too,
                                              const Run& run) const override {
    const Examples& examples = data_.problem.examples;
    const Coordinates z = coordinates_of(examples, trainer_.options().bias);
    std::vector<double> gram;
    std::vector<std::optional<Tried>> parts;
    for (std::size_t i = 0; i < nested.size(); ++i) {
      const RowSet& training = nested[i].training;
      const RowSet fresh = i == 0 ? training : training.intersection(nested[i - 1].training.complement());
      const std::vector<double> own = gram_of(z, examples.with(fresh), run);
      if (gram.empty()) gram.resize(own.size());
      for (std::size_t k = 0; k < own.size(); ++k) gram[k] += own[k];
      std::optional<Tried>& tried = parts.emplace_back();
      const auto model = solved(z, gram, examples.with(training), data_.problem.map, trainer_.options().l2.value, run);
      if (!model) continue;
      tried.emplace();
      tried->outcome.numbers = predict_rows(*model, examples.with(nested[i].tried), run);
      if (seen_too) tried->seen.numbers = predict_rows(*model, examples.with(training), run);
      tried->number = numbers_of(examples.with(nested[i].tried));
    }
    return parts;
  }

 private:
  double predicted_without(std::uint64_t row, const Run& run) const {
    const Examples& examples = data_.problem.examples;
    RowSet alone(examples.rows());
    alone.add(row);
    const Examples others = examples.with(alone.complement());
    const Trained fit = trainer_.train({others, data_.problem.map}, run);
    return predict_rows(fit.model, examples.with(alone), run).prediction.at(0);
  }

  const LeastSquaresTrainer& trainer_;
  const RefitData data_;
};

}  // namespace

std::unique_ptr<Refitter> LeastSquaresTrainer::refitter(const RefitData& data) const {
  const bool can =
      !options_.l2.automatic && features_are_fixed(data.plan, data.problem.map) && !goes_wide(data.problem);
  return can ? std::make_unique<LeastSquaresRefitter>(*this, data) : nullptr;
}

}  // namespace plumb
