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

// Adds the prediction for a row, unless its weight is 0.
void add_row(RowDiagnostics& rows, std::uint64_t number, double actual, double weight, double fitted);

// Number, actual, weight, fitted and residual of every row with a weight above 0; the rest is empty. The model must
// predict a number.
RowDiagnostics predicted_rows(const LinearModel& model, const Examples& examples, const Run& run);

// The values of the map's only column, for each row of the tables, if it has one column of numbers; missing values are
// filled.
std::optional<std::vector<double>> only_column(const FeatureMap& map, const TableLayout& layout, const Tables& tables);

// The figure of a fit: its training rows, with the predictions for held-out rows beside them. `column` is only_column()
// of the tables of the examples; it becomes the first panel, with the band of the mean if the record has the data for
// it (add_inference). Throws Error(resources) if it exceeds the run's memory.
Figure fit_figure(const Trained& fit, const Examples& training, const Examples& heldout,
                  const std::optional<std::vector<double>>& column, const Run& run);

// The figure of held-out rows, made by add_row(). Throws as fit_figure() does.
Figure prediction_figure(const SavedModel& saved, const std::string& target, const RowDiagnostics& rows,
                         const Run& run);
// The same for out-of-fold predictions; `model` is their kind.
Figure out_of_fold_figure(const std::string& model, const std::string& target, const Predicted& rows, const Run& run);

}  // namespace plumb
