// The environment variable PLUMB_SIMD, which names the instruction set of the kernels.
#pragma once

namespace plumb::math {

// Throws Error(usage) if the variable is set to anything but scalar, avx2, avx512 or neon, or to one that this machine
// lacks. The library ignores such a value, because results are the same bits with any kernels; a program calls this at
// its start, so that a typing error is noticed.
void expect_known_simd();

}  // namespace plumb::math
