// The steps of a solver as CSV and as JSON: for plots and for following by hand.
#pragma once

#include <span>
#include <string>

#include "plumb/base/json_writer.h"
#include "plumb/solver/solver_options.h"

namespace plumb {

// iteration,loss,gradient_norm,step,passes,gap and, if they are few, weight1,... with the bias last; for an online fit
// norm, |w|, and the mistakes of a pass as its loss. A gap without a proof is empty, and so are numbers that a solver
// does not have.
std::string trace_csv(std::span<const SolverStep> trace);

// "trace": [{iteration, loss, gradient_norm, step, passes, gap}, ...]
void add_trace(JsonWriter& json, std::span<const SolverStep> trace);

}  // namespace plumb
