// Why a row gets its prediction: score = bias + the sum of the features' contributions w_j * x_j. A softmax does not
// change when a number is added to the scores of all labels, so for a softmax bias, weights and score are relative to
// the mean of the labels: otherwise a word that is rare everywhere would seem the most important.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "plumb/model/model.h"

namespace plumb {

struct Contribution {
  std::uint32_t feature = 0;
  double value = 0.0;         // x_j
  double weight = 0.0;        // w_j
  double contribution = 0.0;  // w_j * x_j
};

// Vetoes are compared before scores. If they change the label, contributions do not explain the prediction.
struct DecidedByVetoes {
  std::size_t instead_of = 0;           // the label by scores alone
  std::vector<std::uint32_t> features;  // features of this row that rule it out; in feature order
};

// A label that features of this row rule out.
struct RuledOut {
  std::size_t label = 0;
  std::vector<std::uint32_t> features;  // in feature order; empty if missing features rule it out
};

struct Explanation {
  RowPrediction prediction;
  std::uint64_t model_row = 0;  // the row of the model with this score
  double score = 0.0;
  double bias = 0.0;
  std::optional<double> mean_score = {};  // of a softmax: mean of all labels; score and bias are relative to it
  // Those that are not zero; largest first by size, equal ones in feature order.
  std::vector<Contribution> contributions;
  std::optional<DecidedByVetoes> vetoes = {};  // only if they made the difference
  // If they agree with the scores: the other labels that are ruled out. Vetoes decide if those are all.
  std::vector<RuledOut> ruled_out = {};
  std::vector<RuledOut> impossible = {};  // every label, if each is ruled out by some feature; otherwise empty
};

// For the row of the model behind the prediction: the only one, or that of the predicted label; for voters the one with
// the most votes on the winning side, or with many labels its hyperplane for the label. Throws Error(data) if bias and
// contributions are too large to add up.
Explanation explain(const LinearModel& model, const Row& x);

// For each feature: the mean of its weights over the rows.
std::vector<double> mean_weights(const Weights& weights);

// The number of contributions that are not shown when only the first `top` are; top = 0 shows all.
struct RestOfContributions {
  std::size_t count = 0;
  double contribution = 0.0;  // their sum
};
RestOfContributions rest_after(const Explanation& explanation, std::uint64_t top) noexcept;

}  // namespace plumb
