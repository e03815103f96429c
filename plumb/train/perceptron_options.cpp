#include "plumb/train/perceptron_options.h"

#include "plumb/base/options.h"

namespace plumb {

OptionTable PerceptronOptions::table() {
  using O = PerceptronOptions;
  constexpr double kTiny = 1e-300;
  return {
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
          .in(at_least(1)),
      option("order", &O::order, "of the rows: as they are given, or shuffled anew in every pass"),
      option("start", &O::start, "first weights: zero, or random between 0 and 1"),
      option("shards", &O::shards,
             "parts that rows are dealt into at random, once (runs of them with --order given), and that learn side "
             "by side; their "
             "mean goes into the next pass")
          .value("K")
          .in(between(1, 4096)),
      option("no-bias", &O::bias, "fit without a bias: the score at x = 0 is 0").off()};
}

}  // namespace plumb
