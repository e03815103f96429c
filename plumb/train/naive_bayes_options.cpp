#include "plumb/train/naive_bayes_options.h"

#include "plumb/base/options.h"
#include "plumb/feature/feature_map.h"

namespace plumb {

OptionTable NaiveBayesOptions::table() {
  using O = NaiveBayesOptions;
  return {option("event", &O::event,
                 "distribution of the features: multinomial (counts), bernoulli (present or not), categorical, "
                 "gaussian, complement; for all columns, or COL=EVENT")
              .value("EVENT,...")
              .otherwise("auto: numbers gaussian, categories categorical, texts and entries multinomial"),
          option("smoothing", &O::smoothing, "added to the count of every outcome (Laplace smoothing); 0: none")
              .value("A")
              .in(between(0.0, 1e300)),
          option("virtual", &O::virtual_examples,
                 "instead of --smoothing: add M virtual examples, distributed by --virtual-prior")
              .value("M")
              .in(at_least(0.0))
              .otherwise("none"),
          option("virtual-prior", &O::virtual_prior,
                 "distribution of the virtual examples: uniform, or a file with lines LABEL,P and LABEL,FEATURE,P")
              .value("uniform|FILE")
              .reads_file(),
          option("beta", &O::beta, "bernoulli features: a Beta(A, B) prior instead, (count + A - 1)/(n + A + B - 2)")
              .value("A,B")
              .otherwise("none"),
          option("prior", &O::prior, "class priors: empirical, uniform, or a file with lines LABEL,P")
              .value("empirical|uniform|FILE")
              .reads_file(),
          option("variance", &O::variance, "gaussian variances: per class and feature, per feature, per class, or one")
              .value("OF"),
          option("variance-divisor", &O::divisor, "n-1: unbiased; n: maximum likelihood").value("N"),
          option("variance-add", &O::variance_add, "add this times the largest variance of a feature to every variance")
              .value("F")
              .in(at_least(0.0)),
          option("entries", &O::entries, "LIBSVM rows: the number of features, used or not")
              .value("N")
              .in(between(1, Wishes::kMostNumbers))
              .otherwise("the highest number"),
          option("keep-statistics", &O::keep_statistics,
                 "keep the statistics in the model, so that it can be merged, trained further, and forget rows")};
}

}  // namespace plumb
