#include "plumb/train/ridge_path.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "plumb/train/testing.h"

namespace plumb::ridge_path_test {
namespace {

double left_out_error(const Data& data, double l2) {
  double total = 0.0;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    Data rest = data;
    rest.x.erase(rest.x.begin() + static_cast<std::ptrdiff_t>(i));
    rest.y.erase(rest.y.begin() + static_cast<std::ptrdiff_t>(i));
    const Trained fit = fit_with(rest, {.l2 = {l2, false}});
    double r = data.y[i] - fit.model.parts().bias[0];
    for (std::size_t j = 0; j < data.x[i].size(); ++j) r -= weights(fit)[j] * data.x[i][j];
    total += r * r;
  }
  return std::sqrt(total / static_cast<double>(data.x.size()));
}

// Columns of one length, whose penalties a few of them span, and of very different lengths, where all are summed.
TEST(RidgePath, ErrorsAreThoseOfRefitsWithoutEachRow) {
  const RandomKey key{4, 0};
  for (const double longest : {1.0, 100.0}) {
    Data data;
    std::uint64_t draw = 0;
    for (std::size_t i = 0; i < 80; ++i) {
      std::vector<double> x(12);
      for (double& each : x) each = key.uniform(draw++) - 0.3;
      x[5] *= longest;
      data.y.push_back(x[0] + 2 * x[3] + 3 * key.uniform(draw++));
      data.x.push_back(x);
    }
    Executor executor(1);
    const std::vector<double> factors(12, 1.0);
    const RidgePath path = find_ridge_path(examples_of(data), true, Offset(), factors, plumb::Run{executor});
    ASSERT_GT(path.points.size(), 86u);
    for (std::size_t i = 30; i < path.points.size(); i += 9)
      expect_close(path.points[i].loo_rmse, left_out_error(data, path.points[i].l2), 1e-12);

    const RidgePath coarse =
        find_ridge_path(examples_of(data), true, Offset(), factors, plumb::Run{executor}, {.coarse = 18, .fine = 0});
    ASSERT_EQ(coarse.points.size(), 18u) << "one for each power of ten";
    for (const RidgePoint& point : coarse.points)
      for (const RidgePoint& other : path.points)
        if (other.l2 == point.l2) expect_close(point.loo_rmse, other.loo_rmse, 1e-13);
  }
}

// Of many columns whose lengths decrease from 1 to 1/100, many penalties have a span and few have none.
TEST(RidgePath, ASpanOfManyPenaltiesChangesNothing) {
  const RandomKey key{5, 0};
  Data data;
  std::uint64_t draw = 0;
  constexpr std::size_t p = 60;
  for (std::size_t i = 0; i < 300; ++i) {
    std::vector<double> x(p);
    double sum = 0.0;
    for (std::size_t j = 0; j < p; ++j) {
      x[j] = std::pow(100.0, -static_cast<double>(j) / p) * (key.uniform(draw++) - 0.3);
      sum += x[j];
    }
    data.y.push_back(sum + 0.2 * key.uniform(draw++));
    data.x.push_back(x);
  }
  Executor executor(1);
  const std::vector<double> factors(p, 1.0);
  const auto found = [&](std::size_t coarse, std::size_t fine) {
    return find_ridge_path(examples_of(data), true, Offset(), factors, plumb::Run{executor},
                           {.coarse = coarse, .fine = fine});
  };
  const RidgePath many = found(171, 41), few = found(18, 0);
  ASSERT_EQ(few.points.size(), 18u);
  std::size_t same = 0;
  for (const RidgePoint& point : few.points)
    for (const RidgePoint& other : many.points) {
      if (std::abs(other.l2 / point.l2 - 1) > 1e-12) continue;
      ++same;
      expect_close(point.loo_rmse, other.loo_rmse, 1e-12);
      expect_close(point.gcv, other.gcv, 1e-12);
    }
  EXPECT_EQ(same, 18u);
  expect_close(many.points[many.best].loo_rmse, left_out_error(data, many.points[many.best].l2), 1e-11);
}

// The second penalties are near the least error of the first, which is guessed before rows are read: with outliers the
// guess fails, and everything is summed again.
TEST(RidgePath, PenaltiesBetweenHaveTheErrorsOfRefitsWhereverTheBestIs) {
  constexpr std::size_t p = 60;
  const std::vector<double> factors(p, 1.0);
  for (const double far : {1.0, 3.0}) {
    const RandomKey key{6, 0};
    Data data;
    std::uint64_t draw = 0;
    for (std::size_t i = 0; i < 120; ++i) {
      std::vector<double> x(p);
      double sum = 0.0;
      for (std::size_t j = 0; j < p; ++j) {
        x[j] = std::pow(2.0, -static_cast<double>(j) / p) * (key.uniform(draw++) - 0.5) * (i < 3 ? far : 1.0);
        sum += x[j];
      }
      data.y.push_back((i < 3 ? -sum : sum) + 0.5 * key.uniform(draw++));
      data.x.push_back(x);
    }
    Executor executor(1);
    const RidgePath path =
        find_ridge_path(examples_of(data), true, Offset(), factors, plumb::Run{executor}, {.coarse = 31, .fine = 21});
    ASSERT_GE(path.points.size(), 49u);
    for (std::size_t i = 1; i + 1 < path.points.size(); ++i) {
      const bool between = path.points[i + 1].l2 < 2.0 * path.points[i].l2;
      if (between && i % 6 == 0) expect_close(path.points[i].loo_rmse, left_out_error(data, path.points[i].l2), 1e-11);
    }
  }
}

}  // namespace
}  // namespace plumb::ridge_path_test
