#include "plumb/report/class_report.h"

#include <algorithm>
#include <numeric>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/report/json_parts.h"
#include "plumb/report/style.h"

namespace plumb {
namespace {

constexpr std::size_t kMostColumns = 12;   // labels of a confusion matrix on a screen
constexpr std::size_t kMostMatrix = 1000;  // labels of a confusion matrix in JSON; of more, cells with rows
constexpr std::size_t kMostPairs = 10;     // of most confused labels

std::string confusion_text(const ClassReport& report, const Style& style) {
  const std::size_t k = report.labels.size();
  TextTable table;
  std::vector<std::string> heading = {"actual \\ predicted"};
  for (const std::string& label : report.labels) heading.push_back(escaped_for_terminal(label));
  table.add(heading);
  for (std::size_t i = 0; i < k; ++i) {
    std::vector<std::string> line = {escaped_for_terminal(report.labels[i])};
    for (std::size_t j = 0; j < k; ++j) line.push_back(four_digits(report.confused(i, j)));
    table.add(line);
  }
  return table.text(style);
}

// If there are too many labels for a matrix: those most often confused.
std::string confused_text(const ClassReport& report, const Style& style) {
  std::vector<ConfusionCell> cells;
  for (const ConfusionCell& cell : report.confusion)
    if (cell.actual != cell.predicted && cell.rows > 0) cells.push_back(cell);
  std::stable_sort(cells.begin(), cells.end(),
                   [](const ConfusionCell& a, const ConfusionCell& b) { return a.rows > b.rows; });
  if (cells.empty()) return "";
  TextTable table;
  table.add({"actual", "taken for", "rows"});
  for (std::size_t i = 0; i < std::min(cells.size(), kMostPairs); ++i)
    table.add({escaped_for_terminal(report.labels[cells[i].actual]),
               escaped_for_terminal(report.labels[cells[i].predicted]), four_digits(cells[i].rows)});
  return table.text(style);
}

// The pairs that are hardest to tell apart.
std::string pairs_text(const ClassReport& report, const Style& style) {
  if (report.pairs.empty()) return "";
  std::vector<PairAccuracy> pairs = report.pairs;
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const PairAccuracy& a, const PairAccuracy& b) { return a.accuracy < b.accuracy; });
  double sum = 0.0;
  for (const PairAccuracy& pair : pairs) sum += pair.accuracy;
  TextTable table;
  table.add({"hardest pairs", "", "accuracy", "rows"});
  for (std::size_t i = 0; i < std::min<std::size_t>(pairs.size(), 5); ++i)
    table.add({escaped_for_terminal(report.labels[pairs[i].first]),
               escaped_for_terminal(report.labels[pairs[i].second]), four_digits(pairs[i].accuracy),
               four_digits(pairs[i].rows)});
  return "\n" + table.text(style) + "  mean of " + counted(pairs.size(), "pair") + " of classes " +
         four_digits(sum / static_cast<double>(pairs.size())) + "\n";
}

// Over classes that occur in rows or predictions: micro pools all rows, macro counts classes alike, weighted by their
// rows. An undefined precision counts 0.
struct Average {
  std::string_view name;
  double precision = 0.0, recall = 0.0, f1 = 0.0;
};

std::vector<Average> averages(const ClassReport& report) {
  const std::size_t k = report.labels.size();
  Average micro{"micro"}, macro{"macro"}, weighted{"weighted"};
  double total = 0.0, right = 0.0, classes = 0.0;
  for (std::size_t i = 0; i < k; ++i) {
    right += report.confused(i, i);
    const ClassScore& each = report.classes[i];
    total += each.rows;
    if (!each.precision && !each.recall) continue;
    ++classes;
    for (const auto& [average, share] : {std::pair{&macro, 1.0}, std::pair{&weighted, each.rows}}) {
      average->precision += share * each.precision.value_or(0.0);
      average->recall += share * each.recall.value_or(0.0);
      average->f1 += share * each.f1.value_or(0.0);
    }
  }
  if (!(total > 0) || !(classes > 0)) return {};
  micro.precision = micro.recall = micro.f1 = right / total;
  for (const auto& [average, all] : {std::pair{&macro, classes}, std::pair{&weighted, total}})
    for (double* value : {&average->precision, &average->recall, &average->f1}) *value /= all;
  return {micro, macro, weighted};
}

