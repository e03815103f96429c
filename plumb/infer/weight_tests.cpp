#include "plumb/infer/weight_tests.h"

#include <limits>

#include "plumb/math/distributions.h"

namespace plumb {
namespace {

// One element of each of the four numbers.
void add(WeightTests& tests, std::vector<double> ModelNumbers::*part, double value, double error,
         const math::StudentT& distribution, double quantile) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const double t = error > 0 ? value / error : none;
  (tests.t.*part).push_back(t);
  (tests.p.*part).push_back(distribution.two_sided(t));
  (tests.low.*part).push_back(error > 0 ? value - quantile * error : none);
  (tests.high.*part).push_back(error > 0 ? value + quantile * error : none);
}

}  // namespace

std::optional<WeightTests> weight_tests(const LinearModel& model, const Record& record, double level) {
  const ModelNumbers& errors = record.standard_errors;
  const double* const freedom = find_number(record, "degrees_of_freedom");
  if (errors.empty() || freedom == nullptr || !(*freedom > 0) || find_number(record, "l2") != nullptr)
    return std::nullopt;
  const math::StudentT distribution{*freedom};
  const double quantile = distribution.upper_quantile((1.0 - level) / 2);
  WeightTests tests;
  for (std::size_t r = 0; r < errors.bias.size(); ++r)
    add(tests, &ModelNumbers::bias, model.parts().bias[r], errors.bias[r], distribution, quantile);
  std::vector<double> row(model.features());
  for (std::uint64_t r = 0; r < model.rows() && !errors.weights.empty(); ++r) {
    model.parts().weights.row_after(r, row);
    for (std::size_t j = 0; j < row.size(); ++j)
      add(tests, &ModelNumbers::weights, row[j], errors.weights[r * row.size() + j], distribution, quantile);
  }
  return tests;
}

}  // namespace plumb
