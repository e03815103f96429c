// What `plumb compare` found, as text for people and as JSON for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/evaluate/metrics.h"
#include "plumb/evaluate/paired.h"
#include "plumb/evaluate/resampled.h"
#include "plumb/model/model.h"
#include "plumb/report/style.h"

namespace plumb {

struct ComparedModel {
  std::string name;                                          // its name in the report: "features=height^3"
  std::string model;                                         // "least-squares"
  std::vector<std::pair<std::string, std::string>> options;  // in which it differs; a flag has no text
  std::vector<Metric> metrics;                               // on held-out rows
  RunsTest runs;                                             // of its residuals
  std::optional<CurveTest> curve;                            // and whether they bend
  std::uint64_t features = 0;
  std::uint64_t weights = 0;  // determined by the fit to all rows, including the bias
  bool squares = false;       // it has weights for squares of numbers, as Gaussians of different variances need
  bool converged = true;
  std::uint64_t bytes = 0;  // of the model file, without the data for inference
  double seconds = 0.0;
};

struct ComparedPair {
  std::size_t better = 0;  // into the models: the one with the smaller squared error
  std::size_t other = 0;
  std::optional<PairedTest> test;                // better minus other; empty with fewer than 2 rows
  std::optional<ResampledMean> over_folds = {};  // the same difference, fold by fold; empty without folds
  bool clear = false;                            // significant: p below 0.05 over the number of pairs
};

// Weights of models of two classes in one form: the contribution of a feature to the log-odds, or to the score, of the
// second.
struct WeightsBeside {
  std::vector<std::string> features;                       // the largest of any model; the bias is the first
  std::vector<std::vector<std::optional<double>>> models;  // [model][feature]; empty if it has no such feature
};

struct CompareReport {
  std::string target;
  std::uint64_t rows = 0;
  std::string method;   // "exact leave-one-out"
  bool labels = false;  // classifiers: compared by accuracy and McNemar's test
  std::vector<ComparedModel> models;
  std::vector<ComparedPair> pairs;  // the best of them with each of the others
  WeightsBeside weights = {};       // for models of two classes
  std::uint64_t seed = 0;
  bool traits = false;  // to be shown in the text
  std::vector<std::string> warnings;
  double seconds = 0.0;
};

// Tests the model with the least squared error against each of the others; `rows` are the predictions of each model.
std::vector<ComparedPair> compare_with_best(const std::vector<Predicted>& rows,
                                            const std::vector<ComparedModel>& models, const Run& run);

// The same for classes: the model with the fewest errors.
std::vector<ComparedPair> compare_with_best(const std::vector<PredictedClasses>& rows,
                                            const std::vector<ComparedModel>& models);

// The difference of each pair fold by fold: `fold` has a number for each row of the predictions, from 0 on.
void test_over_folds(std::vector<ComparedPair>& pairs, const std::vector<Predicted>& numbers,
                     const std::vector<PredictedClasses>& classes, const std::vector<std::uint32_t>& fold);

// For models of one row each; empty unless there are two such models or more.
WeightsBeside weights_beside(const std::vector<const LinearModel*>& models, std::size_t most = 12);

// Which is better, by how much, and whether that is significant: a sentence for each pair.
std::vector<std::string> verdict(const CompareReport& report);

std::string to_text(const CompareReport& report, const Style& style);
std::string to_json(const CompareReport& report);

}  // namespace plumb
