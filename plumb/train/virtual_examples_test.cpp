// rows: N2
// m virtual examples with prior Q: (count(a, b) + m Q(a, b)) / (count(b) + m Q(b)).
#include <gtest/gtest.h>

#include <fstream>

#include "plumb/base/error.h"
#include "plumb/train/bayes_tables.h"
#include "plumb/train/naive_bayes_testing.h"
#include "plumb/train/prior_file.h"

namespace plumb::virtual_examples_test {
namespace {

Sheet four_rows() {
  Sheet sheet;
  sheet.categories = {{"c", {"p", "q", "p", "r"}}, {"d", {"u", "u", "v", "v"}}};
  sheet.target = {"a", "a", "a", "b"};
  return sheet;
}

class VirtualExamples : public testing::Test {
 protected:
  // The option for a file with this content.
  PriorChoice file(const std::string& content) {
    path_ = testing::TempDir() + "virtual_prior.txt";
    std::ofstream(path_) << content;
    return {path_};
  }
  BayesTables tables(const Sheet& sheet, NaiveBayesOptions options) {
    Trained fit = fit_sheet(sheet, options);
    fit.record.target = "y";
    if (!options.event.empty()) fit.record.options = {{"event", options.event[0]}};
    return *bayes_tables({fit.model, fit.record});
  }
  void TearDown() override { std::remove(path_.c_str()); }

 private:
  std::string path_;
};

TEST_F(VirtualExamples, OfAFileAreSharedOutAsItSays) {
  const PriorChoice prior = file("a,0.25\nb,0.75\nb,c=p,0.5\n");
  const BayesTables found = tables(four_rows(), {.virtual_examples = 8, .virtual_prior = prior});
  EXPECT_NEAR(found.prior[0], (3 + 8 * 0.25) / 12, 1e-15);
  EXPECT_NEAR(found.prior[1], (1 + 8 * 0.75) / 12, 1e-15);
  // [class][feature]: c=p, c=q, c=r, d=u, d=v. For b, c=p takes 0.5 of 0.75 and the other two share the rest.
  const double expected[] = {(2 + 2.0 / 3) / 5, (1 + 2.0 / 3) / 5, (0 + 2.0 / 3) / 5, (2 + 1.0) / 5, (1 + 1.0) / 5,
                             (0 + 4.0) / 7,     (0 + 1.0) / 7,     (1 + 1.0) / 7,     (0 + 3.0) / 7, (1 + 3.0) / 7};
  for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(found.probability[i], expected[i], 1e-15) << i;
}

TEST_F(VirtualExamples, OfAnEvenFileAreThoseOfNone) {
  const BayesTables even = tables(four_rows(), {.virtual_examples = 6, .virtual_prior = file("a,0.5\nb,0.5\n")});
  const BayesTables none = tables(four_rows(), {.virtual_examples = 6});
  for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(even.probability[i], none.probability[i], 1e-15) << i;
  EXPECT_NEAR(even.prior[0], none.prior[0], 1e-15);
}

TEST_F(VirtualExamples, OfPresencesHaveWhatIsLeftForAbsence) {
  const BayesTables found =
      tables(four_rows(),
             {.event = {"bernoulli"}, .virtual_examples = 4, .virtual_prior = file("a,0.5\nb,0.5\nb,c=p,0.125\n")});
  EXPECT_NEAR(found.probability[0], (2 + 1.0) / 5, 1e-15);
  EXPECT_NEAR(found.probability[5], (0 + 0.5) / 3, 1e-15);
}

// A fold may lack a class that the file names: the others keep their shares among themselves.
TEST_F(VirtualExamples, OfAClassThatIsElsewhereAreLeftToTheOthers) {
  const std::vector<std::string> labels = {"a", "b"}, elsewhere = {"z"};
  const VirtualPrior prior =
      virtual_prior_of_file(file("a,0.2\nz,0.5\nb,0.3\nb,c=p,0.15\nz,c=p,0.1\n").text, labels, elsewhere);
  EXPECT_NEAR(prior.classes[0], 0.4, 1e-15);
  EXPECT_NEAR(prior.classes[1], 0.6, 1e-15);
  ASSERT_EQ(prior.shares.size(), 1u);
  EXPECT_NEAR(prior.shares[0].share, 0.3, 1e-15);
  const std::vector<double> priors = priors_of_file(file("a,0.2\nz,0.5\nb,0.3\n").text, labels, elsewhere);
  EXPECT_NEAR(priors[0], 0.4, 1e-15);
  EXPECT_NEAR(priors[1], 0.6, 1e-15);
  EXPECT_THROW(priors_of_file(file("a,0\nz,1\nb,0\n").text, labels, elsewhere), Error);
  EXPECT_THROW(priors_of_file(file("a,0.5\nb,0.5\na,0.5\n").text, labels), Error) << "a label twice";
  EXPECT_THROW(virtual_prior_of_file(file("a,0.5\nb,0.5\nb,c=p,0.1\nb,c=p,0.2\n").text, labels), Error);
}

TEST_F(VirtualExamples, MustFitTheirClass) {
  const auto refused = [&](const std::string& content) {
    EXPECT_THROW(fit_sheet(four_rows(), {.virtual_examples = 4, .virtual_prior = file(content)}), Error) << content;
  };
  refused("a,0.5\nb,0.4\n");
  refused("a,1\n");
  refused("a,0.5\nb,0.5\nb,c=p,0.6\n");
  refused("a,0.5\nb,0.5\nb,c=x,0.1\n");
  refused("a,0.5\nb,0.5\nz,c=p,0.1\n");
  refused("a,0.5\nb,0.5\nb,d=u,0.1\nb,d=v,0.1\n");
  EXPECT_THROW(fit_sheet(four_rows(), {.virtual_prior = file("a,0.5\nb,0.5\n")}), Error) << "without --virtual";
}

}  // namespace
}  // namespace plumb::virtual_examples_test
