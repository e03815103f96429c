#include "plumb/evaluate/class_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/math/distributions.h"
#include "plumb/math/special.h"

namespace plumb {
namespace {

constexpr double kQuantile = 1.959963984540054;  // of the normal distribution, at 0.975
constexpr std::size_t kMostWatched = 20;         // classes whose counts the bootstrap sums

double divided(double a, double b) { return b > 0 ? a / b : 0.0; }

// F1 = 2 right / (predicted + actual).
struct Counts {
  double right = 0.0, predicted = 0.0, actual = 0.0;
  double precision() const { return divided(right, predicted); }
  double recall() const { return divided(right, actual); }
  double f1() const { return divided(2 * right, predicted + actual); }
};

class Judged {
 public:
  Judged(const PredictedClasses& rows, const Run& run) : rows_(rows), run_(run), counts_(rows.labels.size()) {
    std::vector<bool> used(rows.labels.size());
    for (std::size_t k = 0; k < rows.known; ++k) used[k] = true;
    for (std::uint64_t i = 0; i < rows.rows(); ++i) {
      const double w = rows.weight[i];
      total_ += w;
      counts_[rows.predicted[i]].predicted += w;
      counts_[rows.actual[i]].actual += w;
      used[rows.actual[i]] = true;
      if (rows.predicted[i] == rows.actual[i]) {
        right_ += w;
        counts_[rows.actual[i]].right += w;
      }
      if (rows.actual[i] >= rows.known) report_.unknown += w;
    }
    place_.resize(used.size());
    for (std::size_t k = 0; k < used.size(); ++k) {
      place_[k] = report_.labels.size();
      if (used[k]) report_.labels.push_back(rows.labels[k]);
    }
  }

  ClassReport report(std::uint64_t resamples) {
    if (!(total_ > 0)) return {};
    fill_confusion();
    fill_classes();
    const double accuracy = right_ / total_;
    const ShareInterval interval = wilson_interval(right_, total_);
    add({"accuracy", accuracy, interval.low, interval.high});
    add({"error", 1 - accuracy, 1 - interval.high, 1 - interval.low});
    if (rows_.probable) {
      add_losses();
      fill_bins();
    }
    add_area();
    fill_pairs();
    add_averages();
    if (resamples > 0) add_bootstrap(resamples);
    std::stable_sort(report_.metrics.begin(), report_.metrics.end(),
                     [](const Metric& a, const Metric& b) { return place(a.name) < place(b.name); });
    if (report_.unknown > 0)
      report_.notes.push_back(number_text(report_.unknown) + " of " + number_text(total_) +
                              " rows have a label that the model does not know; each counts as an error" +
                              (rows_.probable ? ", and log_loss is that of the other rows" : ""));
    if (report_.impossible > 0)
      report_.notes.push_back(
          number_text(report_.impossible) + " of " + number_text(total_) +
          " rows have a label that the model holds impossible, so log_loss is infinite; over the others "
          "it is " +
          number_text(finite_loss_, 6));
    return std::move(report_);
  }

 private:
  static std::size_t place(std::string_view name) {
    std::size_t at = 0;
    for (const MetricEntry& entry : kClassMetrics) {
      if (entry.name == name) break;
      ++at;
    }
    return at;
  }

  void add(Metric metric) { report_.metrics.push_back(std::move(metric)); }
  bool possible(std::uint64_t i) const { return std::isfinite(rows_.log_loss[i]); }

  void fill_confusion() {
    const std::size_t k = report_.labels.size();
    report_.confusion.assign(k * k, 0.0);
    for (std::uint64_t i = 0; i < rows_.rows(); ++i)
      report_.confusion[place_[rows_.actual[i]] * k + place_[rows_.predicted[i]]] += rows_.weight[i];
  }

  void fill_classes() {
    for (std::size_t k = 0; k < rows_.labels.size(); ++k) {
      const Counts& c = counts_[k];
      if (k >= rows_.known && !(c.actual > 0)) continue;
      ClassScore score{rows_.labels[k], {}, {}, {}, c.actual};
      if (c.predicted > 0) score.precision = c.precision();
      if (c.actual > 0) score.recall = c.recall();
      if (c.predicted + c.actual > 0) score.f1 = c.f1();
      report_.classes.push_back(std::move(score));
    }
  }

