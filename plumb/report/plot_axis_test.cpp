#include "plumb/report/plot_axis.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "plumb/base/number.h"

namespace plumb::plot_axis_test {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

// Any finite doubles: of any size, and also close to each other.
AxisRange any_range() {
  const auto number = rc::gen::map(rc::gen::pair(rc::gen::arbitrary<int>(), rc::gen::inRange(-300, 300)),
                                   [](std::pair<int, int> p) { return p.first * std::pow(10.0, p.second - 9); });
  double a = *number, b = *rc::gen::oneOf(number, rc::gen::just(a), rc::gen::just(std::nextafter(a, kLargest)));
  if (a > b) std::swap(a, b);
  return axis_range(a, b, *rc::gen::element(0.0, 0.04));
}

std::vector<std::string> labels(const std::vector<Tick>& ticks) {
  std::vector<std::string> texts;
  for (const Tick& tick : ticks) texts.push_back(tick.label);
  return texts;
}

RC_GTEST_PROP(Ticks, AreWithinTheRangeAscendingAndAtMostAsManyAsAsked, ()) {
  const AxisRange range = any_range();
  const auto most = *rc::gen::inRange<std::size_t>(1, 15);
  const std::vector<Tick> ticks = linear_ticks(range, most);
  RC_ASSERT(ticks.size() <= most);
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    RC_ASSERT(ticks[i].value >= range.low && ticks[i].value <= range.high);
    if (i > 0) RC_ASSERT(ticks[i].value > ticks[i - 1].value);  // RC_ASSERT has no short cut at ||
  }
}

// A step is at most 2.5 times the one before: if that gave more than 5 ticks, this gives at least 2.
RC_GTEST_PROP(Ticks, CoverTheRange, ()) {
  const AxisRange range = any_range();
  const auto most = *rc::gen::inRange<std::size_t>(5, 15);
  const std::vector<Tick> ticks = linear_ticks(range, most);
  RC_ASSERT(ticks.size() >= 2);
  const double step = ticks[1].value / 2 - ticks[0].value / 2;
  RC_ASSERT(ticks.front().value / 2 - range.low / 2 <= step * (1 + 1e-3));
  RC_ASSERT(range.high / 2 - ticks.back().value / 2 <= step * (1 + 1e-3));
}

RC_GTEST_PROP(Ticks, SayTheirValueToTheLastBit, ()) {
  for (const Tick& tick : linear_ticks(any_range(), 8)) RC_ASSERT(parse_number(tick.label).value == tick.value);
}

RC_GTEST_PROP(Ticks, StandAtOneTwoOrFiveTimesAPowerOfTen, (int low, std::uint16_t span)) {
  const AxisRange range{static_cast<double>(low), static_cast<double>(low) + span + 1.0};
  const std::vector<Tick> ticks = linear_ticks(range, 7);
  RC_PRE(ticks.size() >= 2);
  double step = ticks[1].value - ticks[0].value;
  for (const Tick& tick : ticks) RC_ASSERT(std::abs(std::remainder(tick.value, step)) < 1e-6 * step);
  while (step >= 9.99) step /= 10;
  while (step <= 0.99) step *= 10;
  RC_ASSERT(std::abs(step - 1) < 1e-6 || std::abs(step - 2) < 1e-6 || std::abs(step - 5) < 1e-6);
}

