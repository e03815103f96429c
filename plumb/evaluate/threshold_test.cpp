#include "plumb/evaluate/threshold.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/error.h"

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