  void add_losses() {
    double loss = 0.0, over = 0.0, brier = 0.0;
    for (std::uint64_t i = 0; i < rows_.rows(); ++i) {
      const double w = rows_.weight[i];
      brier += w * rows_.brier[i];
      if (!possible(i)) {
        if (rows_.actual[i] < rows_.known) report_.impossible += w;
        continue;
      }
      loss += w * rows_.log_loss[i];
      over += w;
    }
    finite_loss_ = over > 0 ? loss / over : 0.0;
    if (report_.impossible > 0) {
      add({"log_loss", HUGE_VAL, {}, {}});
    } else if (over > 0) {
      add({"log_loss", finite_loss_, {}, {}});
    }
    add({"brier", brier / total_, {}, {}});
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
      report_.calibration_error += bin.rows / total_ * std::abs(bin.confidence - bin.right);
      report_.bins.push_back(bin);
    }
  }

  void add_area() {
    if (rows_.scores.empty()) return;
    const std::size_t width = rows_.scores_per_row();
    std::vector<double> scores(rows_.rows());
    std::vector<bool> positive(rows_.rows());
    double sum = 0.0, classes = 0.0;
    std::vector<double> influence(rows_.rows()), own(rows_.rows());
    for (std::size_t k = 0; k < width; ++k) {
      const std::size_t label = width == 1 ? 1 : k;
      for (std::uint64_t i = 0; i < rows_.rows(); ++i) {
        scores[i] = rows_.scores[i * width + k];
        positive[i] = rows_.actual[i] == label;
      }
      const std::optional<RocArea> found = roc_area(scores, positive, rows_.weight, own);
      if (!found) continue;
      sum += found->area;
      classes += 1;
      for (std::uint64_t i = 0; i < rows_.rows(); ++i) influence[i] += own[i];
      if (width == 1) add_area_of(*found);
    }
    if (width == 1 || classes == 0) return;
    // The mean over classes: what a row does to it is the mean of what it does to each, which rows they share tells.
    RocArea mean{sum / classes, 0.0, total_ / classes};
    for (std::uint64_t i = 0; i < rows_.rows(); ++i)
      mean.variance += rows_.weight[i] * (influence[i] / classes) * (influence[i] / classes);
    if (total_ > 1) mean.variance *= total_ / (total_ - 1);
    add_area_of(mean);
  }

