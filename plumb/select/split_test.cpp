// rows: E1
#include "plumb/select/split.h"

#include <gtest/gtest.h>

#include "plumb/base/error.h"

namespace plumb::split_test {
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
    EXPECT_EQ(held_out_count(n, read("0.2")), std::max<std::uint64_t>(1, (n * 2 + 5) / 10));
    EXPECT_EQ(held_out_count(n, read("1")), 1u);
    EXPECT_EQ(held_out_count(n, read("none")), 0u);
  }
  EXPECT_EQ(held_out_count(3, read("0.99")), 2u) << "one row is left to train on";
}

TEST(Split, AFractionIsANumberOfRowsOnceTheyAreCounted) {
  EXPECT_EQ(as_rows(read("0.1"), 200).rows, 20u);
  EXPECT_EQ(as_rows(read("7"), 200).rows, 7u);
  EXPECT_EQ(as_rows(read("none"), 200).what, TestChoice::What::none);
}

TEST(Split, AsksForEnoughRows) {
  EXPECT_THROW(held_out_count(1, read("0.2")), Error);
  EXPECT_THROW(held_out_count(5, read("5")), Error);
  EXPECT_NO_THROW(held_out_count(1, read("none")));
}

}  // namespace
}  // namespace plumb::split_test
