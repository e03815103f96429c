#include "plumb/feature/feature_options.h"

#include "plumb/base/options.h"

namespace plumb {

OptionTable FeatureOptions::table() {
  using O = FeatureOptions;
  return {
      option("target", &O::target, "the column to predict").value("COL").short_as('t'),
      option("features", &O::features, "columns or formulas (height^3, log(x), a*b) to predict from, in this order")
          .value("COL,...")
          .otherwise("every other column"),
      option("drop", &O::drop, "columns to leave out").value("COL,..."),
      option("derive", &O::derive,
             "a formula to add as a feature: 'height^3', 'log(x)', 'a > b', 'poly(x, 3)', 'cross(a, b)', 'cross(all)'")
          .value("FORMULA"),
      option("categorical", &O::categorical, "columns to read as categories, whatever they look like").value("COL,..."),
      option("numeric", &O::numeric, "columns to read as numbers, whatever they look like").value("COL,..."),
      option("text", &O::text, "columns to read as text, whatever they look like: a feature for each word")
          .value("COL,..."),
      option("weight", &O::weight,
             "a column of row weights: weight 2 counts as two copies of the row; vocabularies count texts")
          .value("COL"),
      option("offset", &O::offset, "a column of numbers that is part of every score, with weight 1").value("COL"),
      option("base", &O::base, "the level of a category that has no feature of its own")
          .value("COL=LEVEL")
          .otherwise("the first in sorted order"),
      option("levels", &O::levels, "the levels of a category, in this order; another one is an error")
          .value("COL=A,B,...")
          .otherwise("those in the training rows, sorted"),
      option("coding", &O::coding, "of categories: treatment leaves out the base level, full has every level")
          .value("CODING"),
      option("missing", &O::missing, "what becomes of a missing number; a missing category is a level of its own")
          .value("WHAT"),
      option("scale", &O::scale, "of numeric features: to mean 0 and standard deviation 1, or to at most 1 either way")
          .value("HOW")};
}

}  // namespace plumb
