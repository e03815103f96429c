// THE online loop: one example at a time, one step along it. Perceptron, passive-aggressive, AROW and stochastic
// gradient descent on any loss differ only in the length of the step. Rules and their sources: docs/perceptron.md.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "plumb/base/random.h"
#include "plumb/base/span.h"
#include "plumb/data/row_table.h"
#include "plumb/objective/loss.h"
#include "plumb/solver/count_rows.h"
#include "plumb/solver/online_options.h"

namespace plumb {

// Rows begin to end - 1 in the order of one pass; no two numbers share draws.
std::vector<std::uint64_t> order_of(RowOrder order, std::uint64_t begin, std::uint64_t end, const RandomKey& random,
                                    std::uint64_t number);

struct OnlineRule {
  Update update = Update::perceptron;
  Loss loss = Loss::logistic;   // Update::loss
  double rate = 1.0;            // perceptron and loss
  double decay = 0.0;           // loss: the rate at example t = 0, 1, ... is rate / (1 + decay t)
  double l2 = 0.0;              // loss: of each example; before its step, w is multiplied by 1 - rate l2
  double margin = 0.0;          // perceptron: a margin of this or less causes an update
  bool relative = false;        // the margin is in units of |w|
  double aggressiveness = 1.0;  // C of pa1 and pa2; arow has r = 1 / C
  bool bias = true;
  bool average = false;
  bool labels = true;  // targets of rows are numbers of labels; false: they are those given to learn()
};

// The hyperplanes, feature after feature: weights[j * planes + k] is that of feature j in hyperplane k.
struct Planes {
  std::uint32_t planes = 1;
  std::vector<double> weights;
  std::vector<double> bias;  // one per hyperplane
};

// One hyperplane for two classes (targets -1 and +1; any number with the squared loss), or one per class (target: its
// number). The average is over all weight vectors of the run, the first included.
//
// It is computed without touching a weight that does not change: a change d made after S vectors were counted is
// missing from S of them, so with u = sum S d the sum of all N vectors is N w - u (deck form: w - u / c). With a
// shrinking scale, w = a v and S counts the scales instead: the sum is S v - u. Changes along rows need not be added to
// u at once: owed[i] is the sum of those along row i, over any number of passes, and settle() adds them all, row by
// row.
class OnlineLearner {
 public:
  OnlineLearner(const OnlineRule& rule, std::uint32_t features, std::uint32_t planes);
  // From these weights; they are the first vector of the average.
  void start(Planes planes);
  // From where another stopped: its weights, its average, and the number of vectors in it.
  void resume(Planes last, const Planes& average, double counted);

  struct Outcome {
    bool mistake = false;  // the margin was not positive
    bool update = false;
  };
  Outcome learn(const Row& x, double target, double weight = 1.0);

  struct Pass {
    std::uint64_t mistakes = 0;
    std::uint64_t updates = 0;
  };
  // Rows of the table in this order. on_update(t, steps) is called for each update: w += steps[k] x in hyperplane k, at
  // order[t]. arow's steps are not along x. owed: see above, for all rows of the table, or empty if the average is
  // updated at once.
  using OnUpdate = std::function<void(std::size_t t, In steps)>;
  Pass pass(RowReader& rows, std::span<const std::uint64_t> order, Out owed = {}, const OnUpdate& on_update = {});
  // The same over a copy of the rows, with the same bits but faster; an average needs owed. on_part(t, done) is called
  // before each kPart of them with the number of rows before, and their results. It may throw: learnt rows stay learnt.
  using OnPart = std::function<void(std::size_t t, const Pass& done)>;
  static constexpr std::size_t kPart = 4096;
  Pass pass(const CountRows& rows, std::span<const std::uint64_t> order, Out owed = {}, const OnPart& on_part = {});
  // Whether such rows can be copied.
  bool takes_counts() const noexcept { return steps_along_rows() && !rule_.relative; }
  // Whether the average can use owed.
  bool can_owe() const noexcept { return rule_.average && steps_along_rows(); }
  void settle(RowReader& rows, Out owed);  // owed is then all 0

  // Throws Error(data) if the weights are no longer finite.
  void expect_finite() const;

  // Iterative parameter mixing: this learner's weights become the mean of those of all parts, which started from its
  // copies; their counts are added up. In the order given.
  void mix(std::span<const OnlineLearner> parts);
  // Resets the counts, for a copy of a learner for mix(): the parts count only their own vectors.
  void forget_average();

  Planes weights() const;
  Planes average() const;
  double counted() const noexcept { return count_; }  // weight vectors in the average
  In variances() const noexcept { return variances_; }
  void set_variances(std::vector<double> variances) { variances_ = std::move(variances); }
  double norm() const;  // |w|, without biases

 private:
  // Of each feature the hyperplanes where its weight was ever not 0, if steps are along few of many hyperplanes; empty
  // otherwise, and for a feature with most of them. Scores read only these.
  bool few_move() const noexcept;
  void find_moved();
  double step_of(double margin, double spread) const noexcept;
  // X: a Row, a FloatRow or a CountRow.
  template <class X>
  double spread_of(const X& x, std::uint32_t plane) const noexcept;
  bool needs_spread() const noexcept { return rule_.update != Update::perceptron && rule_.update != Update::loss; }
  bool steps_along_rows() const noexcept { return planes_ == 1 && rule_.update != Update::arow; }
  // owed: of this row, or null.
  template <class X>
  Outcome learn_any(const X& x, double target, double weight, double* owed);
  template <class X>
  Outcome learn_one(const X& x, double target, double weight, double* owed);
  template <class X>
  Outcome learn_many(const X& x, std::size_t label, double weight);
  template <class X>
  void move_along(const X& x, double step, double* owed);
  template <class X>
  void move(const X& x, std::uint32_t plane, double step, double spread);
  void move_bias(std::uint32_t plane, double change);
  template <class X>
  void move_all(const X& x);
  class ByPlace;
  bool shrink(double factor);  // whether weights were rewritten
  void fold_scale();

  OnlineRule rule_;
  std::uint32_t features_;
  std::uint32_t planes_;
  std::vector<double> v_;                          // weights = scale * v
  std::vector<double> bias_;                       // never scaled
  std::vector<double> u_;                          // see above; empty without an average
  std::vector<double> bias_late_;                  // the same for the biases
  std::vector<double> variances_;                  // arow: for each weight, then for each bias
  std::vector<std::vector<std::uint32_t>> moved_;  // see few_move()
  std::vector<double> scores_;
  std::vector<double> steps_;  // the last one of each hyperplane
  // Buffer for weights in the order of a copy of rows, kept from pass to pass.
  std::vector<double> weights_room_, late_room_, kept_room_;
  double scale_ = 1.0;
  double scales_ = 1.0;        // S
  double count_ = 1.0;         // N
  double squared_norm_ = 0.0;  // kept only for a relative margin
  double rate_ = 1.0;
  std::uint64_t seen_ = 0;
};

}  // namespace plumb
