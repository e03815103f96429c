#include "plumb/feature/feature_options.h"

#include "plumb/base/options.h"

namespace plumb {

OptionTable FeatureOptions::table() {
  using O = FeatureOptions;
  return {
      option("target", &O::target, "the column to predict")
          .value("COL")
          .short_as('t')
          .otherwise("a column called class, label, target or y"),
      option("features", &O::features, "columns or formulas (height^3, log(x), a*b) to predict from, in this order")
          .value("COL,...")
          .otherwise("every other column"),
      option("drop", &O::drop, "columns to leave out").value("COL,..."),
      option("derive", &O::derive,
             "a formula to add as a feature: 'height^3', 'log(x)', 'a > b', 'poly(x, 3)', 'cross(a, b)', 'cross(all)'")
          .value("FORMULA"),
      option("categorical", &O::categorical, "columns to read as categories").value("COL,..."),
      option("numeric", &O::numeric, "columns to read as numbers").value("COL,..."),
      option("text", &O::text, "columns to read as text: a feature for each word").value("COL,..."),
      option("weight", &O::weight,
             "a column of row weights: weight 2 counts as two copies of the row; vocabularies count texts")
          .value("COL"),
      option("offset", &O::offset, "a column added to every score with weight 1").value("COL"),
      option("formula", &O::formula,
             "target and features as R writes them, such as 'wage ~ education*experience + log(age)'")
          .value("FORMULA"),
      option("target-kind", &O::target_kind, "whether the target holds labels or a number").value("KIND"),
      option("base", &O::base, "the base level of a category, which has no feature")
          .value("COL=LEVEL")
          .otherwise("the first in sorted order"),
      option("levels", &O::levels, "declare the levels of a category, in this order; others are errors")
          .value("COL=A,B,...")
          .otherwise("those in the training rows, sorted"),
      option("coding", &O::coding, "coding of categories: treatment leaves out the base level, full keeps every level")
          .value("CODING"),
      option("missing", &O::missing,
             "what to do with missing numbers; auto: leave out the row if there are standard errors, else the median")
          .value("WHAT"),
      option("scale", &O::scale,
             "scale numeric features: standard (mean 0, standard deviation 1) or max-abs (within -1 and 1)")
          .value("HOW")};
}

}  // namespace plumb
