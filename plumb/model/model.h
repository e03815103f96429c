// LinearModel: score_r = weights_r . x + bias_r for every row r, and a link that says what the scores mean. Every
// trainer makes one; it does not know how it was trained. Immutable, so threads may share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/span.h"
#include "plumb/data/examples.h"
#include "plumb/feature/feature_map.h"
#include "plumb/feature/target_scale.h"
#include "plumb/model/calibration.h"
#include "plumb/model/weights.h"

namespace plumb {

// identity: one row, the prediction is the score; log: e^score, the score is the logarithm of a mean. sign, logistic:
// two classes by one row for the second label, a zero score is the second label; logistic scores are log-odds. sign and
// softmax with a row per label: the largest score wins, the last of equals. vote: with two classes every row votes
// votes[r] with its sign. With more, each row is a hyperplane of one label, that of its chain; the last hyperplanes of
// all labels up to row r (zero before the first) are a hypothesis, which gives votes[r] to its largest score.
enum class Link { identity, sign, logistic, softmax, vote, log };
std::string_view name_of(Link link) noexcept;

class LinearModel {
 public:
  struct Parts {
    FeatureMap map;
    Weights weights;
    std::vector<double> bias;  // one per row
    Link link = Link::identity;
    std::vector<std::string> labels;  // empty for identity and log
    std::vector<double> votes;        // vote: one per row, not negative
    // Events that rule a row out, each a feature that is not zero; compared before scores. One row for two labels: a
    // positive count rules out the second, a negative one the first.
    SparseRows<std::int32_t> vetoes;
    std::vector<std::int32_t> veto_base;  // the count for a row without such an event; empty: 0
    Calibration calibration;
    double threshold = 0.5;  // logistic: the second label from this probability on
    // identity: the score is this formula of the target, and predictions are taken back to the target itself.
    std::optional<TargetScale> target = {};
  };

  // Throws Error(model) if the parts contradict each other or a number is not finite.
  explicit LinearModel(Parts parts);

  const Parts& parts() const noexcept { return parts_; }
  std::uint64_t rows() const noexcept { return parts_.weights.rows(); }
  std::uint32_t features() const noexcept { return parts_.weights.features(); }
  bool predicts_numbers() const noexcept { return parts_.labels.empty(); }  // otherwise labels
  bool has_vetoes() const noexcept { return !parts_.vetoes.offsets.empty(); }

  // scores[r] for every row; does not allocate.
  void scores(const Row& x, Out scores) const noexcept;
  // The same model, whose scores are of this formula of the target.
  LinearModel of_target(const Formula& formula) const;
  // The same model with these probabilities; one that only had scores has probabilities then. For links of labels other
  // than vote.
  LinearModel calibrated(const Calibration& calibration) const;
  // What a score predicts, for a model of numbers.
  double value_of(double score) const noexcept;

  // The target of an example, which is of the formula, in units of the column.
  double target_in_units(double target) const noexcept { return parts_.target ? parts_.target->back(target) : target; }

  // How often each row is vetoed; only if has_vetoes(). Does not allocate.
  void vetoes(const Row& x, std::span<std::int64_t> counts) const noexcept;

 private:
  Parts parts_;
};

// The label of row r of the model; with one row, the second of two. nullptr for numbers and for voters on two labels,
// which have none.
const std::string* row_label(const LinearModel& model, std::uint64_t r) noexcept;

// A prediction for one row.
struct RowPrediction {
  double value = 0.0;     // for a number
  std::size_t label = 0;  // otherwise: index into labels
};

// The one predictor. It has the buffers it needs, so predicting a row does not allocate; one per thread. The model must
// outlive it.
class Predictor {
 public:
  explicit Predictor(const LinearModel& model);

  RowPrediction predict(const Row& x) noexcept;
  // For the last row: one per row of the model.
  In scores() const noexcept { return scores_; }
  // For the last row, with more than two labels: one per label, the score of its hyperplane or its votes.
  In label_scores() const noexcept { return tallies_.empty() ? In(scores_) : In(tallies_); }
  // For the last row, for links with labels: the label without vetoes.
  std::size_t label_by_scores() const noexcept { return decide({}); }
  // Whether the scores of the last row are finite.
  bool finite() const noexcept;
  // For the last row, with two labels: increases with the evidence for the second. -inf or inf if one is ruled out.
  double decision() const noexcept;
  // For the last row: one per label, summing to 1. Only for logistic and softmax.
  In probabilities() noexcept;
  // p / (1 - p) of a label, inf if p is 1.
  double odds(std::size_t label) noexcept;
  // The logarithm of one of them, even if the probability underflows; -inf for a label that is ruled out.
  double log_probability(std::size_t label) noexcept;

 private:
  double log_odds() const noexcept;  // logistic: the input of probabilities
  void fill_exponents() noexcept;    // softmax: the same, one per label, into probabilities_
  void count_votes() noexcept;       // vote: for each label, into tallies_, from scores_
  std::size_t decide(std::span<const std::int64_t> vetoes) const noexcept;

  const LinearModel& model_;
  std::vector<double> scores_;
  std::vector<std::int64_t> vetoes_;
  std::vector<double> probabilities_;
  std::vector<double> tallies_;  // vote: one per label
  std::vector<double> planes_;   // vote for more than two labels: the scores of the current hypothesis
};

}  // namespace plumb