// How often rows are right, by their confidence.
std::string reliability_text(const ClassReport& report, const std::string& heading, const Style& style) {
  TextTable bins;
  bins.add({heading, "rows", "mean", "right"});
  for (const ReliabilityBin& bin : report.bins)
    bins.add({number_text(bin.low, 2) + " to " + number_text(bin.high, 2), four_digits(bin.rows),
              four_digits(bin.confidence), four_digits(bin.right)});
  return "\n" + bins.text(style);
}

}  // namespace

std::string class_text(const ClassReport& report, const Style& style) {
  std::string text = "\n";
  text += report.labels.size() <= kMostColumns ? confusion_text(report, style) : confused_text(report, style);
  TextTable table;
  table.add({"class", "precision", "recall", "f1", "rows"});
  for (const ClassScore& each : report.classes)
    table.add({escaped_for_terminal(each.label), four_digits(each.precision), four_digits(each.recall),
               four_digits(each.f1), four_digits(each.rows)});
  if (report.classes.size() > 2)
    for (const Average& each : averages(report))
      table.add({"(" + std::string(each.name) + ")", four_digits(each.precision), four_digits(each.recall),
                 four_digits(each.f1), ""});
  text += "\n" + table.text(style) + pairs_text(report, style);
  if (report.bins.empty()) return text;
  return text + reliability_text(report, "confidence", style) + "  calibration error " +
         four_digits(report.calibration_error) + style.faint(": the mean difference between confidence and accuracy") +
         "\n";
}

std::string uncalibrated_text(const ClassReport& report, const Style& style) {
  const Metric* const loss = find_metric(report.metrics, kNats);
  return reliability_text(report, "uncalibrated", style) + "  calibration error " +
         four_digits(report.calibration_error) +
         (loss != nullptr ? " and log loss " + four_digits(loss->value) : std::string()) + " before calibration\n";
}

namespace report_detail {

void classes(JsonWriter& json, const ClassReport& report) {
  const std::size_t k = report.labels.size();
  json.key("confusion").begin_object();
  texts(json, "labels", report.labels);
  json.key(k <= kMostMatrix ? "counts" : "cells").begin_array();
  for (std::size_t i = 0; i < k && k <= kMostMatrix; ++i) {
    json.begin_array();
    for (std::size_t j = 0; j < k; ++j) json.value(report.confused(i, j));
    json.end_array();
  }
  for (const ConfusionCell& cell : report.confusion)
    if (k > kMostMatrix)
      json.begin_object()
          .member("actual", report.labels[cell.actual])
          .member("predicted", report.labels[cell.predicted])
          .member("rows", cell.rows)
          .end_object();
  json.end_array().end_object();
  json.key("classes").begin_array();
  for (const ClassScore& each : report.classes) {
    json.begin_object().member("label", each.label);
    optional(json, "precision", each.precision);
    optional(json, "recall", each.recall);
    optional(json, "f1", each.f1);
    json.member("rows", each.rows).end_object();
  }
  json.end_array().key("averages").begin_object();
  for (const Average& each : averages(report))
    json.key(each.name)
        .begin_object()
        .member("precision", each.precision)
        .member("recall", each.recall)
        .member("f1", each.f1)
        .end_object();
  json.end_object();
  if (!report.pairs.empty()) {
    json.key("pairs").begin_array();
    for (const PairAccuracy& pair : report.pairs)
      json.begin_object()
          .member("first", report.labels[pair.first])
          .member("second", report.labels[pair.second])
          .member("accuracy", pair.accuracy)
          .member("rows", pair.rows)
          .end_object();
    json.end_array();
  }
  reliability(json, report);
}

void reliability(JsonWriter& json, const ClassReport& report) {
  if (report.bins.empty()) return;
  json.key("reliability").begin_array();
  for (const ReliabilityBin& bin : report.bins)
    json.begin_object()
        .member("low", bin.low)
        .member("high", bin.high)
        .member("rows", bin.rows)
        .member("confidence", bin.confidence)
        .member("right", bin.right)
        .end_object();
  json.end_array().member("calibration_error", report.calibration_error);
}

}  // namespace report_detail
}  // namespace plumb
