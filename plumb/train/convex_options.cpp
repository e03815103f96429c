#include "plumb/train/convex_options.h"

#include "plumb/base/options.h"

namespace plumb {

OptionTable ConvexOptions::table() {
  using O = ConvexOptions;
  return {
      option("no-bias", &O::bias, "fit without a bias: the score at x = 0 is 0").off(),
      option("penalise-bias", &O::penalise_bias, "let the penalty hold for the bias too"),
      option("l2", &O::l2, "adds l2/2 times the sum of the squared weights; auto: what predicts left-out rows best")
          .value("X|auto"),
      option("C", &O::C, "the same as --l2 1/C").value("X").in(at_least(1e-300)).otherwise("1/l2"),
      option("prior-variance", &O::prior_variance, "of a Gaussian prior on each weight: the same as --l2 1/variance")
          .value("V")
          .in(at_least(1e-300))
          .otherwise("1/l2"),
      option("penalty-factor", &O::penalty_factor,
             "multiplies the penalty of a feature, or of a column's levels or terms")
          .value("COL=F"),
      option("class-weight", &O::class_weight,
             "counts each row of a class so often; balanced: all classes alike. The bias, where there is one, is put "
             "right afterwards, so that probabilities stay those of the data")
          .value("balanced|LABEL=W"),
      option("solver", &O::solver, "how the optimum is found; auto: what suits the counts of the data").value("NAME"),
      option("step", &O::step,
             "of gradient-descent and newton: as far as pays, or fixed: the rate times the gradient; 1 for newton. "
             "Of sgd, fixed: a rate that does not fall"),
      option("stop", &O::stop,
             "gap: near enough to the optimum for certain; change or gradient: where no weight "
             "moves, or no component is, above the tolerance"),
      option("rate", &O::rate, "of --step fixed, and of sgd").value("R").in(at_least(0.0)).otherwise("none"),
      option("tolerance", &O::tolerance, "how near to the optimum is near enough, of --stop")
          .value("T")
          .in(at_least(0.0)),
      option("max-iterations", &O::max_iterations, "of the solver, before it gives up; 0: as the solver needs")
          .value("N")
          .otherwise("as the solver needs"),
      option("order", &O::order, "of the rows, for sgd: as they are given, or shuffled anew in every pass"),
      option("start", &O::start, "first weights of sgd: zero, or random between 0 and 1"),
      option("average", &O::average, "of sgd: the mean of all weights there were after the first pass"),
      option("adaptive", &O::adaptive,
             "of sgd: a rate for each weight, from its slopes so far and the unit of its feature")};
}

OptionTable ConvexOptions::number_table() {
  OptionTable found{};
  const OptionTable all = table();
  for (const Option& each : all.options())
    if (each.name != "class-weight") found.add(each);
  return found;
}

OptionTable ConvexOptions::logistic_table() {
  return table().add(option("reference", &ConvexOptions::reference,
                            "of three classes or more: weights for all but this one, whose score is 0")
                         .value("LABEL")
                         .otherwise("none: weights for every class"));
}

}  // namespace plumb
