// Logistic regression with Firth's penalty (Biometrika 80, 1993): the likelihood times the square root of det I, which
// removes the first-order bias of the estimates and keeps them finite if the classes are separable.
#pragma once

#include "plumb/train/convex_options.h"
#include "plumb/train/trainer.h"

namespace plumb {

// The number of a fit that says so: log l + log det I / 2 at the estimate.
inline constexpr const char* kFirthLikelihood = "penalised_log_likelihood";

// Throws Error(usage) for options that --firth excludes.
void expect_firth(const ConvexOptions& options);
// For two labels; throws Error(usage) for more.
Trained fit_by_firth(const Problem& problem, const ConvexOptions& options, const Run& run);

}  // namespace plumb
