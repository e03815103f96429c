// The grammar of formulas, their canonical text, and the error messages.
#include "plumb/feature/formula.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/feature/formula_testing.h"

namespace plumb::formula_test {
namespace {

std::string text(const std::string& typed) { return Formula::parse(typed).text(); }

Error refused(const std::string& typed) {
  try {
    parse_derivation(typed);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error;
  }
  return Error(ErrorCode::internal, "accepted");
}
std::string refusal(const std::string& typed) { return refused(typed).message(); }

double value(const std::string& typed, const std::vector<double>& columns = {}) {
  std::vector<const double*> pointers;
  for (const double& each : columns) pointers.push_back(&each);
  double out = 0.0;
  Formula::Scratch scratch;
  EXPECT_EQ(Formula::parse(typed).evaluate(pointers, Out(&out, 1), scratch), std::nullopt);
  return out;
}

TEST(Formula, OperatorsBindAsInMathematics) {
  EXPECT_EQ(value("2+3*4"), 14);
  EXPECT_EQ(value("(2+3)*4"), 20);
  EXPECT_EQ(value("10-4-3"), 3);
  EXPECT_EQ(value("24/4/3*2"), 4);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("(-2)^2"), 4);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("2^-2^2"), 0.0625);
  EXPECT_EQ(value("2*-3"), -6);
  EXPECT_EQ(value("2--3"), 5);
  EXPECT_EQ(value("--2"), 2);
  EXPECT_EQ(value("1+1 < 3"), 1);
  EXPECT_EQ(value("(1 < 2) + (2 <= 2) + (3 > 3) + (3 >= 3) + (1 == 1) + (1 != 1)"), 4);
}

TEST(Formula, FunctionsOfDatesCountDaysFrom1970) {
  EXPECT_EQ(value("year(19782)"), 2024);
  EXPECT_EQ(value("month(19782)"), 2);
  EXPECT_EQ(value("day(19782)"), 29);
  EXPECT_EQ(value("weekday(19782)"), 4) << "a Thursday; Monday is 1";
  EXPECT_EQ(value("hour(19782 + 13/24)"), 13);
}

TEST(Formula, FunctionsAreThoseOfMathematics) {
  EXPECT_EQ(value("abs(-3)"), 3);
  EXPECT_EQ(value("sqrt(16)"), 4);
  EXPECT_EQ(value("exp(0)"), 1);
  EXPECT_EQ(value("log(exp(1))"), 1);
  EXPECT_EQ(value("log10(1000)"), 3);
  EXPECT_EQ(value("log2(1024)"), 10);
  EXPECT_EQ(value("floor(-1.5)"), -2);
  EXPECT_EQ(value("sin(0)+cos(0)"), 1);
  EXPECT_EQ(value("min(3,1,2)"), 1);
  EXPECT_EQ(value("max(3,1,2)"), 3);
}

TEST(Formula, TextIsTheOneFormOfWhatWasTyped) {
  EXPECT_EQ(text(" a * b ^ 2 "), "a*b^2");
  EXPECT_EQ(text("((a))+(b*c)"), "a+b*c");
  EXPECT_EQ(text("a-(b-c)"), "a-(b-c)");
  EXPECT_EQ(text("(a-b)-c"), "a-b-c");
  EXPECT_EQ(text("a/(b*c)"), "a/(b*c)");
  EXPECT_EQ(text("(a^b)^c"), "(a^b)^c");
  EXPECT_EQ(text("a^(b^c)"), "a^b^c");
  EXPECT_EQ(text("a^(b+c)"), "a^(b+c)");
  EXPECT_EQ(text("a^(b*c)"), "a^(b*c)");
  EXPECT_EQ(text("a*(b<c)"), "a*(b<c)");
  EXPECT_EQ(text("(a*b)^2"), "(a*b)^2");
  EXPECT_EQ(text("-(a*b)"), "-(a*b)");
  EXPECT_EQ(text("(-a)*b"), "-a*b");
  EXPECT_EQ(text("-(a^2)"), "-a^2");
  EXPECT_EQ(text("a^(-2)"), "a^-2");
  EXPECT_EQ(text("(a<b)==(c<d)"), "(a<b)==(c<d)");
  EXPECT_EQ(text("min ( a , b, c)"), "min(a,b,c)");
  EXPECT_EQ(text("min(min(a,b),c)"), "min(a,b,c)");
  EXPECT_EQ(text("min(a,min(b,c))"), "min(a,min(b,c))");
  EXPECT_EQ(text("x^1"), "x");
  EXPECT_EQ(text("x^2.0"), "x^2");
  EXPECT_EQ(text("0.10*x + .5 + 1E3"), "0.1*x+0.5+1000");
  EXPECT_EQ(text("\"x\" + \"my col\" + \"2nd\" + \".5\" + \"say \"\"x\"\"\""),
            "x+\"my col\"+\"2nd\"+\".5\"+\"say \"\"x\"\"\"");
}

