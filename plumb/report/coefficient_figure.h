// The weights of a model as a picture: a dot for each of the most important features, with its 95 % interval where the
// fit has standard errors, else with a line from 0.
#pragma once

#include <cstdint>
#include <optional>

#include "plumb/model/model.h"
#include "plumb/model/record.h"
#include "plumb/report/plot.h"

namespace plumb {

// Of each row of the model the `top` features that matter most. Nothing where the model has no features.
std::optional<Figure> coefficient_figure(const LinearModel& model, const Record& record, std::uint64_t top);

}  // namespace plumb
