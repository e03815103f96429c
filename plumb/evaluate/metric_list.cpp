// THE list of metrics, with their computation.
#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/evaluate/judged.h"
#include "plumb/math/special.h"

namespace plumb {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Value = std::optional<MetricValue>;

// A number computed from sums over rows, and bootstrapped.
Value from_sums(const JudgedNumbers& judged, SampleStatistic statistic) {
  const std::optional<double> value = statistic(judged.sums);
  if (!value) return {};
  return MetricValue{*value, {}, std::move(statistic)};
}

double mean_square(In sums) { return sums[JudgedNumbers::kSquaredError] / sums[JudgedNumbers::kWeight]; }

Value rmse(const JudgedNumbers& judged) {
  return from_sums(judged, [&judged](In s) { return judged.in_units(std::sqrt(mean_square(s))); });
}

Value mae(const JudgedNumbers& judged) {
  return from_sums(judged,
                   [&judged](In s) { return judged.in_units(s[JudgedNumbers::kSize] / s[JudgedNumbers::kWeight]); });
}

// 1 - squared error / squared distance of the targets from their mean. Targets are centred by their mean over all rows,
// so that little cancels. A variance within rounding of 0 means that all targets are the same: r2 is then undefined.
Value r2(const JudgedNumbers& judged) {
  if (judged.one_target) return {};
  return from_sums(judged, [&judged](In s) -> std::optional<double> {
    const double mean = s[JudgedNumbers::kTarget] / s[JudgedNumbers::kWeight];
    const double square = s[JudgedNumbers::kSquaredTarget] / s[JudgedNumbers::kWeight], spread = square - mean * mean;
    if (!(spread > 1e-14 * square)) return {};
    const double ratio =
        std::ldexp(mean_square(s) / spread, 2 * (judged.error_unit.exponent - judged.target_unit.exponent));
    return std::isfinite(ratio) ? std::optional(1 - ratio) : std::nullopt;
  });
}

Value accuracy(const JudgedClasses& judged) {
  return MetricValue{judged.right / judged.total, wilson_interval(judged.right, judged.total)};
}

Value error(const JudgedClasses& judged) {
  const ShareInterval right = wilson_interval(judged.right, judged.total);
  return MetricValue{1 - judged.right / judged.total, ShareInterval{1 - right.high, 1 - right.low}};
}

Value log_loss(const JudgedClasses& judged) {
  if (judged.impossible > 0) return MetricValue{HUGE_VAL};
  if (!(judged.possible > 0)) return {};
  return MetricValue{judged.log_loss / judged.possible, {}, [](In s) {
                       const double rows = s[JudgedClasses::kPossible];
                       return rows > 0 ? std::optional(s[JudgedClasses::kLogLoss] / rows) : std::nullopt;
                     }};
}

Value brier(const JudgedClasses& judged) {
  return MetricValue{judged.brier / judged.total, {}, [](In s) {
                       const double rows = s[JudgedClasses::kWeight];
                       return rows > 0 ? std::optional(s[JudgedClasses::kBrier] / rows) : std::nullopt;
                     }};
}

// DeLong's interval, on the log-odds scale, where it stays within 0 and 1.
MetricValue area_of(const RocArea& found) {
  if (!(found.area > 0 && found.area < 1))
    return {found.area, wilson_interval(found.area * found.least_rows, found.least_rows)};
  const double t = math::log(found.area) - math::log1p(-found.area);
  const double half = kNormalQuantile * std::sqrt(found.variance) / (found.area * (1 - found.area));
  return {found.area, ShareInterval{math::sigmoid(t - half), math::sigmoid(t + half)}};
}

Value auc(const JudgedClasses& judged) {
  const PredictedClasses& rows = judged.rows;
  const std::size_t width = rows.scores_per_row();
  std::vector<double> scores(rows.rows()), influence(rows.rows()), own(rows.rows());
  std::vector<bool> positive(rows.rows());
  double sum = 0.0, classes = 0.0;
  for (std::size_t k = 0; k < width; ++k) {
    const std::size_t label = width == 1 ? 1 : k;
    for (std::uint64_t i = 0; i < rows.rows(); ++i) {
      scores[i] = rows.scores[i * width + k];
      positive[i] = rows.actual[i] == label;
    }
    const std::optional<RocArea> found = roc_area(scores, positive, rows.weight, own);
    if (!found) continue;
    if (width == 1) return area_of(*found);
    sum += found->area;
    classes += 1;
    for (std::uint64_t i = 0; i < rows.rows(); ++i) influence[i] += own[i];
  }
  if (classes == 0) return {};
  // The mean over classes: the influence of a row on it is the mean of its influences on each, because they share their
  // rows.
  RocArea mean{sum / classes, 0.0, judged.total / classes};
  for (std::uint64_t i = 0; i < rows.rows(); ++i)
    mean.variance += rows.weight[i] * (influence[i] / classes) * (influence[i] / classes);
  if (judged.total > 1) mean.variance *= judged.total / (judged.total - 1);
  return area_of(mean);
}

// Means over the classes that occur.
Value mean_over_classes(const JudgedClasses& judged, double (LabelCounts::*of)() const) {
  const auto mean = [of](const auto& counts, std::size_t count) -> std::optional<double> {
    double sum = 0.0, classes = 0.0;
    for (std::size_t k = 0; k < count; ++k) {
      const LabelCounts c = counts(k);
      if (!(c.predicted + c.actual > 0)) continue;
      sum += (c.*of)();
      classes += 1;
    }
    if (classes == 0) return {};
    return sum / classes;
  };
  const std::size_t watched = judged.watched;
  MetricValue found{mean([&](std::size_t k) { return judged.counts[k]; }, judged.counts.size()).value_or(0.0)};
  if (watched == 0) return found;
  found.statistic = [mean, watched](In s) {
    const In of_labels = s.subspan(JudgedClasses::kTerms);
    return mean(
        [&](std::size_t k) {
          return LabelCounts{of_labels[3 * k], of_labels[3 * k + 1], of_labels[3 * k + 2]};
        },
        watched);
  };
  const double of_class = judged.total / static_cast<double>(watched);
  found.if_constant = wilson_interval(found.value * of_class, of_class);
  return found;
}

Value share_of(double share, double rows) {
  if (!(rows > 0)) return {};
  return MetricValue{share, wilson_interval(share * rows, rows)};
}

// For the second of two classes, or the mean over all.
Value precision(const JudgedClasses& judged) {
  if (judged.rows.known != 2) return mean_over_classes(judged, &LabelCounts::precision);
  return share_of(judged.counts[1].precision(), judged.counts[1].predicted);
}

Value recall(const JudgedClasses& judged) {
  if (judged.rows.known != 2) return mean_over_classes(judged, &LabelCounts::recall);
  return share_of(judged.counts[1].recall(), judged.counts[1].actual);
}

// f1 = 2 J/(1 + J), which increases with J, the share of true positives among the rows that are positive or predicted
// so.
Value f1(const JudgedClasses& judged) {
  if (judged.rows.known != 2) return mean_over_classes(judged, &LabelCounts::f1);
  const LabelCounts& c = judged.counts[1];
  const double either = c.predicted + c.actual - c.right;
  if (!(either > 0)) return {};
  const ShareInterval both = wilson_interval(c.right, either);
  return MetricValue{c.f1(), ShareInterval{2 * both.low / (1 + both.low), 2 * both.high / (1 + both.high)}};
}

// Poisson's, for a count y with predicted mean m: 2 (y log(y / m) - y + m).
double deviance(double m, double y) { return 2 * std::max(0.0, (y > 0 ? y * math::log(y / m) : 0.0) - y + m); }

using Needs = MetricNeeds;
using Goal = MetricGoal;
using Interval = MetricInterval;

constexpr MetricEntry kMetrics[] = {
    {"rmse", Needs::numbers, Goal::small, 0, kInfinity, Interval::bootstrap,
     kHeadline | kError | kShort | kCompared | kDrawn, nullptr, rmse, nullptr},
    {"mae", Needs::numbers, Goal::small, 0, kInfinity, Interval::bootstrap, kShort | kCompared, nullptr, mae, nullptr},
    {"r2", Needs::numbers, Goal::large, -kInfinity, 1, Interval::bootstrap, kShort | kCompared | kDrawn | kSpreadNeeded,
     nullptr, r2, nullptr},
    {"deviance", Needs::counts, Goal::small, 0, kInfinity, Interval::bootstrap, kShort | kCompared, deviance, nullptr,
     nullptr},

    {"accuracy", Needs::labels, Goal::large, 0, 1, Interval::wilson,
     kHeadline | kShort | kCompared | kDrawn | kOfBaseline, nullptr, nullptr, accuracy},
    {"error", Needs::labels, Goal::small, 0, 1, Interval::wilson, kError | kOfBaseline, nullptr, nullptr, error},
    {"log_loss", Needs::probabilities, Goal::small, 0, kInfinity, Interval::bootstrap,
     kShort | kCompared | kDrawn | kOfBaseline | kNats, nullptr, nullptr, log_loss},
    {"brier", Needs::probabilities, Goal::small, 0, 2, Interval::bootstrap, kOfBaseline, nullptr, nullptr, brier},
    {"auc", Needs::scores, Goal::large, 0, 1, Interval::delong, kShort | kCompared | kRocArea, nullptr, nullptr, auc},
    {"precision", Needs::labels, Goal::large, 0, 1, Interval::wilson, 0, nullptr, nullptr, precision},
    {"recall", Needs::labels, Goal::large, 0, 1, Interval::wilson, 0, nullptr, nullptr, recall},
    {"f1", Needs::labels, Goal::large, 0, 1, Interval::wilson, kCompared, nullptr, nullptr, f1},
};

bool of_labels(const MetricEntry& entry) { return entry.needs != Needs::numbers && entry.needs != Needs::counts; }

}  // namespace

std::span<const MetricEntry> metric_list() { return kMetrics; }

std::span<const MetricEntry> metrics_of(bool labels) {
  const auto* const first = std::find_if(std::begin(kMetrics), std::end(kMetrics), of_labels);
  return labels ? std::span(first, std::end(kMetrics)) : std::span(std::begin(kMetrics), first);
}

const MetricEntry* find_entry(std::string_view name) {
  for (const MetricEntry& entry : kMetrics)
    if (entry.name == name) return &entry;
  return nullptr;
}

const Metric* find_metric(std::span<const Metric> metrics, MetricUse use) {
  for (const Metric& metric : metrics)
    if (const MetricEntry* const entry = find_entry(metric.name); entry != nullptr && (entry->uses & use) != 0)
      return &metric;
  return nullptr;
}

std::vector<std::string> names_of(bool labels, MetricUse use) {
  std::vector<std::string> names;
  for (const MetricEntry& entry : metrics_of(labels))
    if ((entry.uses & use) != 0) names.emplace_back(entry.name);
  return names;
}

}  // namespace plumb
