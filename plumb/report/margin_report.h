// What `plumb margin` found, as text and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plumb/evaluate/model_margin.h"
#include "plumb/feature/feature_map.h"
#include "plumb/report/style.h"
#include "plumb/solver/margin.h"

namespace plumb {

struct MarginReport {
  std::string target;
  std::vector<std::string> labels;
  std::uint64_t rows = 0;
  FeatureMap map;
  bool bias = true;
  DataMargin data = {};              // without a model
  std::optional<ModelMargin> model;  // with one
  std::string model_file = "";
  std::string row_label = "";  // of the row that decides the model's margin
  bool dry_run = false;
  std::vector<std::string> warnings = {};
  double seconds = 0.0;

  // R^2 / gamma^2 of the augmented data; empty if they are not known to be separable.
  std::optional<double> mistake_bound() const;
};
std::string to_text(const MarginReport& report, const Style& style);
std::string to_json(const MarginReport& report);

}  // namespace plumb
