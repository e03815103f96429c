// The pictures that judge a regression, from what each row says about it. What each shows and how to read it:
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
  std::vector<double> grid, fitted;  // ascending, and what the model says there; not finite where it says nothing
  std::vector<double> low, high;     // the bounds of a band around it, or empty
  std::string band = {};             // what the band is: "95 % confidence"
};

// Rows in order, with what is known of them. `leverage`, `standardised` and `cook` may be empty, and `residual_sd` 0,
// for rows that the model was not fitted to: residuals are then divided by their own root mean square.
struct RegressionPlot {
  const RowDiagnostics& rows;
  std::string target;
  std::optional<FitCurve> curve = {};
  // Further rows, which the model was not fitted to.
  std::vector<double> heldout_actual = {};
  std::vector<double> heldout_fitted = {};
};

Panel fit_panel(const RegressionPlot& plot);         // the points, the curve and its band; plot.curve must be there
Panel prediction_panel(const RegressionPlot& plot);  // predicted against actual, with the diagonal
Panel heldout_panel(const RegressionPlot& plot);     // the same of the rows held out, where all are too many for one
Panel residual_panel(const RegressionPlot& plot);    // residuals against fitted, with a trend
Panel normal_panel(const RegressionPlot& plot);      // residuals against normal quantiles, with a band of chance
Panel scale_panel(const RegressionPlot& plot);       // the size of residuals against fitted, with a trend
Panel leverage_panel(const RegressionPlot& plot);    // residuals against leverage, with contours of Cook's distance

// All of them that there are numbers for. It has no title yet.
Figure regression_figure(const RegressionPlot& plot);

}  // namespace plumb
