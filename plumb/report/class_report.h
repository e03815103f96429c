// The metrics of each class: the confusion matrix, a line for each class, and calibration.
#pragma once

#include <string>

#include "plumb/base/json_writer.h"
#include "plumb/evaluate/class_metrics.h"
#include "plumb/report/style.h"

namespace plumb {

std::string class_text(const ClassReport& report, const Style& style);
// The reliability of the same rows before calibration.
std::string uncalibrated_text(const ClassReport& report, const Style& style);

namespace report_detail {

// "confusion" {labels, counts, or cells [{actual, predicted, rows}] for more than 1000 labels}, "classes" [{label,
// precision, recall, f1, rows}], "reliability" [...].
void classes(JsonWriter& json, const ClassReport& report);
// "reliability" [{low, high, rows, confidence, right}] and "calibration_error", if there are probabilities.
void reliability(JsonWriter& json, const ClassReport& report);

}  // namespace report_detail
}  // namespace plumb
