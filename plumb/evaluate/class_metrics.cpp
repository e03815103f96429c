#include "plumb/evaluate/class_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/evaluate/judged.h"
#include "plumb/math/special.h"

namespace plumb {
namespace {

constexpr std::size_t kMostWatched = 20;  // classes whose counts the bootstrap sums

bool possible(const PredictedClasses& rows, std::uint64_t i) { return std::isfinite(rows.log_loss[i]); }

bool has(const PredictedClasses& rows, MetricNeeds needs) {
  return needs == MetricNeeds::scores ? !rows.scores.empty() : needs != MetricNeeds::probabilities || rows.probable;
}

JudgedClasses judge_classes(const PredictedClasses& rows) {
  JudgedClasses judged{rows};
  judged.counts.resize(rows.labels.size());
  if (rows.known > 2 && rows.labels.size() <= kMostWatched) judged.watched = rows.labels.size();
  for (std::uint64_t i = 0; i < rows.rows(); ++i) {
    const double w = rows.weight[i];
    if (rows.actual[i] >= judged.counts.size()) judged.counts.resize(rows.actual[i] + std::size_t{1});
    judged.total += w;
    judged.counts[rows.predicted[i]].predicted += w;
    judged.counts[rows.actual[i]].actual += w;
    if (rows.predicted[i] == rows.actual[i]) {
      judged.right += w;
      judged.counts[rows.actual[i]].right += w;
    }
    if (!rows.probable) continue;
    judged.brier += w * rows.brier[i];
    if (possible(rows, i)) {
      judged.log_loss += w * rows.log_loss[i];
      judged.possible += w;
    } else if (rows.actual[i] < rows.known) {
      judged.impossible += w;
    }
  }
  return judged;
}

class ClassJudge {
 public:
  ClassJudge(const PredictedClasses& rows, const Run& run) : rows_(rows), run_(run), judged_(judge_classes(rows)) {
    report_.impossible = judged_.impossible;
    place_.resize(rows.labels.size());
    for (std::size_t k = 0; k < place_.size(); ++k) {
      place_[k] = report_.labels.size();
      if (k < rows.known || seen(k)) report_.labels.push_back(rows.labels[k]);
      if (k >= rows.known) report_.unknown += judged_.counts[k].actual;
    }
  }

  ClassReport report(std::uint64_t resamples) {
    if (!(judged_.total > 0)) return {};
    fill_confusion();
    fill_classes();
    if (rows_.probable) fill_bins();
    fill_pairs();
    add_metrics(resamples);
    if (report_.unknown > 0)
      report_.notes.push_back(number_text(report_.unknown) + " of " + number_text(judged_.total) +
                              " rows have a label the model does not know; each counts as an error" +
                              (rows_.probable ? ", and log_loss is over the other rows" : ""));
    if (report_.impossible > 0)
      report_.notes.push_back(
          number_text(report_.impossible) + " of " + number_text(judged_.total) +
          " rows have a label that the model holds impossible, so log_loss is infinite; over the others "
          "it is " +
          number_text(judged_.possible > 0 ? judged_.log_loss / judged_.possible : 0.0, 4));
    return std::move(report_);
  }

 private:
  bool seen(std::size_t label) const { return judged_.counts[label].actual > 0; }

  void fill_confusion() {
    for (std::uint64_t i = 0; i < rows_.rows(); ++i)
      report_.confusion.push_back({place_[rows_.actual[i]], place_[rows_.predicted[i]], rows_.weight[i]});
    std::vector<ConfusionCell>& cells = report_.confusion;
    std::stable_sort(cells.begin(), cells.end(), [](const ConfusionCell& a, const ConfusionCell& b) {
      return std::tie(a.actual, a.predicted) < std::tie(b.actual, b.predicted);
    });
    std::size_t kept = 0;
    for (const ConfusionCell& each : cells)
      if (kept > 0 && cells[kept - 1].actual == each.actual && cells[kept - 1].predicted == each.predicted)
        cells[kept - 1].rows += each.rows;
      else
        cells[kept++] = each;
    cells.resize(kept);
  }

  void fill_classes() {
    for (std::size_t k = 0; k < rows_.labels.size(); ++k) {
      const LabelCounts& c = judged_.counts[k];
      if (k >= rows_.known && !(c.actual > 0)) continue;
      ClassScore score{rows_.labels[k], {}, {}, {}, c.actual};
      if (c.predicted > 0) score.precision = c.precision();
      if (c.actual > 0) score.recall = c.recall();
      if (c.predicted + c.actual > 0) score.f1 = c.f1();
      report_.classes.push_back(std::move(score));
    }
  }

