// Rows with their predicted classes: all that a metric needs, whoever predicted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/model/model.h"

namespace plumb {

// In row order; rows of weight 0 are left out.
struct PredictedClasses {
  std::vector<std::string> labels;  // those of the model, in its order; then others that rows have
  std::size_t known = 0;            // how many are the model's
  bool probable = false;            // whether it gives probabilities: the next three are empty otherwise
  std::vector<double> log_loss;     // -ln of the probability of the true label, inf if that is 0
  std::vector<double> brier;        // squared distance of the probabilities from the true label; half of it with two
  std::vector<double> confidence;   // the probability of the predicted label
  std::vector<std::uint32_t> predicted, actual;  // into labels
  std::vector<double> weight;
  // The ranking of rows for the ROC curve: with two labels one number a row, with more one for each of the model's
  // labels; empty if that would exceed kMostScores.
  std::vector<double> scores;

  bool ranked = true;  // whether add() keeps scores

  static constexpr std::uint64_t kMostScores = 20'000'000;

  PredictedClasses() = default;
  // Keeps no scores of that many rows, or more, if they would exceed kMostScores.
  explicit PredictedClasses(const LinearModel& model, std::uint64_t all_rows = 0);
  std::uint64_t rows() const noexcept { return predicted.size(); }
  std::size_t scores_per_row() const noexcept { return known == 2 ? 1 : known; }
  // Predicts the row. `target` is its position in labels.
  void add(Predictor& predictor, const Row& x, double target, double counts);
  // For several threads: makes space for that many rows, an upper bound, whose places are then filled, each once.
  void make_room(std::uint64_t count);
  // Many rows at once by their log-odds, for a two-class model that is uncalibrated and predicts the more likely label.
  // All weights are above 0.
  void put_log_odds(std::uint64_t place, In odds, In targets, In counts);
  // The same by the scores of all labels, row after row, if the probabilities are their softmax.
  void put_scores(std::uint64_t place, In found, In targets, In counts);
  void put(std::uint64_t place, const PredictedClasses& rows);
  void append(PredictedClasses&& more);
  void reserve(std::uint64_t count);  // of rows
};

// Whether predictions follow from scores alone: dense weights, no vetoes, uncalibrated probabilities and the more
// likely label.
bool is_plain(const LinearModel& model) noexcept;

// For each block the number of rows with a weight in those before it, and at the end their total.
std::vector<std::uint64_t> rows_before_blocks(const Examples& examples);

// `labels` are those of the examples' targets, the model's first.
PredictedClasses predict_classes(const LinearModel& model, const Examples& examples,
                                 const std::vector<std::string>& labels, const Run& run);

// The weight of each class among the examples.
std::vector<double> class_weights(const Examples& examples, std::size_t classes, const Run& run);

}  // namespace plumb
