#include "plumb/workflow/predicting.h"

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "plumb/base/number.h"
#include "plumb/base/testing.h"
#include "plumb/workflow/evaluating.h"
#include "plumb/workflow/explaining.h"

namespace plumb::predicting_test {
namespace {

// y = 2 a - b + 1, or labels by the sign of that.
SavedModel model_of(Link link) {
  LinearModel::Parts parts;
  parts.map =
      FeatureMap({{{"a", Kind::number, {}}, {"b", Kind::number, {}}}, {ProductTerm{{{0, 1}}}, ProductTerm{{{1, 1}}}}});
  parts.weights = Weights::dense(1, 2, {2.0, -1.0});
  parts.bias = {1.0};
  parts.link = link;
  if (link != Link::identity) parts.labels = {"no", "yes"};
  Record record;
  record.model = "least-squares";
  record.target = "y";
  return {LinearModel(std::move(parts)), record};
}

// More rows than a block has, with a column that the model does not use.
class Workflow : public ::testing::Test {
 protected:
  static constexpr std::size_t kRows = 5000;

  void SetUp() override {
    std::ofstream file(path_);
    file << "b,id,a,y,label\n";
    for (std::size_t i = 0; i < kRows; ++i)
      file << i % 3 << ",r" << i << ',' << i % 7 << ',' << value(i) + 0.5 << ',' << (value(i) < 3 ? "no" : "yes")
           << '\n';
  }
  static double value(std::size_t i) { return 2.0 * static_cast<double>(i % 7) - static_cast<double>(i % 3) + 1.0; }
  std::unique_ptr<Source> source() const { return open_source({path_}); }

  const std::string path_ = ::testing::TempDir() + "plumb_workflow.csv";
  Executor executor_{2};
  const plumb::Run run_{executor_};
  KeptMessages messages_;
};

TEST_F(Workflow, NumbersAndTextAreTheSamePredictionsOfEveryRow) {
  const SavedModel saved = model_of(Link::identity);
  PredictOptions options;
  options.residuals = true;
  options.keep = {"id"};
  const auto data = source();
  Predicting predicting(saved, *data, options, messages_);
  std::string text = predicting.heading(), expected = "prediction,residual,id\n";
  std::size_t row = 0;
  while (predicting.next(run_)) {
    text += predicting.text(executor_);
    for (std::uint64_t r = 0; r < predicting.found().rows; ++r, ++row) {
      EXPECT_EQ(predicting.found().values[r], value(row));
      EXPECT_EQ(predicting.found().residuals[r], 0.5);
      append_number(expected, value(row));
      expected += ",0.5,r" + std::to_string(row) + "\n";
    }
  }
  EXPECT_EQ(row, kRows);
  EXPECT_EQ(text, expected);
  EXPECT_EQ(predicting.report().rows, kRows);
  EXPECT_EQ(predicting.report().ignored_columns, 1u) << "label";
}

TEST_F(Workflow, ProbabilitiesAndScoresOfClassesStandRowByRow) {
  const SavedModel saved = model_of(Link::logistic);
  PredictOptions options;
  options.proba = options.scores = true;
  options.format = OutputFormat::jsonl;
  const auto data = source();
  Predicting predicting(saved, *data, options, messages_);
  EXPECT_EQ(predicting.heading(), "");
  ASSERT_TRUE(predicting.next(run_));
  const PredictedRows& found = predicting.found();
  ASSERT_EQ(found.probabilities.size(), 2 * found.rows);
  ASSERT_EQ(found.scores.size(), found.rows);
  for (std::uint64_t r = 0; r < found.rows; ++r) {
    EXPECT_EQ(found.scores[r], value(r));
    EXPECT_EQ(found.labels[r], value(r) >= 0 ? 1u : 0u);
    EXPECT_NEAR(found.probabilities[2 * r] + found.probabilities[2 * r + 1], 1.0, 1e-15);
  }
  const std::string text = predicting.text(executor_);
  EXPECT_EQ(text.rfind("{\"prediction\":\"yes\",\"proba:no\":", 0), 0u) << text.substr(0, 100);
}

TEST_F(Workflow, AnOptionThatTheModelHasNoAnswerToIsRefused) {
  const SavedModel numbers = model_of(Link::identity), classes = model_of(Link::sign);
  const auto refuses = [&](const SavedModel& saved, auto option) {
    PredictOptions options;
    option(options);
    return error_of([&] { Predicting(saved, *source(), options, messages_); }).code() == ErrorCode::usage;
  };
  EXPECT_TRUE(refuses(numbers, [](PredictOptions& o) { o.proba = true; }));
  EXPECT_TRUE(refuses(classes, [](PredictOptions& o) { o.proba = true; }));
  EXPECT_TRUE(refuses(classes, [](PredictOptions& o) { o.residuals = true; }));
  EXPECT_TRUE(refuses(classes, [](PredictOptions& o) { o.interval = 0.9; }));
  EXPECT_TRUE(refuses(numbers, [](PredictOptions& o) { o.interval = 0.0; }));
  EXPECT_TRUE(refuses(numbers, [](PredictOptions& o) { o.evidence = true; }));
  EXPECT_TRUE(refuses(numbers, [](PredictOptions& o) { o.keep = {"nowhere"}; }));
}

TEST_F(Workflow, EvaluatingFindsTheErrorThatIsThereAndDrawsItWhereAsked) {
  const SavedModel saved = model_of(Link::identity);
  EvaluateOptions options;
  options.resamples = 0;
  Figure figure;
  const EvaluateReport report = evaluate(saved, *source(), options, messages_, run_, &figure);
  EXPECT_EQ(report.rows, kRows);
  ASSERT_FALSE(report.metrics.empty());
  for (const Metric& metric : report.metrics)
    if (metric.name != "r2") {
      EXPECT_NEAR(metric.value, 0.5, 1e-15) << metric.name;
    }
  EXPECT_FALSE(figure.panels.empty());
  options.dry_run = true;
  EXPECT_TRUE(evaluate(saved, *source(), options, messages_, run_).metrics.empty());
}

TEST_F(Workflow, AnExplanationOutlivesTheModelItIsOf) {
  ExplainReport report;
  {
    const auto saved = std::make_shared<SavedModel>(model_of(Link::identity));
    report = explain(saved, *source(), {.rows = 3}, messages_, run_);
  }
  ASSERT_EQ(report.rows.size(), 3u);
  EXPECT_TRUE(report.more_rows);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(report.rows[i].explanation.score, value(i));
  EXPECT_NE(to_text(report, Style{}).find("row 3: y = "), std::string::npos);
}

}  // namespace
}  // namespace plumb::predicting_test
