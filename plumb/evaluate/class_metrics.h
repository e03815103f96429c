// Metrics of classification, each with an interval from theory or the bootstrap if there is one.
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

// The metrics of one class. Empty if undefined: a precision if the class was never predicted.
struct ClassScore {
  std::string label;
  std::optional<double> precision, recall, f1;
  double rows = 0.0;  // with the label, by weight
};

// Rows whose confidence, the probability of the predicted label, lies in [low, high): in a calibrated model the
// accuracy is the mean confidence.
struct ReliabilityBin {
  double low = 0.0, high = 0.0;
  double rows = 0.0;  // by weight
  double confidence = 0.0;
  double right = 0.0;
};

// Rows of two of many classes, as if there were no others: the share on the right side.
struct PairAccuracy {
  std::size_t first = 0, second = 0;  // into the labels
  double rows = 0.0;                  // by weight
  double accuracy = 0.0;
};

// A cell of the confusion matrix with rows: of many classes most cells have none.
struct ConfusionCell {
  std::size_t actual = 0, predicted = 0;  // into the labels
  double rows = 0.0;                      // by weight
};

struct ClassReport {
  std::vector<Metric> metrics;           // of metrics_of(true), those that are defined
  std::vector<std::string> labels;       // of the confusion matrix
  std::vector<ConfusionCell> confusion;  // by actual label, then predicted
  std::vector<ClassScore> classes;       // as the labels
  std::vector<ReliabilityBin> bins;      // of rows with probabilities, without empty ones
  std::vector<PairAccuracy> pairs;       // with more than two classes, up to kMostPaired; those with rows of both
  double calibration_error = 0.0;        // the mean of |confidence - right| over the bins
  double impossible = 0.0;               // the weight of rows whose true label has probability 0
  double unknown = 0.0;                  // the weight of rows whose label the model does not know
  std::vector<std::string> notes = {};   // caveats for a reader of the metrics

  double confused(std::size_t actual, std::size_t predicted) const;  // 0 without a cell
};

inline constexpr std::size_t kMostPaired = 100;

// accuracy (Wilson's interval) and error; with probabilities log_loss (nats, for the rows whose label is possible) and
// brier; with two classes auc (DeLong's interval), and precision, recall and f1 of the second; with more the means over
// classes, auc of each class against the rest. A weight of k counts as k copies of the row. Empty without rows.
ClassReport class_metrics(const PredictedClasses& rows, const Run& run, std::uint64_t resamples = kResamples);

// The same for the model that knows only the class frequencies and always predicts the most common class; `weights` has
// one for each of the model's labels. Without intervals: accuracy, error, log_loss, brier. `with_rows`, if any: the
// weights of the labels in training and held-out rows together. It predicts the most common of these among the training
// labels: counting only training rows can flip the answer when classes are nearly tied, always to the wrong label.
struct ShareBaseline {
  std::size_t label = 0;  // its constant prediction
  std::vector<Metric> metrics;
};
ShareBaseline share_baseline(const std::vector<double>& weights, const PredictedClasses& rows,
                             const std::vector<double>& with_rows = {});

// The area under the ROC curve: the probability that a row of the class scores above a row of another, ties counting
// half. Empty if one of the two has no rows. The variance is DeLong's (Biometrics 44, 1988).
struct RocArea {
  double area = 0.0;
  double variance = 0.0;
  double least_rows = 0.0;  // the weight of the smaller side
};
// `influence`, if it is not empty, receives the change of the area by one more copy of each row.
std::optional<RocArea> roc_area(In scores, const std::vector<bool>& positive, In weights, Out influence = {});

// Wilson's 95 % interval of a share k of n.
struct ShareInterval {
  double low = 0.0, high = 1.0;
};
ShareInterval wilson_interval(double k, double n);

}  // namespace plumb
