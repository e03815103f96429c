// What takes refits: profile-likelihood intervals, likelihood-ratio tests of single weights and of terms.
#pragma once

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/infer/inference.h"
#include "plumb/train/trainer.h"

namespace plumb {

// In a record, for every row of the model its features and then the bias: the ends of the intervals (the largest double
// where there is none), and twice the loss of likelihood with that weight at 0.
inline constexpr const char* kProfileLow = "profile.low";
inline constexpr const char* kProfileHigh = "profile.high";
inline constexpr const char* kProfileRatio = "profile.chi_square";
// The number of a fit whose p-values and intervals come from its profile.
inline constexpr double kNoEnd = 1.7976931348623157e308;

// For a fit with a curvature: the intervals and, where `terms`, the tests of terms.
void add_full_inference(Trained& fit, const Examples& examples, bool terms, const Run& run);

// Beyond that many rows times columns cubed, refits are made only on request: minutes.
inline constexpr double kMostProfileWork = 1e9;
double profile_work(const Trained& fit, const Examples& examples);

}  // namespace plumb
