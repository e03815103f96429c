#include "plumb/train/naive_bayes_options.h"

#include "plumb/base/options.h"
#include "plumb/feature/feature_map.h"

namespace plumb {

OptionTable NaiveBayesOptions::table() {
  using O = NaiveBayesOptions;
  return {
      option("event", &O::event,
             "what a row shows: multinomial (counts), bernoulli (there or not), categorical, gaussian, complement; of "
             "all columns, or COL=EVENT")
          .value("EVENT,...")
          .otherwise("auto: numbers gaussian, categories categorical, texts and entries multinomial"),
      option("smoothing", &O::smoothing, "added to the count of every outcome, not to those of classes; 0: none")
          .value("A")
          .in(between(0.0, 1e300)),
      option("virtual", &O::virtual_examples,
             "in place of --smoothing: M examples more, spread over classes and outcomes by --virtual-prior")
          .value("M")
          .in(at_least(0.0))
          .otherwise("none"),
      option("virtual-prior", &O::virtual_prior,
             "uniform, or a file with lines LABEL,P and LABEL,FEATURE,P: how likely a class, and a value together "
             "with it, are in the examples of --virtual")
          .value("uniform|FILE")
          .reads_file(),
      option("beta", &O::beta, "of bernoulli features, in place of both: (count + A - 1)/(n + A + B - 2)")
          .value("A,B")
          .otherwise("none"),
      option("prior", &O::prior,
             "of the classes: empirical, uniform, or a file with a label and its probability in each line")
          .value("empirical|uniform|FILE")
          .reads_file(),
      option("variance", &O::variance,
             "of gaussian features: one for each class and feature, for each feature, for each class, or one")
          .value("OF"),
      option("variance-divisor", &O::divisor, "n-1: unbiased; n: the most likely").value("N"),
      option("variance-add", &O::variance_add, "times the largest variance of a feature, is added to every variance")
          .value("F")
          .in(at_least(0.0)),
      option("entries", &O::entries, "of LIBSVM rows: features are numbered up to N, whether rows hold them or not")
          .value("N")
          .in(between(1, Wishes::kMostNumbers))
          .otherwise("the highest number"),
      option("keep-statistics", &O::keep_statistics,
             "keep the sums in the model, so that it can be merged, trained further, and forget rows")};
}

}  // namespace plumb
