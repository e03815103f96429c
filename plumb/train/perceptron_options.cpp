#include "plumb/train/perceptron_options.h"

#include "plumb/base/options.h"

namespace plumb {

OptionTable PerceptronOptions::table() {
  using O = PerceptronOptions;
  constexpr double kTiny = 1e-300;
  return {
      option("variant", &O::variant,
             "plain: the last weights; averaged: the mean of all weights; voted: all weights, by vote"),
      option("update", &O::update, "update rule: perceptron (fixed step), pa1 and pa2 (passive-aggressive), arow"),
      option("loss", &O::loss, "the loss; any other than perceptron is stochastic gradient descent"),
      option("margin", &O::margin,
             "perceptron: a score on the correct side by this much or less also counts as a mistake")
          .value("G")
          .in(at_least(0.0)),
      option("margin-relative", &O::relative, "the margin is in units of the norm of the weights"),
      option("rate", &O::rate, "learning rate of perceptron and of any --loss").value("R").in(at_least(kTiny)),
      option("aggressiveness", &O::aggressiveness, "pa1 and pa2: the largest step (C); arow: 1 / r")
          .value("C")
          .in(at_least(kTiny)),
      option("passes", &O::passes, "maximum passes over the rows; stops after a pass without updates")
          .value("N")
          .in(at_least(1)),
      option("order", &O::order, "order of the rows: given, or shuffled in every pass"),
      option("start", &O::start, "initial weights: zero, or random between 0 and 1"),
      option("shards", &O::shards, "train on N parts of the rows in parallel and average their weights after each pass")
          .value("K")
          .in(between(1, 4096)),
      option("no-bias", &O::bias, "fit without a bias (intercept)").off()};
}

}  // namespace plumb