  void add_area_of(const RocArea& found) {
    Metric metric{"auc", found.area, {}, {}};
    if (found.area > 0 && found.area < 1) {
      // On the scale of log-odds, where the interval stays within 0 and 1.
      const double t = math::log(found.area) - math::log1p(-found.area);
      const double half = kQuantile * std::sqrt(found.variance) / (found.area * (1 - found.area));
      metric.low = math::sigmoid(t - half);
      metric.high = math::sigmoid(t + half);
    } else {
      const ShareInterval interval = wilson_interval(found.area * found.least_rows, found.least_rows);
      metric.low = interval.low;
      metric.high = interval.high;
    }
    add(metric);
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

  // Of the second of two classes, or the mean over the classes that are there.
  void add_averages() {
    if (rows_.known == 2) {
      const Counts& c = counts_[1];
      if (c.predicted > 0) add_share("precision", c.precision(), c.predicted);
      if (c.actual > 0) add_share("recall", c.recall(), c.actual);
      const double either = c.predicted + c.actual - c.right;
      if (!(either > 0)) return;
      // f1 = 2 J/(1 + J), which grows with the share J of the rows that are of the class, or are said to be, that are
      // both.
      const ShareInterval both = wilson_interval(c.right, either);
      add({"f1", c.f1(), 2 * both.low / (1 + both.low), 2 * both.high / (1 + both.high)});
      return;
    }
    add({"precision", mean_over(&Counts::precision), {}, {}});
    add({"recall", mean_over(&Counts::recall), {}, {}});
    add({"f1", mean_over(&Counts::f1), {}, {}});
  }

  void add_share(const std::string& name, double share, double of) {
    const ShareInterval interval = wilson_interval(share * of, of);
    add({name, share, interval.low, interval.high});
  }

  double mean_over(double (Counts::*of)() const) const {
    double sum = 0.0, classes = 0.0;
    for (const Counts& c : counts_) {
      if (!(c.predicted + c.actual > 0)) continue;
      sum += (c.*of)();
      classes += 1;
    }
    return divided(sum, classes);
  }

  // Sums per row: the weight, log loss and its weight, brier; then of each watched class right, predicted, actual.
  void add_bootstrap(std::uint64_t resamples) {
    constexpr std::size_t kFixed = 4;
    const std::size_t watched = rows_.known > 2 && rows_.labels.size() <= kMostWatched ? rows_.labels.size() : 0;
    const auto fill = [&](std::uint64_t i, Out out) {
      const double w = rows_.weight[i];
      out[0] = w;
      if (rows_.probable) {
        out[1] = possible(i) ? w * rows_.log_loss[i] : 0.0;
        out[2] = possible(i) ? w : 0.0;
        out[3] = w * rows_.brier[i];
      }
      for (std::size_t k = 0; k < watched; ++k) {
        const bool said = rows_.predicted[i] == k, is = rows_.actual[i] == k;
        out[kFixed + 3 * k] = said && is ? w : 0.0;
        out[kFixed + 3 * k + 1] = said ? w : 0.0;
        out[kFixed + 3 * k + 2] = is ? w : 0.0;
      }
    };
    const auto mean_of = [watched](In s, double (Counts::*of)() const) -> std::optional<double> {
      double sum = 0.0, classes = 0.0;
      for (std::size_t k = 0; k < watched; ++k) {
        const Counts c{s[kFixed + 3 * k], s[kFixed + 3 * k + 1], s[kFixed + 3 * k + 2]};
        if (!(c.predicted + c.actual > 0)) continue;
        sum += (c.*of)();
        classes += 1;
      }
      if (classes == 0) return {};
      return sum / classes;
    };
    std::vector<SampleStatistic> statistics;
    std::vector<Metric*> metrics;
    for (Metric& metric : report_.metrics) {
      SampleStatistic statistic;
      if (metric.name == "log_loss" && std::isfinite(metric.value))
        statistic = [](In s) { return s[2] > 0 ? std::optional(s[1] / s[2]) : std::nullopt; };
      if (metric.name == "brier") statistic = [](In s) { return s[0] > 0 ? std::optional(s[3] / s[0]) : std::nullopt; };
      if (watched > 0) {
        if (metric.name == "precision") statistic = [=](In s) { return mean_of(s, &Counts::precision); };
        if (metric.name == "recall") statistic = [=](In s) { return mean_of(s, &Counts::recall); };
        if (metric.name == "f1") statistic = [=](In s) { return mean_of(s, &Counts::f1); };
      }
      if (!statistic) continue;
      statistics.push_back(std::move(statistic));
      metrics.push_back(&metric);
    }
    if (statistics.empty()) return;
    const Units units = make_units(rows_.rows(), kFixed + 3 * watched, fill, run_);
    const auto intervals = bootstrap_intervals(units, statistics, resamples, run_);
    for (std::size_t k = 0; k < metrics.size(); ++k) {
      if (!intervals[k]) continue;
      metrics[k]->low = std::min(intervals[k]->low, metrics[k]->value);
      metrics[k]->high = std::max(intervals[k]->high, metrics[k]->value);
      // Means over classes of which none is ever wrong, or right: no resample is otherwise.
      const bool mean = metrics[k]->name == "precision" || metrics[k]->name == "recall" || metrics[k]->name == "f1";
      if (!mean || metrics[k]->low != metrics[k]->high) continue;
      const double of_class = total_ / static_cast<double>(std::max<std::size_t>(watched, 1));
      const ShareInterval interval = wilson_interval(metrics[k]->value * of_class, of_class);
      metrics[k]->low = interval.low;
      metrics[k]->high = interval.high;
    }
  }

  const PredictedClasses& rows_;
  const Run& run_;
  std::vector<Counts> counts_;
  std::vector<std::size_t> place_;  // of a label in the report
  double total_ = 0.0, right_ = 0.0, finite_loss_ = 0.0;
  ClassReport report_;
};

}  // namespace

ClassReport class_metrics(const PredictedClasses& rows, const Run& run, std::uint64_t resamples) {
  return Judged(rows, run).report(resamples);
}

ShareBaseline share_baseline(const std::vector<double>& weights, const PredictedClasses& rows,
                             const std::vector<double>& with_rows) {
  ShareBaseline baseline;
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  double total = 0.0, possible = 0.0, right = 0.0, loss = 0.0, brier = 0.0, squares = 0.0, most = 0.0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double common = weights[k] > 0 && !with_rows.empty() ? with_rows[k] : weights[k];
    if (common >= most) baseline.label = k;  // a tie goes to the last
    most = std::max(most, common);
    squares += (weights[k] / all) * (weights[k] / all);
  }
  for (std::uint64_t i = 0; i < rows.rows(); ++i) {
    const double w = rows.weight[i];
    const double share = rows.actual[i] < weights.size() ? weights[rows.actual[i]] / all : 0.0;
    total += w;
    right += w * (rows.actual[i] == baseline.label);
    brier += w * (squares - 2 * share + 1) / (rows.known == 2 ? 2 : 1);
    // As a model's: infinite for a label without training rows, and not of rows whose label there is none of.
    if (!(w > 0) || rows.actual[i] >= weights.size()) continue;
    possible += w;
    loss -= w * math::log(share);
  }
  if (!(total > 0) || !(all > 0)) return baseline;
  baseline.metrics = {{"accuracy", right / total, {}, {}}, {"error", 1 - right / total, {}, {}}};
  if (!rows.probable) return baseline;
  if (possible > 0) baseline.metrics.push_back({"log_loss", loss / possible, {}, {}});
  baseline.metrics.push_back({"brier", brier / total, {}, {}});
  return baseline;
}

