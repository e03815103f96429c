#include "plumb/report/fit_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/infer/interval.h"
#include "plumb/report/fit_plots.h"
#include "plumb/report/style.h"

namespace plumb {
namespace {

constexpr int kPlaces = 200;  // of a curve
// Ten numbers of the diagnostics, x and y for each of six panels, and the sorting of them.
constexpr std::uint64_t kBytesOfARow = 8 * (10 + 6 * 2 + 6);

void expect_room(const MemoryBudget& memory, std::uint64_t rows) {
  memory.expect(rows * kBytesOfARow, "the plot takes", "leave out --plot");
}

std::string title_of(const LinearModel& model, const std::string& target) {
  return target + " from " + listed(model.parts().map.names(), 4);
}

void append(std::vector<double>& all, const std::vector<double>& part) {
  all.insert(all.end(), part.begin(), part.end());
}

// For the band of the mean; empty if the fit has no such theory.
std::optional<IntervalPredictor> intervals_of(const Trained& fit) {
  try {
    return IntervalPredictor(fit.record, fit.model.features(), 0.95);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage) throw;
    return std::nullopt;
  }
}

// The model as a curve over its only column, between the smallest and the largest of its values in these rows.
FitCurve fit_curve(const Trained& fit, const RowDiagnostics& rows, const std::vector<double>& column) {
  const FeatureMap& map = fit.model.parts().map;
  FitCurve curve;
  curve.title = map.parts().inputs[0].name;
  for (const std::uint64_t number : rows.number) curve.x.push_back(column[number]);
  const auto [low, high] = std::minmax_element(curve.x.begin(), curve.x.end());
  Predictor predictor(fit.model);
  std::optional<IntervalPredictor> intervals = intervals_of(fit);
  FeatureMap::Unseen unseen;
  Table table{.rows = 1, .columns = std::vector<Column>(1)};
  for (int k = 0; k <= kPlaces; ++k) {
    const double part = static_cast<double>(k) / kPlaces;
    curve.grid.push_back(std::clamp(*low * (1.0 - part) + *high * part, *low, *high));
    double fitted = std::numeric_limits<double>::quiet_NaN();
    Interval interval{.mean_low = fitted, .mean_high = fitted};
    try {
      table.columns[0].numbers = {curve.grid.back()};
      const Piece piece = map.apply(table, {.inputs = {0}, .low_parts = intervals && intervals->exact()}, unseen);
      PieceRows values(piece);
      const Row row = values.row(0);
      fitted = predictor.predict(row).value;
      if (intervals) interval = intervals->around(fitted, row, piece.lows, piece.lows_of);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::data) throw;  // a formula without a value there, such as 1/x at 0
    }
    curve.fitted.push_back(fitted);
    if (!intervals) continue;
    curve.low.push_back(interval.mean_low);
    curve.high.push_back(interval.mean_high);
  }
  if (intervals) curve.band = "95 % confidence of the mean";
  return curve;
}

}  // namespace

void add_row(RowDiagnostics& rows, std::uint64_t number, double actual, double weight, double fitted) {
  if (!(weight > 0.0)) return;
  rows.number.push_back(number);
  rows.actual.push_back(actual);
  rows.weight.push_back(weight);
  rows.fitted.push_back(fitted);
  rows.residual.push_back(actual - fitted);
}

RowDiagnostics predicted_rows(const LinearModel& model, const Examples& examples, const Run& run) {
  std::vector<RowDiagnostics> blocks(examples.blocks());
  run.for_each(Phase::evaluating, blocks.size(), [&](std::size_t b) {
    Predictor predictor(model);
    RowDiagnostics& rows = blocks[b];
    examples.block(b).for_each(
        [&](const Example& e) { add_row(rows, e.number, e.target, e.weight, predictor.predict(e.x).value); });
  });
  RowDiagnostics all;
  for (RowDiagnostics& rows : blocks) {
    all.number.insert(all.number.end(), rows.number.begin(), rows.number.end());
    append(all.actual, rows.actual);
    append(all.weight, rows.weight);
    append(all.fitted, rows.fitted);
    append(all.residual, rows.residual);
    rows = {};
  }
  return all;
}

std::optional<std::vector<double>> only_column(const FeatureMap& map, const TableLayout& layout, const Tables& tables) {
  const std::vector<FeatureMap::Input>& inputs = map.parts().inputs;
  if (inputs.size() != 1 || inputs[0].kind != Kind::number) return std::nullopt;
  std::vector<double> values;
  values.reserve(tables.rows);
  for (const Table& table : tables.pieces) {
    const Numbers& numbers = table.columns[layout.inputs[0]].numbers;
    values.insert(values.end(), numbers.begin(), numbers.end());
  }
  for (double& value : values)
    if (std::isnan(value)) value = inputs[0].fill.value_or(value);
  return values;
}

Figure fit_figure(const Trained& fit, const Examples& training, const Examples& heldout,
                  const std::optional<std::vector<double>>& column, const Run& run) {
  expect_room(run.memory.beside(training.bytes()), training.size() + heldout.size());
  const RowDiagnostics rows =
      has_leverages(fit) ? row_diagnostics(fit, training, run) : predicted_rows(fit.model, training, run);
  RowDiagnostics others = predicted_rows(fit.model, heldout, run);
  RegressionPlot plot{.rows = rows,
                      .target = fit.record.target,
                      .heldout_actual = std::move(others.actual),
                      .heldout_fitted = std::move(others.fitted)};
  if (column && !rows.number.empty()) plot.curve = fit_curve(fit, rows, *column);
  Figure figure = regression_figure(plot);
  figure.title = title_of(fit.model, fit.record.target);
  figure.subtitle = fit.record.model + " on " + counted(rows.number.size(), "row");
  if (const double* const sd = find_number(fit.record, "residual_sd"))
    figure.subtitle += ", residual sd " + four_digits(*sd);
  if (const double* const explained = find_number(fit.record, "r_squared"))
    figure.subtitle += ", R^2 " + four_digits(*explained);
  return figure;
}

Figure prediction_figure(const SavedModel& saved, const std::string& target, const RowDiagnostics& rows,
                         const Run& run) {
  expect_room(run.memory, rows.number.size());
  Figure figure = regression_figure({.rows = rows, .target = target});
  figure.title = title_of(saved.model, target);
  figure.subtitle = saved.record.model + ", validated on " + counted(rows.number.size(), "row");
  return figure;
}

Figure out_of_fold_figure(const std::string& model, const std::string& target, const Predicted& rows, const Run& run) {
  expect_room(run.memory, rows.rows());
  RowDiagnostics drawn;
  for (std::uint64_t i = 0; i < rows.rows(); ++i) add_row(drawn, i, rows.target[i], rows.weight[i], rows.prediction[i]);
  Figure figure = regression_figure({.rows = drawn, .target = target});
  figure.title = target + " by " + model;
  figure.subtitle = counted(drawn.number.size(), "row") + ", cross-validated predictions";
  return figure;
}

}  // namespace plumb
