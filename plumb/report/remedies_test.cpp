// rows: E5
#include "plumb/report/remedies.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace plumb::remedies_test {
namespace {

const TypedData kNumbers{"boston.csv -t medv", {"rooms", "year built"}, {"rooms", "year built"}, false};
const TypedData kTexts{"mail.tsv --columns label,text -t label", {}, {"text"}, true};

std::vector<std::string> commands(const std::vector<Remedy>& remedies) {
  std::vector<std::string> found;
  for (const Remedy& remedy : remedies) found.push_back(remedy.command);
  return found;
}

TEST(Remedies, AreCommandsWithTheNamesOfTheData) {
  EXPECT_EQ(commands(against_overfitting("least-squares", kNumbers)),
            (std::vector<std::string>{
                "plumb tune boston.csv -t medv -m least-squares --grid l2=0.001..1000:7",
                "plumb compare boston.csv -t medv -m least-squares --with 'drop=rooms' --with 'drop=year built'"}));
  EXPECT_EQ(commands(against_underfitting("least-squares", false, kNumbers)),
            (std::vector<std::string>{"plumb train boston.csv -t medv -m least-squares --derive 'rooms^2'",
                                      "plumb train boston.csv -t medv -m least-squares --derive 'cross(all)'"}))
      << "no smaller penalty, as there is none";
  EXPECT_EQ(commands(against_underfitting("naive-bayes", false, kTexts)),
            (std::vector<std::string>{
                "plumb tune mail.tsv --columns label,text -t label -m naive-bayes --grid smoothing=0.0001..1:5"}));
}

// What a trial of each sets: some values of the grid, each list of columns, the formula.
TEST(Remedies, SayWhatATrialOfThemSets) {
  const std::vector<Remedy> less = against_overfitting("least-squares", kNumbers);
  EXPECT_EQ(less[0].option, "l2");
  EXPECT_EQ(less[0].values, (std::vector<std::string>{"0.01", "1", "100"}));
  EXPECT_EQ(less[0].instead, (std::vector<std::string>{"l2", "C", "prior-variance"}));
  EXPECT_EQ(less[1].option, "drop");
  EXPECT_EQ(less[1].values, (std::vector<std::string>{"rooms", "year built"}));
  const std::vector<Remedy> more = against_underfitting("least-squares", false, kNumbers);
  EXPECT_EQ(more[1].option, "derive");
  EXPECT_EQ(more[1].values, std::vector<std::string>{"cross(all)"});
}

TEST(Remedies, KeepTheOptionsThatWereTypedButForThoseTheySet) {
  TypedData data = kNumbers;
  data.options = {{"no-bias", "--no-bias"}, {"C", "--C 2"}};
  EXPECT_EQ(commands(against_overfitting("logistic", data)),
            (std::vector<std::string>{"plumb tune boston.csv -t medv -m logistic --no-bias --grid l2=0.5..1000:5",
                                      "plumb compare boston.csv -t medv -m logistic --no-bias --C 2 --with "
                                      "'drop=rooms' --with 'drop=year built'"}));
}

TEST(Remedies, DropOneColumnMoreWhereSomeAreDropped) {
  TypedData data = kNumbers;
  data.words += " --drop zone";
  EXPECT_EQ(
      commands(against_overfitting("logistic", data)),
      (std::vector<std::string>{
          "plumb tune boston.csv -t medv --drop zone -m logistic --grid l2=1..1000:5",
          "plumb compare boston.csv -t medv --drop zone -m logistic --with 'drop=rooms' --with 'drop=year built'"}));
}

TEST(Remedies, OfBellCurvesAreNoSmoothing) {
  TypedData data = kNumbers;
  data.counts = false;
  EXPECT_EQ(commands(against_overfitting("naive-bayes", data)),
            (std::vector<std::string>{
                "plumb compare boston.csv -t medv -m naive-bayes --with 'drop=rooms' --with 'drop=year built'"}));
  for (const std::string& each : commands(against_underfitting("naive-bayes", false, data)))
    EXPECT_EQ(each.find("smoothing"), each.npos) << each;
}

TEST(Remedies, KeepTheOptionsOfTheModelAndHalveTheTerms) {
  TypedData data = kTexts;
  data.terms = 53;
  data.options = {{"C", "--C 2"}, {"penalise-bias", "--penalise-bias"}};
  EXPECT_EQ(commands(against_overfitting("ridge", data)),
            (std::vector<std::string>{
                "plumb tune mail.tsv --columns label,text -t label -m ridge --penalise-bias --grid l2=0.5..1000:5",
                "plumb train mail.tsv --columns label,text -t label -m ridge --C 2 --penalise-bias --max-terms 20"}));
  data.terms = 12;
  EXPECT_EQ(commands(against_overfitting("ridge", data)).size(), 1u) << "they are few";
  data.terms = 1234;
  EXPECT_TRUE(commands(against_overfitting("ridge", data)).back().ends_with(" --max-terms 600"));
  data.words += " --hash-bits 10";
  EXPECT_EQ(commands(against_overfitting("ridge", data)).size(), 1u) << "hashed terms have no --max-terms";
}

TEST(Remedies, OfferNothingThatFailsOrIsThereAlready) {
  TypedData data = kNumbers;
  data.words += " --derive 'rooms^2'";
  EXPECT_TRUE(against_underfitting("least-squares", false, data).empty())
      << "what is derived is the reader's to change";
  data = kNumbers;
  data.columns.push_back("town");
  const auto crosses = [&](const std::string& model) {
    const std::vector<std::string> all = commands(against_underfitting(model, false, data));
    return std::any_of(all.begin(), all.end(), [](const std::string& each) { return each.ends_with("'cross(all)'"); });
  };
  EXPECT_FALSE(crosses("naive-bayes")) << "it has no product of a number and a category";
  EXPECT_TRUE(crosses("logistic"));
  data.options = {{"passes", "--passes 1"}};
  for (const std::string& each : commands(against_overfitting("perceptron", data)))
    EXPECT_EQ(each.find("--grid passes"), each.npos) << "there are none fewer than one";
}

std::string offered(const std::vector<Remedy>& remedies, const std::string& why) {
  for (const Remedy& remedy : remedies)
    if (remedy.why == why) return remedy.command.substr(remedy.command.find(" -m "));
  return "";
}

TEST(Remedies, DoNotChooseAgainWhatRowsHaveChosen) {
  TypedData data = kNumbers;
  data.options = {{"C", "--C 0.1"}};
  data.tuned = {"C"};
  EXPECT_EQ(offered(against_overfitting("logistic", data), "a stronger penalty"), "");
  EXPECT_EQ(offered(against_underfitting("logistic", true, data), "a weaker penalty"), "");
  EXPECT_NE(offered(against_overfitting("logistic", data), "fewer features"), "");
  data.tuned = {};
  data.options = {{"l2", "--l2 auto"}};
  EXPECT_EQ(offered(against_overfitting("ridge", data), "a stronger penalty"), "");
  data.options = {{"passes", "--passes 5"}, {"smoothing", "--smoothing 5"}};
  data.tuned = {"passes", "smoothing"};
  EXPECT_EQ(offered(against_overfitting("perceptron", data), "fewer passes"), "");
  EXPECT_EQ(offered(against_underfitting("perceptron", false, data), "more passes"), "");
  EXPECT_EQ(offered(against_overfitting("naive-bayes", data), "more smoothing"), "");
  EXPECT_EQ(offered(against_underfitting("naive-bayes", false, data), "less smoothing"), "");
}

TEST(Remedies, HaveValuesOnTheirSideOfWhatWasTyped) {
  TypedData data = kNumbers;
  const auto penalty = [&](const std::string& words, bool more) {
    data.options = {{words.substr(2, words.find(' ') - 2), words}};
    return more ? offered(against_overfitting("logistic", data), "a stronger penalty")
                : offered(against_underfitting("logistic", true, data), "a weaker penalty");
  };
  EXPECT_EQ(penalty("--l2 0.001", false), " -m logistic --grid l2=1e-06..0.001:5");
  EXPECT_EQ(penalty("--l2 0.001", true), " -m logistic --grid l2=0.001..1000:7");
  EXPECT_EQ(penalty("--l2 50", true), " -m logistic --grid l2=50..1000:5");
  EXPECT_EQ(penalty("--l2 50", false), " -m logistic --grid l2=1e-06..50:9");
  EXPECT_EQ(penalty("--l2 500", true), " -m logistic --grid l2=500..5000000:5") << "hardly any usual one is above";
  EXPECT_EQ(penalty("--C 3", true), " -m logistic --grid l2=0.333333333333..1000:5");
  EXPECT_EQ(penalty("--l2 1e5", true), " -m logistic --grid l2=100000..1000000000:5");
  EXPECT_EQ(penalty("--C 1e-4", true), " -m logistic --grid l2=10000..100000000:5");
  EXPECT_EQ(penalty("--l2 1e299", true), "");
  EXPECT_EQ(penalty("--l2 1e-6", false), " -m logistic --grid l2=1e-10..1e-06:5");
  EXPECT_EQ(penalty("--C 1e-4", false), " -m logistic --grid l2=1e-06..10000:9");
  EXPECT_EQ(penalty("--l2 0", false), "");
  const auto smoothing = [&](const std::string& words, bool more) {
    data.options = {{words.substr(2, words.find(' ') - 2), words}};
    return more ? offered(against_overfitting("naive-bayes", data), "more smoothing")
                : offered(against_underfitting("naive-bayes", false, data), "less smoothing");
  };
  EXPECT_EQ(smoothing("--smoothing 0", false), "") << "there is none that is less";
  EXPECT_EQ(smoothing("--beta 1,1", false), "");
  EXPECT_EQ(smoothing("--beta 2,2", false), " -m naive-bayes --grid smoothing=0.0001..1:5");
  EXPECT_EQ(smoothing("--smoothing 1e-5", false), " -m naive-bayes --grid smoothing=1e-09..1e-05:5");
  EXPECT_EQ(smoothing("--smoothing 0", true), " -m naive-bayes --grid smoothing=0.01..100:5");
  EXPECT_EQ(smoothing("--virtual 2", true), " -m naive-bayes --grid smoothing=1..100:5");
  EXPECT_EQ(smoothing("--smoothing 500", true), " -m naive-bayes --grid smoothing=500..5000000:5");
  data.options = {{"passes", "--passes 50"}};
  EXPECT_EQ(offered(against_underfitting("perceptron", false, data), "more passes"), " -m perceptron --passes 250");
  EXPECT_EQ(offered(against_overfitting("perceptron", data), "fewer passes"), " -m perceptron --grid passes=1,2,5,10");
  data.options = {{"passes", "--passes 3"}};
  EXPECT_EQ(offered(against_overfitting("perceptron", data), "fewer passes"), " -m perceptron --grid passes=1,2,3");
}

TEST(Remedies, TuneNothingThatCanBeReadOnlyOnce) {
  TypedData data = kNumbers;
  data.words = "- -t medv";
  EXPECT_EQ(offered(against_overfitting("logistic", data), "a stronger penalty"), "");
}

TEST(FitVerdict, NamesOverfittingAndUnderfittingFromErrorsOnRowsSeenAndOnOthers) {
  const auto said = [](double seen, double unseen, double noise, double baseline) {
    return fit_verdict("logistic", {"error", seen, unseen, noise, baseline}, true, kNumbers).text;
  };
  EXPECT_TRUE(said(0.0, 0.2, 0.05, 0.5).starts_with("logistic overfits: error 0 on training rows, 0.2 on others"));
  EXPECT_EQ(said(0.0, 0.2, 0.3, 0.5), "") << "that may be chance";
  EXPECT_EQ(said(0.15, 0.18, 0.01, 0.5), "");
  EXPECT_EQ(said(1e-16, 4e-16, 1e-17, 0.5), "") << "that is rounding";
  EXPECT_TRUE(said(0.48, 0.49, 0.01, 0.5).starts_with("logistic may underfit"));
}

}  // namespace
}  // namespace plumb::remedies_test
