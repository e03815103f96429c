// Options that several structs have under the same names, described once: of a penalty, and of a descent to the
// optimum.
#pragma once

#include <string_view>

#include "plumb/base/options.h"

namespace plumb {

template <class O>
void add_penalty_options(OptionTable& table) {
  table
      .add(
          option("l2", &O::l2,
                 "L2 penalty: adds l2/2 times the sum of squared weights to the loss; auto: chosen by cross-validation")
              .value("X|auto"))
      .add(option("C", &O::C, "the same as --l2 1/C").value("X").in(at_least(1e-300)).otherwise("1/l2"))
      .add(option("prior-variance", &O::prior_variance,
                  "variance of a Gaussian prior on each weight: the same as --l2 1/variance")
               .value("V")
               .in(at_least(1e-300))
               .otherwise("1/l2"))
      .add(option("penalty-factor", &O::penalty_factor,
                  "multiply the penalty of a feature, or of a column's levels or terms")
               .value("COL=F"));
}

// `solver`: the meaning of --solver.
template <class O>
void add_descent_options(OptionTable& table, std::string_view solver) {
  table.add(option("solver", &O::solver, solver).value("NAME"))
      .add(option("step", &O::step,
                  "step length of gradient-descent and newton: line-search, or fixed (the rate times the gradient; 1 "
                  "for newton). sgd: fixed is a constant rate"))
      .add(option("stop", &O::stop,
                  "stopping rule: gap (certified distance from the optimum), change (of the weights) or gradient below "
                  "the tolerance"))
      .add(option("rate", &O::rate, "learning rate of --step fixed and of sgd")
               .value("R")
               .in(at_least(0.0))
               .otherwise("none"))
      .add(option("tolerance", &O::tolerance, "tolerance of --stop").value("T").in(at_least(0.0)))
      .add(option("max-iterations", &O::max_iterations, "maximum iterations; 0: the solver's default")
               .value("N")
               .otherwise("the solver's default"))
      .add(option("start", &O::start,
                  "initial weights: zero, random between 0 and 1 (sgd), or a number for each feature and then the bias "
                  "(gradient-descent, newton, conjugate-gradient, lbfgs, none)")
               .value("zero|random|W,..."));
}

}  // namespace plumb
