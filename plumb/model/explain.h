// Why a row is predicted as it is: score = bias + the sum of the features' contributions w_j * x_j. A softmax is the
// same whatever is added to the scores of all labels, so there bias, weights and score are those above the mean of the
// labels: else a word that is rare everywhere would seem to speak most.
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

// Vetoes are compared before scores. Where they change the label, contributions do not say why it was predicted.
struct DecidedByVetoes {
  std::size_t instead_of = 0;           // the label that the scores alone would give
  std::vector<std::uint32_t> features;  // of this row, those that rule it out; in feature order
};

// A label that features of this row rule out.
struct RuledOut {
  std::size_t label = 0;
  std::vector<std::uint32_t> features;  // in feature order; none if it is what the row lacks
};

struct Explanation {
  RowPrediction prediction;
  std::uint64_t model_row = 0;  // the row of the model whose score this is
  double score = 0.0;
  double bias = 0.0;
  std::optional<double> mean_score = {};  // of a softmax: of all labels; score and bias are above it
  // Those that are not zero; largest first by size, equal ones in feature order.
  std::vector<Contribution> contributions;
  std::optional<DecidedByVetoes> vetoes = {};  // only where they made the difference
  // Where they agree with the scores: the other labels that are ruled out. Vetoes decide if those are all.
  std::vector<RuledOut> ruled_out = {};
  std::vector<RuledOut> impossible = {};  // every label, where each is ruled out by some feature; else nothing
};

// Of the row of the model that speaks for the prediction: the only one, or that of the predicted label; of voters the
// one with the most votes on the side that won, or of many labels its plane for the label. Throws Error(data) if bias
// and contributions are too large to add up.
Explanation explain(const LinearModel& model, const Row& x);

// Of each feature: the mean of its weights over the rows.
std::vector<double> mean_weights(const Weights& weights);

// What is left when only the first `top` contributions are shown; top = 0 shows all.
struct RestOfContributions {
  std::size_t count = 0;
  double contribution = 0.0;  // their sum
};
RestOfContributions rest_after(const Explanation& explanation, std::uint64_t top) noexcept;

}  // namespace plumb
