#include "plumb/report/kept_path.h"

#include <gtest/gtest.h>

#include "plumb/base/json.h"
#include "plumb/report/report.h"
#include "plumb/train/sparse_path.h"

namespace plumb::kept_path_test {
namespace {

SavedModel path_model() {
  FeatureMap::Parts map;
  for (std::uint32_t j = 0; j < 3; ++j) {
    map.inputs.push_back({std::string(1, static_cast<char>('a' + j)), Kind::number, {}});
    map.terms.push_back(ProductTerm{{{j, 1}}});
  }
  LinearModel::Parts parts;
  parts.map = FeatureMap(map);
  parts.weights = Weights::non_zeros(1, 3, std::vector<double>{2.0, 0.0, -1.0});
  parts.bias = {0.5};
  Record record;
  record.model = "lasso";
  record.target = "y";
  record.certificate = {"gap", 1e-12};
  record.converged = true;
  record.fit = {{"l1", 1.0},     {"l1_ratio", 1.0}, {"path_folds", 5},
                {"path_min", 2}, {"path_1se", 1},   {"path_chosen", 2}};
  record.statistics = {{kPathStatistic, {3, 8}, std::vector<double>{4, 0, 0,   0,   9, 0, 3.0, 0.5, 2, 0, 1,   0.5,
                                                                    5, 0, 2.2, 0.4, 1, 0, 2,   0.7, 3, 0, 2.0, 0.3}},
                       {kPathEntries, {2, 2}, std::vector<double>{0, 1, 2, 2}},
                       {kPathWeights, {3, 3}, std::vector<double>{1, 0, 1.5, 2, 0, 2, 2, 2, -1}}};
  return {LinearModel(std::move(parts)), std::move(record)};
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(KeptPath, IsShownWithBothRulesAndTheOrderOfEntry) {
  const SavedModel saved = path_model();
  const std::string text = to_text(InspectReport{saved, "m.plumb", 0}, Style{});
  EXPECT_TRUE(has(text, "features  2 of 3 have a weight")) << text;
  EXPECT_TRUE(has(text, "3 penalties from l1 4 (all weights 0) to 1, 5 folds")) << text;
  EXPECT_TRUE(has(text, "min: l1 1, squared error 2, 2 weights; 1se: l1 2, 2.2, 1 weight")) << text;
  EXPECT_TRUE(has(text, "min, this model")) << text;
  EXPECT_TRUE(has(text, "a 2, c 1")) << text;
  EXPECT_FALSE(has(text, "\nb ")) << "a weight of 0 is not listed";
}

TEST(KeptPath, IsWholeInJson) {
  const SavedModel saved = path_model();
  const JsonValue json = parse_json(to_json(InspectReport{saved, "m.plumb", 0}));
  const JsonValue& path = json.at("path");
  ASSERT_EQ(path.at("points").items().size(), 3u);
  const JsonValue& last = path.at("points").items()[2];
  EXPECT_EQ(last.at("heldout_loss").as_double(), 2.0);
  ASSERT_EQ(last.at("weights").items().size(), 2u);
  EXPECT_EQ(last.at("weights").items()[1].at("feature").as_string(), "c");
  EXPECT_EQ(last.at("weights").items()[1].at("weight").as_double(), -1.0);
  EXPECT_EQ(path.at("entries").items()[1].at("l1").as_double(), 1.0);
  EXPECT_EQ(path.at("one_se").as_u64(), 1u);
}

TEST(KeptPath, IsDrawnWithBothRules) {
  const SavedModel saved = path_model();
  const std::optional<Figure> figure = path_figure(saved.model, saved.record, 20);
  ASSERT_TRUE(figure);
  ASSERT_EQ(figure->panels.size(), 2u);
  const std::string svg = to_svg(*figure);
  EXPECT_TRUE(has(svg, ">min<"));
  EXPECT_TRUE(has(svg, ">1se<"));
  EXPECT_TRUE(has(svg, ">a<"));
}

TEST(KeptPath, IsIgnoredIfAFileNamesWhatIsNotThere) {
  SavedModel saved = path_model();
  saved.record.statistics[2].values = std::vector<double>{9, 0, 1.5, 2, 0, 2, 2, 2, -1};
  EXPECT_FALSE(kept_path(saved.model, saved.record));
  saved = path_model();
  saved.record.statistics[1].values = std::vector<double>{0, 1, 3, 2};
  EXPECT_FALSE(kept_path(saved.model, saved.record));
  saved = path_model();
  saved.record.statistics[0].shape = {8, 3};
  EXPECT_FALSE(kept_path(saved.model, saved.record));
  EXPECT_EQ(path_text(saved.model, saved.record, false, Style{}), "");
}

}  // namespace
}  // namespace plumb::kept_path_test
