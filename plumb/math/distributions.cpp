// Two functions compute all four distributions: the incomplete gamma function for normal and chi-square, the incomplete
// beta function for t and F. Each is a front factor, essentially the density, times a series or continued fraction.
//
// Front factors (Loader, "Fast and accurate computation of binomial probabilities", 2000): with
//   e(a) = log Gamma(a + 1) - log(sqrt(2 pi a) (a/e)^a)      the error of Stirling's formula
//   D(a, d) = a phi(d / a),  phi(v) = v - log(1 + v)         the deviance of a from a + d
// they are
//   x^a e^-x / Gamma(a + 1)   = exp(-e(a) - D(a, x - a)) / sqrt(2 pi a)
//   x^a y^b / B(a, b)         = exp(e(n) - e(a) - e(b) - D(a, d) - D(b, -d)) sqrt(a b / (2 pi n)),  n = a + b, d = n x
//   - a
// where no large numbers are subtracted from each other: D is the difference, and is at most 700 if the result does not
// underflow. It is computed in double-double, so the relative error of exp(-D) is that of exp alone.
//
// Fractions and series are summed in double-double too: near the middle of large degrees of freedom they need some
// sqrt(freedom) steps, and in double the rounding of that many steps would be visible.
#include "plumb/math/distributions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "plumb/math/double_double.h"
#include "plumb/math/power.h"
#include "plumb/math/special.h"

