// Squares of distances from the means of bell curves, of several classes at once, where one of them loses a row.
#pragma once

#include "plumb/base/span.h"
#include "plumb/math/kernels.h"

#include <cassert>
#include <cstddef>

namespace plumb::math {

// The numbers are x_0, x_step, x_2step, ..., for a step of 1 or 2, n of them. The table has four arrays for each class:
// means m in two parts, inverse variances v and shares u, all 0 after n. For each class but bells.label, others_k =
// sum_j v_j (x_j - m_j)^2. Of that one, with t_j = v_j (x_j - m_j)^2 and r_j = 1 - lift u_j - take t_j, squares is
// sum_j t_j / r_j and the product of `ratio` that of all r_j; enough says whether all are at least 2^-10.
inline void bell_squares(const double* x, std::size_t step, std::size_t n, const BellTable& bells, OwnBell& own,
                         Out others) noexcept {
  assert((step == 1 || step == 2) && n <= kMostBells && n <= bells.width && bells.width % 8 == 0);
  assert(bells.label < bells.classes && others.size() == bells.classes);
  kernels().bell_squares(x, step, n, bells, own, others.data());
}

}  // namespace plumb::math