  void fill_bins() {
    constexpr std::size_t kBins = 10;
    std::array<ReliabilityBin, kBins> bins{};
    for (std::uint64_t i = 0; i < rows_.rows(); ++i) {
      const double p = rows_.confidence[i], w = rows_.weight[i];
      const std::size_t b = std::min(kBins - 1, static_cast<std::size_t>(p * kBins));
      bins[b].rows += w;
      bins[b].confidence += w * p;
      bins[b].right += w * (rows_.predicted[i] == rows_.actual[i]);
    }
    for (std::size_t b = 0; b < kBins; ++b) {
      ReliabilityBin& bin = bins[b];
      if (!(bin.rows > 0)) continue;
      bin.low = static_cast<double>(b) / kBins;
      bin.high = static_cast<double>(b + 1) / kBins;
      bin.confidence /= bin.rows;
      bin.right /= bin.rows;
      report_.calibration_error += bin.rows / judged_.total * std::abs(bin.confidence - bin.right);
      report_.bins.push_back(bin);
    }
  }

  // A row is on the right side of a pair if its own label scores above the other; a tie goes to the last in label
  // order.
  void fill_pairs() {
    const std::size_t k = rows_.known;
    if (k < 3 || k > kMostPaired || rows_.scores.size() != rows_.rows() * k) return;
    std::vector<double> right(k * k), all(k);
    for (std::uint64_t i = 0; i < rows_.rows(); ++i) {
      const std::size_t own = rows_.actual[i];
      if (own >= k) continue;
      all[own] += rows_.weight[i];
      const double score = rows_.scores[i * k + own];
      for (std::size_t other = 0; other < k; ++other) {
        const double against = rows_.scores[i * k + other];
        if (score > against || (score == against && own > other)) right[own * k + other] += rows_.weight[i];
      }
    }
    for (std::size_t a = 0; a < k; ++a)
      for (std::size_t b = a + 1; b < k; ++b)
        if (all[a] > 0 && all[b] > 0)
          report_.pairs.push_back({a, b, all[a] + all[b], (right[a * k + b] + right[b * k + a]) / (all[a] + all[b])});
  }

  void add_metrics(std::uint64_t resamples) {
    std::vector<SampleStatistic> statistics;
    std::vector<std::pair<std::size_t, std::optional<ShareInterval>>> resampled;  // which, and MetricValue::if_constant
    for (const MetricEntry& entry : metrics_of(true)) {
      if (!has(rows_, entry.needs)) continue;
      std::optional<MetricValue> value = entry.of_classes(judged_);
      if (!value) continue;
      Metric& metric = report_.metrics.emplace_back(Metric{std::string(entry.name), value->value, {}, {}});
      if (value->interval) {
        metric.low = value->interval->low;
        metric.high = value->interval->high;
      } else if (value->statistic) {
        statistics.push_back(std::move(value->statistic));
        resampled.emplace_back(report_.metrics.size() - 1, value->if_constant);
      }
    }
    if (resamples == 0 || statistics.empty()) return;
    const Units units = make_units(
        rows_.rows(), JudgedClasses::kTerms + 3 * judged_.watched, [this](std::uint64_t i, Out out) { fill(i, out); },
        run_);
    const auto intervals = bootstrap_intervals(units, statistics, resamples, run_);
    for (std::size_t k = 0; k < intervals.size(); ++k) {
      if (!intervals[k]) continue;
      const auto& [place, if_constant] = resampled[k];
      Metric& metric = report_.metrics[place];
      metric.low = std::min(intervals[k]->low, metric.value);
      metric.high = std::max(intervals[k]->high, metric.value);
      // Means over classes that are all never wrong, or never right: every resample agrees.
      if (!if_constant || metric.low != metric.high) continue;
      metric.low = if_constant->low;
      metric.high = if_constant->high;
    }
  }

  void fill(std::uint64_t i, Out out) const {
    const double w = rows_.weight[i];
    out[JudgedClasses::kWeight] = w;
    if (rows_.probable) {
      out[JudgedClasses::kLogLoss] = possible(rows_, i) ? w * rows_.log_loss[i] : 0.0;
      out[JudgedClasses::kPossible] = possible(rows_, i) ? w : 0.0;
      out[JudgedClasses::kBrier] = w * rows_.brier[i];
    }
    for (std::size_t k = 0; k < judged_.watched; ++k) {
      const bool said = rows_.predicted[i] == k, is = rows_.actual[i] == k;
      const Out own = out.subspan(JudgedClasses::kTerms + 3 * k, 3);
      own[0] = said && is ? w : 0.0;
      own[1] = said ? w : 0.0;
      own[2] = is ? w : 0.0;
    }
  }

