#include "plumb/feature/target_scale.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace plumb::target_scale_test {
namespace {

double there_and_back(const std::string& text, double x) {
  const Formula formula = Formula::parse(text);
  const std::optional<TargetScale> scale = TargetScale::of(formula);
  if (!scale) return std::nan("");
  const double* column = &x;
  double y = 0.0;
  Formula::Scratch scratch;
  EXPECT_FALSE(formula.evaluate({&column, 1}, Out(&y, 1), scratch)) << text;
  return scale->back(y);
}

TEST(TargetScale, TakesBackWhatTheFormulaMade) {
  for (const char* text :
       {"log(y)", "log10(y)", "log2(y)", "log1p(y)", "sqrt(y)", "exp(y)", "expm1(y)", "cbrt(y)", "1/y", "2*y+1",
        "3-y/4", "-y", "log(2*y+1)/3", "y^3", "y^-0.5", "-2/(y+1)", "sqrt(log(y+1))"})
    for (const double x : {0.25, 1.0, 3.75, 11.0}) EXPECT_NEAR(there_and_back(text, x), x, 1e-12 * x) << text;
}

TEST(TargetScale, AFormulaWithoutAnInverseHasNone) {
  for (const char* text : {"y", "abs(y)", "sin(y)", "y*y", "y+x", "y > 1", "max(y, 0)", "0*y", "2^y", "floor(y)"})
    EXPECT_FALSE(TargetScale::of(Formula::parse(text))) << text;
}

TEST(TargetScale, TheMeanIsNamed) {
  EXPECT_EQ(TargetScale::of(Formula::parse("log(wage)"))->mean(), "geometric mean");
  EXPECT_EQ(TargetScale::of(Formula::parse("1/wage"))->mean(), "harmonic mean");
  EXPECT_EQ(TargetScale::of(Formula::parse("sqrt(wage)"))->mean(), "mean of sqrt(wage), taken back to wage");
  EXPECT_EQ(TargetScale::of(Formula::parse("sqrt(wage)"))->back(-1.0), 0.0);
}

}  // namespace
}  // namespace plumb::target_scale_test
