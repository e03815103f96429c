// The perceptron: example by example, a step wherever the model errs. Plain (the last weights), averaged (the mean of
// all there were) or voted (all of them, each with as many votes as examples it survived). Rules, the mistake bound
// and its proof: docs/perceptron.md.
#pragma once

#include <cstdint>
#include <tuple>

#include "plumb/solver/online_options.h"
#include "plumb/train/trainer.h"

namespace plumb {

enum class Variant { plain, averaged, voted };
template <>
struct EnumNames<Variant> {
  static constexpr std::string_view names[] = {"plain", "averaged", "voted"};
};

struct PerceptronOptions {
  Variant variant = Variant::averaged;
  Update update = Update::perceptron;
  OnlineLoss loss = OnlineLoss::perceptron;
  double margin = 0.0;
  bool relative = false;
  double rate = 1.0;
  double aggressiveness = 1.0;
  std::uint64_t passes = 10;
  RowOrder order = RowOrder::shuffled;
  StartWeights start = StartWeights::zero;
  std::uint64_t shards = 1;
  bool bias = true;

  static constexpr auto table() {
    using O = PerceptronOptions;
    constexpr double kTiny = 1e-300;
    return std::tuple{
        option("variant", &O::variant,
               "plain: the last weights; averaged: the mean of all there were; voted: all of them, by vote"),
        option("update", &O::update,
               "how far a step goes: perceptron a fixed length, pa1, pa2 and arow as far as the row asks for"),
        option("loss", &O::loss,
               "whose slope is stepped down; with another than perceptron this is stochastic gradient descent"),
        option("margin", &O::margin, "perceptron: a score on the right side by this much or less is a mistake too")
            .value("G")
            .in(at_least(0.0)),
        option("margin-relative", &O::relative, "the margin is in units of the norm of the weights"),
        option("rate", &O::rate, "perceptron, and any --loss: multiplies every step").value("R").in(at_least(kTiny)),
        option("aggressiveness", &O::aggressiveness, "pa1 and pa2: the most a row may ask for; arow: 1 / r")
            .value("C")
            .in(at_least(kTiny)),
        option("passes", &O::passes, "how often all rows are seen, at most: a pass without an update is the last")
            .value("N")
            .in(at_least(std::uint64_t{1})),
        option("order", &O::order, "of the rows: as they are given, or shuffled anew in every pass"),
        option("start", &O::start, "first weights: zero, or random between 0 and 1"),
        option("shards", &O::shards,
               "parts that rows are dealt into at random, once (runs of them with --order given), and that learn side "
               "by side; their "
               "mean goes into the next pass")
            .value("K")
            .in(between(std::uint64_t{1}, std::uint64_t{4096})),
        option("no-bias", &O::bias, "fit without a bias: the score at x = 0 is 0").off()};
  }
};

class PerceptronTrainer final : public Trainer {
 public:
  // Throws Error(usage) for options that contradict each other.
  explicit PerceptronTrainer(PerceptronOptions options = {});
  Wishes wishes() const override { return {.bias = options_.bias}; }
  std::uint64_t memory(std::uint32_t features, std::uint64_t rows, const Executor& executor) const override;
  Trained train(const Problem& problem, const Run& run) const override;

 private:
  PerceptronOptions options_;
};

}  // namespace plumb
