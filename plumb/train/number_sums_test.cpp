#include "plumb/train/number_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "plumb/base/random.h"
#include "plumb/train/naive_bayes_testing.h"

namespace plumb::number_sums_test {
namespace {

// Columns that suit a grid, and some that do not: far from 0, of all sizes, mostly 0, mostly equal, constant, growing,
// with an outlier.
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
  return math::spread_of(counts.first[i], counts.second[i], n);
}

double apart(const math::TripleDouble& a, const math::TripleDouble& b) {
  math::TripleDouble difference = a;
  difference += -b;
  return std::abs(difference.high);
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
        EXPECT_LE(apart(found.first[i], plain.first[i]), 0x1p-70 * std::sqrt(n * squares)) << i << ' ' << count;
        EXPECT_LE(apart(found.second[i], plain.second[i]), 0x1p-70 * squares) << i << ' ' << count;
        if (n < 2) continue;
        const double spread = spread_of(plain, i, n);
        EXPECT_NEAR(spread_of(found, i, n), spread, 1e-15 * spread + 0x1p-150 * squares) << i << ' ' << count;
      }
    }
}

TEST(NumberSums, OfRowsWithWeightsAreTheSumsOfOneRowAfterAnother) {
  const Rows rows(500, 250);
  EventPlan plan = plan_of(rows.columns);
  for (const bool together : {true, false}) {
    if (!together) std::swap(plan.gaussians[2], plan.gaussians[5]);
    EventCounts found(plan, 2), plain(plan, 2);
    NumberSums sums(plan, 2, true);
    EventAdder adder(plan);
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const double weight = 0.1 * static_cast<double>(r % 7 + 2);
      sums.add_weighted(rows.row(r), r % 2, weight);
      adder.add({{}, rows.row(r)}, r % 2, weight, plain);
    }
    sums.finish(found);
    for (std::size_t i = 0; i < found.first.size(); ++i) {
      const double squares = plain.second[i].high;
      const math::DoubleDouble n = plain.weight[i % 2];
      EXPECT_LE(apart(found.first[i], plain.first[i]), 0x1p-95 * std::sqrt(n.high * squares)) << i;
      EXPECT_LE(apart(found.second[i], plain.second[i]), 0x1p-95 * squares) << i;
      const double spread = math::spread_of(plain.first[i], plain.second[i], n);
      EXPECT_NEAR(math::spread_of(found.first[i], found.second[i], n), spread, 1e-15 * spread + 0x1p-150 * squares)
          << i;
    }
  }
}

// Each number before its square, as for a variance per class, and parts, of which one has rows of another size.
TEST(NumberSums, StayWhereTheyAreBesideTheirSquaresAndInParts) {
  const std::size_t columns = 11, count = 3000;
  const RandomKey key{6, 9};
  EventPlan plan;
  plan.features = 2 * columns;
  for (std::uint32_t g = 0; g < columns; ++g) plan.gaussians.push_back({.feature = 2 * g, .square = 2 * g + 1});
  std::vector<double> value;
  for (std::size_t r = 0; r < count; ++r)
    for (std::size_t g = 0; g < columns; ++g) {
      const double x = (r % 3 == 2 ? 1e12 : 1.0) * (key.uniform(r * columns + g) + static_cast<double>(g));
      value.insert(value.end(), {x, x * x});
    }
  std::vector<EventCounts> found(3, EventCounts(plan, 2)), plain = found;
  std::vector<NumberSums> sums(3, NumberSums(plan, 2, true, false));
  EventAdder adder(plan);
  for (std::size_t r = 0; r < count; ++r) {
    const In row = In(value).subspan(r * 2 * columns, 2 * columns);
    const std::size_t label = r % 4 == 0 ? 1 : 0;
    sums[r % 3].add(row, label, found[r % 3]);
    adder.add({{}, row}, label, 1.0, plain[r % 3]);
  }
  for (std::size_t part = 0; part < 3; ++part) {
    sums[part].finish(found[part]);
    for (std::size_t i = 0; i < found[part].first.size(); ++i) {
      const double n = plain[part].weight_of(i % 2), spread = spread_of(plain[part], i, n);
      EXPECT_LE(apart(found[part].second[i], plain[part].second[i]), 0x1p-70 * plain[part].second[i].high);
      EXPECT_NEAR(spread_of(found[part], i, n), spread, 1e-15 * spread) << part << ' ' << i;
    }
  }
}

// The digits of all others remain when an outlier is subtracted.
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
      EXPECT_NEAR(spread_of(found, i, 1999), spread, 1e-12 * spread + 0x1p-150 * plain.second[i].high) << i;
    }
  }
}

}  // namespace
}  // namespace plumb::number_sums_test
