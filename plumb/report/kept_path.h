// The path of L1 penalties that a record keeps, as text, JSON and a picture.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/json_writer.h"
#include "plumb/model/model.h"
#include "plumb/model/record.h"
#include "plumb/report/plot.h"
#include "plumb/report/style.h"

namespace plumb {

// Checked: every number is finite, and points and features exist.
struct KeptPath {
  struct Point {
    double l1 = 0.0, l2 = 0.0;
    std::uint64_t non_zeros = 0;
    double explained = 0.0, training_loss = 0.0, gap = 0.0, held_out = 0.0, error = 0.0;
  };
  struct Entry {
    std::uint32_t feature;
    std::size_t point;
  };
  struct Weight {
    std::size_t point;
    std::uint32_t row, feature;  // row: of the model; with a reference label, of the other labels
    double weight;
  };
  std::vector<Point> points;
  std::vector<Entry> entries;                     // in the order in which features enter
  std::vector<Weight> weights;                    // empty if there were too many to keep
  std::vector<std::pair<double, double>> ratios;  // and the least held-out loss of each, if several were tried
  std::size_t best = 0, one_se = 0, chosen = 0;
  double ratio = 1.0;
  std::uint64_t folds = 0;
};
// Nothing without a path, or if the file has a broken one.
std::optional<KeptPath> kept_path(const LinearModel& model, const Record& record);

// "9 of 10 features have a weight", and how the penalty was chosen: up to two lines; empty without an L1 penalty.
std::string sparse_lines(const LinearModel& model, const Record& record, const Style& style);
// The points, all or the most important ones, and the features in the order in which they enter.
std::string path_text(const LinearModel& model, const Record& record, bool all, const Style& style);
void path_json(JsonWriter& json, const LinearModel& model, const Record& record);
// Weights along the path, of the `top` largest features with names, and the cross-validated loss with both rules.
std::optional<Figure> path_figure(const LinearModel& model, const Record& record, std::uint64_t top);

}  // namespace plumb
