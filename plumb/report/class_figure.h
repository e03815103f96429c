// The performance of a classifier as a figure: confusion matrix, ROC and precision-recall curves, and calibration.
#pragma once

#include <string>
#include <vector>

#include "plumb/evaluate/class_metrics.h"
#include "plumb/report/plot.h"

namespace plumb {

// Points of the curves of one label against all others, from the highest score down; rows of equal scores are one step.
struct ThresholdCurves {
  std::vector<double> false_alarms;  // false positive rate
  std::vector<double> recall;        // true positive rate (recall)
  std::vector<double> precision;     // precision; one fewer: undefined at the start
};
// Empty unless there are rows of the label and others.
ThresholdCurves threshold_curves(const PredictedClasses& rows, std::size_t label = 1);

Figure class_figure(const ClassReport& report, const PredictedClasses& rows, const std::string& title);

}  // namespace plumb
