// What the tests of this layer share: every table this machine can run, random numbers of every kind, and exact
// arithmetic (MPFR) to measure errors by. Included by tests alone.
#pragma once

#include "plumb/math/double_double.h"
#include "plumb/math/kernels.h"

#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <random>
#include <vector>

namespace plumb::math::testing {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double smallest = std::numeric_limits<double>::denorm_min();
inline constexpr double largest = std::numeric_limits<double>::max();

// The tables to test, scalar first; prints which ones it had to leave out.
inline std::vector<const Kernels*> tables() {
  std::vector<const Kernels*> found;
  for (const Simd simd : {Simd::scalar, Simd::avx2, Simd::avx512, Simd::neon}) {
    if (const Kernels* const table = kernels_for(simd)) {
      found.push_back(table);
    } else {
      std::cout << "skipped: " << name(simd) << ", this machine or build lacks it\n";
    }
  }
  return found;
}

inline bool full_run() { return std::getenv("PLUMB_FULL") != nullptr; }

// Equal bits; any two NaN agree.
inline bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (a != a && b != b);
}

struct Random {
  std::mt19937_64 engine;

  explicit Random(std::uint64_t seed) : engine(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine() >> 11) * 0x1p-53);
  }
  double any_bits() { return std::bit_cast<double>(engine()); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine() % n); }
  // Sign and 53 bits at random, magnitude spread evenly over 2^low .. 2^high.
  double spread(int low, int high) {
    const int exponent = low + static_cast<int>(below(static_cast<std::size_t>(high - low)));
    const double size = std::ldexp(1.0 + static_cast<double>(engine() >> 12) * 0x1p-52, exponent);
    return engine() & 1 ? size : -size;
  }
  // A number at most `ulps` representable numbers away from x.
  double near(double x, int ulps) {
    const int steps = static_cast<int>(below(static_cast<std::size_t>(2 * ulps + 1))) - ulps;
    for (int i = 0; i < std::abs(steps); ++i) x = std::nextafter(x, steps < 0 ? -HUGE_VAL : HUGE_VAL);
    return x;
  }
  std::vector<double> vector(std::size_t n, double low = -1.0, double high = 1.0) {
    std::vector<double> result(n);
    for (double& x : result) x = uniform(low, high);
    return result;
  }
};

// An MPFR number that frees itself. 400 bits represent every sum and product that these tests form, or all that matters
// of it.
class Exact {
 public:
  explicit Exact(double value = 0.0, mpfr_prec_t bits = 400) {
    mpfr_init2(value_, bits);
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  explicit Exact(DoubleDouble value) : Exact(value.high) { mpfr_add_d(value_, value_, value.low, MPFR_RNDN); }
  Exact(const Exact& other) {
    mpfr_init2(value_, mpfr_get_prec(other.value_));
    mpfr_set(value_, other.value_, MPFR_RNDN);
  }
  Exact& operator=(const Exact& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Exact() { mpfr_clear(value_); }

  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }
  double rounded() const { return mpfr_get_d(value_, MPFR_RNDN); }

  friend Exact operator+(Exact a, const Exact& b) { return mpfr_add(a.get(), a.get(), b.get(), MPFR_RNDN), a; }
  friend Exact operator-(Exact a, const Exact& b) { return mpfr_sub(a.get(), a.get(), b.get(), MPFR_RNDN), a; }
  friend Exact operator*(Exact a, const Exact& b) { return mpfr_mul(a.get(), a.get(), b.get(), MPFR_RNDN), a; }
  friend Exact operator/(Exact a, const Exact& b) { return mpfr_div(a.get(), a.get(), b.get(), MPFR_RNDN), a; }
  friend Exact abs(Exact a) { return mpfr_abs(a.get(), a.get(), MPFR_RNDN), a; }
  friend Exact sqrt(Exact a) { return mpfr_sqrt(a.get(), a.get(), MPFR_RNDN), a; }

 private:
  mpfr_t value_;
};

// |y - exact| in units in the last place of a double as large as exact; an infinite y counts as 2^1024.
inline double ulps(double y, const Exact& exact) {
  if (mpfr_nan_p(exact.get()) || y != y) return mpfr_nan_p(exact.get()) && y != y ? 0.0 : HUGE_VAL;
  if (mpfr_inf_p(exact.get())) return mpfr_get_d(exact.get(), MPFR_RNDN) == y ? 0.0 : HUGE_VAL;
  if (mpfr_zero_p(exact.get())) return y == 0.0 ? 0.0 : HUGE_VAL;
  if (std::isinf(y) && mpfr_get_exp(exact.get()) > 1024)
    return (y > 0.0) == (mpfr_sgn(exact.get()) > 0) ? 0.0 : HUGE_VAL;
  Exact difference(0.0, mpfr_get_prec(exact.get()) + 64);
  if (std::isinf(y)) {
    mpfr_set_si_2exp(difference.get(), y > 0.0 ? 1 : -1, 1024, MPFR_RNDN);
  } else {
    mpfr_set_d(difference.get(), y, MPFR_RNDN);
  }
  mpfr_sub(difference.get(), difference.get(), exact.get(), MPFR_RNDN);
  const mpfr_exp_t exponent = std::clamp<mpfr_exp_t>(mpfr_get_exp(exact.get()), -1021, 1024);
  mpfr_mul_2si(difference.get(), difference.get(), 53 - exponent, MPFR_RNDN);
  return std::fabs(difference.rounded());
}

}  // namespace plumb::math::testing
