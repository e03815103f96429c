// Reports as JSON: one object, "schema": 1, numbers in shortest round-trip form, null where there is no number.
#include <unordered_set>

#include "plumb/base/json_writer.h"
#include "plumb/report/report.h"

namespace plumb {
namespace {

JsonWriter start(std::string_view command) {
  JsonWriter json(JsonWriter::Layout::indented);
  json.begin_object().member("schema", 1).member("command", command);
  return json;
}

void texts(JsonWriter& json, std::string_view key, const std::vector<std::string>& items) {
  json.key(key).begin_array();
  for (const std::string& item : items) json.value(item);
  json.end_array();
}

void optional(JsonWriter& json, std::string_view key, const std::optional<double>& number) {
  json.key(key);
  if (number) {
    json.value(*number);
  } else {
    json.null();
  }
}

void metrics(JsonWriter& json, std::string_view key, const std::vector<Metric>& items) {
  json.key(key).begin_object();
  for (const Metric& metric : items) {
    json.key(metric.name).begin_object().member("value", metric.value);
    optional(json, "low", metric.low);
    optional(json, "high", metric.high);
    json.end_object();
  }
  json.end_object();
}

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

// The label a row of the model scores for, null if it has none.
void row_label(JsonWriter& json, const LinearModel& model, std::uint64_t r) {
  const std::vector<std::string>& labels = model.parts().labels;
  json.key("label");
  if (labels.empty() || model.parts().link == Link::vote) {
    json.null();
  } else {
    json.value(model.rows() == 1 ? labels.back() : labels[r]);
  }
}

// {label, bias, weights: {name: w}} for each row; null for features without a weight of their own.
void model_numbers(JsonWriter& json, std::string_view key, const LinearModel& model, const Record& record,
                   const std::vector<std::string>& names, const ModelNumbers& numbers) {
  const std::unordered_set<std::uint32_t> aliased(record.aliased.begin(), record.aliased.end());
  json.key(key).begin_array();
  for (std::uint64_t r = 0; r < model.rows(); ++r) {
    json.begin_object();
    row_label(json, model, r);
    json.key("bias");
    if (numbers.bias.empty()) {
      json.null();
    } else {
      json.value(numbers.bias[r]);
    }
    json.key("weights").begin_object();
    for (std::uint32_t j = 0; j < model.features(); ++j) {
      json.key(names[j]);
      if (aliased.contains(j) || numbers.weights.empty()) {
        json.null();
      } else {
        json.value(numbers.weights[r * model.features() + j]);
      }
    }
    json.end_object().end_object();
  }
  json.end_array();
}

ModelNumbers weights_of(const LinearModel& model) {
  ModelNumbers numbers{model.parts().bias, std::vector<double>(model.rows() * model.features())};
  for (std::uint64_t r = 0; r < model.rows(); ++r)
    model.parts().weights.row(r, Out(numbers.weights).subspan(r * model.features(), model.features()));
  return numbers;
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
  metrics(json, "heldout", report.heldout);
  metrics(json, "baseline", report.baseline);
  texts(json, "warnings", report.warnings);
  if (!report.file.empty()) json.member("file", report.file).member("bytes", report.bytes);
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
  model_numbers(json, "rows", model, record, names, weights_of(model));
  if (!record.standard_errors.empty())
    model_numbers(json, "standard_errors", model, record, names, record.standard_errors);
  std::vector<std::string> aliased;
  for (const std::uint32_t j : record.aliased) aliased.push_back(names[j]);
  texts(json, "aliased", aliased);
  fit(json, record);
  json.key("options").begin_object();
  for (const auto& [name, text] : record.options) json.member(name, text);
  json.end_object();
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
  json.member("model", report.model_file).member("rows", report.rows).member("unseen_values", report.unseen);
  json.member("ignored_columns", report.ignored_columns).member("output", report.output);
  texts(json, "warnings", report.warnings);
  json.member("seconds", report.seconds).end_object();
  return json.take();
}

std::string to_json(const ExplainReport& report) {
  JsonWriter json = start("explain");
  json.member("target", report.record.target).key("rows").begin_array();
  for (const ExplainedRow& row : report.rows) {
    json.begin_object()
        .member("row", row.row)
        .member("score", row.explanation.score)
        .member("bias", row.explanation.bias);
    json.key("contributions").begin_array();
    std::uint64_t shown = 0;
    for (const Contribution& each : row.explanation.contributions) {
      if (report.top != 0 && shown++ == report.top) break;
      json.begin_object().member("feature", report.model.parts().map.name(each.feature)).member("value", each.value);
      json.member("weight", each.weight).member("contribution", each.contribution).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return json.take();
}

}  // namespace plumb
