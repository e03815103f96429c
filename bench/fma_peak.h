// The largest rate of multiply-adds of one core: the limit of dense linear algebra.
#pragma once

#include "plumb/math/kernels.h"

namespace bench {

// In GFLOP/s (a fused multiply-add counts two), with the registers of that instruction set.
double fma_peak(plumb::math::Simd simd);

}  // namespace bench
