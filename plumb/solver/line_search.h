// How far to go along a direction, on scores that are known: no pass over the data.
#pragma once

#include "plumb/objective/objective.h"

namespace plumb {

// A step t > 0 at which F(w + t d) is below F(w) and its slope in t is at most `precision` times the one at 0, or the
// best that rounding lets one find; 0 if there is none. `first` is tried first.
// If it is known, `there` is what the objective is at `first`.
double line_search(const Objective& f, const Objective::Point& point, In d, In zd, double first, double precision,
                   const Objective::Along* there = nullptr);

}  // namespace plumb
