#include "plumb/train/convex_options.h"

#include "plumb/base/options.h"

namespace plumb {

OptionTable ConvexOptions::table() {
  using O = ConvexOptions;
  return {option("no-bias", &O::bias, "fit without a bias (intercept)").off(),
          option("penalise-bias", &O::penalise_bias, "penalise the bias too"),
          option("l2", &O::l2,
                 "L2 penalty: adds l2/2 times the sum of squared weights to the loss; auto: chosen by cross-validation")
              .value("X|auto"),
          option("C", &O::C, "the same as --l2 1/C").value("X").in(at_least(1e-300)).otherwise("1/l2"),
          option("prior-variance", &O::prior_variance,
                 "variance of a Gaussian prior on each weight: the same as --l2 1/variance")
              .value("V")
              .in(at_least(1e-300))
              .otherwise("1/l2"),
          option("penalty-factor", &O::penalty_factor,
                 "multiply the penalty of a feature, or of a column's levels or terms")
              .value("COL=F"),
          option("class-weight", &O::class_weight,
                 "weights each class; balanced: all classes equally. The bias is corrected afterwards, so that "
                 "probabilities still match the data")
              .value("balanced|LABEL=W"),
          option("solver", &O::solver, "the optimisation method; auto: chosen by the size of the data").value("NAME"),
          option("step", &O::step,
                 "step length of gradient-descent and newton: line-search, or fixed (the rate times the gradient; 1 "
                 "for newton). sgd: fixed is a constant rate"),
          option("stop", &O::stop,
                 "stopping rule: gap (certified distance from the optimum), change (of the weights) or gradient below "
                 "the tolerance"),
          option("rate", &O::rate, "learning rate of --step fixed and of sgd")
              .value("R")
              .in(at_least(0.0))
              .otherwise("none"),
          option("tolerance", &O::tolerance, "tolerance of --stop").value("T").in(at_least(0.0)),
          option("max-iterations", &O::max_iterations, "maximum iterations; 0: the solver's default")
              .value("N")
              .otherwise("the solver's default"),
          option("order", &O::order, "sgd: order of the rows, given or shuffled in every pass"),
          option("start", &O::start, "sgd: initial weights, zero or random between 0 and 1"),
          option("average", &O::average, "sgd: average the weights after the first pass"),
          option("adaptive", &O::adaptive, "sgd: a rate for each weight (AdaGrad)")};
}

OptionTable ConvexOptions::number_table() {
  OptionTable found{};
  const OptionTable all = table();
  for (const Option& each : all.options())
    if (each.name != "class-weight") found.add(each);
  return found;
}

OptionTable ConvexOptions::logistic_table() {
  return table().add(
      option("reference", &ConvexOptions::reference, "three classes or more: the reference label, whose weights are 0")
          .value("LABEL")
          .otherwise("none: every class has weights"));
}

}  // namespace plumb
