// What `plumb curve` found: how a model's error falls as it gets more rows, as text, JSON and a figure.
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
  std::uint64_t rows = 0;           // of training
  std::vector<Metric> metrics;      // of rows held out
  std::vector<Metric> on_training;  // of the rows that the fits saw
  // Errors on rows held out in each repeat; the splits are the same for every size and model.
  std::vector<double> errors = {};
  std::vector<double> baseline = {};  // of always saying the mean, or the commonest label, of the training rows
};

struct Curve {
  std::string model;
  std::vector<CurvePoint> points;         // by rows
  bool penalised = false;                 // there is a penalty that could be less
  std::vector<TypedOption> options = {};  // of the model, for what to type next
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
  TypedData data = {};  // for what to type next
  std::vector<std::string> warnings;
  double seconds = 0.0;

  std::string metric() const { return names_of(labels, kHeadline).front(); }
};

// The mean and spread of each metric over the repeats that have it.
std::vector<Metric> over_repeats(const std::vector<std::vector<Metric>>& repeats);

// The error of classes or rmse of numbers, which is small where a model is good; 0 where there is none.
double error_of(const std::vector<Metric>& metrics);

// What the curves say of each model: whether it overfits or underfits, whether more rows help, and what to type;
// and of every two models, where one of them is clearly ahead: by a paired test over the splits.
std::vector<FitVerdict> verdict(const CurveReport& report);

std::string to_text(const CurveReport& report, const Style& style);
std::string to_json(const CurveReport& report);
Figure curve_figure(const CurveReport& report);

}  // namespace plumb