namespace plumb::math {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double two_pi = 6.283185307179586;
constexpr double settled = 0x1p-60;
constexpr int most_steps = 2'000'000;  // 1e9 degrees of freedom take some 200,000; a series that takes more is NaN

// exp of a double-double, to within 1 ulp.
double exp_of(DoubleDouble t) { return exp(t.high) * (1.0 + t.low); }

// log(1 + v), of which `one_more` is 1 + v, and v - log(1 + v): with r = v / (2 + v),
//   v - log(1 + v) = v r - 2 (r^3/3 + r^5/5 + ...),
// in which the first term is the largest by far. 22 terms leave less than 2^-70 of it for |r| <= 1/3.
DoubleDouble phi(DoubleDouble v, DoubleDouble one_more) {
  if (v.high < -0.5 || v.high > 1.0) return v - (precise_log(one_more.high) + one_more.low / one_more.high);
  const DoubleDouble r = v / (v + 2.0), square = r * r;
  DoubleDouble sum = 0.0;
  for (int k = 45; k >= 3; k -= 2) sum = sum * square + DoubleDouble(1.0) / static_cast<double>(k);
  return v * r - r * square * sum * 2.0;
}

// e(a), by Stirling's series from 16 on (DLMF 5.11.1: the first term left out is below 2^-66), and up to there by
//   e(a) = e(a + 1) + (a + 1/2) log(1 + 1/a) - 1.
DoubleDouble stirling_error(double a) {
  DoubleDouble error = 0.0;
  for (; a < 16.0; a += 1.0) error += (precise_log(a + 1.0) - precise_log(a)) * (a + 0.5) - 1.0;
  constexpr double coefficient[] = {1.0 / 12,        -1.0 / 360, 1.0 / 1260,       -1.0 / 1680,     1.0 / 1188,
                                    -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400, 43867.0 / 244188};
  const double z = 1.0 / (a * a);
  double sum = 0.0;
  for (auto c = std::rbegin(coefficient); c != std::rend(coefficient); ++c) sum = std::fma(sum, z, *c);
  return error + sum / a;
}

// b0 + a1 / (b1 + a2 / (b2 + ...)) from its terms a_k, b_k, k = 1, 2, ..., by Lentz's method after Thompson and Barnett
// (J. Comput. Phys. 64, 1986): the quotients of successive numerators and denominators.
template <class Term>
DoubleDouble fraction(DoubleDouble b0, Term&& term) {
  DoubleDouble value = b0, c = b0, d = 0.0;
  int quiet = 0;  // steps in a row that changed nothing: every other one of a fraction may be small
  for (int k = 1; k < most_steps; ++k) {
    const auto [a, b] = term(static_cast<double>(k));
    d = DoubleDouble(1.0) / (b + a * d);
    c = b + a / c;
    const DoubleDouble change = c * d;
    value *= change;
    const double size = std::fabs((change - 1.0).high);
    if (std::isnan(size)) break;
    quiet = size < settled ? quiet + 1 : 0;
    if (quiet == 2) return value;
  }
  return not_a_number;
}

// Rounding may make a tail slightly larger than 1.
Tails with_lower(double lower, double slope) { return {std::min(lower, 1.0), 1.0 - std::min(lower, 1.0), slope}; }
Tails with_upper(double upper, double slope) { return {1.0 - std::min(upper, 1.0), std::min(upper, 1.0), slope}; }

// Q(a, x) over its front factor x^a e^-x / Gamma(a), for x >= a + 1 or so (DLMF 8.9.2).
DoubleDouble gamma_fraction(double a, DoubleDouble x) {
  const DoubleDouble start = x - a + 1.0;
  return DoubleDouble(1.0) /
         fraction(start, [&](double k) { return std::pair(DoubleDouble(a) * k - two_product(k, k), start + 2.0 * k); });
}

// P(a, x) over the same, below that: sum x^k / (a (a + 1) ... (a + k)) (DLMF 8.7.1).
DoubleDouble gamma_series(double a, DoubleDouble x) {
  DoubleDouble term = DoubleDouble(1.0) / a, sum = term;
  for (int k = 1; k < most_steps; ++k) {
    term = term * x / two_sum(a, static_cast<double>(k));
    sum += term;
    if (term.high <= settled * sum.high) return sum;
  }
  return not_a_number;
}

Tails gamma_tails(double a, DoubleDouble x) {
  const DoubleDouble distance = x - a;
  const DoubleDouble deviance = phi(distance / a, x / a) * a;
  const double front = exp_of(-deviance - stirling_error(a)) * std::sqrt(a / two_pi);
  if (x.high < a + 1.0) return with_lower(front * gamma_series(a, x).high, front);
  return with_upper(front * gamma_fraction(a, x).high, front);
}

// I_x(a, b) over its front factor x^a y^b / B(a, b), for x < (a + 1) / (a + b + 2) or so (DLMF 8.17.22).
DoubleDouble beta_fraction(double a, double b, DoubleDouble x) {
  const DoubleDouble value = fraction(1.0, [&](double k) {
    const double m = std::floor(k / 2.0);
    const DoubleDouble below = two_sum(a, k) * two_sum(a, k - 1.0);
    const DoubleDouble above = k == 2.0 * m ? two_sum(b, -m) * m : -(two_sum(a, m) * (two_sum(a, b) + m));
    return std::pair(above * x / below, DoubleDouble(1.0));
  });
  return DoubleDouble(1.0) / (value * a);
}

// Of F = (u / 2a) / (v / 2b) at f, where P(F < f) = I_x(a, b) with x = a f / (a f + b); f within 1e-290 .. 1e290.
Tails beta_tails(double a, double b, DoubleDouble f) {
  const DoubleDouble n = two_sum(a, b), whole = f * a + b;
  const DoubleDouble x = f * a / whole, y = DoubleDouble(b) / whole;
  const DoubleDouble distance = (f - 1.0) * a * b / whole;  // n x - a, which is b - n y
  const DoubleDouble deviance = phi(distance / a, n * x / a) * a + phi(-distance / b, n * y / b) * b;
  const DoubleDouble stirling = stirling_error(n.high) - stirling_error(a) - stirling_error(b);
  const double front = exp_of(stirling - deviance) * std::sqrt(a / n.high * b / two_pi);
  if (x.high < (a + 1.0) / (a + b + 2.0)) return with_lower(front * beta_fraction(a, b, x).high, front);
  return with_upper(front * beta_fraction(b, a, y).high, front);
}

// Beyond these ends the tail is a power of f, to the last bit, and squares and products would overflow or underflow.
constexpr double far_out = 0x1p900;

Tails f_tails(double a, double b, DoubleDouble f) {
  if (f.high > far_out) {
    const Tails end = beta_tails(a, b, far_out);
    const double left = power(far_out / f.high, b);
    return with_upper(end.upper * left, end.slope * left);
  }
  if (f.high < 1.0 / far_out) {
    const Tails end = beta_tails(a, b, 1.0 / far_out);
    const double left = power(f.high * far_out, a);
    return with_lower(end.lower * left, end.slope * left);
  }
  return beta_tails(a, b, f);
}

bool is_freedom(double freedom) { return freedom >= 1e-3 && freedom < infinity; }

// P(|Z| < x) and P(|Z| > x) for x > 0. With a = 1/2 the front factor is x phi(x), computed directly.
Tails absolute_normal(double x) {
  if (x > 40.0) return with_upper(0.0, 0.0);
  const DoubleDouble half_square = two_product(x, x) * 0.5;
  const double front = exp_of(-half_square) * x / std::sqrt(two_pi);
  if (half_square.high < 1.5) return with_lower(front * gamma_series(0.5, half_square).high, 2.0 * front);
  return with_upper(front * gamma_fraction(0.5, half_square).high, 2.0 * front);
}

// P(|T| < t) and P(|T| > t) for t > 0; the squares are exact.
Tails absolute_t(double freedom, double t) {
  if (freedom > 1e15) return absolute_normal(t > 100.0 ? t : t - (t * t + 1.0) * t / (4.0 * freedom));  // Wallace 1959
  constexpr double root = 0x1p450;
  if (t <= root && t >= 1.0 / root) {
    Tails tails = f_tails(0.5, freedom / 2.0, two_product(t, t));
    tails.slope *= 2.0;
    return tails;
  }
  const Tails end = absolute_t(freedom, t > root ? root : 1.0 / root);
  const double left = t > root ? power(root / t, freedom) : t * root;
  return t > root ? with_upper(end.upper * left, end.slope * left) : with_lower(end.lower * left, end.slope * left);
}

// The x > 0 whose lower or upper tail is p, by Newton steps on log tail as a function of log x. Tails are log-concave
// in log x, so from a point with a tail below p every step stays on that side and comes closer; the first step may
// overshoot to where the tail underflows, and is then halved.
template <class TailsAt>
double solve(double p, bool of_upper, double start, TailsAt&& tails_at) {
  double low = 0.0, high = infinity;  // x is between them
  double x = start;
  for (int round = 0; round < 2000; ++round) {
    const Tails tails = tails_at(x);
    const double tail = of_upper ? tails.upper : tails.lower;
    if (tail == p) return x;
    ((tail > p) == of_upper ? low : high) = x;
    const double step = tail > 0.0 && tails.slope > 0.0 ? log(tail / p) * tail / tails.slope : not_a_number;
    double next = std::fabs(step) < 700.0 ? x * exp(of_upper ? step : -step) : not_a_number;
    if (!(next > low && next < high)) {
      if (std::fabs(step) < 0x1p-50) return x;
      next = high == infinity ? x * 0x1p20 : low == 0.0 ? x * 0x1p-20 : std::sqrt(low) * std::sqrt(high);
    }
    if (next == x || !(next > 0.0) || next == infinity) return next;
    if (std::fabs(next - x) <= 0x1p-52 * x) return next;
    x = next;
  }
  return x;
}

// The x of a distribution on x > 0, given one tail; the smaller of the two is the one to solve for.
template <class TailsAt>
double quantile_of(double p, bool of_upper, double start, TailsAt&& tails_at) {
  if (!(p >= 0.0 && p <= 1.0)) return not_a_number;
  if (p == 0.0) return of_upper ? infinity : 0.0;
  if (p == 1.0) return of_upper ? 0.0 : infinity;
  if (p > 0.5) return solve(1.0 - p, !of_upper, start, tails_at);
  return solve(p, of_upper, start, tails_at);
}

// The x of a distribution that is symmetric around 0, given its upper tail and the tails of its absolute value.
template <class TailsAt>
double symmetric_quantile(double upper, TailsAt&& tails_at) {
  if (!(upper >= 0.0 && upper <= 1.0)) return not_a_number;
  if (upper > 0.5) {
    // 1 - upper would lose the digits of upper below the last bit of 1; near 1/2 the centre 2 upper - 1 is exact.
    if (upper < 0.75) return -solve(2.0 * upper - 1.0, false, 1.0, tails_at);
    return -symmetric_quantile(1.0 - upper, tails_at);
  }
  if (upper == 0.5) return 0.0;
  if (upper == 0.0) return infinity;
  if (upper > 0.25) return solve(1.0 - 2.0 * upper, false, 1.0, tails_at);
  return solve(2.0 * upper, true, 1.0, tails_at);
}

}  // namespace

