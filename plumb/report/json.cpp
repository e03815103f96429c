// Reports as JSON: one object, "schema": 1, numbers in shortest round-trip form, null where there is no number.
#include <algorithm>
#include <optional>
#include <unordered_set>
#include <variant>

#include "plumb/evaluate/calibration.h"
#include "plumb/infer/least_squares_terms.h"
#include "plumb/infer/model_terms.h"
#include "plumb/infer/weight_tests.h"
#include "plumb/math/special.h"
#include "plumb/report/json_parts.h"
#include "plumb/report/kept_path.h"
#include "plumb/report/ledger_report.h"
#include "plumb/report/likelihood_text.h"
#include "plumb/report/model_rows.h"
#include "plumb/report/naive_bayes_tables.h"
#include "plumb/report/report.h"
#include "plumb/report/trace.h"

namespace plumb {
namespace {

using report_detail::ledger_json;
using report_detail::metrics;
using report_detail::start;
using report_detail::texts;

void certificate(JsonWriter& json, const Certificate& certificate) {
  json.key("certificate")
      .begin_object()
      .member("kind", certificate.kind)
      .member("value", certificate.value)
      .end_object();
}

void fit(JsonWriter& json, const Record& record) {
  json.key("fit").begin_object();
  for (const auto& [name, value] : record.fit) json.member(name, value);
  json.end_object();
}

void calibration(JsonWriter& json, const LinearModel& model, const Record& record) {
  const double* const after = find_number(record, kLogLossAfter);
  if (after == nullptr) return;
  json.key("calibration").begin_object().member("by", calibration_name(model));
  report_detail::optional(json, "log_loss_before",
                          find_number(record, kLogLossBefore) != nullptr
                              ? std::optional(*find_number(record, kLogLossBefore))
                              : std::nullopt);
  json.member("log_loss_after", *after).end_object();
}

void label(JsonWriter& json, const std::string* label) {
  json.key("label");
  if (label == nullptr) {
    json.null();
  } else {
    json.value(*label);
  }
}

// How often a feature vetoes the row, without those that never do, and the row without any feature.
void vetoes(JsonWriter& json, const LinearModel& model, std::uint64_t r, const std::vector<std::string>& names) {
  const LinearModel::Parts& parts = model.parts();
  json.key("vetoes").begin_object().member("base", parts.veto_base.empty() ? 0 : parts.veto_base[r]);
  json.key("features").begin_object();
  const auto index = parts.vetoes.row_index(r);
  for (std::size_t i = 0; i < index.size(); ++i) json.member(names[index[i]], parts.vetoes.row_values(r)[i]);
  json.end_object().end_object();
}

// {label, bias, weights: {name: w}} for each row: the model's own numbers, or others of that shape. null for features
// without a weight of their own; with --top also the number of the others.
void model_rows(JsonWriter& json, std::string_view key, const InspectReport& report,
                const std::vector<std::string>& names, const ModelNumbers* others) {
  const LinearModel& model = report.saved.model;
  const std::vector<std::uint32_t>& none = report.saved.record.aliased;
  const std::unordered_set<std::uint32_t> aliased(none.begin(), none.end());
  const std::vector<double>& bias = others != nullptr ? others->bias : model.parts().bias;
  json.key(key).begin_array();
  for (ModelRows rows(model, report.top, ranks_above_mean(report.saved, report.top),
                      feature_spreads(report.saved.record));
       rows.next();) {
    const std::uint64_t r = rows.number();
    const In weights = others == nullptr         ? rows.weights()
                       : others->weights.empty() ? In()
                                                 : In(others->weights).subspan(r * model.features(), model.features());
    json.begin_object();
    label(json, row_label(model, r));
    json.key("bias");
    if (bias.empty()) {
      json.null();
    } else {
      json.value(bias[r]);
    }
    if (others == nullptr && !model.parts().votes.empty()) json.member("votes", model.parts().votes[r]);
    json.key("weights").begin_object();
    for (const std::uint32_t j : rows.shown()) {
      json.key(names[j]);
      // An offset's weight is fixed, so it has no error.
      const bool fixed = others != nullptr && j == model.parts().map.offset();
      if (aliased.contains(j) || fixed || weights.empty()) {
        json.null();
      } else {
        json.value(weights[j]);
      }
    }
    json.end_object();
    if (others == nullptr && model.has_vetoes()) vetoes(json, model, r, names);
    if (report.top != 0) json.member("more", rows.more());
    json.end_object();
  }
  json.end_array();
}

// VIF of each feature, if the record has them.
void inflation(JsonWriter& json, const InspectReport& report, const std::vector<std::string>& names) {
  const Statistic* const found = find_statistic(report.saved.record, "vif");
  const auto* const values = found == nullptr ? nullptr : std::get_if<std::vector<double>>(&found->values);
  if (values == nullptr || values->size() != report.saved.model.rows() * names.size()) return;
  const ModelNumbers numbers{{}, *values};
  model_rows(json, "vif", report, names, &numbers);
}

// e^weight, for links where that is a ratio of odds or of means.
void ratios(JsonWriter& json, const InspectReport& report, const std::vector<std::string>& names,
            const WeightTests& tests) {
  const LinearModel& model = report.saved.model;
  std::string name = ratio_name(model);
  if (name.empty() || !(tests.normal || tests.bootstrap)) return;
  std::replace(name.begin(), name.end(), ' ', '_');
  const std::vector<double> zero = reference_weights(model, report.saved.record);
  ModelNumbers ratio, low = tests.low, high = tests.high;
  std::vector<double> row(model.features());
  for (std::uint64_t r = 0; r < model.rows(); ++r) {
    ratio.bias.push_back(math::exp(model.parts().bias[r] - zero.back()));
    model.parts().weights.row(r, row);
    for (std::size_t j = 0; j < row.size(); ++j) ratio.weights.push_back(math::exp(row[j] - zero[j]));
  }
  for (ModelNumbers* const each : {&low, &high})
    for (std::vector<double>* const part : {&each->bias, &each->weights}) math::exp(*part, *part);
  json.key(name + "s").begin_object();
  model_rows(json, "ratio", report, names, &ratio);
  model_rows(json, "low", report, names, &low);
  model_rows(json, "high", report, names, &high);
  json.end_object();
}

// Of a softmax with errors, which are those of the differences from its reference.
void contrasts(JsonWriter& json, const InspectReport& report, const std::vector<std::string>& names) {
  const LinearModel& model = report.saved.model;
  const std::optional<std::uint64_t> reference = reference_row(model, report.saved.record);
  if (!reference) return;
  const std::vector<double> zero = reference_weights(model, report.saved.record);
  ModelNumbers numbers;
  std::vector<double> row(model.features());
  for (std::uint64_t r = 0; r < model.rows(); ++r) {
    model.parts().weights.row(r, row);
    for (std::size_t j = 0; j < row.size(); ++j) numbers.weights.push_back(row[j] - zero[j]);
    numbers.bias.push_back(model.parts().bias[r] - zero.back());
  }
  json.key("contrasts").begin_object().member("reference", model.parts().labels[*reference]);
  model_rows(json, "rows", report, names, &numbers);
  json.end_object();
}

void quantiles(JsonWriter& json, const Record& record) {
  const Statistic* const found = find_statistic(record, kResidualQuantiles);
  const auto* const values = found == nullptr ? nullptr : std::get_if<std::vector<double>>(&found->values);
  constexpr const char* kNames[] = {"min", "lower_quartile", "median", "upper_quartile", "max"};
  if (values == nullptr || values->size() != std::size(kNames)) return;
  json.key(kResidualQuantiles).begin_object();
  for (std::size_t i = 0; i < values->size(); ++i) json.member(kNames[i], (*values)[i]);
  json.end_object();
}

// The joint tests of terms.
void terms(JsonWriter& json, const LinearModel& model, const Record& record) {
  const std::vector<TermTest> tests = term_tests(model.parts().map, record);
  if (tests.empty()) return;
  const bool f = find_statistic(record, kTermSquares) != nullptr;
  json.key("terms").begin_array();
  for (const TermTest& each : tests) {
    json.begin_object().member("term", each.name).member("degrees", each.degrees);
    if (f) json.member("sum_of_squares", each.squares);
    json.member(f ? "f" : "chi_square", each.statistic).member("p", each.p).end_object();
  }
  json.end_array();
}

// The penalties that --l2 auto tried.
void ridge_path(JsonWriter& json, const Record& record) {
  const Statistic* const found = find_statistic(record, "ridge_path");
  const auto* const values = found == nullptr ? nullptr : std::get_if<std::vector<double>>(&found->values);
  if (values == nullptr || values->size() % 4 != 0) return;
  json.key("ridge_path").begin_array();
  for (std::size_t i = 0; i < values->size(); i += 4)
    json.begin_object()
        .member("l2", (*values)[i])
        .member("effective_weights", (*values)[i + 1])
        .member("loo_rmse", (*values)[i + 2])
        .member("gcv", (*values)[i + 3])
        .end_object();
  json.end_array();
}

void ruled_out_json(JsonWriter& json, std::string_view key, const LinearModel::Parts& parts,
                    const std::vector<RuledOut>& labels) {
  if (labels.empty()) return;
  json.key(key).begin_array();
  for (const RuledOut& each : labels) {
    std::vector<std::string> names;
    for (const std::uint32_t feature : each.features) names.push_back(parts.map.name(feature));
    json.begin_object().member("label", parts.labels[each.label]);
    texts(json, "features", names);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string to_json(const TrainReport& report) {
  const Record& record = report.record;
  JsonWriter json = start("train");
  json.member("model", record.model).member("solver", record.solver).member("target", record.target);
  json.key("rows").begin_object().member("train", record.train_rows).member("test", record.test_rows).end_object();
  texts(json, "features", report.model.parts().map.names());
  texts(json, "labels", report.model.parts().labels);
  json.member("objective", record.objective)
      .member("converged", record.converged)
      .member("iterations", record.iterations);
  certificate(json, record.certificate);
  fit(json, record);
  calibration(json, report.model, record);
  ledger_json(json, record);
  if (!report.development.empty()) metrics(json, "development", report.development);
  metrics(json, "heldout", report.heldout);
  metrics(json, "baseline", report.baseline);
  report_detail::verdict(json, report.verdict);
  if (!report.search.empty()) write(json, report.search);
  if (!report.solver_reason.empty()) json.member("solver_reason", report.solver_reason);
  if (!report.trace.empty()) add_trace(json, report.trace);
  texts(json, "warnings", report.warnings);
  if (!report.file.empty()) json.member("file", report.file).member("bytes", report.bytes);
  report.memory.add_to(json);
  json.member("seconds", report.seconds).end_object();
  return json.take();
}

std::string to_json(const InspectReport& report) {
  const LinearModel& model = report.saved.model;
  const Record& record = report.saved.record;
  const std::vector<std::string> names = model.parts().map.names();
  JsonWriter json = start("inspect");
  json.member("model", record.model)
      .member("solver", record.solver)
      .member("link", name_of(model.parts().link))
      .member("target", record.target);
  texts(json, "labels", model.parts().labels);
  texts(json, "features", names);
  model_rows(json, "rows", report, names, nullptr);
  contrasts(json, report, names);
  if (!record.standard_errors.empty()) model_rows(json, "standard_errors", report, names, &record.standard_errors);
  if (const std::optional<WeightTests> tests = weight_tests(model, record)) {
    if (!tests->bootstrap) model_rows(json, tests->normal ? "z" : "t", report, names, &tests->t);
    if (!tests->chi_square.empty()) model_rows(json, "chi_square", report, names, &tests->chi_square);
    if (!tests->bootstrap) model_rows(json, "p", report, names, &tests->p);
    json.key("interval").begin_object().member("level", kIntervalLevel);
    model_rows(json, "low", report, names, &tests->low);
    model_rows(json, "high", report, names, &tests->high);
    json.end_object();
    ratios(json, report, names, *tests);
  }
  terms(json, model, record);
  quantiles(json, record);
  inflation(json, report, names);
  ridge_path(json, record);
  path_json(json, model, record);
  std::vector<std::string> aliased;
  for (const std::uint32_t j : record.aliased) aliased.push_back(names[j]);
  texts(json, "aliased", aliased);
  fit(json, record);
  calibration(json, model, record);
  if (const std::optional<BayesTables> tables = bayes_tables(report.saved))
    report_detail::bayes(json, *tables, model.parts().map);
  ledger_json(json, record);
  json.key("options").begin_object();
  for (const auto& [name, text] : record.options) {
    if (text.empty()) {
      json.member(name, true);  // a flag
    } else {
      json.member(name, text);
    }
  }
  json.end_object();
  if (!record.search.empty()) texts(json, "search", record.search);
  json.member("seed", record.seed).member("data_digest", record.data_digest);
  json.key("trained_on")
      .begin_object()
      .member("train", record.train_rows)
      .member("test", record.test_rows)
      .end_object();
  json.member("objective", record.objective)
      .member("converged", record.converged)
      .member("iterations", record.iterations);
  certificate(json, record.certificate);
  json.end_object();
  return json.take();
}

std::string to_json(const PredictReport& report) {
  JsonWriter json = start("predict");
  if (report.dry_run) json.member("dry_run", true);
  json.member("model", report.model_file).member("rows", report.rows).member("unseen_values", report.unseen);
  json.member("ignored_columns", report.ignored_columns).member("output", report.output);
  texts(json, "warnings", report.warnings);
  json.member("seconds", report.seconds).end_object();
  return json.take();
}

std::string to_json(const ExplainReport& report) {
  const LinearModel::Parts& parts = report.saved->model.parts();
  JsonWriter json = start("explain");
  json.member("target", report.saved->record.target).key("rows").begin_array();
  for (const ExplainedRow& row : report.rows) {
    const Explanation& why = row.explanation;
    json.begin_object().member("row", row.row).key("prediction");
    if (report.saved->model.predicts_numbers()) {
      json.value(why.prediction.value);
    } else {
      json.value(parts.labels[why.prediction.label]);
    }
    label(json, row_label(report.saved->model, why.model_row));
    if (parts.link == Link::vote) json.member("model_row", why.model_row + 1);
    json.member("decided_by", why.vetoes || why.ruled_out.size() + 1 == parts.labels.size() ? "vetoes" : "scores");
    if (why.vetoes) {
      std::vector<std::string> names;
      for (const std::uint32_t feature : why.vetoes->features) names.push_back(parts.map.name(feature));
      json.key("vetoed").begin_object().member("label", parts.labels[why.vetoes->instead_of]);
      texts(json, "features", names);
      json.end_object();
    }
    ruled_out_json(json, "ruled_out", parts, why.ruled_out);
    ruled_out_json(json, "impossible", parts, why.impossible);
    if (row.probability) json.member("probability", *row.probability);
    if (row.actual) json.member("actual", *row.actual);
    json.member("score", why.score).member("bias", why.bias);
    if (why.mean_score) json.member("mean_score", *why.mean_score);
    json.key("contributions").begin_array();
    const RestOfContributions rest = rest_after(why, report.top);
    for (std::size_t k = 0; k < why.contributions.size() - rest.count; ++k) {
      const Contribution& each = why.contributions[k];
      json.begin_object().member("feature", parts.map.name(each.feature)).member("value", each.value);
      json.member("weight", each.weight).member("contribution", each.contribution).end_object();
    }
    json.end_array().key("rest").begin_object();
    json.member("count", rest.count).member("contribution", rest.contribution).end_object();
    if (!row.texts.empty()) {
      json.key("texts").begin_array();
      for (const MarkedText& marked : row.texts) {
        json.begin_object().member("column", marked.column).key("tokens").begin_array();
        for (const MarkedToken& each : marked.tokens)
          json.begin_object().member("token", each.token).member("contribution", each.contribution).end_object();
        json.end_array().end_object();
      }
      json.end_array();
    }
    json.end_object();
  }
  json.end_array().member("more_rows", report.more_rows).end_object();
  return json.take();
}

}  // namespace plumb
