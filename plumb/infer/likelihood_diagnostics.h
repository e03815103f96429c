// Diagnostics of the rows of a fit by maximum likelihood: one Newton step from the optimum tells what the fit without a
// row would predict for it, to first order (Pregibon 1981).
#pragma once

#include "plumb/infer/diagnostics.h"

namespace plumb {

// For a fit with a curvature. Throws Error(usage) for a softmax.
RowDiagnostics likelihood_diagnostics(const Trained& fit, const Examples& examples, const Run& run);

}  // namespace plumb
