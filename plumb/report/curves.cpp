#include "plumb/report/curves.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/evaluate/resampled.h"
#include "plumb/report/json_parts.h"
#include "plumb/report/style.h"

namespace plumb {
namespace {

constexpr double kChanceLine = 0.05;

const Metric* find_curve(const std::vector<Metric>& metrics, std::string_view name) {
  for (const Metric& metric : metrics)
    if (metric.name == name) return &metric;
  return nullptr;
}

double spread_of(const std::vector<Metric>& metrics) {
  const Metric* const found = find_metric(metrics, kError);
  return found == nullptr || !found->high ? 0.0 : *found->high - found->value;
}

// How much larger errors are than others, split by split; empty below two splits. `share` is the ratio of held-out rows
// to others, which corrects for rows that splits share: 0 for statements about these rows alone.
std::optional<ResampledMean> larger_by(const std::vector<double>& errors, const std::vector<double>& others,
                                       double share) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < std::min(errors.size(), others.size()); ++i) differences.push_back(errors[i] - others[i]);
  return resampled_mean(differences, share);
}

// At which sizes one of two models is ahead, on these rows, significantly over the splits (with Bonferroni's
// correction), and whether it is always the same one.
std::string leaders(const Curve& a, const Curve& b, const CurveReport& report) {
  const std::size_t sizes = std::min(a.points.size(), b.points.size());
  const std::string both = a.model + " and " + b.model;
  if (report.repeats < 2) return "a single split cannot tell which of " + both + " is ahead";
  const Curve* ahead = nullptr;
  std::string crossing, clear;
  std::size_t led = 0;
  std::uint64_t last = 0;  // size with a leader
  for (std::size_t i = 0; i < sizes; ++i) {
    const std::optional<ResampledMean> by = larger_by(a.points[i].errors, b.points[i].errors, 0.0);
    if (!by || !(by->p_value < kChanceLine / static_cast<double>(sizes))) continue;
    const Curve* const now = by->mean < 0 ? &a : &b;
    if (ahead != nullptr && ahead != now)
      crossing += (crossing.empty() ? ahead->model + " is ahead up to " + count_text(last) + " rows, " : ", ") +
                  now->model + " from " + count_text(a.points[i].rows) + " on";
    ahead = now;
    last = a.points[i].rows;
    clear += (clear.empty() ? "" : ", ") + count_text(last);
    ++led;
  }
  if (!crossing.empty()) return "the curves cross: " + crossing;
  if (ahead == nullptr) return "no clear leader: the differences of " + both + " may be chance at every size";
  const Curve* const behind = ahead == &a ? &b : &a;
  return ahead->model + " is ahead of " + behind->model + " at " +
         (led == sizes ? "every size" : clear + " rows; elsewhere there is no clear leader");
}

// Whether errors are significantly larger than others.
bool clearly_larger(const std::vector<double>& errors, const std::vector<double>& others, const CurveReport& report) {
  const auto rest = static_cast<double>(report.rows - std::min(report.rows, report.test));
  const std::optional<ResampledMean> by =
      larger_by(errors, others, static_cast<double>(report.test) / std::max(1.0, rest));
  return by && by->mean > 0 && by->p_value < kChanceLine;
}

double mean_of(const std::vector<double>& values) {
  double mean = 0.0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  return mean;
}

// Whether the error falls towards the end of the curve more steadily than chance lets it (Mann and Kendall's test of a
// trend over the last points): few splits cannot tell one size from the next, but they can tell a slope.
bool keeps_falling(const Curve& curve) {
  constexpr std::size_t kFewest = 4, kMost = 5;
  constexpr double kClear = 1.645;  // of the normal distribution, 5 % above it
  const std::size_t n = std::min(kMost, curve.points.size());
  if (n < kFewest) return false;
  const std::size_t begin = curve.points.size() - n;
  double steps = 0.0;
  for (std::size_t a = begin; a < curve.points.size(); ++a)
    for (std::size_t b = a + 1; b < curve.points.size(); ++b) {
      const double change = error_of(curve.points[a].metrics) - error_of(curve.points[b].metrics);
      steps += change > 0.0 ? 1.0 : change < 0.0 ? -1.0 : 0.0;
    }
  const auto count = static_cast<double>(n);
  return steps - 1.0 >= kClear * std::sqrt(count * (count - 1.0) * (2.0 * count + 5.0) / 18.0);
}

