// A Basis in double-double whose rows have all their digits. The factor U of a Gram matrix has lost condition^2 of
// them; transforming the rows into its coordinates shows the error, and corrects it.
#pragma once

#include <optional>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/train/basis.h"

namespace plumb {

// For an exact basis of these rows without a penalty, in units in which a row weighs `weight_scale` times its weight:
// leverages are then off by about condition 2^-104 plus the error of a sum of doubles. Empty if U is too far from a
// root of the Gram matrix for that.
std::optional<Basis> refined_basis(const Basis& basis, const Examples& examples, double weight_scale, const Run& run);

}  // namespace plumb
