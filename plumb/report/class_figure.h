// How a model of classes did, as a figure: confusion matrix, ROC and precision-recall curves, and reliability.
#pragma once

#include <string>
#include <vector>

#include "plumb/evaluate/class_metrics.h"
#include "plumb/report/plot.h"

namespace plumb {

// Points of the curves of one label against all others, from the highest score down; rows of equal scores are one step.
struct ThresholdCurves {
  std::vector<double> false_alarms;  // of the rows of other labels, the share said to be of this one
  std::vector<double> recall;        // of the rows of the label, the share said to be
  std::vector<double> precision;     // of those said to be of it, the share that is; one fewer: none at the start
};
// Empty unless there are rows of the label and others.
ThresholdCurves threshold_curves(const PredictedClasses& rows, std::size_t label = 1);

Figure class_figure(const ClassReport& report, const PredictedClasses& rows, const std::string& title);

}  // namespace plumb
