#include "plumb/infer/interval.h"

#include <cmath>
#include <string>
#include <utility>
#include <variant>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/infer/inference.h"
#include "plumb/infer/likelihood_inference.h"
#include "plumb/math/distributions.h"

namespace plumb {
namespace {

constexpr const char* kUnit = "basis.unit";
constexpr const char* kCentre = "basis.centre";
constexpr const char* kRoot = "basis.root";
constexpr const char* kRootLow = "basis.root_low";

template <class Number>
const std::vector<Number>* numbers(const Record& record, const char* name) {
  const Statistic* const found = find_statistic(record, name);
  return found == nullptr ? nullptr : std::get_if<std::vector<Number>>(&found->values);
}

Basis kept_basis(const Record& record, std::size_t features) {
  const auto* const unit = numbers<std::int64_t>(record, kUnit);
  const auto* const centre = numbers<double>(record, kCentre);
  const auto* const root = numbers<double>(record, kRoot);
  if (unit == nullptr || centre == nullptr || root == nullptr || unit->size() != features) {
    for (const char* const kind : {"l2", "l1", "selected_by_l1"})
      if (const double* penalty = find_number(record, kind); penalty != nullptr && *penalty != 0.0)
        throw Error(ErrorCode::usage,
                    "intervals need a fit without a penalty; this model " +
                        (kind == std::string_view("selected_by_l1") ? "was selected by l1 "
                                                                    : "has " + std::string(kind) + " ") +
                        number_text(*penalty, 6),
                    kind == std::string_view("l2") ? "plumb train with --l2 0" : "plumb train without --l1");
    if (find_number(record, kLeverageError) != nullptr)
      throw Error(ErrorCode::usage,
                  "intervals need leverages, and this fit has none: its features are nearly collinear",
                  "plumb train with --drop of a feature that says the same");
    if (features > kMostKeptFeatures)
      throw Error(ErrorCode::usage,
                  "intervals need the covariance of the weights, which a model file keeps for at most " +
                      std::to_string(kMostKeptFeatures) + " features; this model has " + count_text(features),
                  "plumb train with fewer features: --features a,b");
    if (find_number(record, "separated") != nullptr)
      throw Error(ErrorCode::usage, "intervals need standard errors, and classes that are separable leave none",
                  "plumb train with --firth");
    throw Error(
        ErrorCode::usage,
        "intervals need a least-squares, logistic or poisson model with a covariance matrix; this file has none",
        "plumb train with more rows than weights, or with fewer features: --features a,b");
  }
  const auto* const low = numbers<double>(record, kRootLow);
  return Basis({*unit, *centre, *root, low != nullptr ? *low : std::vector<double>()});
}

double required(const Record& record, const char* name) {
  const double* const found = find_number(record, name);
  if (found == nullptr || !(*found >= 0))
    throw Error(ErrorCode::usage, "intervals need the " + std::string(name) + " of the fit; this model has none",
                "plumb train with more rows than weights, or with fewer features: --features a,b");
  return *found;
}

}  // namespace

void keep_basis(Record& record, const Basis& basis) {
  const Basis::Parts& parts = basis.parts();
  record.statistics.push_back({kUnit, {parts.exponent.size()}, parts.exponent});
  record.statistics.push_back({kCentre, {parts.centre.size()}, parts.centre});
  record.statistics.push_back({kRoot, {parts.root.size()}, parts.root});
  constexpr double kPlain = 16;  // up to this condition number a double has all but two of its digits
  const double* const condition = find_number(record, "condition_number");
  if (basis.exact() && condition != nullptr && *condition > kPlain)
    record.statistics.push_back({kRootLow, {parts.root_low.size()}, parts.root_low});
}

IntervalPredictor::IntervalPredictor(const Record& record, std::size_t features, double level)
    : basis_(kept_basis(record, features)),
      sd_(has_likelihood(record) ? 1.0 : required(record, "residual_sd")),
      quantile_(has_likelihood(record)
                    ? math::Normal().upper_quantile((1.0 - level) / 2)
                    : math::StudentT{required(record, "degrees_of_freedom")}.upper_quantile((1.0 - level) / 2)),
      t_(basis_.size()),
      t_low_(basis_.exact() ? basis_.size() : 0) {}

Interval IntervalPredictor::around(double prediction, const Row& x, In lows,
                                   std::span<const std::uint32_t> lows_of) noexcept {
  if (exact()) {
    basis_.whiten(x, lows, lows_of, t_, t_low_);
  } else {
    basis_.whiten(x, t_);
  }
  double distance = 0.0;
  for (const double each : t_) distance += each * each;
  const double mean = quantile_ * sd_ * std::sqrt(distance), one = quantile_ * sd_ * std::sqrt(1.0 + distance);
  return {prediction - one, prediction + one, prediction - mean, prediction + mean};
}

}  // namespace plumb
