// log_sum_exp and softmax: closed forms, exact values from MPFR, the documented ends, and equal bits from every table.
#include "plumb/math/special.h"

#include "plumb/math/dense.h"
#include "plumb/math/testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace plumb::math::softmax_test {
namespace {

using testing::Exact;
using testing::infinity;
using testing::nan;
using testing::Random;
using testing::same;
using testing::tables;

TEST(LogSumExp, OfEqualNumbersIsTheNumberPlusLogN) {
  for (std::size_t n = 1; n <= 600; ++n) {
    const std::vector<double> x(n, -3.25);
    EXPECT_TRUE(same(log_sum_exp(x), -3.25 + log(static_cast<double>(n))));
  }
}

TEST(LogSumExp, HasTheDocumentedEnds) {
  for (const Kernels* const table : tables()) {
    const auto of = [table](const std::vector<double>& x) { return table->log_sum_exp(x.data(), x.size()); };
    EXPECT_EQ(of({}), -infinity);
    EXPECT_EQ(of({-infinity, -infinity}), -infinity);
    EXPECT_EQ(of({1.0, infinity, -infinity}), infinity);
    EXPECT_EQ(of({-infinity, 2.5}), 2.5);
    EXPECT_EQ(of({1e308, 1e308}), 1e308);
    EXPECT_EQ(of({-1e308, -1e308}), -1e308);
    for (std::size_t n = 1; n < 20; ++n) {
      for (std::size_t at = 0; at < n; ++at) {
        std::vector<double> x(n, infinity);
        x[at] = nan;
        EXPECT_EQ(std::bit_cast<std::uint64_t>(of(x)), 0x7ff8000000000000u);
      }
    }
  }
}

TEST(LogSumExp, IsCloseToTheExactValue) {
  Random random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::vector<double> x = random.vector(1 + random.below(300), -40.0, 40.0);
    Exact total(0.0, 120), term(0.0, 120);
    for (const double each : x) {
      mpfr_set_d(term.get(), each, MPFR_RNDN);
      mpfr_exp(term.get(), term.get(), MPFR_RNDN);
      total = total + term;
    }
    mpfr_log(total.get(), total.get(), MPFR_RNDN);
    // x - max is rounded once (|x - max| <= 80), the sum of n terms n/8 + 3 times.
    const double bound = 0x1p-53 * (80.0 + static_cast<double>(x.size()) / 8.0 + 8.0 + std::fabs(total.rounded()));
    EXPECT_LE(abs(Exact(log_sum_exp(x)) - total).rounded(), bound);
  }
}

TEST(LogSumExp, AndSoftmaxGiveTheSameBitsFromEveryTable) {
  Random random(2);
  for (std::size_t n = 0; n <= 600; n += n < 40 ? 1 : 61) {
    for (std::size_t start = 0; start < 3; ++start) {
      const std::vector<double> x = random.vector(n + start, -30.0, 30.0);
      const double* const from = x.data() + start;
      const double expected = kernels_for(Simd::scalar)->log_sum_exp(from, n);
      std::vector<double> expected_y(n), y(n);
      kernels_for(Simd::scalar)->softmax(from, expected_y.data(), n);
      for (const Kernels* const table : tables()) {
        ASSERT_TRUE(same(table->log_sum_exp(from, n), expected)) << name(table->simd) << ' ' << n;
        table->softmax(from, y.data(), n);
        ASSERT_EQ(y, expected_y) << name(table->simd) << ' ' << n;
        std::vector<double> in_place(from, from + n);
        table->softmax(in_place.data(), in_place.data(), n);
        ASSERT_EQ(in_place, expected_y);
      }
    }
  }
}

TEST(Softmax, SumsToOneAndIgnoresAShift) {
  Random random(3);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<double> x = random.vector(1 + random.below(100), -700.0, 700.0), y(x.size()), shifted(x.size());
    for (double& each : x) each = std::round(each);  // so that the shift below is exact
    softmax(x, y);
    EXPECT_NEAR(sum(y), 1.0, 1e-15);
    for (double& each : x) each += 4096.0;
    softmax(x, shifted);
    EXPECT_EQ(y, shifted);
  }
}

TEST(Softmax, OfTwoNumbersIsTheSigmoidOfTheirDifference) {
  Random random(4);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::vector<double> x = {random.uniform(-20.0, 20.0), 0.0};
    std::vector<double> y(2);
    softmax(x, y);
    EXPECT_NEAR(y[0], sigmoid(x[0]), 4 * 0x1p-53 * y[0]);
  }
}

TEST(Softmax, IsNanWhereTheQuotientIsNotDefined) {
  for (const std::vector<double>& x : {std::vector<double>{-infinity, -infinity}, {1.0, infinity}, {nan, 1.0}}) {
    std::vector<double> y(2);
    softmax(x, y);
    for (const double each : y) EXPECT_EQ(std::bit_cast<std::uint64_t>(each), 0x7ff8000000000000u);
  }
  std::vector<double> y(2);
  softmax(std::vector<double>{-infinity, 3.0}, y);
  EXPECT_EQ(y, (std::vector<double>{0.0, 1.0}));
}

}  // namespace
}  // namespace plumb::math::softmax_test