FitVerdict judged(const Curve& curve, const CurveReport& report) {
  const CurvePoint& last = curve.points.back();
  const double seen = error_of(last.on_training), unseen = error_of(last.metrics);
  const double noise = spread_of(last.metrics) / std::sqrt(static_cast<double>(report.repeats));
  const double nothing = mean_of(last.baseline);
  // If the constant baseline has no error either, the rows cannot distinguish models.
  const bool all_alike = !last.baseline.empty() && !(nothing > 0) && !(unseen > 0);
  const bool no_better = all_alike || (report.repeats > 1 && !last.baseline.empty() &&
                                       !clearly_larger(last.baseline, last.errors, report) && unseen > 0.75 * nothing);
  const std::string what = names_of(report.labels, kError).front();
  const std::string numbers = what + " " + four_digits(seen) + " on training rows, " + four_digits(unseen) +
                              " on others" + (no_better ? ", " + four_digits(nothing) + " for the baseline" : "");
  const bool told = curve.points.size() > 1 && report.repeats > 1;
  const CurvePoint& half = curve.points[curve.points.size() > 1 ? curve.points.size() - 2 : 0];
  const double gain = error_of(half.metrics) - unseen;
  const bool falls =
      told && gain > 0.02 * unseen && (clearly_larger(half.errors, last.errors, report) || keeps_falling(curve));
  const bool fits_training_rows = seen < 0.5 * unseen;
  const std::string rows =
      !told   ? std::string("of one ") + (report.repeats > 1 ? "size" : "split") + " nothing can be said of more rows"
      : falls ? "the error still falls with more rows (" + four_digits(gain) + " since " + count_text(half.rows) +
                    "), so more data help"
              : "the error does not clearly fall with more rows";
  TypedData data = report.data;
  data.options = curve.options;
  if (report.constant)
    return {curve.model + ": every row has the same " + report.target + ", so there is nothing to learn"};
  if (all_alike) return {curve.model + " is no better than always predicting the most common label: " + numbers};
  if (!(unseen > kNoError * nothing)) return {curve.model + " fits well: " + numbers};
  if (overfits(seen, unseen, 2 * noise))
    return {curve.model + " overfits: " + numbers + "; " + rows, against_overfitting(curve.model, data), true};
  if (no_better || (told && !falls && !fits_training_rows))
    return {curve.model + " may underfit: " + numbers + "; " + rows,
            against_underfitting(curve.model, curve.penalised, data)};
  return {curve.model + (told ? " does not overfit: " : ": ") + numbers + "; " + rows};
}

void add_metrics(JsonWriter& json, std::string_view key, const std::vector<Metric>& metrics) {
  report_detail::metrics(json, key, metrics);
}

}  // namespace

double error_of(const std::vector<Metric>& metrics) {
  const Metric* const found = find_metric(metrics, kError);
  return found == nullptr ? 0.0 : found->value;
}

std::vector<Metric> over_repeats(const std::vector<std::vector<Metric>>& repeats) {
  std::vector<Metric> found;
  for (const MetricValues& all : by_metric(repeats)) {
    double mean = 0.0, spread = 0.0;
    const auto n = static_cast<double>(all.each.size());
    for (const Metric* const each : all.each) mean += each->value / n;
    for (const Metric* const each : all.each) spread += (each->value - mean) * (each->value - mean);
    Metric metric{all.name, mean, {}, {}, all.each.size()};
    if (all.each.size() > 1 && std::isfinite(spread)) {
      const double deviation = std::sqrt(spread / (n - 1));
      metric.low = mean - deviation;
      metric.high = mean + deviation;
    }
    found.push_back(std::move(metric));
  }
  return found;
}

std::vector<FitVerdict> verdict(const CurveReport& report) {
  std::vector<FitVerdict> found;
  for (const Curve& curve : report.curves)
    if (!curve.points.empty()) found.push_back(judged(curve, report));
  for (std::size_t a = 0; a < report.curves.size(); ++a)
    for (std::size_t b = a + 1; b < report.curves.size(); ++b)
      found.push_back({leaders(report.curves[a], report.curves[b], report)});
  return found;
}

