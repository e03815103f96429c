// Of a least-squares fit: the F test of every term from the fit alone, and the quantiles of its residuals.
#pragma once

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/train/trainer.h"

namespace plumb {

// In a record: the least residual, its quartiles and the largest.
inline constexpr const char* kResidualQuantiles = "residual_quantiles";

// Sums of squares of type II: what a term adds to a model of all terms that do not contain it. Without `all` only if a
// term has several features, since F of one feature is t^2. For a fit with leverages.
void add_least_squares_terms(Trained& fit, bool all);

// Beyond that many rows the quantiles are left out, which need all residuals at once.
inline constexpr std::uint64_t kMostQuantileRows = 10'000'000;
void add_residual_quantiles(Trained& fit, const Examples& examples, const Run& run);

}  // namespace plumb
