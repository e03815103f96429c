#include "plumb/evaluate/mistakes.h"

#include <gtest/gtest.h>

namespace plumb::mistakes_test {

TEST(Mistakes, KeepsTheWorstOfManyWhateverTheirOrder) {
  WorstMistakes worst(3);
  for (std::uint64_t row = 1; row <= 20'000; ++row)
    worst.add({row, 0.0, 1.0, static_cast<double>((row * 7919) % 20'011)});
  const std::vector<Mistake> found = worst.sorted();
  EXPECT_EQ(worst.count(), 20'000u);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_GT(found[0].badness, found[1].badness);
  EXPECT_EQ(found[0].badness, 20'010.0);
}

TEST(Mistakes, OfEqualOnesTheEarlierRowComesFirst) {
  WorstMistakes worst(0);
  for (const std::uint64_t row : {9, 4, 7}) worst.add({row, 0.0, 1.0, 0.5});
  EXPECT_EQ(worst.sorted().front().row, 4u);
  EXPECT_EQ(worst.sorted().size(), 3u);
}

TEST(Mistakes, TheOptionTakesANumberOrAFile) {
  EXPECT_EQ(OptionText<MistakesChoice>::read("12").most, 12u);
  EXPECT_EQ(OptionText<MistakesChoice>::read("worst.csv").file, "worst.csv");
  EXPECT_THROW(OptionText<MistakesChoice>::read("0"), OptionFault);
  EXPECT_THROW(OptionText<MistakesChoice>::read("1.5"), OptionFault);
}

}  // namespace plumb::mistakes_test
