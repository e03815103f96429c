// rows: E4 P5
#include "plumb/select/grid.h"

#include <gtest/gtest.h>

#include "plumb/base/error.h"

namespace plumb::grid_test {
namespace {

TEST(Grid, ARangeHasEqualRatiosAndItsEnds) {
  const GridAxis axis = read_axis("l2=1e-3..1e3:7");
  EXPECT_EQ(axis.option, "l2");
  EXPECT_EQ(axis.values, (std::vector<std::string>{"0.001", "0.01", "0.1", "1", "10", "100", "1000"}));
  EXPECT_EQ(read_axis("margin=0..1:3").values, (std::vector<std::string>{"0", "0.5", "1"}))
      << "differences, where an end is 0";
}

TEST(Grid, AListHasWhatItSays) {
  EXPECT_EQ(read_axis("solver=newton,lbfgs").values, (std::vector<std::string>{"newton", "lbfgs"}));
  for (const char* bad : {"l2", "=1", "l2=", "l2=1,,2", "l2=1..2", "l2=1..2:1", "l2=a..2:3", "l2=1..2:x"})
    EXPECT_THROW(read_axis(bad), Error) << bad;
}

TEST(Grid, TriesAValueOnce) {
  EXPECT_EQ(read_axis("l2=1,2,1").values, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(read_axis("l2=3..3:5").values, (std::vector<std::string>{"3"}));
}

TEST(Grid, ARangeOfAnOptionThatTakesWholeNumbersHasThoseNearestEachOnce) {
  const TakesValue whole = [](const std::string& option, const std::string& value) {
    return option == "passes" && value.find_first_not_of("0123456789") == std::string::npos;
  };
  EXPECT_EQ(read_axis("passes=1..10:4", whole).values, (std::vector<std::string>{"1", "2", "5", "10"}));
  EXPECT_EQ(read_axis("passes=0..5:3", whole).values, (std::vector<std::string>{"0", "3", "5"}));
  EXPECT_EQ(read_axis("passes=1..3:9", whole).values, (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(read_axis("passes=1..1e14:2", whole).values, (std::vector<std::string>{"1", "100000000000000"}));
  EXPECT_EQ(read_axis("passes=1..2.5:2", whole).values.back(), "2.5") << "what was typed is the option's to refuse";
  EXPECT_EQ(read_axis("passes=1,2.5", whole).values.back(), "2.5");
  EXPECT_EQ(read_axis("words=1..2:3", whole).values[1], "1.41") << "three digits, which people can type again";
}

TEST(Grid, CombinesEveryValueWithEvery) {
  const auto all = combinations({read_axis("a=1,2"), read_axis("b=x,y,z")});
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[1][0].second, "1");
  EXPECT_EQ(all[1][1].second, "y");
  EXPECT_EQ(combinations({}).size(), 1u);
  EXPECT_EQ(combinations({read_axis("a=1..2:100"), read_axis("b=1..2:100")}).size(), 10'000u);
  EXPECT_THROW(combinations({read_axis("a=1..2:100"), read_axis("b=1..2:101")}), Error);
}

TEST(Grid, OneStandardErrorPrefersTheSimpler) {
  const std::vector<double> loss = {0.50, 0.40, 0.42, 0.60}, error = {0.05, 0.03, 0.03, 0.05};
  const auto choice = choose(loss, error, {1, 2, 3, 4});
  EXPECT_EQ(choice.best, 1u);
  EXPECT_EQ(choice.one_se, 2u) << "0.42 is within 0.40 + 0.03, and simpler";
  EXPECT_EQ(choose(loss, {0, 0, 0, 0}, {1, 2, 3, 4}).one_se, 1u);
  EXPECT_GT(simplicity("l2", "10"), simplicity("l2", "1"));
  EXPECT_GT(simplicity("l2", "1e-3"), simplicity("l2", "0"));
  EXPECT_GT(simplicity("C", "1"), simplicity("C", "10"));
  EXPECT_EQ(simplicity("tokens", "word"), 0.0);
}

}  // namespace
}  // namespace plumb::grid_test
