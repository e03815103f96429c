#include "plumb/report/comparison.h"

#include <algorithm>
#include <cmath>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/report/comparison_tables.h"
#include "plumb/report/json_parts.h"
#include "plumb/report/style.h"

namespace plumb {
namespace {

constexpr double kChance = 0.05;

std::string roughly(double number) { return number_text(number, 3); }
std::string p_words(double p) { return p < 1e-15 ? "p below 1e-15" : "p " + number_text(p, 2); }

const Metric* find(const ComparedModel& model, std::string_view name) {
  for (const Metric& metric : model.metrics)
    if (metric.name == name) return &metric;
  return nullptr;
}

std::string metric_cell(const ComparedModel& model, std::string_view name) {
  const Metric* metric = find(model, name);
  return metric == nullptr ? "none" : four_digits(metric->value);
}

std::string sentence(const CompareReport& report, const ComparedPair& pair) {
  const std::string better = report.models[pair.better].name, other = report.models[pair.other].name;
  if (!pair.test) return "too few rows to tell " + better + " from " + other;
  const PairedTest& test = *pair.test;
  if (test.difference == 0 && (test.standard_error == 0 || report.labels))
    return better + " and " + other + (report.labels ? " make equally many errors" : " predict the same");
  const std::string by = std::string(report.labels ? "error" : "mean squared error") + " lower by " +
                         roughly(-test.difference) + " (" + roughly(-test.high) + " to " + roughly(-test.low) + ", " +
                         p_words(test.p_value) + ")";
  if (pair.clear) return better + " is better than " + other + ": " + by;
  return "no clear difference: " + better + (report.labels ? " has an " : " has a ") + by + " than " + other +
         ", which may be chance" + (test.p_value < kChance ? " among " + counted(report.pairs.size(), "pair") : "");
}

// One test decides, and the text says which.
std::string rule(const CompareReport& report) {
  if (report.pairs.empty()) return "";
  const std::string test = report.labels ? "McNemar's test of the errors" : "a paired t test of the squared errors";
  return "  decided by " + test + ", row by row: clear if p is below " +
         four_digits(kChance / static_cast<double>(report.pairs.size())) +
         (report.pairs.size() > 1 ? " (0.05 shared among " + counted(report.pairs.size(), "pair") + ")" : "") + "\n";
}

// The pattern of the residuals: a curve first, since another power would correct it.
std::string pattern(const ComparedModel& model) {
  const RunsTest& test = model.runs;
  const bool bends = model.curve && model.curve->p_value < kChance, few = test.p_value < kChance;
  std::string text = model.name + ": " +
                     (bends ? "residuals still bend"
                      : few ? "residuals come in runs"
                            : "none seen");
  if (model.curve)
    text += ", r " + number_text(model.curve->correlation, 2) + " with prediction^2 (" + p_words(model.curve->p_value) +
            ")";
  return text + "; " + counted(test.runs, "run") + " of signs, " + number_text(std::round(10 * test.expected) / 10, 9) +
         " expected (" + p_words(test.p_value) + ")";
}

// The first line after a heading, further ones below it.
std::string lines(const std::string& heading, const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items)
    text += (text.empty() ? "  " + heading + std::string(10 - heading.size(), ' ') : std::string(12, ' ')) +
            escaped_for_terminal(item) + "\n";
  return text;
}

}  // namespace

namespace {

// The model with the least error against each of the others; test(best, other) compares them row by row.
template <class Test>
std::vector<ComparedPair> least_against_others(const std::vector<ComparedModel>& models, const Test& test) {
  const auto value = [&](const ComparedModel& model) {
    const Metric* found = find_metric(model.metrics, kError);
    return found == nullptr ? HUGE_VAL : found->value;
  };
  const auto best = static_cast<std::size_t>(
      std::min_element(models.begin(), models.end(),
                       [&](const ComparedModel& a, const ComparedModel& b) { return value(a) < value(b); }) -
      models.begin());
  std::vector<ComparedPair> pairs;
  for (std::size_t other = 0; other < models.size(); ++other) {
    if (other == best) continue;
    ComparedPair pair{best, other, test(best, other), {}, false};
    pair.clear = pair.test && pair.test->p_value < kChance / static_cast<double>(models.size() - 1);
    pairs.push_back(pair);
  }
  return pairs;
}

}  // namespace

std::vector<ComparedPair> compare_with_best(const std::vector<Predicted>& rows,
                                            const std::vector<ComparedModel>& models, const Run& run) {
  return least_against_others(models, [&](std::size_t best, std::size_t other) {
    return compare_squared_errors(rows[best], rows[other], run);
  });
}

std::vector<ComparedPair> compare_with_best(const std::vector<PredictedClasses>& rows,
                                            const std::vector<ComparedModel>& models) {
  return least_against_others(
      models, [&](std::size_t best, std::size_t other) { return compare_errors(rows[best], rows[other]); });
}

