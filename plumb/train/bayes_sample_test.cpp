// rows: N7 N10 N9
#include "plumb/train/bayes_sample.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/error.h"
#include "plumb/train/naive_bayes_testing.h"

namespace plumb::bayes_sample_test {
namespace {

SavedModel saved(Trained fit) {
  fit.record.target = "y";
  return {std::move(fit.model), std::move(fit.record)};
}

Sheet drawn(const BayesSampler& sampler, std::uint64_t first, std::uint64_t count) {
  Sheet sheet;
  for (const std::string& name : sampler.columns()) sheet.categories.emplace_back(name, std::vector<std::string>());
  for (std::uint64_t i = first; i < first + count; ++i) {
    const BayesSampler::Row row = sampler.row(i);
    for (std::size_t c = 0; c < row.fields.size(); ++c) sheet.categories[c].second.push_back(row.fields[c]);
    sheet.target.push_back(sampler.label(row.label));
  }
  return sheet;
}

Sheet known_truth() {
  Sheet sheet;
  sheet.categories = {{"c", {"p", "p", "q", "q", "q", "p", "r"}}, {"d", {"u", "v", "v", "u", "v", "v", "u"}}};
  sheet.target = {"a", "a", "a", "b", "b", "b", "b"};
  return sheet;
}

// N10: the truth is the fitted model; no fit to rows sampled from it has a significantly smaller error.
TEST(Sampled, RowsAreLearntBackToTheBayesError) {
  const SavedModel truth = saved(fit_sheet(known_truth()));
  const BayesTables tables = *bayes_tables(truth);
  double bayes_error = 0;
  for (std::uint32_t c = 0; c < 3; ++c)
    for (std::uint32_t d = 3; d < 5; ++d) {
      double joint[2];
      for (std::size_t k = 0; k < 2; ++k)
        joint[k] = tables.prior[k] * tables.probability[k * 5 + c] * tables.probability[k * 5 + d];
      bayes_error += std::min(joint[0], joint[1]);
    }
  constexpr std::uint64_t kRows = 20'000;
  const BayesSampler sampler(truth, RandomKey{5, 0}, 1);
  const Trained learnt = fit_sheet(drawn(sampler, 0, kRows));
  const Sheet fresh = drawn(sampler, kRows, kRows);
  double errors = 0;
  const auto found = probabilities_of(learnt.model, fresh);
  for (std::size_t r = 0; r < found.size(); ++r)
    errors += (found[r][1] >= found[r][0]) != (fresh.target[r] == "b") ? 1 : 0;
  const double n = kRows, sd = std::sqrt(bayes_error * (1 - bayes_error) / n);
  EXPECT_NEAR(errors / n, bayes_error, 4 * sd);
  const BayesTables again = *bayes_tables(saved(learnt));
  for (std::size_t i = 0; i < tables.probability.size(); ++i)
    EXPECT_NEAR(again.probability[i], tables.probability[i], 0.02) << i;
}

TEST(Sampled, NumbersHaveTheMeanAndVarianceOfTheirClass) {
  Sheet sheet;
  sheet.numbers = {{"x", {1, 2, 3, 10, 14}}};
  sheet.target = {"a", "a", "a", "b", "b"};
  const BayesSampler sampler(saved(fit_sheet(sheet)), RandomKey{6, 0}, 1);
  double sum[2] = {}, square[2] = {}, count[2] = {};
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const BayesSampler::Row row = sampler.row(i);
    const double x = std::stod(row.fields[0]);
    sum[row.label] += x;
    square[row.label] += x * x;
    ++count[row.label];
  }
  EXPECT_NEAR(count[0] / 20'000, 0.6, 0.02);
  EXPECT_NEAR(sum[0] / count[0], 2, 0.05);
  EXPECT_NEAR(square[0] / count[0] - std::pow(sum[0] / count[0], 2), 1, 0.06);
  EXPECT_NEAR(sum[1] / count[1], 12, 0.15);
  EXPECT_NEAR(square[1] / count[1] - std::pow(sum[1] / count[1], 2), 8, 0.5);
}

// N9: ln P(x, y) factor by factor.
TEST(JointLikelihood, IsThatOfTheFactors) {
  for (const VarianceOf variance : {VarianceOf::class_feature, VarianceOf::feature}) {
    Sheet sheet;
    sheet.numbers = {{"x", {1, 2, 3, 10, 14, 4, 9}}};
    sheet.categories = {{"c", {"p", "p", "q", "q", "q", "p", "r"}}};
    sheet.target = {"a", "a", "a", "b", "b", "b", "b"};
    const NaiveBayesOptions options{.variance = variance};
    const SavedModel model = saved(fit_sheet(sheet, options));
    const BayesTables tables = *bayes_tables(model);
    JointLikelihood joint(model.model, tables);
    MultipliedOut exact(sheet, options);
    const LearntSheet learnt(sheet, NaiveBayesTrainer(options));
    learnt.examples.block(0).for_each([&](const Example& example) {
      const auto expected = exact.log_joint(sheet, example.number);
      double sum = 0;
      for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_NEAR(joint.log_joint(example.x)[k], static_cast<double>(expected[k]), 1e-11);
        sum += std::exp(static_cast<double>(expected[k]));
      }
      EXPECT_NEAR(joint.log_evidence(example.x), std::log(sum), 1e-11);
    });
  }
}

TEST(Sampled, StatisticsThatCannotBeAreRefused) {
  Sheet sheet;
  sheet.numbers.emplace_back("x", std::vector<double>{1, 2, 4, 6});
  sheet.target = {"a", "a", "b", "b"};
  for (const std::string name : {"bayes.variance", "bayes.prior"}) {
    SavedModel model = saved(fit_sheet(sheet));
    for (Statistic& statistic : model.record.statistics)
      if (statistic.name == name) std::get<std::vector<double>>(statistic.values)[0] = -1.0;
    try {
      bayes_tables(model);
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::model) << name;
    }
  }
}

}  // namespace
}  // namespace plumb::bayes_sample_test
