// A v = value v, vectors orthonormal, closed forms.
#include "plumb/math/eigen.h"

#include "plumb/base/error.h"
#include "plumb/math/testing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace plumb::math::eigen_test {
namespace {

// The largest of |A v - value v| and |v'v - 1 or 0|, against the size of A.
double fault_of(const std::vector<double>& a, std::size_t p, const Eigen& eigen) {
  double largest = 0.0, size = 1e-300;
  for (const double value : eigen.values) size = std::max(size, std::abs(value));
  for (std::size_t k = 0; k < p; ++k) {
    const double* const v = &eigen.vectors[k * p];
    for (std::size_t i = 0; i < p; ++i) {
      double sum = -eigen.values[k] * v[i];
      for (std::size_t j = 0; j < p; ++j) sum += a[std::max(i, j) * p + std::min(i, j)] * v[j];
      largest = std::max(largest, std::abs(sum) / size);
    }
    for (std::size_t l = 0; l <= k; ++l) {
      double product = k == l ? -1.0 : 0.0;
      for (std::size_t j = 0; j < p; ++j) product += v[j] * eigen.vectors[l * p + j];
      largest = std::max(largest, std::abs(product));
    }
  }
  return largest;
}

TEST(Eigen, SolvesRandomMatricesOfEverySize) {
  for (std::size_t p = 0; p <= 40; ++p) {
    testing::Random random(p + 1);
    std::vector<double> a(p * p);
    for (std::size_t i = 0; i < p; ++i)
      for (std::size_t j = 0; j <= i; ++j) a[i * p + j] = random.uniform(-1, 1);
    const Eigen eigen = symmetric_eigen(a, p);
    EXPECT_TRUE(std::is_sorted(eigen.values.begin(), eigen.values.end()));
    EXPECT_LT(fault_of(a, p, eigen), 1e-13) << p;
  }
}

// Products of few numbers with many: most values are 0 but for rounding.
TEST(Eigen, SolvesMatricesThatLackRank) {
  for (std::size_t p = 60; p <= 140; p += 20)
    for (const std::size_t rank : {p / 10, p / 2}) {
      testing::Random random(p + rank);
      std::vector<double> x(rank * p), a(p * p);
      for (double& each : x) each = random.uniform(-1, 1);
      for (std::size_t i = 0; i < p; ++i)
        for (std::size_t j = 0; j <= i; ++j)
          for (std::size_t r = 0; r < rank; ++r) a[i * p + j] += x[r * p + i] * x[r * p + j];
      const Eigen eigen = symmetric_eigen(a, p);
      EXPECT_LT(fault_of(a, p, eigen), 1e-12) << p << " " << rank;
    }
}

// 2 on the diagonal, -1 beside it: the values are 2 - 2 cos(k pi / (p + 1)).
TEST(Eigen, KnowsTheSecondDifference) {
  const std::size_t p = 30;
  std::vector<double> a(p * p);
  for (std::size_t i = 0; i < p; ++i) {
    a[i * p + i] = 2;
    if (i > 0) a[i * p + i - 1] = -1;
  }
  const Eigen eigen = symmetric_eigen(a, p);
  for (std::size_t k = 0; k < p; ++k)
    EXPECT_NEAR(eigen.values[k], 2 - 2 * std::cos(std::numbers::pi * static_cast<double>(k + 1) / 31), 1e-14);
}

TEST(Eigen, SolvesMatricesWithEqualValuesAndWithNone) {
  for (const double value : {0.0, 1.0, -3e200}) {
    std::vector<double> a(25);
    for (std::size_t i = 0; i < 5; ++i) a[i * 5 + i] = value;
    const Eigen eigen = symmetric_eigen(a, 5);
    EXPECT_EQ(eigen.values, std::vector<double>(5, value));
    EXPECT_LT(fault_of(a, 5, eigen), 1e-15);
  }
  const std::vector<double> ones(36, 1.0);  // rank 1: the values are 0 and 6
  const Eigen eigen = symmetric_eigen(ones, 6);
  EXPECT_NEAR(eigen.values.back(), 6, 1e-14);
  EXPECT_NEAR(eigen.values[4], 0, 1e-14);
  EXPECT_LT(fault_of(ones, 6, eigen), 1e-14);
}

TEST(Eigen, RefusesNumbersThatAreNotFinite) {
  EXPECT_THROW(symmetric_eigen({std::numeric_limits<double>::infinity()}, 1), Error);
}

}  // namespace
}  // namespace plumb::math::eigen_test
