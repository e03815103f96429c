// Further functions of one number, made of exp, log, sin, cos and arithmetic in double-double: the same bits on every
// machine, and no call to the system's libm. Within 4 ulp of the exact value.
#pragma once

namespace plumb::math {

double tan(double x) noexcept;
double asin(double x) noexcept;  // NaN beyond 1, as acos
double acos(double x) noexcept;
double atan(double x) noexcept;
double sinh(double x) noexcept;
double cosh(double x) noexcept;
double tanh(double x) noexcept;
double erf(double x) noexcept;
double cbrt(double x) noexcept;  // exact where the root is a double of less than 53 bits

}  // namespace plumb::math
