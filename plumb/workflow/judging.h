// Questions about models and data, one call each. The result prints itself as text, JSON or a plot, and contains the
// numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/base/progress.h"
#include "plumb/evaluate/metric.h"
#include "plumb/select/split_options.h"
#include "plumb/workflow/data.h"
#include "plumb/workflow/fit.h"
#include "plumb/workflow/model.h"
#include "plumb/workflow/models.h"

namespace plumb {

class Report {
 public:
  struct Pages;
  explicit Report(std::shared_ptr<const Pages> pages) : pages_(std::move(pages)) {}

  std::string text() const;  // as the command prints it, for 80 columns
  std::string json() const;  // every number, in full
  std::string svg() const;   // empty if there is nothing to draw
  const std::vector<std::string>& notes() const noexcept;
  const std::vector<std::string>& warnings() const noexcept;

 private:
  std::shared_ptr<const Pages> pages_;
};

struct Evaluation : Report {
  std::vector<Metric> metrics;
  std::vector<Metric> baseline;
  std::uint64_t rows = 0;
};

struct CrossValidateOptions {
  FoldChoice folds = 10;
  std::uint64_t repeats = 1;
  std::uint64_t seed = 42;
};
Evaluation cross_validate(const Data& data, const Recipe& model = {}, const CrossValidateOptions& options = {},
                          const Running& run = {});

// Scores the model on new rows: the data's target is the truth.
Evaluation evaluate(const Model& model, const Data& data, const Running& run = {});

struct Compared {
  std::string name;
  std::vector<Metric> metrics;
};
struct Comparison : Report {
  std::vector<Compared> models;
};
// All on the same folds. Without models: the ones that `plumb compare` compares by default.
Comparison compare(const Data& data, const std::vector<Recipe>& models = {}, const CrossValidateOptions& options = {},
                   const Running& run = {});

struct TuneChoices {
  // Options and their values, as --grid takes them: "l2=1e-3..1e3:7".
  std::vector<std::string> grid;
  bool one_se = false;  // choose the simplest model within a standard error of the best
  FoldChoice folds = 10;
  TestChoice test = 0.2;
  std::uint64_t seed = 42;
  double time_limit = 0.0;
};
struct Tuned : Report {
  std::vector<std::pair<std::string, std::string>> chosen;  // options and their values
  Fit fit;                                                  // fitted with these values, as plumb::fit() does
};
Tuned tune(const Data& data, const Recipe& model, const TuneChoices& choices, const Running& run = {});

struct CurveChoices {
  std::vector<std::string> sizes = {};  // numbers of training rows, or fractions; eight sizes if empty
  std::uint64_t repeats = 10;
  TestChoice test = 0.2;
  std::uint64_t seed = 42;
};
struct LearningCurves : Report {
  struct Point {
    std::string model;
    std::uint64_t rows = 0;
    std::vector<Metric> heldout, training;
  };
  std::vector<Point> points;
};
LearningCurves learning_curve(const Data& data, const std::vector<Recipe>& models = {},
                              const CurveChoices& choices = {}, const Running& run = {});

// Explains the scores of rows: the contribution of each feature.
struct Explanations : Report {
  struct Row {
    double score = 0.0;
    std::vector<std::pair<std::string, double>> contributions;  // the largest first, without the bias
  };
  std::vector<Row> rows;
};
Explanations explain(const Model& model, const Data& data, std::uint64_t rows = 10, const Running& run = {});

// Whether a hyperplane separates the two classes of the data, and how wide the widest margin is.
struct Margin : Report {
  std::optional<bool> separable;  // empty if undecided
  double low = 0.0, high = 0.0;   // bounds of the margin
};
Margin margin(const Data& data, const Running& run = {});
Margin margin(const Model& model, const Data& data, const Running& run = {});

// Samples rows from a fitted naive Bayes, as CSV (LIBSVM if it was trained on that).
std::string sample(const Model& model, std::uint64_t rows, std::uint64_t seed = 42, const Running& run = {});

// For models that kept their sums (NaiveBayes{.keep_statistics = true}): adds models up, or removes rows, and gives
// exactly the model that training on those rows would give.
Model merge(const std::vector<Model>& models, const Running& run = {});
Model forget(const Model& model, const Data& rows, const Running& run = {});

}  // namespace plumb
