#include "plumb/data/rounding.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "plumb/data/values.h"

namespace plumb::rounding_test {
namespace {

RC_GTEST_PROP(RoundingProperty, EveryValueBecomesTheNearestFloatAndTheLossIsTheLargest, ()) {
  auto given = *rc::gen::container<std::vector<double>>(
      rc::gen::oneOf(rc::gen::map(rc::gen::inRange(-100'000, 100'000), [](int i) { return i / 8.0; }),
                     rc::gen::map(rc::gen::arbitrary<int>(), [](int i) { return i / 7.0; })));
  std::vector<double> rounded = given;
  RoundingLoss loss;
  RC_ASSERT(!loss.round(rounded));
  std::uint64_t changed = 0;
  double largest = 0.0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    RC_ASSERT(Values::fits_float(rounded[i]));
    const auto x = static_cast<float>(rounded[i]);
    const double below = std::nextafter(x, -HUGE_VALF), above = std::nextafter(x, HUGE_VALF);
    RC_ASSERT(std::abs(rounded[i] - given[i]) <= std::abs(below - given[i]));
    RC_ASSERT(std::abs(rounded[i] - given[i]) <= std::abs(above - given[i]));
    changed += rounded[i] != given[i] ? 1 : 0;
    if (given[i] != 0) largest = std::max(largest, std::abs((rounded[i] - given[i]) / given[i]));
  }
  RC_ASSERT(loss.values == given.size() && loss.changed == changed && loss.largest == largest);
  RC_ASSERT(!loss.beyond_rounding());
}

TEST(Rounding, SaysWhatItLost) {
  RoundingLoss loss;
  std::vector<double> values = {1.0, -0.5, 3.0};
  loss.round(values);
  EXPECT_EQ(loss.text(), "--values f32 changed none of 3 values");
  values = {0.1};
  loss.round(values);
  EXPECT_EQ(values[0], double{0.1f});
  EXPECT_EQ(loss.text(), "--values f32 changed 1 of 4 values, by at most 1.5e-08 of a value");
  EXPECT_FALSE(loss.beyond_rounding());
  RoundingLoss tiny;
  values = {1e-50};
  tiny.round(values);
  EXPECT_EQ(values[0], 0.0);
  loss.add(tiny);
  EXPECT_TRUE(loss.beyond_rounding());
  EXPECT_EQ(loss.text(),
            "--values f32 changed 2 of 5 values, by at most 1 of a value: some are too small for a float to hold their "
            "digits");
}

TEST(Rounding, FindsTheFirstValueBeyondTheFloats) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  RoundingLoss loss;
  std::vector<double> values = {kLargest, -kLargest};
  EXPECT_EQ(loss.round(values), std::nullopt);
  values = {0.5, -1e39, 1e300};
  EXPECT_EQ(loss.round(values), 1u);
  values = {std::nextafter(kLargest, 1e300)};
  EXPECT_EQ(loss.round(values), 0u);
}

}  // namespace
}  // namespace plumb::rounding_test
