// rows: E1
#include "plumb/select/split.h"

#include <gtest/gtest.h>

#include "plumb/base/error.h"

namespace plumb {
namespace {

TestChoice read(std::string_view text) { return OptionText<TestChoice>::read(text); }

TEST(Split, TestOptionIsAFractionANumberAFileOrNone) {
  EXPECT_EQ(read("0.25").fraction, 0.25);
  EXPECT_EQ(read("none").what, TestChoice::What::none);
  EXPECT_EQ(read("30").rows, 30u);
  EXPECT_EQ(read("test.csv").file, "test.csv");
  for (const char* bad : {"0", "-1", "1.5", "-0.2", ""}) EXPECT_THROW(read(bad), OptionFault) << bad;
  for (const char* text : {"0.25", "none", "30", "test.csv"}) EXPECT_EQ(OptionText<TestChoice>::text(read(text)), text);
}

TEST(Split, HoldsOutTheNumberAskedFor) {
  for (const std::uint64_t n : {2u, 15u, 1000u, 10001u}) {
    EXPECT_EQ(choose_test_rows(n, read("0.2"), {42, 0}).count(), std::max<std::uint64_t>(1, (n * 2 + 5) / 10));
    EXPECT_EQ(choose_test_rows(n, read("1"), {42, 0}).count(), 1u);
    EXPECT_EQ(choose_test_rows(n, read("none"), {42, 0}).count(), 0u);
  }
  EXPECT_EQ(choose_test_rows(3, read("0.99"), {42, 0}).count(), 2u) << "one row is left to train on";
}

TEST(Split, DependsOnTheSeedAndNests) {
  const RowSet a = choose_test_rows(1000, read("100"), {1, 0}), b = choose_test_rows(1000, read("100"), {2, 0}),
               more = choose_test_rows(1000, read("200"), {1, 0});
  std::uint64_t same = 0;
  for (std::uint64_t row = 0; row < 1000; ++row) {
    same += a.has(row) && b.has(row);
    EXPECT_TRUE(!a.has(row) || more.has(row));
  }
  EXPECT_LT(same, 40u) << "about 10 of 100 rows meet by chance";
}

TEST(Split, EveryRowIsHeldOutAboutEquallyOften) {
  std::vector<int> times(50);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const RowSet test = choose_test_rows(50, read("10"), {seed, 0});
    for (std::uint64_t row = 0; row < 50; ++row) times[row] += test.has(row);
  }
  for (const int count : times) EXPECT_NEAR(count, 400, 5 * 18) << "400 expected, standard deviation 18";
}

TEST(Split, AsksForEnoughRows) {
  EXPECT_THROW(choose_test_rows(1, read("0.2"), {}), Error);
  EXPECT_THROW(choose_test_rows(5, read("5"), {}), Error);
  EXPECT_NO_THROW(choose_test_rows(1, read("none"), {}));
}

}  // namespace
}  // namespace plumb
