// Errors, targets and weights are scaled to about 1 by powers of two before they are summed: squares neither overflow
// nor underflow, and the units change no bit of a ratio.
#include "plumb/evaluate/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "plumb/base/error.h"
#include "plumb/evaluate/judged.h"

namespace plumb {
namespace {

using Judged = JudgedNumbers;

class NumberJudge {
 public:
  NumberJudge(const Predicted& rows, const Run& run) : rows_(rows), run_(run) {
    std::array<double, 3> most{};
    run.reduce(
        Phase::evaluating, blocks(), most,
        [&](std::size_t b, Out out) {
          each(b, [&](std::uint64_t i) {
            const double e = rows.prediction[i] - rows.target[i];
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
    for (const MetricEntry& entry : metrics_of(false))
      if (entry.needs != MetricNeeds::counts || rows.counts) entries_.push_back(&entry);
    for (const MetricEntry* const entry : entries_)
      if (entry->of_row != nullptr) of_row_.push_back(entry->of_row);
  }

  std::vector<Metric> metrics(std::uint64_t resamples) const {
    const std::size_t width = Judged::kTerms + of_row_.size();
    std::vector<double> sums(width);
    run_.reduce(Phase::evaluating, blocks(), sums, [&](std::size_t b, Out out) {
      std::vector<double> terms(width);
      each(b, [&](std::uint64_t i) {
        fill(i, terms);
        for (std::size_t k = 0; k < width; ++k) out[k] += terms[k];
      });
    });
    if (!(sums[Judged::kWeight] > 0)) return {};
    const Judged judged{rows_, sums, error_unit_, target_unit_,
                        std::all_of(rows_.target.begin(), rows_.target.end(),
                                    [&](double target) { return target == rows_.target.front(); })};
    std::vector<Metric> found;
    std::vector<SampleStatistic> statistics;
    std::size_t row_term = Judged::kTerms;
    for (const MetricEntry* const entry : entries_) {
      std::optional<MetricValue> value;
      if (entry->of_row != nullptr) {
        const auto mean = [term = row_term++](In s) -> std::optional<double> { return s[term] / s[Judged::kWeight]; };
        value = MetricValue{*mean(sums), {}, mean};
      } else {
        value = entry->of_numbers(judged);
      }
      if (!value) continue;
      found.push_back({std::string(entry->name), value->value, {}, {}});
      statistics.push_back(value->statistic ? std::move(value->statistic) : [](In) { return std::optional<double>(); });
    }
    if (resamples == 0) return found;
    const Units units = make_units(
        rows_.rows(), width, [this](std::uint64_t i, Out out) { fill(i, out); }, run_);
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

  void fill(std::uint64_t i, Out out) const {
    const double s = rows_.weight[i] * weight_unit_.scale;
    const double e = (rows_.prediction[i] - rows_.target[i]) * error_unit_.scale;
    const double y = rows_.target[i] * target_unit_.scale - mean_;
    out[Judged::kWeight] = s;
    out[Judged::kSquaredError] = s * e * e;
    out[Judged::kSize] = s * std::abs(e);
    out[Judged::kTarget] = s * y;
    out[Judged::kSquaredTarget] = s * y * y;
    for (std::size_t k = 0; k < of_row_.size(); ++k)
      out[Judged::kTerms + k] = s * of_row_[k](rows_.prediction[i], rows_.target[i]);
  }

  const Predicted& rows_;
  const Run& run_;
  math::Unit error_unit_;
  math::Unit target_unit_;
  math::Unit weight_unit_;
  double mean_ = 0.0;  // of the targets, in their unit
  std::vector<const MetricEntry*> entries_;
  std::vector<double (*)(double, double)> of_row_;
};

}  // namespace

std::vector<Metric> regression_metrics(const Predicted& rows, const Run& run, std::uint64_t resamples) {
  return NumberJudge(rows, run).metrics(resamples);
}

std::vector<Metric> constant_metrics(double value, const Predicted& rows, const Run& run) {
  Predicted constant = rows;
  std::fill(constant.prediction.begin(), constant.prediction.end(), value);
  return regression_metrics(constant, run, 0);
}

}  // namespace plumb
