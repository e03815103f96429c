#include "plumb/feature/model_formula.h"

#include <gtest/gtest.h>

#include <string>

#include "plumb/base/error.h"
#include "plumb/base/text.h"

namespace plumb::model_formula_test {
namespace {

std::string read(const std::string& text) {
  try {
    const ModelFormula formula = parse_model_formula(text);
    return formula.target + " |" + (formula.all ? " ." : "") + " " + list_of(formula.features) +
           (formula.drop.empty() ? "" : " without " + list_of(formula.drop)) + (formula.bias ? "" : " no bias");
  } catch (const Error& error) {
    return error.message();
  }
}

TEST(ModelFormula, MeansWhatItMeansInR) {
  EXPECT_EQ(read("wage ~ age"), "wage | age");
  EXPECT_EQ(read("wage ~ education*experience + log(age)"),
            "wage | education,experience,cross(education, experience),log(age)");
  EXPECT_EQ(read("log(wage)~a:b-1"), "log(wage) | cross(a, b) no bias");
  EXPECT_EQ(read("y ~ . - id + I(x^2)"), "y | . (x^2) without id");
  EXPECT_EQ(read("y ~ 0 + a + a"), "y | a no bias");
  EXPECT_EQ(read("y ~ a*b - a:b"), "y | a,b");
  EXPECT_EQ(read("y ~ a*b*c"), "y | a,b,c,cross(a, b),cross(a, c),cross(b, c),cross(a, b, c)");
  EXPECT_EQ(read("y ~ log(x):z + max(a - 1, 0)"), "y | log(x)*z,max(a - 1, 0)");
  EXPECT_EQ(read("y ~ \"a + b\" + 1"), "y | \"\"\"a + b\"\"\"");
}

TEST(ModelFormula, WhatIsWrongIsPointedAt) {
  EXPECT_EQ(read("wage"),
            "formula \"wage\": at character 5 there is the end; ~ between the target and the terms was expected");
  EXPECT_EQ(read("y ~ a ++ b"), "formula \"y ~ a ++ b\": at character 8 there is \"+\"; a term was expected");
  EXPECT_EQ(
      read("y ~ x^2"),
      "formula \"y ~ x^2\": at character 6 there is \"^\"; +, -, * or : between terms was expected; arithmetic goes "
      "into I(...)");
  EXPECT_EQ(read("y ~ a)"), "formula \"y ~ a)\": at character 6 there is \")\"; no closing parenthesis was expected");
  EXPECT_TRUE(read("y ~ lgo(a)").starts_with("formula \"y ~ lgo(a)\", from character 5 on: ")) << read("y ~ lgo(a)");
}

TEST(ModelFormula, TakesThePlaceOfOptions) {
  FeatureOptions options;
  options.formula = "y ~ a + b";
  EXPECT_EQ(without_formula(options).target, "y");
  EXPECT_EQ(without_formula(options).features, (std::vector<std::string>{"a", "b"}));
  options.target = "y";
  EXPECT_THROW(without_formula(options), Error);
}

}  // namespace
}  // namespace plumb::model_formula_test
