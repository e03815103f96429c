#include "plumb/evaluate/threshold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plumb/base/error.h"
#include "plumb/base/random.h"
#include "plumb/math/special.h"

namespace plumb::threshold_test {
namespace {

LinearModel logistic_of_one_column() {
  LinearModel::Parts parts;
  parts.map = FeatureMap({{{"x", Kind::number, {}}}, {ProductTerm{{{0, 1}}}}});
  parts.labels = {"no", "yes"};
  parts.link = Link::logistic;
  parts.weights = Weights::dense(1, 1, {1.0});
  parts.bias = {0.0};
  return LinearModel(std::move(parts));
}

PredictedClasses predicted(const LinearModel& model, const std::vector<std::pair<double, int>>& rows) {
  PredictedClasses found(model);
  Predictor predictor(model);
  for (const auto& [x, y] : rows) found.add(predictor, {{}, In(&x, 1)}, y, 1.0);
  return found;
}

double f1_at(const LinearModel& model, double threshold, const std::vector<std::pair<double, int>>& rows) {
  const SavedModel saved{model, Record()};
  const LinearModel moved = ThresholdChoice{threshold, false, ""}.applied_to(saved);
  const PredictedClasses found = predicted(moved, rows);
  double right = 0.0, said = 0.0, positive = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    said += found.predicted[i] == 1 ? 1.0 : 0.0;
    positive += rows[i].second;
    right += found.predicted[i] == 1 && rows[i].second == 1 ? 1.0 : 0.0;
  }
  return 2.0 * right / (said + positive);
}

TEST(Threshold, TheLargestF1IsNotBeatenByAnyOther) {
  const LinearModel model = logistic_of_one_column();
  const std::vector<std::pair<double, int>> rows = {{-3, 0}, {-2.5, 1}, {-2, 0}, {-1, 1},
                                                    {-1, 0}, {0.5, 1},  {1, 0},  {2, 1}};
  const std::optional<double> best = largest_f1_threshold(predicted(model, rows), model);
  ASSERT_TRUE(best.has_value());
  for (int k = 0; k <= 1000; ++k) EXPECT_GE(f1_at(model, *best, rows), f1_at(model, k / 1000.0, rows)) << k;
}

TEST(Threshold, WithoutARowOfTheSecondLabelThereIsNone) {
  const LinearModel model = logistic_of_one_column();
  EXPECT_FALSE(largest_f1_threshold(predicted(model, {{1, 0}, {2, 0}}), model).has_value());
}

TEST(Threshold, OfCostsIsTheBestOfAllOnTheseRows) {
  PredictedClasses rows;
  rows.known = 2;
  rows.labels = {"no", "yes"};
  const RandomKey key{3, 0};
  for (std::uint64_t i = 0; i < 60; ++i) {
    rows.scores.push_back(std::floor(12.0 * key.uniform(3 * i)) / 2.0 - 3.0);
    rows.actual.push_back(key.uniform(3 * i + 1) < math::sigmoid(rows.scores.back()) ? 1 : 0);
    rows.predicted.push_back(0);
    rows.weight.push_back(std::floor(3.0 * key.uniform(3 * i + 2)));
  }
  const Calibration calibration{0.8, 0.3};
  for (const double miss : {0.2, 1.0, 5.0}) {
    ThresholdChoice choice;
    choice.costs = ThresholdChoice::Costs{1.0, miss};
    const auto cost_from = [&](double threshold) {
      double cost = 0.0, total = 0.0;
      for (std::size_t i = 0; i < rows.scores.size(); ++i) {
        const bool said = math::sigmoid(calibration.log_odds(rows.scores[i])) >= threshold;
        if (said != (rows.actual[i] == 1)) cost += rows.weight[i] * (said ? 1.0 : miss);
        total += rows.weight[i];
      }
      return cost / total;
    };
    const std::optional<ChosenThreshold> found = choose_threshold(choice, rows, calibration);
    ASSERT_TRUE(found && found->cost);
    EXPECT_NEAR(cost_from(found->probability), *found->cost, 1e-12);
    double least = HUGE_VAL;
    for (int step = 0; step <= 1000; ++step) least = std::min(least, cost_from(step / 1000.0));
    EXPECT_NEAR(*found->cost, least, 1e-12) << miss;
  }
}

TEST(Threshold, MaxF1NeedsAModelThatKnowsIt) {
  SavedModel saved{logistic_of_one_column(), Record()};
  const ThresholdChoice choice = OptionText<ThresholdChoice>::read("max-f1");
  EXPECT_THROW(choice.applied_to(saved), Error);
  saved.record.fit.emplace_back(kLargestF1, 0.25);
  EXPECT_EQ(choice.applied_to(saved).parts().threshold, 0.25);
}

TEST(Threshold, CostsAreProbabilities) {
  EXPECT_EQ(OptionText<ThresholdChoice>::read("cost:FP=1,FN=3").probability, 0.25);
  EXPECT_EQ(OptionText<ThresholdChoice>::read("0.3").probability, 0.3);
  for (const char* const text : {"", "1.5", "max", "cost:FP=1", "cost:FP=0,FN=0", "nan"})
    EXPECT_THROW(OptionText<ThresholdChoice>::read(text), OptionFault) << text;
}

}  // namespace
}  // namespace plumb::threshold_test
