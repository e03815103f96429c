// What each training row says about a least-squares fit, without a second fit: leverage, Cook's distance, and what the
// fit without the row would have predicted for it. Formulas and sources: docs/inference.md.
#pragma once

#include <cstdint>
#include <vector>

namespace plumb {

// In row order; rows of weight 0 are left out.
struct RowDiagnostics {
  std::vector<std::uint64_t> number;                     // global row index
  std::vector<double> actual, weight, fitted, residual;  // residual = actual - fitted
  std::vector<double> leverage;                          // h_i = s_i x_i' (X'SX)^-1 x_i, in [0, 1]
  std::vector<double> standardised;  // internally studentised: r_i sqrt(s_i) / (sd sqrt(1 - h_i)); NaN where h_i is 1
  std::vector<double> cook;          // Cook's distance; NaN where h_i is 1 within rounding
  std::vector<double> left_out;  // prediction for row i of the fit without row i: y_i - r_i / (1 - h_i); NaN as above
  double residual_sd = 0.0;
  double press = 0.0;  // sum s_i (y_i - left_out_i)^2
};

// sqrt(press / sum of the weights of the rows that have a prediction without them); NaN if none has.
double leave_one_out_rmse(const RowDiagnostics& rows);

}  // namespace plumb
