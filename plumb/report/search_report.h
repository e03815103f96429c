// What -m auto tried before it fitted a model, as text and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plumb/evaluate/metric.h"
#include "plumb/report/json_parts.h"
#include "plumb/report/style.h"

namespace plumb {

struct TriedSetting {
  std::string model;
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<Metric> metrics;  // on the rows that it was tried on; empty if it failed
  std::string stopped;          // why it was not tried on all rows: empty if it was
  std::size_t from = 0;         // settings that differ in one chosen value have the same
};

struct SearchReport {
  std::string metric;               // what was optimised
  std::string method;               // "3-fold cross-validation on 20,000 training rows"
  std::vector<TriedSetting> tried;  // the winner first, then the best first
  // How much better the winner is than the best of another model or features, and the standard error of that.
  double ahead = 0.0, standard_error = 0.0;
  std::string command;     // that gives the winner without the search
  std::string calibrated;  // the option that was added to the winner's
  std::string note;        // for a search that was not made, or that ended early

  bool empty() const noexcept { return tried.empty(); }
};

// "squared-hinge --tfidf --ngrams 1-2 --l2 0.3"
std::string words_of(const TriedSetting& setting);

// The same for a record: the metric and the rows, the settings with their scores, the options of the winner.
std::vector<std::string> lines_of(const SearchReport& report);

std::string to_text(const SearchReport& report, const Style& style, bool details);
void write(JsonWriter& json, const SearchReport& report);

}  // namespace plumb
