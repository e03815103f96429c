// What naive Bayes knows, as a person reads it: priors, conditional probabilities, means and variances; and the joint
// probability of a row.
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

// What makes a class impossible: a row is, where more than 0 are counted.
struct BayesVetoes {
  std::int32_t base = 0;                                   // whatever the row holds
  std::unordered_map<std::uint32_t, std::int32_t> counts;  // of features that are not 0: 1 speaks against, -1 is needed
};

struct BayesTables {
  EventPlan plan;
  std::vector<std::string> labels;
  std::vector<double> prior;           // [class]
  std::vector<double> weights;         // [class][feature]: of log P(x, y)
  std::vector<double> bias;            // [class]
  std::vector<double> probability;     // [class][feature]: of an outcome, or of presence; of numbers 0
  std::vector<double> mean, variance;  // [gaussian][class]
  std::vector<double> centre;          // [gaussian]
  std::vector<BayesVetoes> vetoes;     // [class]; empty where nothing is impossible
  double parameters = 0.0;             // that were estimated, those of the prior too
  // log10 of the number of probabilities in a table of every combination of values; none if there are numbers or texts,
  // whose values have no end.
  std::optional<double> joint_digits = {};
  double joint_parameters = 0.0;  // the number itself, where it is below 2^53
  std::optional<Dependence> dependence = {};
};

// Nothing for a model of another kind. Throws Error(model) if the record contradicts the model.
std::optional<BayesTables> bayes_tables(const SavedModel& saved);

// ln P(x, y) and ln P(x) of rows. One for each thread; the tables must outlive it.
class JointLikelihood {
 public:
  // Throws Error(usage) for what has no density: complements.
  JointLikelihood(const LinearModel& model, const BayesTables& tables);

  // One for each label; -inf where the row is impossible.
  In log_joint(const Row& x);
  // ln P(x), the evidence.
  double log_evidence(const Row& x);

 private:
  const LinearModel& model_;
  const BayesTables& tables_;
  std::vector<double> joint_;
  std::vector<double> curve_;  // [feature]: what the scores lack of classes that share a variance, -1/2v
};

}  // namespace plumb