TEST(Formula, AWordIsAFunctionOnlyBeforeAParenthesis) {
  EXPECT_EQ(Formula::parse("log*exp").columns(), (std::vector<std::string>{"log", "exp"}));
  EXPECT_EQ(Formula::parse("log (log)").columns(), (std::vector<std::string>{"log"}));
  EXPECT_EQ(Formula::parse("poly+cross+all").columns().size(), 3u);
}

TEST(Formula, ColumnsAreInTheOrderOfFirstUse) {
  EXPECT_EQ(Formula::parse("b*a+b-c*a").columns(), (std::vector<std::string>{"b", "a", "c"}));
  EXPECT_TRUE(Formula::parse("1+2").columns().empty());
}

TEST(Formula, AFeatureIsCalledByItsTextOrItsBareColumn) {
  EXPECT_EQ(Formula::parse("log( x )").name(), "log(x)");
  EXPECT_EQ(Formula::parse("\"my col\"").name(), "my col");
  EXPECT_EQ(Formula::of_column("my col").text(), "\"my col\"");
  EXPECT_EQ(Formula::of_column("my col"), Formula::parse("\"my col\""));
}

TEST(Formula, ProductsOfPowersAreKnownAsSuchAndCalledAsBefore) {
  const std::pair<const char*, Expression> cases[] = {{"height^3", {{{"height", 3}}}},
                                                      {"a*b", {{{"a", 1}, {"b", 1}}}},
                                                      {" a * b^2*a ", {{{"a", 1}, {"b", 2}, {"a", 1}}}},
                                                      {"\"my col\"^2", {{{"my col", 2}}}},
                                                      {"\"say \"\"x\"\"\"*b", {{{"say \"x\"", 1}, {"b", 1}}}},
                                                      {"\"2nd\"*x.y_z", {{{"2nd", 1}, {"x.y_z", 1}}}},
                                                      {"x", {{{"x", 1}}}},
                                                      {"\"my col\"", {{{"my col", 1}}}},
                                                      {"x^1", {{{"x", 1}}}},
                                                      {"x^100*y", {{{"x", 100}, {"y", 1}}}}};
  for (const auto& [typed, expected] : cases) {
    const std::optional<Expression> product = Formula::parse(typed).product();
    ASSERT_TRUE(product) << typed;
    EXPECT_EQ(*product, expected) << typed;
    EXPECT_EQ(Formula::parse(typed).name(), expected.text());
  }
  for (const char* typed : {"a*(b*c)", "2*a", "a*2", "a^0", "a^101", "a^-1", "a^0.5", "-a", "a+b", "a/b", "a^b", "3",
                            "log(x)", "a*b<c", "a^2^2", "(a^2)^2", "a*(b+2)"})
    EXPECT_FALSE(Formula::parse(typed).product()) << typed;
  std::string many = "a";
  for (std::size_t i = 1; i < kMostFactors; ++i) many += "*a";
  EXPECT_TRUE(Formula::parse(many).product());
  EXPECT_FALSE(Formula::parse(many + "*a").product());
}

// The value in one row, or the fault, as text.
std::string outcome(const Formula& formula, const std::vector<double>& row) {
  std::vector<const double*> pointers;
  for (std::size_t c = 0; c < formula.columns().size(); ++c) pointers.push_back(&row[c]);
  double out = 0.0;
  Formula::Scratch scratch;
  const auto fault = formula.evaluate(pointers, Out(&out, 1), scratch);
  return fault ? fault->text() : number_text(out);
}

// Equal texts are not enough: a lost parenthesis would be lost in both. So values are compared too.
RC_GTEST_PROP(Formula, TextIsReadBackAsTheSameFormula, (std::uint64_t seed)) {
  testing::RandomFormula random(seed);
  for (int i = 0; i < 50; ++i) {
    const Formula formula = Formula::parse(random.typed(random.tree(4)));
    const Formula again = Formula::parse(formula.text());
    RC_ASSERT(again.text() == formula.text());
    RC_ASSERT(again.columns() == formula.columns());
    RC_ASSERT(again.product() == formula.product());
    std::vector<double> row;
    for (std::size_t c = 0; c < formula.columns().size(); ++c) row.push_back(random.number());
    RC_ASSERT(outcome(again, row) == outcome(formula, row));
  }
}

RC_GTEST_PROP(Formula, BlanksAndNeedlessParenthesesChangeNothing, (std::uint64_t seed)) {
  testing::RandomFormula random(seed);
  const testing::Tree tree = random.tree(5);
  RC_ASSERT(Formula::parse(random.typed(tree)) == Formula::parse(random.typed(tree)));
}

