// The hyperplanes of the online loop as the weights of a model, and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "plumb/model/model.h"
#include "plumb/model/record.h"
#include "plumb/solver/online.h"

namespace plumb {

// Of many classes most weights are 0: then rows of non-zeros take less.
Weights weights_of(const Planes& planes);
Planes planes_of(const LinearModel& model);

// As a statistic: weights, then bias, plane by plane. Where most are 0 two: NAME_places of the others, and NAME_values.
void add_planes(Record& record, std::string_view name, const Planes& planes);
std::optional<Planes> kept_planes(const Record& record, std::string_view name, std::uint32_t planes,
                                  std::uint32_t features);

}  // namespace plumb
