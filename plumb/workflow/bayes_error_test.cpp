// rows: N10
#include <gtest/gtest.h>

#include <algorithm>

#include "plumb/base/error.h"
#include "plumb/train/bayes_tables.h"
#include "plumb/workflow/fit.h"
#include "plumb/workflow/model.h"

namespace plumb::bayes_error_test {
namespace {

const std::vector<std::string> kShape = {"p", "p", "q", "q", "q", "p", "r"},
                               kShade = {"u", "v", "v", "u", "v", "v", "u"},
                               kLabel = {"a", "a", "a", "b", "b", "b", "b"};

FitOptions on_all_rows() {
  FitOptions options;
  options.test = TestChoice::none();
  return options;
}

TEST(BayesErrorOf, IsTheSmallerJointProbabilityAddedUpOverAllRows) {
  const Data data = columns({{"c", kShape}, {"d", kShade}, {"y", kLabel}}, {.target = "y"});
  const Model model = fit(data, NaiveBayes{}, on_all_rows()).model();
  const BayesTables tables = *bayes_tables(model.saved());
  double exact = 0.0;
  for (std::uint32_t c = 0; c < 3; ++c)
    for (std::uint32_t d = 3; d < 5; ++d)
      exact += std::min(tables.prior[0] * tables.probability[c] * tables.probability[d],
                        tables.prior[1] * tables.probability[5 + c] * tables.probability[5 + d]);
  const BayesError found = bayes_error(model, 20'000, 7);
  EXPECT_LT(found.low, exact);
  EXPECT_GT(found.high, exact);
  EXPECT_LT(found.high - found.low, 0.01);
  EXPECT_EQ(bayes_error(model, 20'000, 7, {.threads = 3}).value, found.value);
}

TEST(BayesErrorOf, NeedsAModelThatSaysHowRowsComeAbout) {
  const Data data = columns({{"c", kShape}, {"d", kShade}, {"y", kLabel}}, {.target = "y"});
  EXPECT_THROW(bayes_error(fit(data, Logistic{}, on_all_rows()).model()), Error);
}

}  // namespace
}  // namespace plumb::bayes_error_test
