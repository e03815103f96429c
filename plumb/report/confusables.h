// What `plumb confusables` found: a model of which word belongs in a gap, and likely mistakes in a text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/report/report.h"
#include "plumb/report/style.h"

namespace plumb {

struct ConfusablesReport {
  std::vector<std::string> words;
  std::vector<std::uint64_t> counts;  // occurrences of each
  std::uint64_t repeated = 0;         // others, in sentences that had occurred before
  TrainReport training;
};
std::string to_text(const ConfusablesReport& report, const Style& style);

struct Correction {
  std::uint64_t line = 0, column = 0;  // from 1; columns are bytes
  std::string found, instead;          // as the text has it, and in the same letter case
  std::optional<double> probability;   // of `instead`; empty if the model has none
  std::string sentence;
  std::vector<std::pair<std::string, double>> reasons;  // terms, and how much they speak for `instead`
};

struct CorrectionReport {
  std::string file;
  std::uint64_t occurrences = 0;
  std::vector<Correction> corrections;
};
std::string to_text(const CorrectionReport& report, const Style& style);

// One object of all that was made: parts that were not are left out; `curve` is its JSON.
std::string to_json(const ConfusablesReport* trained, const std::string& curve, const CorrectionReport* corrected,
                    const std::vector<std::string>& warnings, double seconds);

}  // namespace plumb
