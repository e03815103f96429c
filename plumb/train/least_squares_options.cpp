#include "plumb/train/least_squares_options.h"

#include "plumb/train/shared_options.h"

namespace plumb {

OptionTable LeastSquaresOptions::table() {
  using O = LeastSquaresOptions;
  OptionTable all = {option("no-bias", &O::bias, "fit without a bias (intercept)").off()};
  add_penalty_options<O>(all);
  add_sparse_options(all, &O::sparse);
  all.add(option("rank", &O::rank,
                 "collinear columns: drop leaves the later one out, min-norm takes the solution with the smallest "
                 "norm; auto: min-norm with fewer rows than columns, else drop"))
      .add(option("digits", &O::digits, "correct digits to aim for; may need more passes over the data")
               .value("N")
               .in(between(0.0, 15.0))
               .otherwise("all up to 10 million numbers, 9 beyond"));
  add_descent_options<O>(all,
                         "auto: the closed form; a name: descend to the same optimum by this method; none: the weights "
                         "of --start");
  return all;
}

}  // namespace plumb
