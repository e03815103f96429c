#include "plumb/base/options.h"

#include <gtest/gtest.h>

enum class Colour { red, green };
template <>
struct plumb::EnumNames<Colour> {
  static constexpr std::string_view names[] = {"red", "green"};
};

namespace plumb::options_test {
namespace {

struct Sample {
  int history = 10;
  double tolerance = 1e-6;
  bool bias = true;
  bool loud = false;
  std::string target;
  std::vector<std::string> features;
  Colour colour = Colour::green;
  std::uint64_t seed = 42;
  Texts with;

  static OptionTable table() {
    return {option("history", &Sample::history, "pairs to keep").value("N").in(at_least(1)),
            option("tolerance", &Sample::tolerance, "stop at this gap").value("X").in(between(0.0, 1.0)),
            option("no-bias", &Sample::bias, "leave the bias out").off(),
            option("loud", &Sample::loud, "say more"),
            option("target", &Sample::target, "what to predict").value("COL").short_as('t'),
            option("features", &Sample::features, "columns to use").value("COL,...").otherwise("all"),
            option("colour", &Sample::colour, "of the line"),
            option("seed", &Sample::seed, "of all draws").value("N").unrecorded(),
            option("with", &Sample::with, "a variant").value("TEXT")};
  }
};

class Options : public ::testing::Test {
 protected:
  const OptionInfo& info(std::string_view name) const {
    for (const OptionInfo& each : group.options)
      if (each.name == name) return each;
    throw std::logic_error("no such option");
  }
  void set(std::string_view name, std::string_view text) { info(name).set(group.owner, text); }
  std::string refusal(std::string_view name, std::string_view text) {
    try {
      set(name, text);
    } catch (const OptionFault& fault) {
      return fault.expected;
    }
    return "accepted";
  }

  Sample sample;
  OptionGroup group = options_of("Sample", sample);
};

TEST_F(Options, SetTheFieldTheyAreBoundTo) {
  set("history", "7");
  set("tolerance", "0.5");
  set("no-bias", "");
  set("loud", "");
  set("target", "y");
  set("features", "a,b");
  set("features", "\"c,d\"");
  set("colour", "red");
  set("seed", "18446744073709551615");
  EXPECT_EQ(sample.history, 7);
  EXPECT_EQ(sample.tolerance, 0.5);
  EXPECT_FALSE(sample.bias);
  EXPECT_TRUE(sample.loud);
  EXPECT_EQ(sample.target, "y");
  EXPECT_EQ(sample.features, (std::vector<std::string>{"a", "b", "c,d"}));
  EXPECT_EQ(sample.colour, Colour::red);
  EXPECT_EQ(sample.seed, 18446744073709551615u);
}

TEST_F(Options, TextsAreKeptAsTheyAreTyped) {
  set("with", "features=a,b");
  set("with", "no-bias");
  EXPECT_EQ(sample.with.each, (std::vector<std::string>{"features=a,b", "no-bias"}));
  EXPECT_TRUE(info("with").repeats);
}

TEST_F(Options, SayWhatWasExpectedOfABadValue) {
  EXPECT_EQ(refusal("history", "0"), "a whole number, at least 1");
  EXPECT_EQ(refusal("history", "2.5"), "a whole number, at least 1");
  EXPECT_EQ(refusal("history", "99999999999"), "a whole number, from 1 to 2147483647");
  EXPECT_EQ(refusal("history", "99999999999999999999"), "a whole number, from 1 to 2147483647");
  EXPECT_EQ(refusal("history", "-99999999999"), "a whole number, from 1 to 2147483647");
  EXPECT_EQ(refusal("seed", "18446744073709551616"), "a whole number, from 0 to 18446744073709551615");
  EXPECT_EQ(refusal("tolerance", "2"), "a number, from 0 to 1");
  EXPECT_EQ(refusal("tolerance", "nan"), "a number, from 0 to 1");
  EXPECT_EQ(refusal("seed", "-1"), "a whole number, at least 0");
  EXPECT_EQ(refusal("colour", "blue"), "one of red, green");
  EXPECT_EQ(refusal("features", "a,,b"), "names separated by commas, none of them empty");
}

TEST_F(Options, ShowTheirDefaultRangeAndChoices) {
  EXPECT_EQ(info("history").fallback, "10");
  EXPECT_EQ(info("history").range, "at least 1");
  EXPECT_EQ(info("tolerance").fallback, "1e-06");
  EXPECT_EQ(info("features").fallback, "all");
  EXPECT_TRUE(info("features").repeats);
  EXPECT_TRUE(info("no-bias").flag());
  EXPECT_EQ(info("colour").choices, (std::vector<std::string>{"red", "green"}));
  EXPECT_EQ(info("target").letter, 't');
}

TEST_F(Options, AreRecordedUnlessTheySayOtherwise) {
  EXPECT_TRUE(info("history").recorded);
  EXPECT_FALSE(info("seed").recorded);
}

TEST_F(Options, TextOfAValueIsReadBackAsTheSameValue) {
  set("features", "plain");
  set("features", "\"with, comma\"");
  const std::string text = info("features").text(&sample);
  Sample other;
  info("features").set(&other, text);
  EXPECT_EQ(other.features, sample.features);
}

}  // namespace
}  // namespace plumb::options_test
