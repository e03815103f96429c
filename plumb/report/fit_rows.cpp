#include "plumb/report/fit_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "plumb/base/error.h"

namespace plumb {
namespace {

constexpr int kPlaces = 200;  // of a curve

void append(std::vector<double>& all, const std::vector<double>& part) {
  all.insert(all.end(), part.begin(), part.end());
}

}  // namespace

RowDiagnostics predicted_rows(const LinearModel& model, const Examples& examples, const Run& run) {
  std::vector<RowDiagnostics> blocks(examples.blocks());
  run.for_each(Phase::evaluating, blocks.size(), [&](std::size_t b) {
    Predictor predictor(model);
    RowDiagnostics& rows = blocks[b];
    examples.block(b).for_each([&](const Example& e) {
      if (!(e.weight > 0.0)) return;
      const double fitted = predictor.predict(e.x).value;
      rows.number.push_back(e.number);
      rows.actual.push_back(e.target);
      rows.weight.push_back(e.weight);
      rows.fitted.push_back(fitted);
      rows.residual.push_back(e.target - fitted);
    });
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
  for (const Table& table : tables.pieces) append(values, table.columns[layout.inputs[0]].numbers);
  for (double& value : values)
    if (std::isnan(value)) value = inputs[0].fill.value_or(value);
  return values;
}

FitCurve fit_curve(const LinearModel& model, const RowDiagnostics& rows, const std::vector<double>& column) {
  FitCurve curve{
      .title = model.parts().map.parts().inputs[0].name, .x = {}, .grid = {}, .fitted = {}, .low = {}, .high = {}};
  for (const std::uint64_t number : rows.number) curve.x.push_back(column[number]);
  if (curve.x.empty()) return curve;
  const auto [low, high] = std::minmax_element(curve.x.begin(), curve.x.end());
  Predictor predictor(model);
  FeatureMap::Unseen unseen;
  Table table{.rows = 1, .columns = std::vector<Column>(1)};
  for (int k = 0; k <= kPlaces; ++k) {
    const double part = static_cast<double>(k) / kPlaces;
    const double x = std::clamp(*low * (1.0 - part) + *high * part, *low, *high);
    double fitted = std::numeric_limits<double>::quiet_NaN();
    try {
      table.columns[0].numbers = {x};
      const Piece piece = model.parts().map.apply(table, {.inputs = {0}}, unseen);
      fitted = predictor.predict(PieceRows(piece).row(0)).value;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::data) throw;  // a formula without a value there, such as 1/x at 0
    }
    curve.grid.push_back(x);
    curve.fitted.push_back(fitted);
  }
  return curve;
}

// Ten numbers for each row of the diagnostics, and the x and y of six panels.
std::uint64_t plot_memory(std::uint64_t rows) noexcept { return rows * 8 * (10 + 6 * 2 + 6); }

}  // namespace plumb
