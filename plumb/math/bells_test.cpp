#include "plumb/math/bells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "plumb/math/column_sums.h"
#include "plumb/math/testing.h"

namespace plumb::math::bells_test {
namespace {

using testing::Random;
using testing::tables;

TEST(BellSquares, AreThoseOfEachClassAndOfOneWithoutTheRow) {
  Random random(12);
  for (const Kernels* const table : tables())
    for (std::size_t n = 1; n <= 41; ++n)
      for (const std::size_t classes : {1u, 2u, 3u})
        for (const std::size_t step : {1u, 2u}) {
          const std::size_t width = in_eights(n) + 8, label = n % classes;
          const std::vector<double> x = random.vector(step * (n - 1) + 1);
          std::vector<double> numbers(classes * 4 * width);
          for (std::size_t k = 0; k < classes; ++k)
            for (std::size_t j = 0; j < n; ++j) {
              double* const at = numbers.data() + k * 4 * width + j;
              at[0] = random.uniform(-1, 1);
              at[width] = 1e-17 * random.uniform(-1, 1);
              at[2 * width] = random.uniform(0.5, 2);
              at[3 * width] = random.uniform(0, 1);
            }
          const double take = n % 5 == 0 ? 0.9 : 0.05, lift = n % 2 == 0 ? 0.25 : -0.1;
          OwnBell own;
          std::vector<double> others(classes, 7.0);
          table->bell_squares(x.data(), step, n, {numbers.data(), width, classes, label, take, lift}, own,
                              others.data());
          for (std::size_t k = 0; k < classes; ++k) {
            long double sum = 0, ratio = 1, least = 1;
            for (std::size_t j = 0; j < n; ++j) {
              const double* const at = numbers.data() + k * 4 * width + j;
              const long double off = static_cast<long double>(x[step * j]) - at[0] - at[width];
              const long double square = off * off * at[2 * width];
              const long double left = k == label ? 1 - lift * at[3 * width] - take * square : 1.0L;
              sum += square / left;
              ratio *= left;
              least = std::min(least, left - 0x1p-10L);
            }
            if (k != label) {
              EXPECT_NEAR(others[k], static_cast<double>(sum), 1e-13 * static_cast<double>(sum)) << n << ' ' << k;
              continue;
            }
            EXPECT_EQ(others[k], 7.0);
            EXPECT_EQ(own.enough, least >= 0) << n;
            if (!own.enough) continue;
            double product = 1;
            for (const double each : own.ratio) product *= each;
            EXPECT_NEAR(own.squares, static_cast<double>(sum), 1e-11 * static_cast<double>(sum)) << n;
            EXPECT_NEAR(product, static_cast<double>(ratio), 1e-11 * static_cast<double>(ratio)) << n;
          }
        }
}

}  // namespace
}  // namespace plumb::math::bells_test