double Normal::upper(double x) const noexcept {
  if (std::isnan(x)) return not_a_number;
  if (x == 0.0) return 0.5;
  const Tails tails = absolute_normal(std::fabs(x));
  return x > 0.0 ? tails.upper / 2.0 : 0.5 + tails.lower / 2.0;
}

double Normal::upper_quantile(double p) const noexcept {
  return symmetric_quantile(p, [](double x) { return absolute_normal(x); });
}

double StudentT::two_sided(double t) const noexcept {
  if (std::isnan(t) || !is_freedom(freedom)) return not_a_number;
  if (t == 0.0 || std::isinf(t)) return t == 0.0 ? 1.0 : 0.0;
  return absolute_t(freedom, std::fabs(t)).upper;
}

double StudentT::upper(double t) const noexcept {
  if (std::isnan(t) || !is_freedom(freedom)) return not_a_number;
  if (t == 0.0) return 0.5;
  if (std::isinf(t)) return t > 0.0 ? 0.0 : 1.0;
  const Tails tails = absolute_t(freedom, std::fabs(t));
  return t > 0.0 ? tails.upper / 2.0 : 0.5 + tails.lower / 2.0;
}

double StudentT::upper_quantile(double p) const noexcept {
  if (!is_freedom(freedom)) return not_a_number;
  return symmetric_quantile(p, [this](double t) { return absolute_t(freedom, t); });
}