  const PredictedClasses& rows_;
  const Run& run_;
  JudgedClasses judged_;
  std::vector<std::size_t> place_;  // of a label in the report
  ClassReport report_;
};

}  // namespace

double ClassReport::confused(std::size_t actual, std::size_t predicted) const {
  const auto before = [](const ConfusionCell& cell, const std::pair<std::size_t, std::size_t>& wanted) {
    return std::pair(cell.actual, cell.predicted) < wanted;
  };
  const auto found = std::lower_bound(confusion.begin(), confusion.end(), std::pair(actual, predicted), before);
  return found != confusion.end() && found->actual == actual && found->predicted == predicted ? found->rows : 0.0;
}

ClassReport class_metrics(const PredictedClasses& rows, const Run& run, std::uint64_t resamples) {
  return ClassJudge(rows, run).report(resamples);
}

ShareBaseline share_baseline(const std::vector<double>& weights, const PredictedClasses& rows,
                             const std::vector<double>& with_rows) {
  ShareBaseline baseline;
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  double squares = 0.0, most = 0.0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double common = weights[k] > 0 && !with_rows.empty() ? with_rows[k] : weights[k];
    if (common >= most) baseline.label = k;  // a tie goes to the last
    most = std::max(most, common);
    squares += (weights[k] / all) * (weights[k] / all);
  }
  if (!(all > 0)) return baseline;
  PredictedClasses said;
  said.labels = rows.labels;
  said.known = weights.size();
  said.probable = rows.probable;
  for (std::uint64_t i = 0; i < rows.rows(); ++i) {
    const bool known = rows.actual[i] < weights.size();
    const double share = known ? weights[rows.actual[i]] / all : 0.0;
    said.predicted.push_back(static_cast<std::uint32_t>(baseline.label));
    said.actual.push_back(rows.actual[i]);
    said.weight.push_back(rows.weight[i]);
    if (!rows.probable) continue;
    said.brier.push_back((squares - 2 * share + 1) / (rows.known == 2 ? 2 : 1));
    said.log_loss.push_back(known ? -math::log(share) : HUGE_VAL);
    said.confidence.push_back(weights[baseline.label] / all);
  }
  const JudgedClasses judged = judge_classes(said);
  if (!(judged.total > 0)) return baseline;
  for (const MetricEntry& entry : metrics_of(true))
    if ((entry.uses & kOfBaseline) != 0 && has(said, entry.needs))
      if (const auto value = entry.of_classes(judged))
        baseline.metrics.push_back({std::string(entry.name), value->value, {}, {}});
  return baseline;
}

std::optional<RocArea> roc_area(In scores, const std::vector<bool>& positive, In weights, Out influence) {
  double of_class = 0.0, others = 0.0;
  std::vector<double> values;  // of the class, which among many classes has few rows: the others are not sorted
  for (std::size_t i = 0; i < scores.size(); ++i) {
    (positive[i] ? of_class : others) += weights[i];
    if (positive[i]) values.push_back(scores[i]);
  }
  if (!(of_class > 0) || !(others > 0)) return {};
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  // Interval 2 v + 1 is the value v, 2 v the scores between it and the one before. The weights in each, of both sides.
  std::vector<std::size_t> interval(scores.size());
  std::vector<double> class_in(2 * values.size() + 1), others_in(class_in.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const auto v = std::lower_bound(values.begin(), values.end(), scores[i]);
    interval[i] = 2 * static_cast<std::size_t>(v - values.begin()) + (v != values.end() && *v == scores[i] ? 1 : 0);
    (positive[i] ? class_in : others_in)[interval[i]] += weights[i];
  }
  // For a row in each interval the share of the other side that it is ranked correctly against.
  std::vector<double> class_placed(class_in.size()), others_placed(class_in.size());
  double class_below = 0.0, others_below = 0.0, area = 0.0;
  for (std::size_t at = 0; at < class_in.size(); ++at) {
    class_placed[at] = (others_below + others_in[at] / 2) / others;
    others_placed[at] = (of_class - class_below - class_in[at] / 2) / of_class;
    area += class_in[at] * (others_below + others_in[at] / 2);
    class_below += class_in[at];
    others_below += others_in[at];
  }
  RocArea found{area / of_class / others, 0.0, std::min(of_class, others)};
  double class_spread = 0.0, others_spread = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double away = (positive[i] ? class_placed : others_placed)[interval[i]] - found.area;
    (positive[i] ? class_spread : others_spread) += weights[i] * away * away;
    if (!influence.empty()) influence[i] = away / (positive[i] ? of_class : others);
  }
  const auto part = [](double spread, double n) { return n > 1 ? spread / (n - 1) / n : 0.0; };
  found.variance = part(class_spread, of_class) + part(others_spread, others);
  return found;
}

ShareInterval wilson_interval(double k, double n) {
  if (!(n > 0)) return {};
  const double z2 = kNormalQuantile * kNormalQuantile, share = k / n;
  const double middle = (share + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kNormalQuantile / (1 + z2 / n) * std::sqrt(share * (1 - share) / n + z2 / (4 * n * n));
  return {std::max(0.0, std::min(middle - half, share)), std::min(1.0, std::max(middle + half, share))};
}

}  // namespace plumb
