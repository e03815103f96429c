// Numbers that judge predictions of classes, each with an interval where theory or the bootstrap gives one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/evaluate/bootstrap.h"
#include "plumb/evaluate/metrics.h"
#include "plumb/evaluate/predicted_classes.h"

namespace plumb {

// What is known of one class. Nothing where it is not defined: a precision where the class was never predicted.
struct ClassScore {
  std::string label;
  std::optional<double> precision, recall, f1;
  double rows = 0.0;  // that have the label, by weight
};

// Rows whose confidence, the probability of what was predicted, lies in [low, high): in a calibrated model the share
// that is right is the mean confidence.
struct ReliabilityBin {
  double low = 0.0, high = 0.0;
  double rows = 0.0;  // by weight
  double confidence = 0.0;
  double right = 0.0;
};

// Rows of two of many classes, had there been no others: the share that the model has on the right side.
struct PairAccuracy {
  std::size_t first = 0, second = 0;  // into the labels
  double rows = 0.0;                  // by weight
  double accuracy = 0.0;
};

struct ClassReport {
  std::vector<Metric> metrics;          // of metrics_of(true), those that are defined
  std::vector<std::string> labels;      // of the confusion matrix
  std::vector<double> confusion;        // weights, a row for each actual label
  std::vector<ClassScore> classes;      // as the labels
  std::vector<ReliabilityBin> bins;     // of rows with probabilities; empty ones are left out
  std::vector<PairAccuracy> pairs;      // of more than two classes, up to kMostPaired; those with rows of both
  double calibration_error = 0.0;       // the mean of |confidence - right| over the bins
  double impossible = 0.0;              // the weight of rows whose label the model gave probability 0
  double unknown = 0.0;                 // the weight of rows whose label the model does not know
  std::vector<std::string> notes = {};  // what a reader of the metrics must know
};

inline constexpr std::size_t kMostPaired = 100;

// accuracy (Wilson's interval) and error; with probabilities log_loss (nats, of the rows whose label is possible) and
// brier; of two classes auc (DeLong's interval), and precision, recall and f1 of the second; of more the means over
// classes, auc of each class against the rest. A weight of k counts as k copies of the row. None without rows.
ClassReport class_metrics(const PredictedClasses& rows, const Run& run, std::uint64_t resamples = kResamples);

// The same of the model that knows only the share of each class and always says the largest; `weights` are one for each
// of the model's labels. Without intervals: accuracy, error, log_loss, brier. `with_rows`, if any: what the labels
// weigh together with the rows tried. Of the labels that were trained on the one that is commonest so is said: another
// is commonest in training only where taking the rows out has tipped the scale, and so is the wrong one for most of
// them.
struct ShareBaseline {
  std::size_t label = 0;  // what it always says
  std::vector<Metric> metrics;
};
ShareBaseline share_baseline(const std::vector<double>& weights, const PredictedClasses& rows,
                             const std::vector<double>& with_rows = {});

// The area under the ROC curve: the chance that a row of the class scores above one that is not of it, ties counting
// half. Nothing where one of the two has no rows. The variance is DeLong's (Biometrics 44, 1988).
struct RocArea {
  double area = 0.0;
  double variance = 0.0;
  double least_rows = 0.0;  // the weight of the smaller side
};
// `influence`, if it is not empty, gets what one more copy of each row would do to the area.
std::optional<RocArea> roc_area(In scores, const std::vector<bool>& positive, In weights, Out influence = {});

// Wilson's 95 % interval of a share k of n.
struct ShareInterval {
  double low = 0.0, high = 1.0;
};
ShareInterval wilson_interval(double k, double n);

}  // namespace plumb
