// Inference as text for people: the lines under the table of weights.
#pragma once

#include <string>

#include "plumb/model/model.h"
#include "plumb/model/record.h"

namespace plumb {

// "0.0034", or "<2e-16" for a number indistinguishable from 0; empty for NaN.
std::string p_text(double p);

// Residual sd, R^2, F, criteria, leave-one-out error, largest VIF: as many as the record has, in up to three lines.
std::string inference_lines(const LinearModel& model, const Record& record);

}  // namespace plumb
