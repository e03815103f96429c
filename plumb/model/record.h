// Record: what a fit stores in the model file beside the model. Prediction ignores it. It contains no times, host names
// or thread counts: a model's bytes depend on data, options and seed alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "plumb/data/read_options.h"

namespace plumb {

// How close to the optimum a fit is. kind "gap": an upper bound on (objective - least objective) / (objective of the
// constant model), or, if that is 0, on the difference itself.
struct Certificate {
  std::string kind;  // empty: none
  double value = 0.0;
};

// Numbers in the shape of a model: one row per hyperplane.
struct ModelNumbers {
  std::vector<double> bias;     // one per row, or empty
  std::vector<double> weights;  // rows times features, or empty
  bool empty() const noexcept { return bias.empty() && weights.empty(); }
};

// Numbers that training counted or summed, kept for merging and forgetting or for intervals: counts stay whole, and a
// matrix keeps its shape (rows first).
struct Statistic {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::variant<std::vector<double>, std::vector<std::int64_t>> values;  // as many as the product of the shape
  bool operator==(const Statistic&) const = default;
};

// How the training data were written, as far as options do not say: data that the model is used on are read alike.
struct HowRead {
  bool default_na = true;                              // NA, null and the like were missing values
  std::vector<ReadOptions::KnownColumn> columns = {};  // whose numbers or dates are not written plainly
  bool operator==(const HowRead&) const = default;
};

struct Record {
  std::string model;  // as -m names it: "least-squares"
  std::string solver;
  std::string target;  // name of the target column
  // The given options, including defaults that were given: name and text. Not where it is saved, nor how it is run.
  std::vector<std::pair<std::string, std::string>> options;
  std::uint64_t seed = 0;
  std::string data_digest;  // Source::digest of the training input; empty if there was no file
  std::uint64_t train_rows = 0;
  std::uint64_t test_rows = 0;
  bool converged = false;
  std::uint64_t iterations = 0;
  double objective = 0.0;
  Certificate certificate;
  // The results of the trainer, by name: residual_sd, r_squared, ...; l2 and l1 if it adds a penalty.
  std::vector<std::pair<std::string, double>> fit;
  std::vector<std::uint32_t> aliased;  // features without a weight of their own, ascending
  ModelNumbers standard_errors;
  std::vector<Statistic> statistics;
  std::optional<HowRead> reading = {};  // none in files of earlier releases
  // How the model was chosen, if it was: what was optimised on which rows, the settings with their scores, the best
  // first, and the options that give the model without the search.
  std::vector<std::string> search = {};
};

// A number of `fit`, a statistic or the text of an option, by its name; nullptr if absent.
inline const double* find_number(const Record& record, std::string_view name) noexcept {
  for (const auto& [key, value] : record.fit)
    if (key == name) return &value;
  return nullptr;
}
inline const Statistic* find_statistic(const Record& record, std::string_view name) noexcept {
  for (const Statistic& each : record.statistics)
    if (each.name == name) return &each;
  return nullptr;
}
inline const std::string* find_option(const Record& record, std::string_view name) noexcept {
  for (const auto& [option, text] : record.options)
    if (option == name) return &text;
  return nullptr;
}

}  // namespace plumb
