// Logistic regression for two classes or more, and the linear support vector machine: one penalised objective, any of
// the solvers, one certificate. docs/logistic_regression.md derives it, docs/solvers.md and docs/certificates.md the
// rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/solver/online_options.h"
#include "plumb/solver/solver_options.h"
#include "plumb/train/penalty.h"
#include "plumb/train/trainer.h"

namespace plumb {

enum class Loss;

struct ConvexOptions {
  bool bias = true;
  bool penalise_bias = false;
  Strength l2 = {1.0};
  double C = 0.0;               // 0: not given
  double prior_variance = 0.0;  // 0: not given
  std::vector<std::string> penalty_factor = {};
  std::vector<std::string> class_weight = {};
  std::string solver = "auto";
  StepRule step = StepRule::line_search;
  StopRule stop = StopRule::gap;
  double rate = 0.0;
  double tolerance = 1e-6;
  std::uint64_t max_iterations = 0;
  RowOrder order = RowOrder::shuffled;
  StartWeights start = StartWeights::zero;
  bool average = false;
  bool adaptive = false;

  // What all of them have, as members of the struct that is asked for.
  template <class O>
  static constexpr auto shared_table() {
    const auto own = []<class T>(T ConvexOptions::*field) { return static_cast<T O::*>(field); };
    using C = ConvexOptions;
    return std::tuple{
        option("no-bias", own(&C::bias), "fit without a bias: the score at x = 0 is 0").off(),
        option("penalise-bias", own(&C::penalise_bias), "let the penalty hold for the bias too"),
        option("l2", own(&C::l2),
               "adds l2/2 times the sum of the squared weights; auto: what predicts left-out rows best")
            .value("X|auto"),
        option("C", own(&C::C), "the same as --l2 1/C").value("X").in(at_least(1e-300)).otherwise("1/l2"),
        option("prior-variance", own(&C::prior_variance),
               "of a Gaussian prior on each weight: the same as --l2 1/variance")
            .value("V")
            .in(at_least(1e-300))
            .otherwise("1/l2"),
        option("penalty-factor", own(&C::penalty_factor),
               "multiplies the penalty of a feature, or of a column's levels or terms")
            .value("COL=F"),
        option("class-weight", own(&C::class_weight),
               "counts each row of a class so often; balanced: all classes alike. The bias, where there is one, is put "
               "right afterwards, so that probabilities stay those of the data")
            .value("balanced|LABEL=W"),
        option("solver", own(&C::solver), "how the optimum is found; auto: what suits the counts of the data")
            .value("NAME"),
        option("step", own(&C::step),
               "of gradient-descent and newton: as far as pays, or fixed: the rate times the gradient; 1 for newton. "
               "Of sgd, fixed: a rate that does not fall"),
        option("stop", own(&C::stop),
               "gap: near enough to the optimum for certain; change or gradient: where no weight "
               "moves, or no component is, above the tolerance"),
        option("rate", own(&C::rate), "of --step fixed, and of sgd").value("R").in(at_least(0.0)).otherwise("none"),
        option("tolerance", own(&C::tolerance), "how near to the optimum is near enough, of --stop")
            .value("T")
            .in(at_least(0.0)),
        option("max-iterations", own(&C::max_iterations), "of the solver, before it gives up; 0: as the solver needs")
            .value("N")
            .otherwise("as the solver needs"),
        option("order", own(&C::order), "of the rows, for sgd: as they are given, or shuffled anew in every pass"),
        option("start", own(&C::start), "first weights of sgd: zero, or random between 0 and 1"),
        option("average", own(&C::average), "of sgd: the mean of all weights there were after the first pass"),
        option("adaptive", own(&C::adaptive),
               "of sgd: a rate for each weight, from its slopes so far and the unit of its feature")};
  }
};

struct LogisticOptions : ConvexOptions {
  std::string reference = {};

  static constexpr auto table() {
    using O = LogisticOptions;
    return std::tuple_cat(shared_table<O>(),
                          std::tuple{option("reference", &O::reference,
                                            "of three classes or more: weights for all but this one, whose score is 0")
                                         .value("LABEL")
                                         .otherwise("none: weights for every class")});
  }
};

struct HingeOptions : ConvexOptions {
  static constexpr auto table() { return shared_table<HingeOptions>(); }
};

// What the three share. Targets are labels 0, 1, ...; see Problem::labels.
class ConvexClassifier : public Trainer {
 public:
  Wishes wishes() const override { return {.bias = options_.bias, .full_coding = !strength().none()}; }
  std::uint64_t memory(std::uint32_t features, std::uint64_t rows, const Executor& executor) const override;
  void check(const FeatureMap& map) const override;
  Trained train(const Problem& problem, const Run& run) const override;
  Skills skills() const override { return {.starts_anywhere = true, .lockstep = true}; }
  std::unique_ptr<LockstepFits> lockstep(const Problem& all, std::size_t groups, const Run& run) const override;
  Loss loss() const noexcept { return loss_; }
  const ConvexOptions& options() const noexcept { return options_; }
  Strength strength() const;  // l2, however it was said

 protected:
  ConvexClassifier(Loss loss, ConvexOptions options, std::string reference = {});

 private:
  Trained train_at(double l2, const Problem& problem, const Run& run) const;
  std::vector<double> class_weights(const Problem& problem) const;
  std::optional<std::size_t> reference_of(const Problem& problem) const;
  void expect_classes(const Problem& problem) const;
  void expect_room(const Problem& problem, const Run& run) const;

  Loss loss_;
  ConvexOptions options_;
  std::string reference_;
};

class LogisticTrainer final : public ConvexClassifier {
 public:
  explicit LogisticTrainer(const LogisticOptions& options = {});
};
class HingeTrainer final : public ConvexClassifier {
 public:
  explicit HingeTrainer(const HingeOptions& options = {});
};
class SquaredHingeTrainer final : public ConvexClassifier {
 public:
  explicit SquaredHingeTrainer(const HingeOptions& options = {});
};

}  // namespace plumb
