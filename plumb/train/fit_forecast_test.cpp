#include "plumb/train/fit_forecast.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plumb::fit_forecast_test {
namespace {

SolverStep at(std::uint64_t iteration, double loss, double gradient, double gap) {
  SolverStep step;
  step.iteration = iteration;
  step.loss = loss;
  step.gradient_norm = gradient;
  step.gap = gap;
  return step;
}

TEST(FitForecast, AGapThatShrinksAtASteadyRateIsHalfWayAfterHalfOfTheSteps) {
  FitForecast forecast(1e-6, 10'000);
  double part = 0.0;
  for (std::uint64_t k = 0; k <= 10; ++k)
    part = forecast.part(at(k, 10.0, 1.0, 10.0 * std::pow(10.0, -0.3 * static_cast<double>(k))));
  EXPECT_NEAR(part, 0.5, 1e-9);
}

TEST(FitForecast, WithoutAProofItGoesByTheGradientAndNeverBack) {
  FitForecast forecast(1e-4, 0);
  EXPECT_EQ(forecast.part(at(0, 10.0, 100.0, HUGE_VAL)), 0.0);
  EXPECT_NEAR(forecast.part(at(1, 9.0, 10.0, HUGE_VAL)), 0.5, 1e-9);  // the square fell by 100, and 10^4 are wanted
  EXPECT_NEAR(forecast.part(at(2, 8.9, 50.0, HUGE_VAL)), 0.5, 1e-9);
  const double proved = forecast.part(at(3, 8.8, 5.0, 0.88));
  EXPECT_GE(proved, 0.5);
  EXPECT_NEAR(forecast.part(at(4, 8.8, 5.0, 0.0088 / std::sqrt(10.0))), 0.5 + 0.5 * 2.5 / 3.0, 1e-6);
}

TEST(FitForecast, WhereNothingElseIsKnownItGoesByGainsAndByTheLimitOfSteps) {
  FitForecast gains(1e-4, 0);
  gains.part(at(0, 2.0, 0.0, HUGE_VAL));
  gains.part(at(1, 1.0, 0.0, HUGE_VAL));
  EXPECT_NEAR(gains.part(at(2, 0.99, 0.0, HUGE_VAL)), 0.5, 0.01);
  FitForecast limit(1e-4, 8);
  EXPECT_NEAR(limit.part(at(4, 2.0, 0.0, HUGE_VAL)), 0.5, 1e-9);
  EXPECT_LT(limit.part(at(8, 2.0, 0.0, HUGE_VAL)), 1.0);
}

}  // namespace
}  // namespace plumb::fit_forecast_test
