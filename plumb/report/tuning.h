// What `plumb tune` found, as text for people and as JSON for programs.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plumb/evaluate/metrics.h"
#include "plumb/report/style.h"
#include "plumb/select/grid.h"

namespace plumb {

struct TunedPoint {
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<Metric> metrics;  // on held-out rows
  double loss = 0.0;            // the mean of the loss to choose by
  double standard_error = 0.0;
  bool converged = true;
};

struct TuneReport {
  std::string model;
  std::string target;
  std::uint64_t rows = 0;      // rows used to choose values
  std::uint64_t test = 0;      // held out of the choice
  std::string test_file = {};  // or the rows of this file
  std::string method;          // "10 folds, seed 42"
  std::string loss_name;       // "log_loss"
  std::vector<TunedPoint> points;
  bool all_tried = true;  // false if the time was over before
  GridChoice choice;
  std::size_t chosen = 0;  // one of the two, by the rule
  std::string rule;        // "min" or "1se"
  std::vector<std::string> warnings;
  double seconds = 0.0;
};

// "--l2 10 --ngrams 1-2"
std::string options_text(const std::vector<std::pair<std::string, std::string>>& options);

std::string to_text(const TuneReport& report, const Style& style);
// `trained` is the JSON of the refit, or empty.
std::string to_json(const TuneReport& report, const std::string& trained);

}  // namespace plumb
