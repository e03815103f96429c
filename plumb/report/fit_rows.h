// What pictures of a regression are drawn from, where only a model and rows are at hand.
#pragma once

#include <optional>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/data/table.h"
#include "plumb/feature/feature_map.h"
#include "plumb/infer/diagnostics.h"
#include "plumb/model/model.h"
#include "plumb/report/fit_plots.h"

namespace plumb {

// Number, actual, weight, fitted and residual of every row with a weight above 0; the rest is empty. The model must
// predict a number.
RowDiagnostics predicted_rows(const LinearModel& model, const Examples& examples, const Run& run);

// The values of the map's only column, for each row of the tables, if it has one column and that holds numbers; a
// missing one is what stands in for it.
std::optional<std::vector<double>> only_column(const FeatureMap& map, const TableLayout& layout, const Tables& tables);

// The model as a curve over its only column, between the least and the largest of its values in these rows. `column`
// has one for each row number.
FitCurve fit_curve(const LinearModel& model, const RowDiagnostics& rows, const std::vector<double>& column);

// Bytes that a figure of so many rows takes while it is drawn, with its rows.
std::uint64_t plot_memory(std::uint64_t rows) noexcept;

}  // namespace plumb