std::optional<RocArea> roc_area(In scores, const std::vector<bool>& positive, In weights, Out influence) {
  std::vector<std::uint64_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) { return scores[a] < scores[b]; });
  double of_class = 0.0, others = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) (positive[i] ? of_class : others) += weights[i];
  if (!(of_class > 0) || !(others > 0)) return {};
  // For each row the share of the other side that it stands on the right side of.
  std::vector<double> placed(scores.size());
  double class_below = 0.0, others_below = 0.0, area = 0.0;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    double class_here = 0.0, others_here = 0.0;
    while (end < order.size() && scores[order[end]] == scores[order[begin]]) {
      (positive[order[end]] ? class_here : others_here) += weights[order[end]];
      ++end;
    }
    for (std::size_t i = begin; i < end; ++i)
      placed[order[i]] = positive[order[i]] ? (others_below + others_here / 2) / others
                                            : (of_class - class_below - class_here / 2) / of_class;
    area += class_here * (others_below + others_here / 2);
    class_below += class_here;
    others_below += others_here;
  }
  RocArea found{area / of_class / others, 0.0, std::min(of_class, others)};
  double class_spread = 0.0, others_spread = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double away = placed[i] - found.area;
    (positive[i] ? class_spread : others_spread) += weights[i] * away * away;
    if (!influence.empty()) influence[i] = away / (positive[i] ? of_class : others);
  }
  const auto part = [](double spread, double n) { return n > 1 ? spread / (n - 1) / n : 0.0; };
  found.variance = part(class_spread, of_class) + part(others_spread, others);
  return found;
}

ShareInterval wilson_interval(double k, double n) {
  if (!(n > 0)) return {};
  const double z2 = kQuantile * kQuantile, share = k / n;
  const double middle = (share + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kQuantile / (1 + z2 / n) * std::sqrt(share * (1 - share) / n + z2 / (4 * n * n));
  return {std::max(0.0, std::min(middle - half, share)), std::min(1.0, std::max(middle + half, share))};
}

}  // namespace plumb
