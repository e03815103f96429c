#include "plumb/infer/weight_tests.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "plumb/infer/bootstrap.h"
#include "plumb/infer/full_inference.h"
#include "plumb/infer/likelihood_inference.h"
#include "plumb/infer/robust_errors.h"
#include "plumb/math/distributions.h"

namespace plumb {
namespace {

// Student's t, or for a likelihood the normal distribution.
struct Distribution {
  std::optional<math::StudentT> t;
  double two_sided(double at) const {
    return t ? t->two_sided(at) : std::min(1.0, 2.0 * math::Normal().upper(std::abs(at)));
  }
  double upper_quantile(double p) const { return t ? t->upper_quantile(p) : math::Normal().upper_quantile(p); }
};

// One element of each of the four numbers.
void add(WeightTests& tests, std::vector<double> ModelNumbers::*part, double value, double error,
         const Distribution& distribution, double quantile) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const double t = error > 0 ? value / error : none;
  (tests.t.*part).push_back(t);
  (tests.p.*part).push_back(error > 0 ? distribution.two_sided(t) : none);
  (tests.low.*part).push_back(error > 0 ? value - quantile * error : none);
  (tests.high.*part).push_back(error > 0 ? value + quantile * error : none);
}

std::optional<Distribution> distribution_of(const Record& record) {
  if (record.standard_errors.empty()) return {};
  if (const double* const l2 = find_number(record, "l2"); l2 != nullptr && *l2 != 0.0) return {};
  if (has_likelihood(record)) return Distribution{};
  const double* const freedom = find_number(record, "degrees_of_freedom");
  if (freedom == nullptr || !(*freedom > 0)) return {};
  if (const double* const clusters = find_number(record, kClusters)) return Distribution{math::StudentT{*clusters - 1}};
  return Distribution{math::StudentT{*freedom}};
}

}  // namespace

namespace {

void replace_by_profile(WeightTests& tests, const LinearModel& model, const Record& record);
std::optional<WeightTests> bootstrap_intervals(const LinearModel& model, const Record& record);

}  // namespace

std::optional<WeightTests> weight_tests(const LinearModel& model, const Record& record, double level) {
  const ModelNumbers& errors = record.standard_errors;
  if (std::optional<WeightTests> found = bootstrap_intervals(model, record); found && level == kIntervalLevel)
    return found;
  const std::optional<Distribution> distribution = distribution_of(record);
  if (!distribution) return std::nullopt;
  const double quantile = distribution->upper_quantile((1.0 - level) / 2);
  const std::vector<double> zero = reference_weights(model, record);
  WeightTests tests;
  tests.normal = !distribution->t;
  for (std::size_t r = 0; r < errors.bias.size(); ++r)
    add(tests, &ModelNumbers::bias, model.parts().bias[r] - zero.back(), errors.bias[r], *distribution, quantile);
  std::vector<double> row(model.features());
  for (std::uint64_t r = 0; r < model.rows() && !errors.weights.empty(); ++r) {
    model.parts().weights.row_after(r, row);
    for (std::size_t j = 0; j < row.size(); ++j)
      add(tests, &ModelNumbers::weights, row[j] - zero[j], errors.weights[r * row.size() + j], *distribution, quantile);
  }
  if (level == kIntervalLevel) replace_by_profile(tests, model, record);
  return tests;
}

namespace {

const std::vector<double>* profile_of(const Record& record, const char* name, std::size_t size) {
  const Statistic* const found = find_statistic(record, name);
  const auto* const values = found == nullptr ? nullptr : std::get_if<std::vector<double>>(&found->values);
  return values == nullptr || values->size() != size ? nullptr : values;
}

void replace_by_profile(WeightTests& tests, const LinearModel& model, const Record& record) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const std::size_t p = model.features(), rows = model.rows();
  const auto* const low = profile_of(record, kProfileLow, rows * (p + 1));
  const auto* const high = profile_of(record, kProfileHigh, rows * (p + 1));
  const auto* const ratio = profile_of(record, kProfileRatio, rows * (p + 1));
  if (low == nullptr || high == nullptr || ratio == nullptr) return;
  tests.chi_square = tests.t;
  const auto replace = [&](std::vector<double> ModelNumbers::*part, std::size_t at, std::size_t from) {
    if (at >= (tests.t.*part).size() || std::isnan((tests.t.*part)[at])) return;
    (tests.chi_square.*part)[at] = (*ratio)[from];
    (tests.p.*part)[at] = math::ChiSquare{1}.upper((*ratio)[from]);
    (tests.low.*part)[at] = (*low)[from] == -kNoEnd ? none : (*low)[from];
    (tests.high.*part)[at] = (*high)[from] == kNoEnd ? none : (*high)[from];
  };
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t j = 0; j < p; ++j) replace(&ModelNumbers::weights, r * p + j, r * (p + 1) + j);
    replace(&ModelNumbers::bias, r, r * (p + 1) + p);
  }
}

std::optional<WeightTests> bootstrap_intervals(const LinearModel& model, const Record& record) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const std::size_t p = model.features(), rows = model.rows();
  const auto* const low = profile_of(record, kBootstrapLow, rows * (p + 1));
  const auto* const high = profile_of(record, kBootstrapHigh, rows * (p + 1));
  const ModelNumbers& errors = record.standard_errors;
  if (low == nullptr || high == nullptr || errors.weights.size() != rows * p || errors.bias.size() != rows) return {};
  WeightTests tests;
  tests.bootstrap = true;
  for (ModelNumbers* const each : {&tests.t, &tests.p}) {
    each->bias.assign(rows, none);
    each->weights.assign(rows * p, none);
  }
  for (const auto& [from, to] : {std::pair(low, &tests.low), std::pair(high, &tests.high)})
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t j = 0; j < p; ++j)
        to->weights.push_back(errors.weights[r * p + j] > 0 ? (*from)[r * (p + 1) + j] : none);
      to->bias.push_back(errors.bias[r] > 0 ? (*from)[r * (p + 1) + p] : none);
    }
  return tests;
}

}  // namespace

std::optional<std::uint64_t> reference_row(const LinearModel& model, const Record& record) {
  const double* const row = find_number(record, "reference");
  if (row == nullptr || model.parts().link != Link::softmax || !(*row >= 0) ||
      *row >= static_cast<double>(model.rows()))
    return {};
  return static_cast<std::uint64_t>(*row);
}

std::vector<double> reference_weights(const LinearModel& model, const Record& record) {
  std::vector<double> found(model.features() + 1);
  const std::optional<std::uint64_t> row = reference_row(model, record);
  if (!row) return found;
  model.parts().weights.row(*row, Out(found).first(model.features()));
  found.back() = model.parts().bias[*row];
  return found;
}

}  // namespace plumb
