// What `plumb evaluate` found, as text for people and as JSON for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumb/evaluate/class_metrics.h"
#include "plumb/evaluate/gate.h"
#include "plumb/evaluate/metrics.h"
#include "plumb/evaluate/mistakes.h"
#include "plumb/report/remedies.h"
#include "plumb/report/style.h"

namespace plumb {

// From which probability on the positive label was predicted.
struct UsedThreshold {
  double value = 0.5;
  std::string chosen_by = "default";                    // or: given, max-f1, cost
  std::optional<double> cost = {};                      // per row, where costs were given
  double false_positives = 0.0, false_negatives = 0.0;  // by weight
};

struct EvaluateReport {
  std::string model_file;
  std::string model;        // "least-squares"
  std::string method = {};  // for crossval, which has no model file: "each row by the fit to ..."
  std::string target;
  std::uint64_t rows = 0;
  std::vector<Metric> metrics;
  std::uint64_t splits = 0;  // number of splits, or repeats of the folds, in the means; 0 or 1: they are not means
  std::vector<Metric> baseline;
  double baseline_value = 0.0;
  std::string baseline_label = {};               // for a classifier
  std::optional<ClassReport> classes = {};       // likewise
  std::optional<ClassReport> uncalibrated = {};  // of a calibrated model that had probabilities before
  std::string baseline_name;                     // "the mean of the training rows"
  std::string interval = {};                     // the method of intervals; empty: the bootstrap
  std::uint64_t resamples = 0;
  std::uint64_t seed = 0;
  std::vector<GateResult> gates;
  std::uint64_t unseen = 0;  // category values that training did not know
  std::vector<std::string> warnings;
  double seconds = 0.0;
  bool dry_run = false;                         // read, but not scored
  FitVerdict verdict = {};                      // for crossval
  std::optional<UsedThreshold> threshold = {};  // of two classes with probabilities
  std::string positive_label = {};              // of two classes: what precision, recall and f1 are of
  bool lists_mistakes = false;
  std::vector<Mistake> mistakes = {};    // the worst first
  std::uint64_t all_mistakes = 0;        // how many there are
  std::vector<std::string> labels = {};  // that mistakes name by their places; empty for numbers
  bool probable = false;                 // whether the badness of a mistake is a probability

  bool met() const;  // every gate
};
std::string to_text(const EvaluateReport& report, const Style& style);
std::string to_json(const EvaluateReport& report);
// Every mistake of the report, as CSV.
std::string mistakes_csv(const EvaluateReport& report);

}  // namespace plumb