void test_over_folds(std::vector<ComparedPair>& pairs, const std::vector<Predicted>& numbers,
                     const std::vector<PredictedClasses>& classes, const std::vector<std::uint32_t>& fold) {
  if (fold.empty()) return;
  const std::uint32_t folds = *std::max_element(fold.begin(), fold.end()) + 1;
  const auto loss = [&](std::size_t model, std::size_t i) {
    if (!classes.empty()) return classes[model].predicted[i] == classes[model].actual[i] ? 0.0 : 1.0;
    const double error = numbers[model].prediction[i] - numbers[model].target[i];
    return error * error;
  };
  const std::vector<double>& weight = classes.empty() ? numbers.front().weight : classes.front().weight;
  for (ComparedPair& pair : pairs) {
    std::vector<double> difference(folds), total(folds), found;
    for (std::size_t i = 0; i < fold.size(); ++i) {
      difference[fold[i]] += weight[i] * (loss(pair.better, i) - loss(pair.other, i));
      total[fold[i]] += weight[i];
    }
    for (std::uint32_t f = 0; f < folds; ++f)
      if (total[f] > 0) found.push_back(difference[f] / total[f]);
    if (found.size() > 1) pair.over_folds = resampled_mean(found, 1.0 / static_cast<double>(found.size() - 1));
  }
}

std::vector<std::string> verdict(const CompareReport& report) {
  std::vector<std::string> sentences;
  for (const ComparedPair& pair : report.pairs) sentences.push_back(sentence(report, pair));
  return sentences;
}

std::string to_text(const CompareReport& report, const Style& style) {
  std::string text = style.bold(counted(report.models.size(), "model")) + " of " + escaped_for_terminal(report.target) +
                     " on " + counted(report.rows, "row") + ": " + report.method + "\n";
  TextTable table;
  std::vector<std::string> metrics = names_of(report.labels, kCompared);
  std::erase_if(metrics, [&](const std::string& name) {  // of counts, if no model has it
    return !report.labels && std::none_of(report.models.begin(), report.models.end(),
                                          [&](const ComparedModel& model) { return find(model, name) != nullptr; });
  });
  std::vector<std::string> heading = {"model"};
  heading.insert(heading.end(), metrics.begin(), metrics.end());
  heading.push_back("weights");
  if (report.labels) heading.insert(heading.end(), {"seconds", "bytes"});
  table.add(heading);
  for (const ComparedModel& model : report.models) {
    std::vector<std::string> line = {escaped_for_terminal(model.name)};
    for (const std::string& metric : metrics) line.push_back(metric_cell(model, metric));
    line.push_back(count_text(model.weights));
    if (report.labels) line.insert(line.end(), {number_text(model.seconds, 2), bytes_text(model.bytes)});
    table.add(line);
  }
  text += lines("verdict", verdict(report));
  text += rule(report) + table.text(style);
  if (report.traits) text += report_detail::traits_text(report, style) + report_detail::weights_text(report, style);
  if (report.labels) return text;
  std::vector<std::string> patterns;
  for (const ComparedModel& model : report.models) patterns.push_back(pattern(model));
  return text + lines("pattern", patterns);
}

std::string to_json(const CompareReport& report) {
  JsonWriter json = report_detail::start("compare");
  json.member("target", report.target).member("rows", report.rows).member("method", report.method);
  json.member("seed", report.seed).key("models").begin_array();
  for (const ComparedModel& model : report.models) {
    json.begin_object().member("name", model.name).member("model", model.model).key("options").begin_object();
    for (const auto& [name, text] : model.options) {
      if (text.empty()) {
        json.member(name, true);  // a flag
      } else {
        json.member(name, text);
      }
    }
    json.end_object();
    report_detail::metrics(json, "metrics", model.metrics);
    json.member("seconds", model.seconds).member("bytes", model.bytes).key("traits").begin_object();
    json.member("features", model.features).member("weights", model.weights).member("converged", model.converged);
    report_detail::traits(json, model);
    if (report.labels) {
      json.end_object().end_object();
      continue;
    }
    json.key("residual_runs").begin_object().member("runs", model.runs.runs).member("expected", model.runs.expected);
    json.member("p_value", model.runs.p_value).end_object().key("residual_curve");
    if (model.curve) {
      json.begin_object().member("correlation", model.curve->correlation);
      json.member("p_value", model.curve->p_value).end_object();
    } else {
      json.null();
    }
    json.end_object().end_object();
  }
  json.end_array().key("tests").begin_array();
  for (const ComparedPair& pair : report.pairs) {
    json.begin_object().member("test", report.labels ? "McNemar's of errors" : "paired t of squared errors");
    json.member("better", report.models[pair.better].name).member("other", report.models[pair.other].name);
    const auto number = [&](std::string_view key, double PairedTest::*field) {
      report_detail::optional(json, key, pair.test ? std::optional(*pair.test.*field) : std::nullopt);
    };
    number("difference", &PairedTest::difference);
    number("standard_error", &PairedTest::standard_error);
    number("low", &PairedTest::low);
    number("high", &PairedTest::high);
    number("p_value", &PairedTest::p_value);
    json.member("clear", pair.clear);
    if (pair.over_folds) {
      json.key("over_folds").begin_object().member("test", "corrected resampled t");
      json.member("difference", pair.over_folds->mean).member("standard_error", pair.over_folds->standard_error);
      json.member("p_value", pair.over_folds->p_value).end_object();
    }
    json.end_object();
  }
  json.end_array();
  report_detail::weights(json, report);
  report_detail::texts(json, "verdict", verdict(report));
  report_detail::texts(json, "warnings", report.warnings);
  json.member("seconds", report.seconds).end_object();
  return json.take();
}

}  // namespace plumb
