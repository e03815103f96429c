// The environment variable PLUMB_SIMD, which names the instruction set of the kernels.
#pragma once

namespace plumb::math {

// Throws Error(usage) if the variable is set to anything but scalar, avx2, avx512 or neon. The library takes no notice
// of such a value, since results are the same bits with any kernels; a program calls this at its start, so that a slip
// of the fingers does not stay unseen.
void expect_known_simd();

}  // namespace plumb::math
