// Standard errors and intervals by the bootstrap (Efron 1979): the spread of the weights of refits to rows drawn with
// replacement. It holds with a penalty too, for the penalised weights. Formulas: docs/inference.md.
#pragma once

#include <cstdint>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/train/trainer.h"

namespace plumb {

// In a record, for every row of the model its features and then the bias: the ends of the percentile intervals. And
// how many refits they come from.
inline constexpr const char* kBootstrapLow = "bootstrap.low";
inline constexpr const char* kBootstrapHigh = "bootstrap.high";
inline constexpr const char* kBootstrapRefits = "resamples";

// Replaces the standard errors of the fit, which this trainer made. Draws depend on the seed alone, so the bits do not
// depend on threads. Refits without finite weights are left out, with a warning. Throws Error(usage) for a model whose
// rows are voters.
void add_bootstrap(Trained& fit, const Examples& examples, const Trainer& trainer, std::uint64_t resamples,
                   const Run& run);

}  // namespace plumb
