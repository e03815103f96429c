// Reports as text for people.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/evaluate/calibration.h"
#include "plumb/evaluate/threshold.h"
#include "plumb/infer/robust_errors.h"
#include "plumb/infer/weight_tests.h"
#include "plumb/report/inference_text.h"
#include "plumb/report/kept_path.h"
#include "plumb/report/ledger_report.h"
#include "plumb/report/likelihood_text.h"
#include "plumb/report/model_rows.h"
#include "plumb/report/naive_bayes_tables.h"
#include "plumb/report/report.h"
#include "plumb/report/style.h"
#include "plumb/report/weight_cells.h"
#include "plumb/solver/solver.h"
#include "plumb/train/firth.h"

namespace plumb {
namespace {

constexpr int kDigits = 4;
constexpr int kIntervalDigits = 3;         // more would exceed the precision of any interval
constexpr std::size_t kShortEquation = 3;  // features that still fit on a line

std::string signed_text(double number) { return (number < 0 ? "- " : "+ ") + four_digits(std::abs(number)); }

const Metric* find_metric_named(const std::vector<Metric>& metrics, std::string_view name) {
  const auto found =
      std::find_if(metrics.begin(), metrics.end(), [&](const Metric& metric) { return metric.name == name; });
  return found == metrics.end() ? nullptr : &*found;
}

// Three digits, plus as many as the two ends share.
std::string interval_text(double low, double high) {
  int digits = 3;
  for (double size = std::max(std::abs(low), std::abs(high)) / 10; size > high - low && digits < kDigits; size /= 10)
    ++digits;
  return number_text(low, digits) + " to " + number_text(high, digits);
}

// A line has space for some metrics; evaluate shows all.
std::string metric_line(const std::vector<Metric>& metrics) {
  std::string line;
  for (const Metric& metric : metrics) {
    if (const MetricEntry* const entry = find_entry(metric.name); entry != nullptr && (entry->uses & kShort) == 0)
      continue;
    line += (line.empty() ? "" : "   ") + metric.name + " " + four_digits(metric.value);
    if (metric.low && metric.high) line += " (" + interval_text(*metric.low, *metric.high) + ")";
  }
  return line;
}

// The trainer's results that people compare, by their names in Record::fit.
constexpr std::pair<std::string_view, std::string_view> kFitNames[] = {{"residual_sum_of_squares", "squared error"},
                                                                       {"residual_sd", "residual sd"},
                                                                       {"r_squared", "R^2"},
                                                                       {"training_errors", "training errors"}};

// ln P(D) = sum ln P(y | x) + sum ln P(x), as a mean over rows; a complement has no P(x).
std::string likelihood_line(const Record& record) {
  const Statistic* const classes = find_statistic(record, "class_weights");
  const auto* const weights = classes == nullptr ? nullptr : std::get_if<std::vector<double>>(&classes->values);
  const double rows = weights == nullptr ? static_cast<double>(record.train_rows)
                                         : std::accumulate(weights->begin(), weights->end(), 0.0);
  std::string line;
  for (const auto& [name, words] :
       {std::pair("joint_log_likelihood", "ln P(x, y) "), std::pair("conditional_log_likelihood", "ln P(y | x) ")})
    if (const double* const sum = find_number(record, name); sum != nullptr && rows > 0)
      line += (line.empty() ? "" : ", ") + std::string(words) + four_digits(*sum / rows);
  return line.empty() ? "" : line + " a row";
}

std::string fit_line(const Record& record) {
  std::string line = likelihood_line(record);
  for (const auto& [name, words] : kFitNames)
    if (const double* value = find_number(record, name))
      line += (line.empty() ? "" : "   ") + std::string(words) + " " + four_digits(*value);
  if (line.empty()) line = "objective " + four_digits(record.objective);
  return line + "   on " + counted(record.train_rows, "row");
}

// "  calibrated by sigmoid: out-of-fold log loss 0.41 -> 0.23", and the threshold that was saved.
std::string calibration_line(const LinearModel& model, const Record& record) {
  std::string threshold;
  if (model.parts().threshold != 0.5) {
    const double* const cost = find_number(record, kThresholdCost);
    threshold = "  threshold " + four_digits(model.parts().threshold) +
                (cost != nullptr ? ": cost " + four_digits(*cost) + " per out-of-fold row" : "") + "\n";
  }
  const double* const after = find_number(record, kLogLossAfter);
  if (after == nullptr) return threshold;
  const double* const before = find_number(record, kLogLossBefore);
  return "  calibrated by " + std::string(calibration_name(model)) + ": out-of-fold log loss " +
         (before != nullptr ? four_digits(*before) + " -> " : "") + four_digits(*after) + "\n" + threshold;
}

// What the scores are of: the target, or a formula of it.
std::string fitted_target(const LinearModel& model, const Record& record) {
  const std::optional<TargetScale>& scale = model.parts().target;
  return escaped_for_terminal(scale ? scale->formula().text() : record.target);
}

// "weight = -39.1 + 61.3 height", for models that fit on a line.
std::string equation(const LinearModel& model, const Record& record) {
  if (!model.predicts_numbers() || model.features() > kShortEquation) return "";
  std::vector<double> w(model.features());
  model.parts().weights.row(0, w);
  const double bias = model.parts().bias[0];
  std::string sum = bias != 0 ? four_digits(bias) : "";
  for (std::uint32_t j = 0; j < model.features(); ++j) {
    if (std::find(record.aliased.begin(), record.aliased.end(), j) != record.aliased.end()) continue;
    if (model.parts().weights.form() == Weights::Form::sparse && w[j] == 0.0) continue;
    sum += (sum.empty() ? four_digits(w[j]) : " " + signed_text(w[j])) + " " +
           escaped_for_terminal(model.parts().map.name(j));
  }
  const std::string target = fitted_target(model, record);
  return (model.parts().link == Link::log ? "log(" + target + ")" : target) + " = " + (sum.empty() ? "0" : sum);
}

// "pass" has an irregular plural.
std::string passes(std::uint64_t count) { return count_text(count) + (count == 1 ? " pass" : " passes"); }

// A fit that fell short says so first; one without a certificate claims nothing.
std::string solver_line(const Record& record, bool details) {
  const Certificate& certificate = record.certificate;
  const bool gap = certificate.kind == "gap";
  std::string line = escaped_for_terminal(record.solver) + ": ";
  if (const std::string ledger = report_detail::ledger_line(record); !ledger.empty()) return line + ledger;
  if (record.solver == kNoSolver)
    return line + "the weights of --start, relative gap " + number_text(certificate.value, 2);
  if (!record.converged) {
    line += certificate.kind.empty() ? "stopped" : "did not converge";  // it minimises nothing
  } else {
    line += find_number(record, "stopped_by_rule") != nullptr ? "stopped by the rule of --stop"
            : gap                                             ? "optimum certified"
            : certificate.kind.empty()                        ? "finished"
                                                              : "converged";
  }
  if (!certificate.kind.empty())
    line += ", " + (gap ? "relative gap" : escaped_for_terminal(certificate.kind)) + " " +
            number_text(certificate.value, 2);
  // A solver that counts passes over the data separately needs several for a step.
  line += " after " +
          (find_number(record, "passes") != nullptr ? counted(record.iterations, "step") : passes(record.iterations));
  if (const double* digits = find_number(record, "digits"); details && digits != nullptr)
    line += ", " + number_text(*digits, 3) + " digits certain";
  return line;
}

// ", l2 0.5": the penalty added to the loss. Empty if nothing was minimised.
std::string penalty(const Record& record) {
  if (record.certificate.kind.empty()) return "";
  std::string text;
  for (const std::string_view name : {"l2", "l1"}) {
    if (const double* value = find_number(record, name)) {
      if (*value != 0) text += ", " + std::string(name) + " " + three_digits(*value);
      continue;
    }
    for (const auto& [option, value] : record.options)
      if (option == name) text += ", " + option + " " + escaped_for_terminal(value);
  }
  if (find_number(record, "l2_in_spreads") != nullptr) text += " (numbers in standard deviations)";
  if (find_number(record, kFirthLikelihood) != nullptr) return ", Firth's penalty";
  return text.empty() ? ", no penalty" : text;
}

// The meaning of a row of a model with labels.
std::string row_heading(const LinearModel& model, std::uint64_t r) {
  if (const std::string* label = row_label(model, r)) return escaped_for_terminal(*label);
  return "voter " + count_text(r + 1) + " of " + count_text(model.rows()) + ", " + four_digits(model.parts().votes[r]) +
         " votes";
}

// Of the many voters the last is shown: its one row, or its row for each label.
bool of_last_voter(const LinearModel::Parts& parts, std::uint64_t r) {
  if (parts.link != Link::vote) return true;
  const std::vector<std::uint32_t>& chains = parts.weights.chains();
  if (chains.empty()) return r + 1 == parts.votes.size();
  return std::find(chains.begin() + static_cast<std::ptrdiff_t>(r) + 1, chains.end(), chains[r]) == chains.end();
}

// More than two labels: how many voters there are.
std::string voters_line(const LinearModel::Parts& parts) {
  if (parts.weights.chains().empty()) return "";
  const auto voters = static_cast<std::uint64_t>(
      std::count_if(parts.votes.begin(), parts.votes.end(), [](double votes) { return votes > 0.0; }));
  return "the last of " + counted(voters, "voter") + ", its hyperplanes in the order of their last change\n";
}

std::string vetoes_cell(std::int32_t count) { return count == 0 ? "" : std::to_string(count); }

// A label whose row has the most vetoes is not predicted, whatever its score.
std::string vetoes_line(const LinearModel& model) {
  const std::vector<std::string>& labels = model.parts().labels;
  return "vetoes: " +
         (model.rows() > 1 ? std::string("how many present features rule the label out")
                           : "how many present features rule out " + escaped_for_terminal(labels[1]) +
                                 ", minus how many rule out " + escaped_for_terminal(labels[0])) +
         "; (bias) counts missing features and priors of 0; the label with the fewest vetoes is predicted, and scores "
         "break ties";
}

// "price = 9.9", or "kind = oak, score 1.5 of oak".
std::string prediction_text(const ExplainReport& report, const Explanation& why, const Style& style) {
  const LinearModel::Parts& parts = report.saved->model.parts();
  const std::string target = escaped_for_terminal(report.saved->record.target) + " = ";
  if (parts.link == Link::identity && why.prediction.value == why.score)
    return style.bold(target + four_digits(why.score));
  if (parts.link == Link::identity)
    return style.bold(target + four_digits(why.prediction.value)) + ", score " + four_digits(why.score);
  if (parts.link == Link::log)
    return style.bold(target + four_digits(why.prediction.value)) + ", e^" + four_digits(why.score);
  const bool one_of_voters = parts.link == Link::vote && !parts.weights.chains().empty();
  return style.bold(target + escaped_for_terminal(parts.labels[why.prediction.label])) + ", score " +
         four_digits(why.score) + " for " + row_heading(report.saved->model, why.model_row) +
         (why.mean_score ? ", above the mean of all labels" : "") +
         (one_of_voters ? ", for the voter with the most votes for it" : "");
}

// No present feature rules it out: an absent one does, or the prior.
std::string cause_of(const std::vector<std::string>& names) {
  return names.empty() ? "features the row lacks, or a prior of 0" : listed(names);
}

std::string vetoes_text(const LinearModel::Parts& parts, const DecidedByVetoes& vetoes) {
  std::vector<std::string> names;
  for (const std::uint32_t feature : vetoes.features) names.push_back(parts.map.name(feature));
  return "decided by vetoes, not by scores: " + escaped_for_terminal(parts.labels[vetoes.instead_of]) +
         ", which has the best score, is ruled out by " + cause_of(names) + "\n";
}

std::string ruled_out_text(const LinearModel::Parts& parts, const std::vector<RuledOut>& labels) {
  std::string text;
  for (const RuledOut& each : labels) {
    std::vector<std::string> names;
    for (const std::uint32_t feature : each.features) names.push_back(parts.map.name(feature));
    text += (text.empty() ? "" : "; ") + escaped_for_terminal(parts.labels[each.label]) + " is ruled out by " +
            cause_of(names);
  }
  return (labels.size() + 1 == parts.labels.size() ? "decided by vetoes, and the scores agree: " : "") + text + "\n";
}

std::string impossible_text(const LinearModel::Parts& parts, const std::vector<RuledOut>& labels) {
  std::string text;
  for (const RuledOut& each : labels) {
    std::vector<std::string> names;
    for (const std::uint32_t feature : each.features) names.push_back(parts.map.name(feature));
    text += (text.empty() ? "impossible in every class: " : "; ") + escaped_for_terminal(parts.labels[each.label]) +
            " is ruled out by " + listed(names);
  }
  return text + "\n";
}

// The tokens of a text in lines, each with its part of the score if it has one: "a dull(-0.65) film".
std::string marked_text(const MarkedText& marked, const Style& style) {
  constexpr std::size_t kMostTokens = 400;
  std::string text = escaped_for_terminal(marked.column) + ":";
  std::size_t column = display_width(text);
  for (std::size_t i = 0; i < std::min(marked.tokens.size(), kMostTokens); ++i) {
    const MarkedToken& each = marked.tokens[i];
    const std::string token = escaped_for_terminal(each.token);
    const std::string part = each.contribution == 0.0 ? ""
                                                      : "(" + std::string(each.contribution > 0 ? "+" : "") +
                                                            number_text(each.contribution, 2) + ")";
    const std::size_t width = display_width(token) + part.size() + 1;
    const bool breaks = column + width > style.width;
    text += breaks ? "\n  " : " ";
    column = breaks ? width + 1 : column + width;
    text += part.empty()            ? style.faint(token)
            : each.contribution > 0 ? style.green(token + part)
                                    : style.red(token + part);
  }
  if (marked.tokens.size() > kMostTokens) text += " ... (" + count_text(marked.tokens.size() - kMostTokens) + " more)";
  return text + "\n";
}

constexpr double kRareLabel = 0.2;  // a share of the training rows below which accuracy alone misleads

// The share of the rarest label among the training rows; 1 if unknown.
double rarest_share(const Record& record) {
  const Statistic* const classes = find_statistic(record, "class_weights");
  const auto* const weights = classes == nullptr ? nullptr : std::get_if<std::vector<double>>(&classes->values);
  if (weights == nullptr || weights->empty()) return 1.0;
  const double total = std::accumulate(weights->begin(), weights->end(), 0.0);
  return total > 0.0 ? *std::min_element(weights->begin(), weights->end()) / total : 1.0;
}

// "  spam      precision 0.91 (0.85 to 0.95)   recall ...": for the positive label, if classes are unbalanced.
std::string positive_text(const TrainReport& report) {
  const std::vector<std::string>& labels = report.model.parts().labels;
  if (labels.size() < 2 || rarest_share(report.record) >= kRareLabel) return "";
  std::string line;
  for (const std::string_view name : {"precision", "recall", "f1"}) {
    const Metric* const metric = find_metric_named(report.heldout, name);
    if (metric == nullptr) continue;
    line += (line.empty() ? "" : "   ") + metric->name + " " + four_digits(metric->value);
    if (metric->low && metric->high) line += " (" + interval_text(*metric->low, *metric->high) + ")";
  }
  if (line.empty()) return "";
  return (labels.size() == 2 ? "  positive  " : "  classes   ") + line + "   " +
         (labels.size() == 2 ? "of " + in_quotes(labels.back()) : "means over classes") + "\n";
}

// The first question of a reader: the score on held-out rows, beside the baseline.
std::string score_text(const TrainReport& report, const Style& style) {
  if (report.heldout.empty()) return "no held-out rows: the model is not scored\n";
  const Metric& first = report.heldout.front();
  const Metric* const beside = find_metric_named(report.baseline, first.name);
  std::string text = style.bold(first.name + " " + four_digits(first.value)) + " on " +
                     counted(report.record.test_rows, "held-out row") +
                     (beside == nullptr ? "" : " (baseline " + four_digits(beside->value) + ")") + "\n";
  text += "  held out  " + metric_line(report.heldout) + "\n" + positive_text(report);
  return text + "  baseline  " + metric_line(report.baseline) + "   " + style.faint(report.baseline_name) + "\n";
}

}  // namespace

std::string to_text(const TrainReport& report, const Style& style) {
  const Record& record = report.record;
  const LinearModel& model = report.model;
  std::string text = score_text(report, style);
  if (!report.development.empty())
    text +=
        "  dev       " + metric_line(report.development) + "   on " + counted(report.development_rows, "row") + "\n";
  text += "  model     " + style.bold(escaped_for_terminal(record.model)) + penalty(record) + ": " +
          fitted_target(model, record) + " from " + counted(model.features(), "feature") + ", trained on " +
          counted(record.train_rows, "row") + "\n";
  if (const std::string line = equation(model, record); !line.empty()) text += "            " + line + "\n";
  text += sparse_lines(model, record, style);
  text += to_text(report.search, style, report.details);
  text += calibration_line(model, record);
  text += verdict_text(report.verdict, style);
  if (!report.file.empty()) {
    text += "  saved     " + escaped_for_terminal(report.file) + " (" + bytes_text(report.bytes) + ")\n";
    text += "  next      " + style.faint("plumb inspect " + escaped_for_terminal(as_typed(report.file))) + "\n";
  }
  text += "  training  " + fit_line(record) + "\n";
  text += "  solver    " + solver_line(record, report.details) + "\n";
  return text + "  time      " + number_text(report.seconds, 3) + " s\n";
}

std::string to_text(const InspectReport& report, const Style& style) {
  const LinearModel& model = report.saved.model;
  const Record& record = report.saved.record;
  std::string text = style.bold(escaped_for_terminal(record.model)) + ": " + fitted_target(model, record) + " from " +
                     counted(model.features(), "feature") + ", link " + std::string(name_of(model.parts().link)) + "\n";
  text += "  training  " + fit_line(record) +
          (record.test_rows > 0 ? ", " + count_text(record.test_rows) + " held out" : "");
  if (const double* const uses = find_number(record, "test_uses"); uses != nullptr && *uses > 1.0)
    text += ", the " + number_text(*uses) + ". use of a test";
  text += "\n";
  text += "  solver    " + solver_line(record, true);
  if (const double* condition = find_number(record, "condition_number"))
    text += ", condition " + number_text(*condition, 2);
  text += "\n" + sparse_lines(model, record, style) + calibration_line(model, record) + "  made with seed " +
          std::to_string(record.seed);
  if (!record.data_digest.empty()) text += ", data " + escaped_for_terminal(record.data_digest);
  for (const auto& [name, value] : record.options)
    text += ", --" + escaped_for_terminal(name) + (value.empty() ? "" : " " + escaped_for_terminal(value));
  if (!record.search.empty())
    text += "\n  chosen by " + escaped_for_terminal(record.search.front()) +
            "; without a search:\n    plumb train ... " + escaped_for_terminal(record.search.back());
  text += "\n\n";

  const std::unordered_set<std::uint32_t> aliased(record.aliased.begin(), record.aliased.end());
  const std::optional<WeightTests> tests = weight_tests(model, record);
  text += voters_line(model.parts());
  const double* const l1 = find_number(record, "l1");
  const bool sparse = (l1 != nullptr && *l1 > 0.0) || find_number(record, "selected_by_l1") != nullptr;
  const std::optional<std::uint64_t> reference = tests ? reference_row(model, record) : std::nullopt;
  if (reference)
    text += "weights: log-odds against " + escaped_for_terminal(model.parts().labels[*reference]) +
            ", the reference label\n\n";
  bool any_none = false, first = true;
  // Of a softmax with errors: differences from the weights of its reference.
  const std::vector<double> zero = reference_weights(model, record);
  const bool above_mean = ranks_above_mean(report.saved, report.top);
  for (ModelRows rows(model, report.top, above_mean, feature_spreads(record)); rows.next();) {
    const std::uint64_t r = rows.number();
    if (!of_last_voter(model.parts(), r) || r == reference) continue;
    TextTable table;
    std::vector<std::string> heading = weight_heading(record, tests);
    std::vector<std::string> bias =
        weight_line("(bias)", model.parts().bias[r] - zero.back(), record, tests, &ModelNumbers::bias, r);
    if (above_mean) {
      heading.emplace_back("above mean");
      bias.emplace_back("");
    }
    if (model.has_vetoes()) {
      heading.emplace_back("vetoes");
      bias.push_back(vetoes_cell(model.parts().veto_base.empty() ? 0 : model.parts().veto_base[r]));
    }
    table.add(std::move(heading));
    table.add(std::move(bias));
    for (const std::uint32_t j : rows.shown()) {
      if (sparse && rows.weights()[j] == 0.0) continue;  // they are counted above
      const std::string name = escaped_for_terminal(model.parts().map.name(j));
      any_none = any_none || aliased.contains(j);
      std::vector<std::string> cells;
      if (aliased.contains(j))
        cells = {name, "none"};
      else if (j == model.parts().map.offset())
        cells = {name, four_digits(rows.weights()[j]) + " fixed"};
      else
        cells = weight_line(name, rows.weights()[j] - zero[j], record, tests, &ModelNumbers::weights,
                            r * model.features() + j);
      if (above_mean) cells.push_back(four_digits(rows.above_mean(j)));
      if (model.has_vetoes()) cells.push_back(vetoes_cell(rows.vetoes(j)));
      table.add(std::move(cells));
    }
    if (!model.parts().labels.empty())
      text += (r == 0 || (first && reference) ? "" : "\n") + style.bold(row_heading(model, r)) + "\n";
    first = false;
    text += table.text(style);
    std::uint64_t more = rows.more();
    for (const double each : rows.weights()) more -= sparse && each == 0.0 && more > 0 ? 1 : 0;
    if (more > 0) text += style.faint("... " + count_text(more) + " more; --top all shows every weight") + "\n";
  }
  if (model.has_vetoes()) text += style.faint(vetoes_line(model)) + "\n";
  if (const std::string lines = path_text(model, record, report.all, style); !lines.empty()) text += "\n" + lines;
  if (any_none) text += style.faint("none: a linear combination of other features, within rounding") + "\n";
  if (const std::string lines = inference_lines(model, record); !lines.empty()) text += "\n" + lines;
  if (const std::string why = no_tests_text(model, record); !why.empty()) text += "\n" + style.faint(why) + "\n";
  text += term_table(model, record, style) + ratio_table(report.saved, report.top, style);
  if (const std::optional<BayesTables> tables = bayes_tables(report.saved))
    text += "\n" + to_text(*tables, model.parts().map, report.top, style);
  return text + report_detail::ledger_text(record, style);
}

std::string to_text(const ExplainReport& report, const Style& style) {
  const LinearModel::Parts& parts = report.saved->model.parts();
  std::string text;
  for (const ExplainedRow& row : report.rows) {
    const Explanation& why = row.explanation;
    text += (text.empty() ? "" : "\n") + std::string("row ") + count_text(row.row) + ": " +
            prediction_text(report, why, style) +
            (row.probability ? ", probability " + four_digits(*row.probability) : "") +
            (row.actual ? "; actual " + escaped_for_terminal(*row.actual) : "") + "\n";
    if (why.vetoes) text += vetoes_text(parts, *why.vetoes);
    if (!why.ruled_out.empty() && why.impossible.empty()) text += ruled_out_text(parts, why.ruled_out);
    if (!why.impossible.empty()) text += impossible_text(parts, why.impossible);
    for (const MarkedText& marked : row.texts)
      if (!marked.tokens.empty()) text += marked_text(marked, style);
    TextTable table;
    table.add({"feature", "value", "weight", "contribution"});
    table.add({"(bias)", "", "", four_digits(why.bias)});
    const RestOfContributions rest = rest_after(why, report.top);
    for (std::size_t k = 0; k < why.contributions.size() - rest.count; ++k) {
      const Contribution& each = why.contributions[k];
      table.add({escaped_for_terminal(parts.map.name(each.feature)), four_digits(each.value), four_digits(each.weight),
                 four_digits(each.contribution)});
    }
    if (rest.count > 0) table.add({"(" + count_text(rest.count) + " more)", "", "", four_digits(rest.contribution)});
    text += table.text(style);
  }
  if (report.rows.empty() && report.searched) text += "no mistakes in " + counted(*report.searched, "row") + "\n";
  if (report.more_rows) text += style.faint("... more rows: --rows 0 explains them all") + "\n";
  return text;
}

}  // namespace plumb
