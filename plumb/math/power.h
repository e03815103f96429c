// Powers and logarithms to other bases, through a logarithm and an exponential in double-double: x^y = e^(y log x)
// loses as many bits as y log x has before the point, so log x is needed to 2^-70. Same bits on every machine.
#pragma once

#include "plumb/math/double_double.h"

namespace plumb::math {

// Within 1 ulp of the exact value, and exact if it is a double of less than 53 bits: power(10, 22), log10(1e22),
// power(4, 0.5). The worst of 20 million arguments each against MPFR: power 0.75 ulp (0.51 if the result is not
// subnormal), log2 and log10 0.51.
//
// power(x, 0) is 1 for every x. A negative x needs a whole y: NaN otherwise. 0 to a negative power is infinite; so is a
// result that is too large. NaN if x or y is not finite.
double power(double x, double y) noexcept;
double log2(double x) noexcept;   // -inf at 0, NaN below, inf at inf
double log10(double x) noexcept;  // the same

// log x within 2^-70 of itself, for finite x > 0.
DoubleDouble precise_log(double x) noexcept;

}  // namespace plumb::math
