// What `plumb curve` found: how a model's error decreases with more rows, as text, JSON and a figure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/evaluate/metrics.h"
#include "plumb/report/plot.h"
#include "plumb/report/remedies.h"
#include "plumb/report/style.h"

namespace plumb {

// Means over repeats, with one standard deviation to each side.
struct CurvePoint {
  std::uint64_t rows = 0;           // training rows
  std::vector<Metric> metrics;      // on held-out rows
  std::vector<Metric> on_training;  // on training rows
  // Errors on held-out rows in each repeat; the splits are the same for every size and model.
  std::vector<double> errors = {};
  std::vector<double> baseline = {};  // of always predicting the mean, or the most common label, of the training rows
};

struct Curve {
  std::string model;
  std::vector<CurvePoint> points;         // by rows
  bool penalised = false;                 // it has a penalty that could be smaller
  std::vector<TypedOption> options = {};  // of the model, for the next command
};

struct CurveReport {
  std::string target;
  bool labels = false;
  bool constant = false;  // every row has the same number
  std::uint64_t rows = 0;
  std::uint64_t test = 0;
  std::uint64_t repeats = 0;
  std::uint64_t seed = 0;
  std::vector<Curve> curves;
  TypedData data = {};                    // for the next command
  std::vector<FitVerdict> verdicts = {};  // see verdict()
  std::vector<std::string> warnings;
  double seconds = 0.0;

  std::string metric() const { return names_of(labels, kHeadline).front(); }
};

// The mean and spread of each metric over the repeats that have it.
std::vector<Metric> over_repeats(const std::vector<std::vector<Metric>>& repeats);

// The error of classes or rmse of numbers, which is small for a good model; 0 if there is none.
double error_of(const std::vector<Metric>& metrics);

// The verdict on each model: whether it overfits or underfits, whether more rows help, and the command to type; and for
// every two models the sizes where one of them is clearly ahead, by a paired test over the splits.
std::vector<FitVerdict> verdict(const CurveReport& report);

std::string to_text(const CurveReport& report, const Style& style);
std::string to_json(const CurveReport& report);
Figure curve_figure(const CurveReport& report);

}  // namespace plumb
