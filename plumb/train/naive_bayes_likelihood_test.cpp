// rows: N9
// ln P(D) = sum ln P(y | x) + sum ln P(x): naive Bayes maximises the whole, logistic regression its first part.
#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/random.h"
#include "plumb/train/bayes_tables.h"
#include "plumb/train/logistic.h"
#include "plumb/train/naive_bayes_testing.h"

namespace plumb::naive_bayes_likelihood_test {
namespace {

// The second column is a noisy copy of the first: the naive assumption is wrong, so the two methods differ.
Sheet dependent_columns() {
  const RandomKey key{9, 0};
  std::uint64_t next = 0;
  Sheet sheet;
  sheet.categories = {{"c", {}}, {"d", {}}, {"e", {}}};
  for (int r = 0; r < 400; ++r) {
    const bool yes = key.below(next++, 3) == 0;
    const std::uint64_t c = key.below(next++, yes || r % 10 == 0 ? 3 : 2);
    sheet.target.push_back(yes ? "yes" : "no");
    sheet.categories[0].second.push_back(std::string(1, static_cast<char>('p' + c)));
    sheet.categories[1].second.push_back(key.below(next++, 5) == 0 ? "p" : sheet.categories[0].second.back());
    sheet.categories[2].second.push_back(key.below(next++, 4) == 0 ? "u" : "v");
  }
  return sheet;
}

double number(const Trained& fit, std::string_view name) {
  const double* const found = find_number(fit.record, name);
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr ? 0.0 : *found;
}

TEST(Likelihood, OfTheDataIsThatOfLabelsTimesThatOfRows) {
  const Sheet sheet = dependent_columns();
  Trained fit = fit_sheet(sheet);
  fit.record.target = "y";
  const SavedModel saved{fit.model, fit.record};
  const BayesTables tables = *bayes_tables(saved);
  JointLikelihood likelihood(saved.model, tables);
  const LearntSheet learnt(sheet, NaiveBayesTrainer());
  double evidence = 0.0, joint = 0.0;
  learnt.examples.block(0).for_each([&](const Example& example) {
    evidence += likelihood.log_evidence(example.x);
    joint += likelihood.log_joint(example.x)[static_cast<std::size_t>(example.target)];
  });
  EXPECT_NEAR(number(fit, "joint_log_likelihood"), joint, 1e-9 * std::abs(joint));
  EXPECT_NEAR(number(fit, "joint_log_likelihood"), number(fit, "conditional_log_likelihood") + evidence,
              1e-9 * std::abs(joint));
}

TEST(Likelihood, OfRowsAndLabelsIsLargestByCounting) {
  const Sheet sheet = dependent_columns();
  const double counted = number(fit_sheet(sheet, {.smoothing = 0}), "joint_log_likelihood");
  for (const double smoothing : {0.1, 1.0, 10.0})
    EXPECT_GT(counted, number(fit_sheet(sheet, {.smoothing = smoothing}), "joint_log_likelihood")) << smoothing;
  EXPECT_GT(counted, number(fit_sheet(sheet, {.smoothing = 0, .prior = {"uniform"}}), "joint_log_likelihood"));
}

TEST(Likelihood, OfLabelsGivenRowsIsLargestByLogisticRegression) {
  const Sheet sheet = dependent_columns();
  LogisticOptions options;
  options.l2 = {0.0};
  const LogisticTrainer trainer(options);
  const LearntSheet learnt(sheet, trainer);
  Executor executor(1);
  const Trained logistic = trainer.train(learnt.problem(), plumb::Run{executor});
  ASSERT_TRUE(logistic.record.converged);
  for (const double smoothing : {0.1, 1.0, 10.0})
    EXPECT_GT(-logistic.record.objective,
              number(fit_sheet(sheet, {.smoothing = smoothing}), "conditional_log_likelihood") + 1e-3)
        << smoothing;
}

}  // namespace
}  // namespace plumb::naive_bayes_likelihood_test
