// The step length along a direction, using known scores: no pass over the data.
#pragma once

#include "plumb/objective/objective.h"

namespace plumb {

// A step t > 0 at which F(w + t d) is below F(w) and its slope in t is at most `precision` times the one at 0, or the
// best that rounding allows; 0 if there is none. `first` is tried first.
// `there` is the objective at `first`, if it is known.
double line_search(const Objective& f, const Objective::Point& point, In d, In zd, double first, double precision,
                   const Objective::Along* there = nullptr);

}  // namespace plumb
