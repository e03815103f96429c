// Kernels of eight fits against plain loops, in every table; and a lane's bits do not depend on the others.
#include "plumb/math/lockstep.h"

#include "plumb/math/special.h"
#include "plumb/math/testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace plumb::math::lockstep_test {
namespace {

using testing::Random;
using testing::tables;

TEST(Lockstep, DotsAreThoseOfEachLane) {
  Random random(5);
  for (const Kernels* const table : tables())
    for (std::size_t n = 0; n < 40; ++n) {
      const std::size_t columns = 50;
      std::vector<SparseEntry> row;
      std::vector<std::uint32_t> index;
      std::vector<double> value, w = random.vector(8 * columns), out(8), y = w;
      for (std::size_t t = 0; t < n; ++t) {
        index.push_back(static_cast<std::uint32_t>(random.below(columns)));
        row.push_back({index.back(), static_cast<float>(random.uniform(-1.0, 1.0))});
        value.push_back(double{row.back().value});
      }
      const std::vector<float> narrow(w.begin(), w.end());
      std::vector<float> sums(8);
      table->lockstep_dots(row.data(), n, narrow.data(), sums.data());
      table->lockstep_dots_exact(index.data(), value.data(), n, w.data(), out.data());
      const std::vector<double> a = random.vector(8);
      table->lockstep_axpys_exact(a.data(), index.data(), value.data(), n, y.data());
      for (std::size_t k = 0; k < 8; ++k) {
        double sum = 0.0;
        std::vector<double> expected(columns);
        for (std::size_t j = 0; j < columns; ++j) expected[j] = w[8 * j + k];
        for (std::size_t t = 0; t < n; ++t) {
          sum += value[t] * w[8 * index[t] + k];
          expected[index[t]] = std::fma(value[t], a[k], expected[index[t]]);
        }
        EXPECT_NEAR(out[k], sum, 1e-14 * static_cast<double>(n + 1));
        EXPECT_NEAR(double{sums[k]}, sum, 2e-7 * static_cast<double>(n + 1));
        for (std::size_t j = 0; j < columns; ++j) EXPECT_EQ(y[8 * j + k], expected[j]);
      }
    }
}

struct Step {
  std::vector<double> margin, precision, wanted, a, u, change, off;
  double norm = 0.0, s = 0.0;

  Step(Random& random, double its_norm, double its_s)
      : margin(random.vector(8, -20.0, 20.0)),
        precision(8, 1e-8),
        wanted(8, 1.0),
        a(8),
        u(random.vector(8, -9.0, 9.0)),
        change(8),
        off(8),
        norm(its_norm),
        s(its_s) {
    for (std::size_t k = 0; k < 8; ++k) a[k] = s * sigmoid(u[k]);
  }
  bool take(const Kernels& table) {
    return table.lockstep_logistic(margin.data(), norm, s, precision.data(), wanted.data(), a.data(), u.data(),
                                   change.data(), off.data());
  }
};

TEST(Lockstep, AStepEndsAtTheRootOfItsRow) {
  Random random(6);
  for (const Kernels* const table : tables())
    for (const double norm : {1e-6, 0.3, 1.0, 50.0, 1e6})
      for (const double s : {0.01, 1.0, 300.0}) {
        Step step(random, norm, s);
        step.wanted[2] = 0.0;
        step.u[5] = -step.margin[5];  // there already
        step.a[5] = s * sigmoid(step.u[5]);
        const Step before = step;
        ASSERT_TRUE(step.take(*table));
        for (std::size_t k = 0; k < 8; ++k) {
          if (k == 2 || k == 5) {
            EXPECT_EQ(step.a[k], before.a[k]);
            EXPECT_EQ(step.u[k], before.u[k]);
            EXPECT_EQ(step.change[k], 0.0);
            EXPECT_EQ(step.off[k], 0.0);
            continue;
          }
          const double root = norm * (step.a[k] - before.a[k]) + step.margin[k] + step.u[k];
          EXPECT_LE(std::abs(root), 1e-9 + 1e-13 * norm * s) << norm << " " << s;
          EXPECT_NEAR(step.a[k], s * sigmoid(step.u[k]), 1e-14 * s);
          EXPECT_EQ(step.change[k], step.a[k] - before.a[k]);
          const double off = before.margin[k] + before.u[k], share = before.a[k] / s;
          EXPECT_NEAR(step.off[k], std::min(before.a[k] * (1.0 - share) * off * off / 2, s * std::abs(off)),
                      1e-12 * s * std::abs(off));
        }
      }
}

TEST(Lockstep, ALaneDoesNotSeeTheOthers) {
  Random random(7);
  for (const Kernels* const table : tables())
    for (int trial = 0; trial < 50; ++trial) {
      Step all(random, random.uniform(0.0, 30.0), 1.0);
      const Step before = all;
      all.take(*table);
      for (std::size_t k = 0; k < 8; ++k) {
        Step one = before;
        std::fill(one.wanted.begin(), one.wanted.end(), 0.0);
        one.wanted[k] = 1.0;
        one.take(*table);
        EXPECT_EQ(one.a[k], all.a[k]);
        EXPECT_EQ(one.u[k], all.u[k]);
        EXPECT_EQ(one.off[k], all.off[k]);
      }
    }
}

TEST(Lockstep, NothingMovesWithinThePrecision) {
  Random random(8);
  for (const Kernels* const table : tables()) {
    Step step(random, 1.0, 1.0);
    std::fill(step.precision.begin(), step.precision.end(), 100.0);
    const Step before = step;
    EXPECT_FALSE(step.take(*table));
    EXPECT_EQ(step.a, before.a);
    EXPECT_EQ(step.u, before.u);
  }
}

}  // namespace
}  // namespace plumb::math::lockstep_test
