#include "plumb/feature/plan.h"

#include "plumb/feature/features_testing.h"

namespace plumb::feature_map_test {
namespace {

TEST_F(Features, MissingNumbersAreFilledAndMarkedOrLeaveOutTheirRows) {
  table.columns[0].numbers = {1, std::numeric_limits<double>::quiet_NaN(), 3, 8};
  table.columns[0].missing = 1;
  learn();
  EXPECT_EQ(learnt.map.names(), (Names{"x", "city=b", "city=", "z", "x missing"}));
  EXPECT_EQ(row(1)[0], 3.0) << "the median";
  EXPECT_EQ(row(1).back(), 1.0);
  EXPECT_EQ(row(2).back(), 0.0);
  EXPECT_EQ(learnt.filled, (Names{"filled 1 missing value of x with the median, 3"}));
  EXPECT_FALSE(learnt.complete);
  EXPECT_EQ(learnt.map.parts().inputs.back().fill.has_value(), true) << "for rows yet to come";
  learn({.complete_rows = true});
  EXPECT_EQ(learnt.map.names(), (Names{"x", "city=", "z"})) << "no level is learnt from a row that is left out";
  ASSERT_TRUE(learnt.complete);
  EXPECT_EQ(learnt.complete->count(), 3u);
  EXPECT_FALSE(learnt.complete->has(1));
  learn({.fill_ahead = false, .adds_up = true});
  EXPECT_EQ(learnt.map.names(), (Names{"x", "city=b", "city=", "z"})) << "sums of other rows know no such feature";
}

TEST_F(Features, TheTargetIsLookedForWhereNoneIsNamed) {
  options.target = "";
  columns[2].name = "Label";
  EXPECT_EQ(plan_features(MemorySource(columns, table), options).target, "Label") << "before y";
  columns[2].name = "z";
  EXPECT_EQ(plan_features(MemorySource(columns, table), options).target, "y");
  columns.back().name = "w";
  EXPECT_EQ(refusal().hint(), "-t w") << "the last column";
}

TEST_F(Features, FewWholeNumbersAreLabels) {
  EXPECT_TRUE(look_like_labels({2, 2, false}, false));
  EXPECT_TRUE(look_like_labels({30, 3, true}, false));
  EXPECT_FALSE(look_like_labels({29, 3, true}, false)) << "under 10 rows each";
  EXPECT_FALSE(look_like_labels({300, 3, false}, false)) << "not whole";
  EXPECT_FALSE(look_like_labels({4000, 21, true}, false));
  EXPECT_TRUE(look_like_labels({4000, 21, true}, true)) << "beside entries";
  EXPECT_FALSE(look_like_labels({4000, 1, true}, false));
  const auto kind = [&](TargetKind asked, std::optional<Kind> wanted = {}) {
    options.target_kind = asked;
    return plan_features(MemorySource(columns, table), options, {}, wanted).target_kind;
  };
  columns.back().sampled = {30, 3, true};
  EXPECT_EQ(kind(TargetKind::automatic), Kind::category);
  EXPECT_EQ(kind(TargetKind::automatic, Kind::number), Kind::number) << "as the model needs";
  EXPECT_EQ(kind(TargetKind::number), Kind::number);
  columns.back().sampled = {30, 25, true};
  EXPECT_EQ(kind(TargetKind::automatic), Kind::number);
  EXPECT_EQ(kind(TargetKind::labels), Kind::category);
}

}  // namespace
}  // namespace plumb::feature_map_test
