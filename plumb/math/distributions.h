// Tails and quantiles of the four distributions that tests and intervals need. Every tail, however far out, has a
// relative error of at most 1e-14 (down to 1e-300), for degrees of freedom, whole or not, from 1 to 1e9; a quantile is
// as precise as its tail's slope allows. The same bits on every machine. The method: docs/inference.md.
#pragma once

namespace plumb::math {

// Both tails at a point, each accurate where it is small, and d lower / d log x.
struct Tails {
  double lower = 0.0;
  double upper = 1.0;
  double slope = 0.0;
};

// quantile(p) is the x with lower(x) = p, upper_quantile(p) the one with upper(x) = p; p in [0, 1]. NaN for an argument
// that is not a probability or not a number, for degrees of freedom below 0.001, and, far beyond 1e9 of them, where
// chi-square and F would take too long.
struct Normal {
  double lower(double x) const noexcept { return upper(-x); }
  double upper(double x) const noexcept;
  double quantile(double p) const noexcept { return -upper_quantile(p); }
  double upper_quantile(double p) const noexcept;
};

struct StudentT {
  double freedom;
  double lower(double t) const noexcept { return upper(-t); }
  double upper(double t) const noexcept;
  double two_sided(double t) const noexcept;  // P(|T| > |t|): the p-value of a weight
  double quantile(double p) const noexcept { return -upper_quantile(p); }
  double upper_quantile(double p) const noexcept;
};

struct ChiSquare {
  double freedom;
  double lower(double x) const noexcept { return tails(x).lower; }
  double upper(double x) const noexcept { return tails(x).upper; }
  double quantile(double p) const noexcept;
  double upper_quantile(double p) const noexcept;
  Tails tails(double x) const noexcept;
};

struct FRatio {
  double numerator;    // degrees of freedom of the numerator
  double denominator;  // and of the denominator
  double lower(double f) const noexcept { return tails(f).lower; }
  double upper(double f) const noexcept { return tails(f).upper; }
  double quantile(double p) const noexcept;
  double upper_quantile(double p) const noexcept;
  Tails tails(double f) const noexcept;
};

// log P(Y = y) for a Poisson variable whose mean is y: -log(2 pi y) / 2 minus the error of Stirling's formula, without
// the large terms y log y and log y! that cancel. 0 for y = 0; y may be a fraction (its factorial is Gamma(y + 1)).
double log_poisson_at_mean(double y) noexcept;

}  // namespace plumb::math
