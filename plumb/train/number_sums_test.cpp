#include "plumb/train/number_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "plumb/base/random.h"
#include "plumb/train/naive_bayes_testing.h"

namespace plumb {
namespace {

using math::DoubleDouble;

// Columns that a grid suits, and some that it does not: far from 0, of all sizes, mostly 0, mostly the same, constant,
// growing, with a row that is far off.
struct Rows {
  std::vector<double> value;
  std::size_t columns = 0, rows = 0;

  explicit Rows(std::size_t count, std::size_t outlier) : rows(count) {
    const RandomKey key{5, 9};
    std::uint64_t next = 0;
    const std::vector<std::function<double(std::size_t, double)>> kinds = {
        [](std::size_t, double u) { return u; },
        [](std::size_t, double u) { return 1e9 + u; },
        [](std::size_t, double u) { return -3e-7 * (1 + 1e-5 * u); },
        [](std::size_t, double u) { return u < 0.02 ? 1 + u : 0.0; },
        [](std::size_t, double u) { return u < 0.02 ? u : 0.1; },
        [](std::size_t, double) { return 0.1; },
        [](std::size_t r, double u) { return std::exp(0.01 * static_cast<double>(r)) * u; },
        [](std::size_t, double u) { return std::floor(80 * u); },
        [](std::size_t, double u) { return std::pow(u, -1.5); },
        [outlier](std::size_t r, double u) { return r == outlier ? 99999999.0 : u; }};
    columns = kinds.size();
    for (std::size_t r = 0; r < count; ++r)
      for (const auto& kind : kinds) value.push_back(kind(r, key.uniform(next++) + 0x1p-60));
  }
  In row(std::size_t r) const { return In(value).subspan(r * columns, columns); }
};

EventPlan plan_of(std::size_t columns) {
  EventPlan plan;
  plan.features = static_cast<std::uint32_t>(columns);
  for (std::uint32_t g = 0; g < columns; ++g) plan.gaussians.push_back({.feature = g});
  return plan;
}

double spread_of(const EventCounts& counts, std::size_t i, double n) {
  return static_cast<double>(counts.second[i] - counts.first[i] * counts.first[i] / DoubleDouble(n));
}

TEST(NumberSums, AreTheSumsOfOneRowAfterAnother) {
  for (const bool lasting : {false, true})
    for (const std::size_t count : {1u, 31u, 40u, 1000u, 9000u}) {
      const Rows rows(count, count / 2);
      const EventPlan plan = plan_of(rows.columns);
      EventCounts found(plan, 3), plain(plan, 3);
      NumberSums sums(plan, 3, lasting);
      EventAdder adder(plan);
      for (std::size_t r = 0; r < count; ++r) {
        const std::size_t label = r % 5 == 0 ? 1 : 0;  // the third class has no rows
        sums.add(rows.row(r), label, found);
        adder.add({{}, rows.row(r)}, label, 1.0, plain);
      }
      sums.finish(found);
      for (std::size_t i = 0; i < found.first.size(); ++i) {
        const double n = plain.weight_of(i % 3), squares = plain.second[i].high;
        EXPECT_LE(std::abs((found.first[i] - plain.first[i]).high), 0x1p-70 * std::sqrt(n * squares))
            << i << ' ' << count;
        EXPECT_LE(std::abs((found.second[i] - plain.second[i]).high), 0x1p-70 * squares) << i << ' ' << count;
        if (n < 2) continue;
        const double spread = spread_of(plain, i, n);
        EXPECT_NEAR(spread_of(found, i, n), spread, 1e-15 * spread + 0x1p-94 * squares) << i << ' ' << count;
      }
    }
}

// The digits of all others are still there when a row that is far off is taken away.
TEST(NumberSums, LoseNoDigitsByARowThatIsFarOff) {
  for (const std::size_t outlier : {0u, 3u, 500u, 1999u}) {
    const Rows rows(2000, outlier), others(2000, 2000);
    const EventPlan plan = plan_of(rows.columns);
    EventCounts found(plan, 1), plain(plan, 1);
    NumberSums sums(plan, 1, true);
    EventAdder adder(plan);
    for (std::size_t r = 0; r < 2000; ++r) {
      sums.add(rows.row(r), 0, found);
      if (r != outlier) adder.add({{}, rows.row(r)}, 0, 1.0, plain);
    }
    sums.finish(found);
    adder.add({{}, rows.row(outlier)}, 0, -1.0, found);
    for (std::size_t i = 0; i < rows.columns; ++i) {
      const double spread = spread_of(plain, i, 1999);
      EXPECT_NEAR(spread_of(found, i, 1999), spread, 1e-12 * spread + 0x1p-90 * plain.second[i].high) << i;
    }
  }
}

}  // namespace
}  // namespace plumb
