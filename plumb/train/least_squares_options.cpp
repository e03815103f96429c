#include "plumb/train/least_squares_options.h"

#include "plumb/base/options.h"

namespace plumb {

OptionTable LeastSquaresOptions::table() {
  using O = LeastSquaresOptions;
  return {
      option("no-bias", &O::bias, "fit without a bias: the prediction at x = 0 is 0").off(),
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
      option(
          "rank", &O::rank,
          "columns that add up to others: drop gives the later one no weight, min-norm shares it so that weights are "
          "small; auto: min-norm if there are fewer rows than columns, else drop"),
      option("digits", &O::digits, "correct digits to work for; more passes over the data if need be")
          .value("N")
          .in(between(0.0, 15.0))
          .otherwise("all up to 10 million numbers, 9 beyond")};
}

}  // namespace plumb
