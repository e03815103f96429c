#include "plumb/train/least_squares_options.h"

#include "plumb/base/options.h"

namespace plumb {

OptionTable LeastSquaresOptions::table() {
  using O = LeastSquaresOptions;
  return {option("no-bias", &O::bias, "fit without a bias (intercept)").off(),
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
          option("rank", &O::rank,
                 "collinear columns: drop leaves the later one out, min-norm takes the solution with the smallest "
                 "norm; auto: min-norm with fewer rows than columns, else drop"),
          option("digits", &O::digits, "correct digits to aim for; may need more passes over the data")
              .value("N")
              .in(between(0.0, 15.0))
              .otherwise("all up to 10 million numbers, 9 beyond")};
}

}  // namespace plumb
