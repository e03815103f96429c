#include "plumb/feature/scale.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/data/row_set.h"
#include "plumb/feature/feature_map.h"

namespace plumb::scale_test {
namespace {

// Two columns of numbers, a category, and a weight.
Tables tables_of(const std::vector<double>& x, const std::vector<double>& z, const std::vector<double>& weight) {
  Table table;
  table.rows = x.size();
  table.columns.resize(4);
  table.columns[0].numbers = x;
  table.columns[1].numbers = z;
  table.columns[2].kind = Kind::category;
  table.columns[2].levels = {"a", "b"};
  for (std::size_t i = 0; i < x.size(); ++i) table.columns[2].codes.push_back(static_cast<std::uint32_t>(i % 2));
  table.columns[3].numbers = weight;
  Tables tables;
  tables.rows = table.rows;
  tables.pieces.push_back(std::move(table));
  return tables;
}

FeatureMap map_of(Scale scale = {}) {
  return FeatureMap({{{"x", Kind::number, {}}, {"z", Kind::number, {}}, {"c", Kind::category, {"a", "b"}}},
                     {ProductTerm{{{0, 1}}}, CategoryTerm{2, {}}, FormulaTerm{Formula::parse("log(z)"), {1}}},
                     {},
                     std::move(scale)});
}

constexpr std::size_t kX = 0, kA = 1, kLog = 3;  // features of the map
const TableLayout kLayout{.inputs = {0, 1, 2}, .weight = 3};

TEST(Scale, StandardHasMeanNoughtAndDeviationOneOverTheTrainingRows) {
  const Tables tables = tables_of({1, 2, 3, 100}, {1, 2, 4, 1e9}, {1, 1, 1, 1});
  RowSet training(4);
  for (std::uint64_t row = 0; row < 3; ++row) training.add(row);
  const Scale scale = learn_scale(tables, map_of(), kLayout, training, Scaling::standard);
  EXPECT_EQ(scale.centres[kX], 2.0);
  EXPECT_DOUBLE_EQ(scale.units[kX], std::sqrt(2.0 / 3.0));
  EXPECT_DOUBLE_EQ(scale.centres[kLog], std::log(2.0));
  EXPECT_EQ(scale.centres[kA], 0.0);  // levels of categories stay 0 and 1
  EXPECT_EQ(scale.units[kA], 1.0);

  FeatureMap::Unseen unseen;
  const Piece piece = map_of(scale).apply(tables.pieces[0], kLayout, unseen);
  double sum = 0.0, squares = 0.0;
  for (std::size_t row = 0; row < 3; ++row) {
    const double value = piece.values[row * piece.features + kX];
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum, 0.0, 1e-15);
  EXPECT_NEAR(squares, 3.0, 1e-14);
  EXPECT_NEAR(piece.values[3 * piece.features + kX], 98.0 / std::sqrt(2.0 / 3.0), 1e-12);
}

TEST(Scale, AWeightCountsAsThatManyCopies) {
  const Scale once = learn_scale(tables_of({1, 5, 5, 5}, {1, 2, 2, 2}, {1, 1, 1, 1}), map_of(), kLayout,
                                 RowSet(4, true), Scaling::standard);
  const Scale weighted =
      learn_scale(tables_of({1, 5, 7}, {1, 2, 9}, {1, 3, 0}), map_of(), kLayout, RowSet(3, true), Scaling::standard);
  EXPECT_EQ(once.centres, weighted.centres);
  EXPECT_EQ(once.units, weighted.units);
}

TEST(Scale, MaxAbsEndsAtOneAndKeepsNought) {
  const Scale scale =
      learn_scale(tables_of({0, -8, 2}, {1, 1, 1}, {1, 1, 1}), map_of(), kLayout, RowSet(3, true), Scaling::max_abs);
  EXPECT_EQ(scale.centres[kX], 0.0);
  EXPECT_EQ(scale.units[kX], 8.0);
  EXPECT_EQ(scale.units[kLog], 1.0);  // log(1) is 0 in every row
}

TEST(Scale, AColumnWithoutSpreadIsCentredAlone) {
  for (const double value : {0.1, 1e9 + 0.1, 3e-200}) {
    const Scale scale = learn_scale(tables_of({value, value, value}, {1, 1, 1}, {1, 1, 1}), map_of(), kLayout,
                                    RowSet(3, true), Scaling::standard);
    EXPECT_DOUBLE_EQ(scale.centres[kX], value);
    EXPECT_EQ(scale.units[kX], 1.0);
  }
}

TEST(Scale, SpreadIsFoundFarFromZero) {
  const Scale scale =
      learn_scale(tables_of({1e12, 1e12 + 2}, {1, 1}, {1, 1}), map_of(), kLayout, RowSet(2, true), Scaling::standard);
  EXPECT_EQ(scale.centres[kX], 1e12 + 1);
  EXPECT_EQ(scale.units[kX], 1.0);
}

TEST(Scale, ValuesBeyondSquaringAreAnErrorThatNamesTheColumn) {
  try {
    learn_scale(tables_of({1e200, -1e200}, {1, 1}, {1, 1}), map_of(), kLayout, RowSet(2, true), Scaling::standard);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("\"x\""), std::string::npos) << error.message();
  }
}

TEST(Scale, AMapRefusesAScaleThatCannotBe) {
  EXPECT_THROW(map_of({{0, 0, 0}, {1, 1, 1}}), Error);                   // too few
  EXPECT_THROW(map_of({{0, 0, 0, 0}, {1, 1, 1, 0}}), Error);             // a unit of 0
  EXPECT_THROW(map_of({{0, 1, 0, 0}, {1, 1, 1, 1}}), Error);             // a centred category
  EXPECT_THROW(map_of({{std::nan(""), 0, 0, 0}, {1, 1, 1, 1}}), Error);  // no number
  EXPECT_NO_THROW(map_of({{1, 0, 0, 2}, {3, 1, 1, 4}}));
}

}  // namespace
}  // namespace plumb::scale_test