Tails ChiSquare::tails(double x) const noexcept {
  if (std::isnan(x) || !is_freedom(freedom)) return {not_a_number, not_a_number, not_a_number};
  if (x <= 0.0) return {};
  if (x == infinity) return {1.0, 0.0, 0.0};
  return gamma_tails(freedom / 2.0, x / 2.0);
}

double ChiSquare::quantile(double p) const noexcept {
  if (!is_freedom(freedom)) return not_a_number;
  return quantile_of(p, false, freedom, [this](double x) { return tails(x); });
}

double ChiSquare::upper_quantile(double p) const noexcept {
  if (!is_freedom(freedom)) return not_a_number;
  return quantile_of(p, true, freedom, [this](double x) { return tails(x); });
}

Tails FRatio::tails(double f) const noexcept {
  if (std::isnan(f) || !is_freedom(numerator) || !is_freedom(denominator))
    return {not_a_number, not_a_number, not_a_number};
  if (f <= 0.0) return {};
  if (f == infinity) return {1.0, 0.0, 0.0};
  return f_tails(numerator / 2.0, denominator / 2.0, f);
}

double FRatio::quantile(double p) const noexcept {
  if (!is_freedom(numerator) || !is_freedom(denominator)) return not_a_number;
  return quantile_of(p, false, 1.0, [this](double f) { return tails(f); });
}

double FRatio::upper_quantile(double p) const noexcept {
  if (!is_freedom(numerator) || !is_freedom(denominator)) return not_a_number;
  return quantile_of(p, true, 1.0, [this](double f) { return tails(f); });
}

double log_poisson_at_mean(double y) noexcept {
  if (!(y > 0.0)) return 0.0;
  return -stirling_error(y).high - log(two_pi * y) / 2;
}

}  // namespace plumb::math