std::string to_text(const CurveReport& report, const Style& style) {
  std::string text = style.bold("learning curves") + " of " + escaped_for_terminal(report.target) + ": " +
                     report.metric() + " on " + counted(report.test, "row") + " held out, mean of " +
                     counted(report.repeats, "split") + (report.repeats > 1 ? " and one standard deviation\n" : "\n");
  TextTable table;
  std::vector<std::string> heading = {"rows"};
  for (const Curve& curve : report.curves)
    heading.insert(heading.end(), {escaped_for_terminal(curve.model), "+-", "training"});
  table.add(heading);
  for (std::size_t i = 0; !report.curves.empty() && i < report.curves.front().points.size(); ++i) {
    std::vector<std::string> line = {count_text(report.curves.front().points[i].rows)};
    for (const Curve& curve : report.curves) {
      const Metric* const metric = find_curve(curve.points[i].metrics, report.metric());
      const Metric* const training = find_curve(curve.points[i].on_training, report.metric());
      line.push_back(metric == nullptr ? "none" : four_digits(metric->value));
      line.push_back(metric == nullptr || !metric->high ? "" : number_text(*metric->high - metric->value, 2));
      line.push_back(training == nullptr ? "none" : four_digits(training->value));
    }
    table.add(line);
  }
  text += table.text(style);
  for (const FitVerdict& each : report.verdicts) text += verdict_text(each, style);
  return text;
}

std::string to_json(const CurveReport& report) {
  JsonWriter json = report_detail::start("curve");
  json.member("target", report.target).member("rows", report.rows).member("test_rows", report.test);
  json.member("repeats", report.repeats).member("seed", report.seed).key("points").begin_array();
  for (const Curve& curve : report.curves)
    for (const CurvePoint& point : curve.points) {
      json.begin_object().member("model", curve.model).member("rows", point.rows);
      add_metrics(json, "metrics", point.metrics);
      add_metrics(json, "training", point.on_training);
      json.end_object();
    }
  json.end_array();
  std::vector<std::string> sentences, commands;
  for (const FitVerdict& each : report.verdicts) {
    sentences.push_back(each.text);
    for (const Remedy& remedy : each.remedies) commands.push_back(remedy.command);
  }
  report_detail::texts(json, "verdict", sentences);
  report_detail::texts(json, "remedies", commands);
  report_detail::texts(json, "warnings", report.warnings);
  json.member("seconds", report.seconds).end_object();
  return json.take();
}

Figure curve_figure(const CurveReport& report) {
  constexpr Paint kPaints[] = {Paint::blue, Paint::vermilion, Paint::green, Paint::purple, Paint::grey};
  Panel panel;
  panel.x = {"training rows", true, {}, {}, {}};
  panel.y = {report.metric(), false, {}, {}, {}};
  // The error of the smallest size may dwarf all others. Few rows may be fitted without any error: that is not drawn.
  double least = HUGE_VAL, most = 0.0;
  for (const Curve& curve : report.curves)
    for (const CurvePoint& point : curve.points)
      if (const Metric* const metric = find_curve(point.metrics, report.metric())) {
        least = std::min(least, metric->value);
        most = std::max(most, metric->value);
      }
  panel.y.logarithmic = !report.labels && least > 0 && most > 5 * least;
  const double floor = panel.y.logarithmic ? least / 5 : 0.0;  // errors are not negative
  for (std::size_t c = 0; c < report.curves.size(); ++c) {
    const Paint paint = kPaints[c % std::size(kPaints)];
    Band band{{}, {}, {}, "", paint};
    Line line{{}, {}, report.curves[c].model + ", held-out rows", paint};
    Line training{{}, {}, report.curves[c].model + ", training rows", paint, true};
    Line baseline{{}, {}, "always the most common label", Paint::grey, true};
    for (const CurvePoint& point : report.curves[c].points) {
      const Metric* const metric = find_curve(point.metrics, report.metric());
      const Metric* const seen = find_curve(point.on_training, report.metric());
      if (metric == nullptr || seen == nullptr) continue;
      const auto x = static_cast<double>(point.rows);
      line.x.push_back(x);
      line.y.push_back(metric->value);
      band.x.push_back(x);
      band.low.push_back(std::max(floor, metric->low.value_or(metric->value)));
      band.high.push_back(metric->high.value_or(metric->value));
      if (report.labels && c == 0 && !point.baseline.empty()) {  // the splits are the same for every model
        baseline.x.push_back(x);
        baseline.y.push_back(1.0 - mean_of(point.baseline));
      }
      if (seen->value < floor) continue;
      training.x.push_back(x);
      training.y.push_back(seen->value);
    }
    if (report.repeats > 1) panel.marks.push_back(std::move(band));
    panel.marks.push_back(std::move(line));
    panel.marks.push_back(std::move(training));
    if (!baseline.x.empty()) panel.marks.push_back(std::move(baseline));
  }
  draw_bands_first(panel);
  Figure figure;
  figure.title = "Learning curves of " + report.target;
  figure.subtitle =
      "mean of " + counted(report.repeats, "split") + (report.repeats > 1 ? ", band: one standard deviation" : "");
  figure.panels = {std::move(panel)};
  return figure;
}

}  // namespace plumb
