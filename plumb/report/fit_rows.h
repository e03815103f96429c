// From a model and its rows to their figure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/data/table.h"
#include "plumb/evaluate/predicted.h"
#include "plumb/feature/feature_map.h"
#include "plumb/infer/diagnostics.h"
#include "plumb/model/model.h"
#include "plumb/model/model_file.h"
#include "plumb/report/plot.h"
#include "plumb/train/trainer.h"

namespace plumb {

// Adds a row of a model's predictions, unless its weight is 0.
void add_row(RowDiagnostics& rows, std::uint64_t number, double actual, double weight, double fitted);

// Number, actual, weight, fitted and residual of every row with a weight above 0; the rest is empty. The model must
// predict a number.
RowDiagnostics predicted_rows(const LinearModel& model, const Examples& examples, const Run& run);

// The values of the map's only column, for each row of the tables, if it has one column and that holds numbers; a
// missing one is what stands in for it.
std::optional<std::vector<double>> only_column(const FeatureMap& map, const TableLayout& layout, const Tables& tables);

// The figure of a fit: of its training rows, with the predictions of those held out beside them. `column` is
// only_column() of the tables that the examples came from; it becomes the first panel, with the band of the mean where
// the record has what that takes (add_inference). Throws Error(resources) if it takes more memory than the run has.
Figure fit_figure(const Trained& fit, const Examples& training, const Examples& heldout,
                  const std::optional<std::vector<double>>& column, const Run& run);

// The figure of rows that a model was tried on, made by add_row(). Throws as fit_figure() does.
Figure prediction_figure(const SavedModel& saved, const std::string& target, const RowDiagnostics& rows,
                         const Run& run);
// The same of rows that were each predicted by a fit to others; `model` is their kind.
Figure out_of_fold_figure(const std::string& model, const std::string& target, const Predicted& rows, const Run& run);

}  // namespace plumb
