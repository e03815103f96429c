// The plots of a regression, from predictions and residuals of each row. What each shows and how to read it:
// docs/plots.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plumb/infer/diagnostics.h"
#include "plumb/report/plot.h"

namespace plumb {

// A model of one column as a curve.
struct FitCurve {
  std::string title;                 // of the x axis: the column's name
  std::vector<double> x;             // the column's value in each of the rows
  std::vector<double> grid, fitted;  // ascending, and the prediction there; not finite if undefined
  std::vector<double> low, high;     // the bounds of a band around it, or empty
  std::string band = {};             // the meaning of the band: "95 % confidence"
};

// Rows in order, with their predictions and diagnostics. `leverage`, `standardised` and `cook` may be empty, and
// `residual_sd` 0, for rows that the model was not trained on: residuals are then divided by their own root mean
// square.
struct RegressionPlot {
  const RowDiagnostics& rows;
  std::string target;
  std::optional<FitCurve> curve = {};
  // Held-out rows.
  std::vector<double> heldout_actual = {};
  std::vector<double> heldout_fitted = {};
};

Panel fit_panel(const RegressionPlot& plot);         // the points, the curve and its band; plot.curve must be present
Panel prediction_panel(const RegressionPlot& plot);  // predicted against actual, with the diagonal
Panel heldout_panel(const RegressionPlot& plot);     // the same for the held-out rows, if all are too many for one plot
Panel residual_panel(const RegressionPlot& plot);    // residuals against fitted, with a trend
Panel normal_panel(const RegressionPlot& plot);      // residuals against normal quantiles, with a band of chance
Panel scale_panel(const RegressionPlot& plot);       // the size of residuals against fitted, with a trend
Panel leverage_panel(const RegressionPlot& plot);    // residuals against leverage, with contours of Cook's distance

// All panels for which there are numbers. Without a title.
Figure regression_figure(const RegressionPlot& plot);

}  // namespace plumb
