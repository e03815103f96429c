#include "plumb/feature/fill.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "plumb/base/random.h"

namespace plumb::fill_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Values and weights as two columns of one table, the rows cut into pieces of `cut`.
Tables tables_of(const std::vector<double>& values, const std::vector<double>& weights, std::size_t cut = 1000) {
  Tables tables;
  for (std::size_t from = 0; from < values.size(); from += cut) {
    Table table;
    table.first_row = from;
    table.rows = std::min(cut, values.size() - from);
    const auto part = [&](const std::vector<double>& all) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(from);
      return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(table.rows));
    };
    table.columns = {{.numbers = part(values)}, {.numbers = part(weights)}};
    tables.pieces.push_back(std::move(table));
  }
  tables.rows = values.size();
  return tables;
}

double filled(const std::vector<double>& values, Missing missing) {
  return fill_of(tables_of(values, values), 0, std::nullopt, RowSet(values.size(), true), missing).value;
}
double filled(const std::vector<double>& values, const std::vector<double>& weights, Missing missing) {
  return fill_of(tables_of(values, weights), 0, 1, RowSet(values.size(), true), missing).value;
}

TEST(Fill, IsMeanOrMedianOfTheValuesThatAreThereOrZero) {
  const std::vector<double> values = {4, kNaN, 1, 9, kNaN, 2};
  EXPECT_EQ(filled(values, Missing::mean), 4.0);
  EXPECT_EQ(filled(values, Missing::median), 3.0);
  EXPECT_EQ(filled({4, 1, 9}, Missing::median), 4.0);
  EXPECT_EQ(filled(values, Missing::zero), 0.0);
}

TEST(Fill, CountsRowsOfTheSetAlone) {
  RowSet rows(4);
  for (const std::uint64_t row : {1, 2, 3}) rows.add(row);
  const Fill fill = fill_of(tables_of({100, kNaN, 3, 5}, {1, 1, 1, 1}), 0, std::nullopt, rows, Missing::mean);
  EXPECT_EQ(fill.value, 4.0);
  EXPECT_EQ(fill.missing, 1u);
  EXPECT_EQ(fill.values, 2u);
}

TEST(Fill, AWeightOfKCountsAsKRows) {
  const RandomKey random{5, 0};
  for (std::uint64_t round = 0; round < 200; ++round) {
    std::vector<double> values, weights, copies;
    for (std::uint64_t i = 0; i < 1 + random.below(1000 * round, 9); ++i) {
      values.push_back(static_cast<double>(random.below(1000 * round + 2 * i + 1, 20)) - 10);
      weights.push_back(static_cast<double>(random.below(1000 * round + 2 * i + 2, 4)));
      copies.insert(copies.end(), static_cast<std::size_t>(weights.back()), values.back());
    }
    if (copies.empty()) continue;
    EXPECT_EQ(filled(values, weights, Missing::median), filled(copies, Missing::median));
    EXPECT_NEAR(filled(values, weights, Missing::mean), filled(copies, Missing::mean), 1e-15);
  }
}

TEST(Fill, StaysInTheRangeOfTheValues) {
  const double largest = std::numeric_limits<double>::max();
  EXPECT_EQ(filled({largest, largest}, Missing::mean), largest);
  EXPECT_EQ(filled({largest, largest}, Missing::median), largest);
  EXPECT_EQ(filled({largest, largest}, {1e300, 1e300}, Missing::mean), largest);
  EXPECT_EQ(filled({1e-310, 3e-310}, {1, 1}, Missing::mean), 2e-310);
}

TEST(Fill, DoesNotDependOnWhereTheRowsWereCut) {
  std::vector<double> values, weights;
  const RandomKey random{6, 0};
  for (std::uint64_t i = 0; i < 997; ++i) {
    values.push_back(i % 7 == 0 ? kNaN : std::ldexp(random.uniform(2 * i), static_cast<int>(i % 60)));
    weights.push_back(random.uniform(2 * i + 1));
  }
  for (const Missing missing : {Missing::mean, Missing::median}) {
    const auto with = [&](std::size_t cut) {
      return fill_of(tables_of(values, weights, cut), 0, 1, RowSet(values.size(), true), missing).value;
    };
    for (const std::size_t cut : {1, 10, 333}) EXPECT_EQ(with(cut), with(1000));
  }
}

}  // namespace
}  // namespace plumb::fill_test
