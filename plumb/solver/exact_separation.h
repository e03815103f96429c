// Whether classes are separated, without rounding, for small data. By Stiemke's alternative either a direction d has
// A_i.d >= 0 for all pairs of a row and another class, and > 0 for some; or there are shares above 0 for all with
// sum a_i A_i = 0. The shares can be 1 + b, b >= 0: a system for the simplex method, whose own proof that there are
// none is the direction.
#pragma once

#include <optional>

#include "plumb/solver/separation.h"

namespace plumb {

// The columns are not named. Nothing if it would take more than some seconds.
std::optional<Separation> exact_separation(const Objective& f);

}  // namespace plumb