TEST(Formula, ErrorsPointAtTheCharacter) {
  EXPECT_EQ(refusal("height^^3"),
            "expression \"height^^3\": at character 8 there is \"^\"; a number, a column or a "
            "function was expected");
  EXPECT_EQ(refusal("a*"),
            "expression \"a*\": at character 3 there is the end; a number, a column or a function was "
            "expected");
  EXPECT_EQ(refusal("a b"), "expression \"a b\": at character 3 there is \"b\"; an operator or the end was expected");
  EXPECT_EQ(refusal("(a"), "expression \"(a\": at character 3 there is the end; an operator or ) was expected");
  EXPECT_EQ(refusal("a)"), "expression \"a)\": at character 2 there is \")\"; an operator or the end was expected");
  EXPECT_EQ(refusal("\"a"), "expression \"\"a\": at character 1 there is \"\"\"; a closing quote was expected for it");
  EXPECT_EQ(refusal("a*\"\""),
            "expression \"a*\"\"\": at character 3 there is \"\"\"\"; the name of a column was expected");
  EXPECT_EQ(refusal("a+2nd"),
            "expression \"a+2nd\": at character 3 there is \"2nd\"; a number was expected, or a name "
            "in double quotes");
  EXPECT_EQ(refusal("1e400*a"),
            "expression \"1e400*a\": at character 1 there is \"1e400\"; a number was expected that "
            "a double can hold");
  EXPECT_EQ(refusal("log(a, 2)"),
            "expression \"log(a, 2)\": at character 6 there is \",\"; ) was expected, as log takes one number");
  EXPECT_EQ(refusal("min(a)"),
            "expression \"min(a)\": at character 6 there is \")\"; a comma was expected, as min takes two numbers or "
            "more");
  EXPECT_EQ(refusal("a < b < c"),
            "expression \"a < b < c\": at character 7 there is \"<\"; an operator other than a "
            "second comparison was expected");
  EXPECT_EQ(refusal("1 + 2"), "expression \"1 + 2\" names no column; a column was expected");
  EXPECT_EQ(refusal(""),
            "expression \"\": at character 1 there is the end; a number, a column or a function was "
            "expected");
  EXPECT_EQ(refusal("a*(\xc3\xa9t\xc3\xa9 b)"),
            "expression \"a*(\xc3\xa9t\xc3\xa9 b)\": at character 8 there is \"b\"; "
            "an operator or ) was expected");
}

TEST(Formula, HintsSayWhatToType) {
  EXPECT_EQ(
      refusal("lgo(a)"),
      "expression \"lgo(a)\": at character 1 there is \"lgo\"; a function was expected: abs, "
      "acos, asin, atan, cbrt, ceil, cos, cosh, day, erf, exp, expm1, floor, hour, log, log10, log1p, log2, max, min, "
      "month, round, sigmoid, sign, sin, sinh, sqrt, tan, tanh, weekday, year, capitalised, count, length, matches");
  EXPECT_EQ(refused("lgo(a)").hint(), "did you mean \"log\"?");
  EXPECT_EQ(refused("ln(a)").hint(), "the natural logarithm is written log");
  EXPECT_EQ(refused("a**2").hint(), "the power is written ^: x^2");
  EXPECT_EQ(refused("a = 2").hint(), "equality is written ==");
  EXPECT_EQ(refused("2nd").hint(), "\"2nd\" is a column");
  EXPECT_EQ(refused("a+").hint(),
            "height^3, a*b and log(x+1) are expressions; a name with other signs goes in double quotes");
}

TEST(Formula, WithAListOfColumnsOthersAreRefused) {
  const std::vector<std::string> known{"height", "my width"};
  EXPECT_EQ(Formula::parse("height*\"my width\"", known).columns(), known);
  try {
    Formula::parse("2*hieght", known);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(),
              "expression \"2*hieght\": at character 3 there is \"hieght\"; a column was expected: "
              "height, my width");
    EXPECT_EQ(error.hint(), "did you mean height?");
  }
  try {
    parse_derivation("cross(height, mywidth)", known);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.hint(), "did you mean \"my width\"?");
  }
  EXPECT_THROW(Formula::parse("a", std::vector<std::string>{}), Error);
}

