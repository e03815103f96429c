// Diagnostics of each training row of a least-squares fit, or of one by maximum likelihood, without a second fit:
// leverage, Cook's distance, and the prediction for the row by the fit without it (for a likelihood nearly). Formulas
// and sources: docs/inference.md.
#pragma once

#include <cstdint>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/train/leverages.h"
#include "plumb/train/trainer.h"

namespace plumb {

// In row order; rows of weight 0 are left out.
struct RowDiagnostics {
  std::vector<std::uint64_t> number;                     // global row index
  std::vector<double> actual, weight, fitted, residual;  // residual = actual - fitted
  std::vector<double> leverage;                          // h_i = s_i x_i' (X'SX)^-1 x_i, in [0, 1]
  // Internally studentised, for one copy: r_i / (sd sqrt(1 - h_i / s_i)), for weights below 1 with h_i; NaN where h_i
  // is 1.
  std::vector<double> standardised;
  std::vector<double> cook;      // Cook's distance; NaN where h_i is 1 within rounding
  std::vector<double> left_out;  // prediction for row i of the fit without row i: y_i - r_i / (1 - h_i); NaN as above
  // Of a likelihood: sign(r) sqrt(deviance of one copy), which is then what is standardised; else empty. fitted and
  // left_out are probabilities of the second label, whose targets are 1, or means.
  std::vector<double> deviance;
  double residual_sd = 0.0;
  double press = 0.0;  // sum s_i (y_i - left_out_i)^2
};

// One pass over the rows that the fit was trained on. Throws Error(usage) for a fit without a basis or a curvature of
// one score, which has no diagnostics. standardised and cook are NaN throughout if the fit leaves no degrees of
// freedom.
RowDiagnostics row_diagnostics(const Trained& fit, const Examples& examples, const Run& run);
// Throws Error(resources) if they and the examples exceed the run's memory. row_diagnostics() does so too; this is for
// a check before the fit.
void expect_diagnostics_memory(const Examples& examples, const Run& run);

// Totals of the same pass, in little memory.
struct LeaveOneOut {
  double press = 0.0;       // over the rows with a prediction by a fit without them
  double weight = 0.0;      // sum of their weights
  std::uint64_t alone = 0;  // rows of leverage 1, which have none
  double rmse() const;      // sqrt(press / weight); NaN if no row has one
};
LeaveOneOut leave_one_out(const Trained& fit, const Examples& examples, const Run& run);

}  // namespace plumb
