// Extending the format: parts that a later release adds to a model file.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "plumb/base/testing.h"
#include "plumb/model/model_file.h"
#include "plumb/model/tensor_file.h"

namespace plumb::model_parts_test {
namespace {

SavedModel line() {
  LinearModel::Parts parts;
  parts.map = FeatureMap({{{"x", Kind::number, {}}}, {ProductTerm{{{0, 1}}}}});
  parts.weights = Weights::dense(1, 1, {2});
  parts.bias = {1};
  return {LinearModel(std::move(parts)), Record{}};
}
std::string line_bytes() { return model_bytes(line().model, line().record); }

// A file as a later release would write it: `declared` after the version, the member "path" after the record, and these
// tensors.
std::string later(const std::string& declared, const std::vector<std::string>& names = {"path", "path.weights"}) {
  const TensorFile file = TensorFile::parse(line_bytes(), {"m.plumb"});
  std::string json = file.plumb();
  const std::string version = "\"version\":1,";
  json.insert(json.find(version) + version.size(), declared);
  json.insert(json.size() - 1, R"(,"path":{"steps":[1,2.5,null,true,"x"],"of":{}})");
  std::vector<Tensor> tensors(file.tensors().begin(), file.tensors().end());
  for (const std::string& name : names) tensors.push_back({name, TensorType::f64, {0, 3}, {}});
  return write_tensor_file(json, tensors);
}

std::string refusal(const std::string& bytes) {
  const Error error = error_of([&] { parse_model(bytes, "m.plumb"); });
  EXPECT_EQ(error.code(), ErrorCode::model);
  return error.message();
}

TEST(ModelParts, AnUnknownPartThatPredictionsDoNotNeedIsIgnored) {
  const SavedModel read = parse_model(later(R"("parts":{"path":false},)"), "m");
  EXPECT_EQ(model_bytes(read.model, read.record), line_bytes());
}

TEST(ModelParts, AnUnknownPartThatPredictionsNeedIsRefusedByName) {
  for (const char* const declared : {R"("parts":{"path":true},)", R"("parts":{"other":false,"path":true},)"})
    EXPECT_NE(refusal(later(declared)).find("its predictions need the part \"path\""), std::string::npos) << declared;
}

TEST(ModelParts, WhatBelongsToNoDeclaredPartIsRefused) {
  for (const char* const declared :
       {"", R"("parts":{},)", R"("parts":{"paths":false},)", R"("parts":{"path":0},)", R"("parts":["path"],)"})
    EXPECT_NE(refusal(later(declared)), "") << declared;
  EXPECT_NE(refusal(later(R"("parts":{"path":false},)", {"pathway"})).find("\"pathway\""), std::string::npos);
}

LinearModel::Parts calibrated(Calibration calibration) {
  LinearModel::Parts parts = line().model.parts();
  parts.link = Link::logistic;
  parts.labels = {"no", "yes"};
  parts.calibration = std::move(calibration);
  return parts;
}

TEST(ModelParts, KnotsOfACalibrationComeBackAndPredictTheSame) {
  const LinearModel model(calibrated({1.0, 0.0, 0.0, {-2, 0.5, 3}, {0.125, 0.25, 0.75}}));
  const std::string bytes = model_bytes(model, Record{});
  const SavedModel read = parse_model(bytes, "m");
  EXPECT_EQ(model_bytes(read.model, read.record), bytes);
  EXPECT_EQ(read.model.parts().calibration.scores, model.parts().calibration.scores);
  Predictor predictor(read.model);
  const auto probability = [&](double x) {
    const std::vector<double> row = {x};
    predictor.predict({{}, row});
    return predictor.probabilities()[1];
  };
  EXPECT_NEAR(probability(-1.5), 0.125, 1e-15) << "score -2, and below the first knot";
  EXPECT_NEAR(probability(-90), 0.125, 1e-15);
  EXPECT_NEAR(probability(90), 0.75, 1e-15);
  EXPECT_NEAR(probability(0.375), 0.5, 1e-15) << "score 1.75, half way";
  const std::vector<double> at = {-0.25};
  EXPECT_EQ(predictor.predict({{}, at}).label, 0u) << "score 0.5 has probability 0.25";
}

TEST(ModelParts, DamagedCalibrationsAreRefused) {
  for (const Calibration& damaged :
       {Calibration{1, 0, 0, {1, 1}, {0.2, 0.3}}, Calibration{1, 0, 0, {2, 1}, {0.2, 0.3}},
        Calibration{1, 0, 0, {1, 2}, {0.3, 0.2}}, Calibration{1, 0, 0, {1, 2}, {0.3}}, Calibration{1, 0, 0, {1}, {0}},
        Calibration{1, 0, 0, {1}, {1}}, Calibration{1, 0, 0, {HUGE_VAL}, {0.5}}, Calibration{1, 0, 0, {NAN}, {0.5}},
        Calibration{1, 0, 0, {1}, {NAN}}, Calibration{1, 0, -1}, Calibration{1, 0, NAN}, Calibration{0, 0},
        Calibration{1, HUGE_VAL}})
    EXPECT_THROW(LinearModel{calibrated(damaged)}, Error);
  const std::string bytes = model_bytes(LinearModel(calibrated({1, 0, 0, {1, 2}, {0.25, 0.5}})), Record{});
  const TensorFile file = TensorFile::parse(bytes, {"m"});
  std::vector<Tensor> fewer(file.tensors().begin(), file.tensors().end());
  std::erase_if(fewer, [](const Tensor& tensor) { return tensor.name == "knots.scores"; });
  EXPECT_NE(refusal(write_tensor_file(file.plumb(), fewer)), "");
  std::string undeclared = file.plumb();
  const std::string part = R"("parts":{"knots":true},)";
  undeclared.erase(undeclared.find(part), part.size());
  EXPECT_NE(refusal(write_tensor_file(undeclared, file.tensors())), "");
}

TEST(ModelParts, ABendKeepsTheOrderOfLabelsAndMovesProbabilities) {
  LinearModel::Parts parts = line().model.parts();
  parts.link = Link::softmax;
  parts.weights = Weights::dense(3, 1, {1, 2, 3});
  parts.bias = {0, 1, -1};
  parts.labels = {"a", "b", "c"};
  parts.calibration.bend = 2.0;
  const LinearModel model(parts);
  Predictor predictor(model);
  const std::vector<double> row = {10.0};
  EXPECT_EQ(predictor.predict({{}, row}).label, 2u);
  const In p = predictor.probabilities();  // scores 10, 21, 29: e to the power of -log(1 + 2 d) / 2
  const double sum = 1 + 1 / std::sqrt(17.0) + 1 / std::sqrt(39.0);
  EXPECT_NEAR(p[2], 1 / sum, 1e-14);
  EXPECT_NEAR(p[1], 1 / std::sqrt(17.0) / sum, 1e-14);
  EXPECT_NEAR(predictor.log_probability(0), std::log(1 / std::sqrt(39.0) / sum), 1e-14);
}

}  // namespace
}  // namespace plumb::model_parts_test
