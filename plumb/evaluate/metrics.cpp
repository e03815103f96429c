// Errors, targets and weights are brought near 1 by powers of two before they are summed: squares of what is left
// neither overflow nor vanish, and the units change no bit of a ratio.
#include "plumb/evaluate/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "plumb/base/error.h"
#include "plumb/math/special.h"
#include "plumb/math/unit.h"

namespace plumb {
namespace {

// The terms of one row, each times its weight: what is summed, over all rows or over those of a resample.
enum Term : std::size_t { kWeight, kSquaredError, kSize, kTarget, kSquaredTarget, kDeviance, kTerms };

// Of sums of terms; targets are taken from their mean over all rows, so that little cancels.
double mean_square(In sums) { return sums[kSquaredError] / sums[kWeight]; }
double mean_size(In sums) { return sums[kSize] / sums[kWeight]; }
double variance(In sums) {
  const double mean = sums[kTarget] / sums[kWeight];
  return sums[kSquaredTarget] / sums[kWeight] - mean * mean;
}

// Of a count whose mean is m; infinite where that is 0 and the count is not.
double deviance(double y, double m) { return 2 * std::max(0.0, (y > 0 ? y * math::log(y / m) : 0.0) - y + m); }

class Judged {
 public:
  Judged(const Predicted& rows, const std::function<double(std::uint64_t)>& prediction, const Run& run)
      : rows_(rows), prediction_(prediction), run_(run) {
    std::array<double, 3> most{};
    run.reduce(
        Phase::evaluating, blocks(), most,
        [&](std::size_t b, Out out) {
          each(b, [&](std::uint64_t i) {
            const double e = error(i);
            if (!std::isfinite(e)) throw Error(ErrorCode::data, "the error of a prediction is too large for a number");
            out[0] = std::max(out[0], std::abs(e));
            out[1] = std::max(out[1], std::abs(rows.target[i]));
            out[2] = std::max(out[2], rows.weight[i]);
          });
        },
        [](std::span<double> left, std::span<const double> right) {
          for (std::size_t k = 0; k < left.size(); ++k) left[k] = std::max(left[k], right[k]);
        });
    error_unit_ = math::unit_of(most[0]);
    target_unit_ = math::unit_of(most[1]);
    weight_unit_ = math::unit_of(most[2]);
    mean_ = mean_target(rows, run) * target_unit_.scale;
    one_target_ = std::all_of(rows.target.begin(), rows.target.end(),
                              [&](double target) { return target == rows.target.front(); });
  }

  std::vector<Metric> metrics(std::uint64_t resamples) const {
    std::array<double, kTerms> sums{};
    run_.reduce(Phase::evaluating, blocks(), sums, [&](std::size_t b, Out out) {
      each(b, [&](std::uint64_t i) {
        std::array<double, kTerms> terms{};
        fill(i, terms);
        for (std::size_t k = 0; k < kTerms; ++k) out[k] += terms[k];
      });
    });
    if (!(sums[kWeight] > 0)) return {};
    std::vector<Metric> found;
    std::vector<SampleStatistic> statistics;
    const auto add = [&](std::string_view name, const SampleStatistic& statistic) {
      const std::optional<double> value = statistic(sums);
      if (!value) return;
      found.push_back({std::string(name), *value, {}, {}});
      statistics.push_back(statistic);
    };
    add("rmse", [this](In s) { return in_units(std::sqrt(mean_square(s))); });
    add("mae", [this](In s) { return in_units(mean_size(s)); });
    if (!one_target_) add("r2", [this](In s) { return explained(s); });
    if (rows_.counts) add("deviance", [](In s) -> std::optional<double> { return s[kDeviance] / s[kWeight]; });
    if (resamples == 0) return found;

    const Units units = make_units(
        rows_.rows(), kTerms, [this](std::uint64_t i, Out out) { fill(i, out); }, run_);
    const auto intervals = bootstrap_intervals(units, statistics, resamples, run_);
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (!intervals[k]) continue;
      found[k].low = std::min(intervals[k]->low, found[k].value);
      found[k].high = std::max(intervals[k]->high, found[k].value);
    }
    return found;
  }

 private:
  std::size_t blocks() const { return (rows_.rows() + kBlockRows - 1) / kBlockRows; }

  template <class Visit>
  void each(std::size_t block, const Visit& visit) const {
    const std::uint64_t end = std::min(rows_.rows(), (block + 1) * kBlockRows);
    for (std::uint64_t i = block * kBlockRows; i < end; ++i) visit(i);
  }

  double error(std::uint64_t i) const { return prediction_(i) - rows_.target[i]; }

  void fill(std::uint64_t i, Out out) const {
    const double s = rows_.weight[i] * weight_unit_.scale, e = error(i) * error_unit_.scale;
    const double y = rows_.target[i] * target_unit_.scale - mean_;
    out[kWeight] = s;
    out[kSquaredError] = s * e * e;
    out[kSize] = s * std::abs(e);
    out[kTarget] = s * y;
    out[kSquaredTarget] = s * y * y;
    if (rows_.counts) out[kDeviance] = s * deviance(rows_.target[i], prediction_(i));
  }

  std::optional<double> in_units(double number) const {
    if (!std::isfinite(number)) return {};
    return std::ldexp(number, error_unit_.exponent);
  }

  // A variance within rounding of 0 is that of one target many times: it explains nothing.
  std::optional<double> explained(In sums) const {
    const double spread = variance(sums);
    if (!(spread > 1e-14 * sums[kSquaredTarget] / sums[kWeight])) return {};
    const double ratio = std::ldexp(mean_square(sums) / spread, 2 * (error_unit_.exponent - target_unit_.exponent));
    return std::isfinite(ratio) ? std::optional(1 - ratio) : std::nullopt;
  }

  const Predicted& rows_;
  const std::function<double(std::uint64_t)>& prediction_;
  const Run& run_;
  math::Unit error_unit_;
  math::Unit target_unit_;
  math::Unit weight_unit_;
  double mean_ = 0.0;  // of the targets, in their unit
  bool one_target_ = true;
};

}  // namespace

std::vector<Metric> regression_metrics(const Predicted& rows, const Run& run, std::uint64_t resamples) {
  const std::function<double(std::uint64_t)> prediction = [&](std::uint64_t i) { return rows.prediction[i]; };
  return Judged(rows, prediction, run).metrics(resamples);
}

std::vector<Metric> constant_metrics(double value, const Predicted& rows, const Run& run) {
  const std::function<double(std::uint64_t)> prediction = [&](std::uint64_t) { return value; };
  return Judged(rows, prediction, run).metrics(0);
}

}  // namespace plumb
