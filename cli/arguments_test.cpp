#include "cli/arguments.h"

#include <gtest/gtest.h>

namespace plumb::cli::arguments_test {
namespace {

using Words = std::vector<std::string>;

struct Choice {
  std::string model = "lines";
  bool loud = false;
  static OptionTable table() {
    return {option("model", &Choice::model, "which").value("MODEL").short_as('m'),
            option("loud", &Choice::loud, "say more").short_as('l')};
  }
};

// Two kinds of model that both have --no-bias and --rate, with ranges of their own.
struct Lines {
  bool bias = true;
  double rate = 0.5;
  static OptionTable table() {
    return {option("no-bias", &Lines::bias, "no constant").off(),
            option("rate", &Lines::rate, "step").value("X").in(between(0.0, 1.0))};
  }
};
struct Curves {
  bool bias = true;
  double rate = 5;
  static OptionTable table() {
    return {option("no-bias", &Curves::bias, "no constant").off(),
            option("rate", &Curves::rate, "step").value("X").in(between(1.0, 9.0))};
  }
};

struct Groups {
  Choice choice;
  Lines lines;
  Curves curves;
  std::vector<OptionGroup> lines_first() {
    return {options_of("Choice", choice), options_of("Lines", lines), options_of("Curves", curves)};
  }
  std::vector<OptionGroup> curves_first() {
    return {options_of("Choice", choice), options_of("Curves", curves), options_of("Lines", lines)};
  }
};

TEST(Arguments, AnOptionOfTwoGroupsSetsTheFirst) {
  Groups of_lines;
  EXPECT_FALSE(read_arguments({"--no-bias", "--rate", "0.25"}, of_lines.lines_first()).fault);
  EXPECT_FALSE(of_lines.lines.bias);
  EXPECT_TRUE(of_lines.curves.bias);
  EXPECT_EQ(of_lines.lines.rate, 0.25);
  Groups of_curves;
  EXPECT_TRUE(read_arguments({"--no-bias", "--rate", "0.25"}, of_curves.curves_first()).fault);
  EXPECT_FALSE(of_curves.curves.bias);
  EXPECT_TRUE(of_curves.lines.bias);
}

TEST(Arguments, AValueCanBeKnownBeforeTheWordsAreRead) {
  Groups groups;
  const auto model = [&](const Words& words) { return value_of("model", words, groups.lines_first()); };
  EXPECT_EQ(model({"data.csv", "--model", "curves"}), "curves");
  EXPECT_EQ(model({"--model=curves", "--model", "lines"}), "lines");
  EXPECT_EQ(model({"-lm", "curves"}), "curves");
  EXPECT_EQ(model({"-mcurves", "--rate", "100"}), "curves");
  EXPECT_EQ(model({"--rate", "--model", "curves"}), std::nullopt);  // --model is the value of --rate here
  EXPECT_EQ(model({"--", "--model", "curves"}), std::nullopt);
  EXPECT_EQ(model({"--model"}), std::nullopt);
  EXPECT_EQ(model({}), std::nullopt);
  EXPECT_EQ(model({"-m", "curves", "--unknown"}), "curves");
  EXPECT_EQ(groups.choice.model, "lines");
  EXPECT_FALSE(groups.choice.loud);
  EXPECT_EQ(groups.lines.rate, 0.5);
}

TEST(Arguments, AnOptionWithoutItsValueHintsAtIt) {
  Groups groups;
  const Arguments arguments = read_arguments({"data.csv", "-m"}, groups.lines_first());
  ASSERT_TRUE(arguments.fault);
  EXPECT_EQ(arguments.fault->hint(), "-m MODEL");
  EXPECT_EQ(arguments.operands, Words{"data.csv"});
}

}  // namespace
}  // namespace plumb::cli::arguments_test
