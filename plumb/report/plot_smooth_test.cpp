#include "plumb/report/plot_smooth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plumb/base/random.h"

namespace plumb::plot_smooth_test {
namespace {

using Values = std::vector<double>;

Values steps(std::size_t count) {
  Values x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = 10.0 * static_cast<double>(i) / static_cast<double>(count);
  return x;
}

TEST(SmoothCurve, OfAStraightLineIsThatLine) {
  for (const std::size_t count : {8u, 15u, 100u, 20000u}) {
    const Values x = steps(count);
    Values y;
    for (const double each : x) y.push_back(3.0 - 2.0 * each);
    const SmoothCurve curve = smooth_curve(x, y);
    ASSERT_GE(curve.x.size(), 8u);
    EXPECT_TRUE(std::is_sorted(curve.x.begin(), curve.x.end()));
    for (std::size_t k = 0; k < curve.x.size(); ++k) EXPECT_NEAR(curve.y[k], 3.0 - 2.0 * curve.x[k], 1e-9);
  }
}

TEST(SmoothCurve, DoesNotDependOnTheOrderOfThePoints) {
  const Values x = {5, 1, 4, 2, 3, 6, 8, 7, 9}, y = {1, 2, 0, 3, 5, 4, 4, 2, 1};
  ASSERT_FALSE(smooth_curve(x, y).x.empty());
  Values turned_x(x.rbegin(), x.rend()), turned_y(y.rbegin(), y.rend());
  const SmoothCurve a = smooth_curve(x, y), b = smooth_curve(turned_x, turned_y);
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.y, b.y);
}

TEST(SmoothCurve, IsNotPulledByAPointFarOff) {
  const Values x = steps(50);
  Values y;
  const RandomKey random{3, 4};
  for (std::size_t i = 0; i < x.size(); ++i) y.push_back(x[i] + 0.1 * random.uniform(i));
  const SmoothCurve before = smooth_curve(x, y);
  y[25] += 1000.0;
  const SmoothCurve after = smooth_curve(x, y);
  for (std::size_t k = 0; k < before.y.size(); ++k) EXPECT_NEAR(after.y[k], before.y[k], 0.1);
}

TEST(SmoothCurve, FollowsABend) {
  const Values x = steps(400);
  Values y;
  for (const double each : x) y.push_back(each * each);
  const SmoothCurve curve = smooth_curve(x, y, 0.2);
  for (std::size_t k = 0; k < curve.x.size(); ++k) EXPECT_NEAR(curve.y[k], curve.x[k] * curve.x[k], 1.0);
}

TEST(SmoothCurve, NeedsEightDifferentPlaces) {
  EXPECT_TRUE(smooth_curve(Values{}, Values{}).x.empty());
  const Values y(10, 1.0);
  EXPECT_FALSE(smooth_curve(Values{1, 1, 1, 2, 3, 4, 5, 6, 7, 8}, y).x.empty());
  EXPECT_TRUE(smooth_curve(Values{1, 1, 1, 1, 2, 3, 4, 5, 6, 7}, y).x.empty());
  EXPECT_TRUE(smooth_curve(Values{1, 2, 3, 4, 5, 6, 7, NAN, INFINITY, -INFINITY}, y).x.empty());
}

TEST(SmoothCurve, IsFiniteOrNothing) {
  for (const double size : {1e-300, 1.0, 1e150, 1e308}) {
    Values x = steps(30), y;
    for (std::size_t i = 0; i < x.size(); ++i) y.push_back((i % 2 == 0 ? 1.0 : -1.0) * size);
    for (const double each : smooth_curve(x, y).y) EXPECT_TRUE(std::isfinite(each));
    for (double& each : x) each *= size / 10;
    for (const double each : smooth_curve(x, y).y) EXPECT_TRUE(std::isfinite(each));
  }
}

}  // namespace
}  // namespace plumb::plot_smooth_test
