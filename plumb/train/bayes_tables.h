// The content of a naive Bayes model in readable form: priors, conditional probabilities, means and variances; and the
// joint probability of a row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "plumb/base/span.h"
#include "plumb/model/model_file.h"
#include "plumb/train/event.h"
#include "plumb/train/event_dependence.h"

namespace plumb {

// Events that make a class impossible: a row is impossible if the count is above 0.
struct BayesVetoes {
  std::int32_t base = 0;                                   // whatever the row contains
  std::unordered_map<std::uint32_t, std::int32_t> counts;  // of features that are not 0: 1 rules it out, -1 is required
};

struct BayesTables {
  EventPlan plan;
  std::vector<std::string> labels;
  std::vector<double> prior;           // [class]
  std::vector<double> weights;         // [class][feature]: of log P(x, y)
  std::vector<double> bias;            // [class]
  std::vector<double> probability;     // [class][feature]: of an outcome, or of presence; 0 for numbers
  std::vector<double> mean, variance;  // [gaussian][class]
  std::vector<double> centre;          // [gaussian]
  std::vector<BayesVetoes> vetoes;     // [class]; empty if nothing is impossible
  double parameters = 0.0;             // number of estimated parameters, including the prior
  // log10 of the number of probabilities in a table of every combination of values; empty with numbers or texts, whose
  // values are unlimited.
  std::optional<double> joint_digits = {};
  double joint_parameters = 0.0;  // the number itself, if it is below 2^53
  std::optional<Dependence> dependence = {};
};

// Empty for a model of another kind. Throws Error(model) if the record contradicts the model.
std::optional<BayesTables> bayes_tables(const SavedModel& saved);

// ln P(x, y) and ln P(x) of rows. One for each thread; the tables must outlive it.
class JointLikelihood {
 public:
  // Throws Error(usage) for complements, which have no density.
  JointLikelihood(const LinearModel& model, const BayesTables& tables);

  // One for each label; -inf if the row is impossible.
  In log_joint(const Row& x);
  // ln P(x), the evidence.
  double log_evidence(const Row& x);

 private:
  const LinearModel& model_;
  const BayesTables& tables_;
  std::vector<double> joint_;
  std::vector<double> curve_;  // [feature]: -1/2v, which the scores of classes with a shared variance omit
};

}  // namespace plumb