TEST(Ticks, HaveLabelsForPeople) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(labels(linear_ticks({0, 1}, 6)), (Texts{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels(linear_ticks({-1, 1}, 5)), (Texts{"-1.0", "-0.5", "0.0", "0.5", "1.0"}));
  EXPECT_EQ(labels(linear_ticks({0, 500000}, 3)), (Texts{"0", "200000", "400000"}));
  EXPECT_EQ(labels(linear_ticks({0, 3e7}, 4)), (Texts{"0", "1e7", "2e7", "3e7"}));
  EXPECT_EQ(labels(linear_ticks({0, 3e-9}, 4)), (Texts{"0", "1e-9", "2e-9", "3e-9"}));
  EXPECT_EQ(labels(linear_ticks({1700000100, 1700000300}, 3)), (Texts{"1700000100", "1700000200", "1700000300"}));
  EXPECT_EQ(labels(linear_ticks({1700000000, 1700000002}, 3)), (Texts{"1700000000", "1700000001", "1700000002"}));
  EXPECT_EQ(labels(logarithmic_ticks({0.5, 2000}, 4)), (Texts{"1", "10", "100", "1000"}));
  EXPECT_EQ(labels(logarithmic_ticks({0.5, 20}, 6)), (Texts{"0.5", "1", "2", "5", "10", "20"}));
  EXPECT_EQ(labels(logarithmic_ticks({3, 4}, 3)), (Texts{"3.0", "3.5", "4.0"}));
}

RC_GTEST_PROP(Ticks, OfALogarithmicAxisAreWithinItAndFew, ()) {
  const double a = std::pow(10.0, *rc::gen::inRange(-3000, 3000) / 10.0);
  const double b = std::min(a * std::pow(10.0, *rc::gen::inRange(0, 600) / 10.0), 1e307);
  const AxisRange range = logarithmic_range(a, b, 0.04);
  RC_ASSERT(range.low <= a && range.high >= b && range.low > 0.0 && range.low < range.high);
  const auto most = *rc::gen::inRange<std::size_t>(3, 10);
  const std::vector<Tick> ticks = logarithmic_ticks(range, most);
  RC_ASSERT(!ticks.empty() && ticks.size() <= most);
  for (const Tick& tick : ticks) RC_ASSERT(tick.value >= range.low && tick.value <= range.high);
}

TEST(AxisRange, HasRoomAroundOneValue) {
  for (const double value : {0.0, 1.0, -5.0, 1e-300, 4.9e-324, 1e300, kLargest, -kLargest}) {
    const AxisRange range = axis_range(value, value);
    EXPECT_LT(range.low, range.high) << value;
    EXPECT_TRUE(std::isfinite(range.low) && std::isfinite(range.high)) << value;
    EXPECT_LE(range.low, value);
    EXPECT_GE(range.high, value);
    EXPECT_FALSE(linear_ticks(range, 5).empty()) << value;
  }
}

TEST(AxisRange, OfAllDoublesIsAllDoubles) {
  const AxisRange range = axis_range(-kLargest, kLargest, 0.04);
  EXPECT_EQ(range.low, -kLargest);
  EXPECT_EQ(range.high, kLargest);
  EXPECT_EQ(labels(linear_ticks(range, 5)), (std::vector<std::string>{"-1e308", "0", "1e308"}));
}

TEST(AxisScale, GoesFromEndToEndInAStraightLine) {
  const AxisScale scale({10, 20}, false, 300, 100);  // upwards, as y does
  EXPECT_DOUBLE_EQ(scale(10), 300);
  EXPECT_DOUBLE_EQ(scale(15), 200);
  EXPECT_DOUBLE_EQ(scale(20), 100);
  EXPECT_DOUBLE_EQ(scale.value_at(0.5), 15);
  EXPECT_TRUE(scale.shows(10) && scale.shows(20));
  EXPECT_FALSE(scale.shows(9.99) || scale.shows(NAN) || scale.shows(INFINITY));
}

TEST(AxisScale, OfALogarithmicAxisGivesDecadesEqualRoom) {
  const AxisScale scale({1, 1000}, true, 0, 300);
  EXPECT_NEAR(scale(10), 100, 1e-9);
  EXPECT_NEAR(scale(100), 200, 1e-9);
  EXPECT_NEAR(scale.value_at(1.0 / 3), 10, 1e-9);
  EXPECT_FALSE(scale.has_place(0.0) || scale.has_place(-1.0));
}

TEST(AxisScale, IsFiniteForEveryFiniteValue) {
  for (const AxisRange range : {AxisRange{-kLargest, kLargest}, AxisRange{0, 1e-300}, AxisRange{1, 2}}) {
    const AxisScale scale(range, false, 0, 400);
    for (const double value : {-kLargest, -1.0, 0.0, 1e-300, kLargest}) {
      EXPECT_TRUE(std::isfinite(scale(value)));
      EXPECT_LT(std::abs(scale(value)), 1e6);
    }
  }
}

}  // namespace
}  // namespace plumb::plot_axis_test
