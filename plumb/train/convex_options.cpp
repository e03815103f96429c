#include "plumb/train/convex_options.h"

#include "plumb/train/shared_options.h"

namespace plumb {

OptionTable ConvexOptions::table() {
  using O = ConvexOptions;
  OptionTable all = {option("no-bias", &O::bias, "fit without a bias (intercept)").off(),
                     option("penalise-bias", &O::penalise_bias, "penalise the bias too")};
  add_penalty_options<O>(all);
  all.add(option("class-weight", &O::class_weight,
                 "weights each class; balanced: all classes equally. The bias is corrected afterwards, so that "
                 "probabilities still match the data")
              .value("balanced|LABEL=W"));
  all.add(option("weighting", &O::weighting,
                 "nb: features times naive Bayes log-count ratios (NB-SVM), for texts and other counts"));
  add_descent_options<O>(all,
                         "the optimisation method; auto: chosen by the size of the data; none: the weights of --start");
  return all.add(option("order", &O::order, "sgd: order of the rows, given or shuffled in every pass"))
      .add(option("average", &O::average, "sgd: average the weights after the first pass"))
      .add(option("adaptive", &O::adaptive, "sgd: a rate for each weight (AdaGrad)"));
}

OptionTable ConvexOptions::sparse_table() {
  OptionTable all = table();
  add_sparse_options(all, &ConvexOptions::sparse);
  return all;
}

OptionTable ConvexOptions::number_table() {
  OptionTable found{};
  const OptionTable all = sparse_table();
  for (const Option& each : all.options())
    if (each.name != "class-weight" && each.name != "weighting") found.add(each);
  return found;
}

OptionTable ConvexOptions::logistic_table() {
  return sparse_table()
      .add(option("reference", &ConvexOptions::reference,
                  "three classes or more: the reference label, whose weights are 0")
               .value("LABEL")
               .otherwise("none: every class has weights"))
      .add(option("firth", &ConvexOptions::firth,
                  "two classes: Firth's penalised likelihood, whose weights stay finite if the classes are separable"));
}

}  // namespace plumb
