// Model: hyperplanes w.x + b and the map from raw rows to x, loaded from a file or taken from a fit. Immutable; copies
// share it.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plumb/base/progress.h"
#include "plumb/workflow/data.h"

namespace plumb {

struct SavedModel;
struct PredictOptions;

// A prediction for one row.
struct Prediction {
  double value = 0.0;                      // the number predicted; with two classes the score of the second
  std::string label = {};                  // of a classifier
  std::vector<double> probabilities = {};  // one per label, if the model has probabilities
};

// A value of a row by the name of its column: {"height", 1.80} or {"city", "Paris"}.
struct NamedValue {
  NamedValue(std::string column, double number) : name(std::move(column)), value(number) {}
  NamedValue(std::string column, int number) : name(std::move(column)), value(double{1.0} * number) {}
  NamedValue(std::string column, const char* text) : name(std::move(column)), value(std::string(text)) {}
  NamedValue(std::string column, std::string text) : name(std::move(column)), value(std::move(text)) {}

  std::string name;
  std::variant<double, std::string> value;
};

class Model {
 public:
  explicit Model(SavedModel saved);

  // Every row of the data, in order. Columns that the model does not know are ignored; a column that it needs and the
  // data lack is an Error(data).
  std::vector<Prediction> predict(const Data& data, const Running& run = {}) const;
  // The same for data of any size: calls back for each row.
  void predict(const Data& data, const std::function<void(const Prediction&)>& each, const Running& run = {}) const;
  // One row, its values by name.
  Prediction predict(std::initializer_list<NamedValue> row) const;
  Prediction predict(const std::vector<NamedValue>& row) const;

  // The weight of a feature, named as in `plumb inspect`, in the row for a label (the first row by default).
  double weight(std::string_view feature, std::string_view label = {}) const;
  double bias(std::string_view label = {}) const;
  std::vector<std::string> features() const;
  const std::vector<std::string>& labels() const;  // of a classifier; with two labels the last is the positive one
  std::string text() const;                        // what `plumb inspect` prints
  std::string json() const;
  void save(const std::string& file) const;

  const SavedModel& saved() const noexcept { return *saved_; }

 private:
  std::shared_ptr<const SavedModel> saved_;
};

// The error that no model can beat on rows drawn from a naive Bayes: the mean of 1 - max P(label | row) over `rows` of
// them, with its 95 % interval. Throws Error(usage) for a model that does not say how rows come about.
struct BayesError {
  double value = 0.0, low = 0.0, high = 0.0;
  std::uint64_t rows = 0;

  static constexpr std::uint64_t kRows = 100'000;
};
BayesError bayes_error(const Model& model, std::uint64_t rows = BayesError::kRows, std::uint64_t seed = 42,
                       const Running& run = {});

// Throws Error(model) if the file is missing or damaged.
Model load(const std::string& file);

}  // namespace plumb