TEST(Formula, LengthDepthAndOperationsAreCapped) {
  EXPECT_NO_THROW(Formula::parse(std::string(Formula::kLongestText, 'a')));
  EXPECT_EQ(refusal(std::string(5000, 'a')), "an expression has 5,000 bytes; at most 4,096 were expected");
  const auto nested = [](std::size_t depth, const std::string& open, const std::string& close) {
    std::string typed = "a";
    for (std::size_t i = 0; i < depth; ++i) typed = open + typed + close;
    return typed;
  };
  for (const auto& [open, close] : {std::pair{"(", ")"}, {"-", ""}, {"2^", ""}, {"abs(", ")"}, {"a+(", ")"}}) {
    EXPECT_NO_THROW(Formula::parse(nested(Formula::kDeepest - 1, open, close)));
    EXPECT_NE(refusal(nested(Formula::kDeepest, open, close)).find("at most 64 levels"), std::string::npos) << open;
    EXPECT_NE(refusal(nested(800, open, close)).find("at most 64 levels"), std::string::npos) << open;
  }
  std::string sum = "a";
  for (std::size_t i = 0; i < Formula::kMostOperations; ++i) sum += "+a";
  EXPECT_NO_THROW(Formula::parse(sum));
  EXPECT_NE(refusal(sum + "+a").find("has more than 1,024 operations"), std::string::npos);
  // Numbers may become longer in the canonical text: the limit applies to that too, or the text could not be read back.
  std::string powers = "a";
  for (int i = 0; i < 900; ++i) powers += "+1e9";
  EXPECT_NE(refusal(powers).find("with its numbers written out"), std::string::npos);
}

std::vector<std::string> texts(const Derivation& derivation) {
  std::vector<std::string> all;
  for (const Formula& formula : std::get<std::vector<Formula>>(derivation)) all.push_back(formula.text());
  return all;
}

TEST(Derivation, PolyIsAllPowersUpToTheHighest) {
  EXPECT_EQ(texts(parse_derivation("poly(x, 3)")), (std::vector<std::string>{"x", "x^2", "x^3"}));
  EXPECT_EQ(texts(parse_derivation(" poly ( log(x) , 2 ) ")), (std::vector<std::string>{"log(x)", "log(x)^2"}));
  EXPECT_EQ(texts(parse_derivation("poly(x-1,2)")), (std::vector<std::string>{"x-1", "(x-1)^2"}));
  EXPECT_EQ(texts(parse_derivation("poly(x, 100)")).size(), 100u);
  EXPECT_EQ(texts(parse_derivation("log(x)")), (std::vector<std::string>{"log(x)"}));
}

TEST(Derivation, CrossNamesTwoColumnsOrMoreOrAll) {
  EXPECT_EQ(std::get<Cross>(parse_derivation("cross(a, b,c)")).columns, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(std::get<Cross>(parse_derivation("cross(a, \"my col\")")).columns,
            (std::vector<std::string>{"a", "my col"}));
  EXPECT_TRUE(std::get<Cross>(parse_derivation("cross(all)")).all());
  EXPECT_EQ(std::get<Cross>(parse_derivation("cross(\"all\", b)")).columns, (std::vector<std::string>{"all", "b"}));
  for (const char* typed : {"cross(all)", "cross(a,\"my col\")", "cross(\"all\",b)", "cross(a,b,c,d)"})
    EXPECT_EQ(std::get<Cross>(parse_derivation(typed)).text(), typed);
}

TEST(Derivation, WhatIsNotOneIsRefusedAtTheCharacter) {
  EXPECT_EQ(refusal("poly(x, 101)"),
            "expression \"poly(x, 101)\": at character 9 there is \"101\"; a whole number from "
            "1 to 100 was expected");
  EXPECT_EQ(refusal("poly(x)"),
            "expression \"poly(x)\": at character 7 there is \")\"; a comma and the highest power "
            "were expected");
  EXPECT_EQ(refusal("poly(x, 2)*3"),
            "expression \"poly(x, 2)*3\": at character 11 there is \"*\"; the end was "
            "expected, as poly(...) stands alone");
  EXPECT_EQ(refusal("1+poly(x, 2)"),
            "expression \"1+poly(x, 2)\": at character 3 there is \"poly\"; it makes several "
            "features, so the end of the expression was expected around it");
  EXPECT_EQ(refusal("cross(a)"),
            "expression \"cross(a)\": at character 8 there is \")\"; a comma and a second column "
            "were expected");
  EXPECT_EQ(refusal("cross(a, a)"),
            "expression \"cross(a, a)\": at character 10 there is \"a\"; a column other than "
            "the first was expected");
  EXPECT_EQ(refused("cross(a, a)").hint(), "a^2 is its square");
  EXPECT_EQ(refusal("cross(a, b, a)"),
            "expression \"cross(a, b, a)\": at character 13 there is \"a\"; a column other than "
            "the others was expected");
  EXPECT_EQ(refusal("cross(a, 2)"),
            "expression \"cross(a, 2)\": at character 10 there is \"2\"; the name of a column "
            "was expected");
  EXPECT_EQ(refusal("cross(all, b)"),
            "expression \"cross(all, b)\": at character 10 there is \",\"; ) was expected "
            "after all");
  EXPECT_EQ(refusal("poly(2, 3)"), "expression \"poly(2, 3)\" names no column; a column was expected");
  EXPECT_THROW(Formula::parse("poly(x, 2)"), Error);
}

}  // namespace
}  // namespace plumb::formula_test
