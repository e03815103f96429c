// Extending the format: parts that a later release adds to a model file.
#include <gtest/gtest.h>

#include <string>
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

}  // namespace
}  // namespace plumb::model_parts_test
