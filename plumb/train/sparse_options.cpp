#include "plumb/train/sparse_options.h"

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"

namespace plumb {

OptionTable SparseOptions::table() {
  using O = SparseOptions;
  return {
      option("l1", &O::l1,
             "L1 penalty: adds l1 times the sum of absolute weights to the loss, so that many are exactly 0, and no "
             "L2 penalty without --l2; auto: chosen by cross-validation on a path of penalties")
          .value("X|auto"),
      option("l1-ratio", &O::l1_ratio,
             "elastic net: the L1 part R of a penalty P, l1 = R P and l2 = (1 - R) P; several: chosen by "
             "cross-validation")
          .value("R,...")
          .otherwise("1, 0.5 for elastic-net"),
      option("path", &O::path, "the same as --l1 auto"),
      option("path-rule", &O::path_rule,
             "which penalty of the path: min (least cross-validated loss), or 1se (the largest within a standard "
             "error of that)"),
      option("path-points", &O::path_points, "penalties on the path").value("N").in(between(2, 10'000)),
      option("path-folds", &O::path_folds, "folds that choose the penalty").value("K").in(between(2, 1'000)),
      option("refit-selected", &O::refit_selected, "fit the features with a weight again, without a penalty")};
}

std::vector<double> SparseOptions::ratios() const {
  std::vector<double> all;
  for (const std::string& each : l1_ratio) {
    const ParsedNumber number = parse_number(each);
    if (number.fault != NumberFault::none || !(number.value > 0.0 && number.value <= 1.0))
      throw Error(ErrorCode::usage, "--l1-ratio is " + in_quotes(each) + "; numbers above 0, at most 1, were expected",
                  number.fault == NumberFault::none && number.value == 0.0 ? "--l2 auto chooses an L2 penalty alone"
                                                                           : "--l1-ratio 0.1,0.5,0.9");
    all.push_back(number.value);
  }
  if (all.empty()) all.push_back(usual_ratio);
  return all;
}

double SparseOptions::l2_beside() const {
  const double ratio = ratios().front();
  return l1.value * (1 - ratio) / ratio;
}

}  // namespace plumb
