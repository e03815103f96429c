// Models and fits: their parts as arrays, their texts, their bytes, and predictions for many rows.
#include <utility>

#include "plumb/base/options.h"
#include "plumb/model/model_file.h"
#include "plumb/workflow/calls.h"
#include "plumb/workflow/fit_request.h"
#include "plumb/workflow/predicting.h"
#include "python/core/core.h"

namespace plumb::python {
namespace {

nb::object weights(const Model& model) {
  const Weights& all = model.saved().model.parts().weights;
  const std::size_t rows = all.rows(), features = all.features();
  std::vector<double> values(rows * features);
  if (all.form() == Weights::Form::dense) {
    values.assign(all.dense_values().begin(), all.dense_values().end());
  } else {
    for (std::size_t r = 0; r < rows; ++r) all.row(r, Out(values).subspan(r * features, features));
  }
  return array_of(std::move(values), {rows, features});
}

nb::object bias(const Model& model) {
  std::vector<double> values = model.saved().model.parts().bias;
  const std::size_t size = values.size();
  return array_of(std::move(values), {size});
}

std::string bytes_of(const Model& model) { return model_bytes(model.saved().model, model.saved().record); }

nb::object numbers_of(const Record& record) {
  nb::dict numbers;
  for (const auto& [name, value] : record.fit) numbers[nb::str(name.c_str())] = value;
  return numbers;
}

// All predictions, each kind as one array.
struct Predicted {
  std::size_t rows = 0;
  std::vector<double> values, probabilities, scores, intervals, residuals, odds, doubt, evidence;
  std::vector<std::int64_t> labels;
  std::vector<std::string> warnings, notes;
};

void append(std::vector<double>& all, const std::vector<double>& some) {
  all.insert(all.end(), some.begin(), some.end());
}

Predicted predicted(const Model& model, Source& source, const PredictOptions& options, const Running& running) {
  const OwnRun own(running, 0);
  KeptMessages messages;
  Predicting predicting(model.saved(), source, options, messages);
  Predicted all;
  while (predicting.next(own.run)) {
    const PredictedRows& found = predicting.found();
    all.rows += found.rows;
    if (model.labels().empty()) append(all.values, found.values);
    for (std::size_t row = 0; row < found.labels.size(); ++row)
      all.labels.push_back(static_cast<std::int64_t>(found.labels[row]));
    append(all.probabilities, found.probabilities);
    append(all.scores, found.scores);
    append(all.intervals, found.intervals);
    append(all.residuals, found.residuals);
    append(all.odds, found.odds);
    append(all.doubt, found.doubt);
    append(all.evidence, found.evidence);
  }
  all.warnings = predicting.report().warnings;
  all.notes = std::move(messages.notes);
  return all;
}

nb::dict predict(const Model& model, const Data& rows, const NamedOptions& named, const RunOptions& run) {
  Predicted all = run_without_gil(run, [&](const Running& running) {
    PredictOptions options;
    ReadOptions reading;
    std::vector<std::string> given;
    set_options(named, {options_of("", options), options_of("", reading)}, given);
    DataOptions data = rows.options();
    data.reading = reading;
    const std::unique_ptr<Source> source = rows.with(data).open(&model.saved());
    return predicted(model, *source, options, running);
  });
  nb::dict found;
  const std::size_t rows_found = all.rows;
  const auto add = [&](const char* name, std::vector<double>& values) {
    if (values.empty()) return;
    const std::size_t width = values.size() / std::max<std::size_t>(1, rows_found);
    found[name] =
        width == 1 ? array_of(std::move(values), {rows_found}) : array_of(std::move(values), {rows_found, width});
  };
  found["rows"] = rows_found;
  if (model.labels().empty())
    found["values"] = array_of(std::move(all.values), {rows_found});
  else
    found["labels"] = array_of(std::move(all.labels), {rows_found});
  add("proba", all.probabilities);
  add("scores", all.scores);
  add("interval", all.intervals);
  add("residuals", all.residuals);
  add("odds", all.odds);
  add("doubt", all.doubt);
  add("evidence", all.evidence);
  found["warnings"] = nb::cast(all.warnings);
  return found;
}

nb::list metrics_of(const std::vector<Metric>& metrics) {
  nb::list list;
  for (const Metric& each : metrics) list.append(nb::make_tuple(each.name, each.value, each.low, each.high));
  return list;
}

}  // namespace

void add_models(nb::module_& module) {
  nb::class_<RunOptions>(module, "Run")
      .def(
          "__init__",
          [](RunOptions* self, unsigned threads, std::uint64_t max_memory, nb::object progress) {
            new (self) RunOptions{threads, max_memory, std::move(progress)};
          },
          nb::arg("threads") = 0, nb::arg("max_memory") = 0, nb::arg("progress") = nb::none());
  nb::class_<Model>(module, "Model")
      .def_prop_ro("kind", [](const Model& model) { return model.saved().record.model; })
      .def_prop_ro("target", [](const Model& model) { return model.saved().record.target; })
      .def_prop_ro("link", [](const Model& model) { return std::string(name_of(model.saved().model.parts().link)); })
      .def_prop_ro("labels", &Model::labels)
      .def_prop_ro("features", &Model::features)
      .def_prop_ro("columns",
                   [](const Model& model) {
                     std::vector<std::pair<std::string, std::string>> columns;
                     for (const FeatureMap::Input& input : model.saved().model.parts().map.parts().inputs)
                       columns.emplace_back(input.name, kind_name(input.kind));
                     return columns;
                   })
      .def_prop_ro("weights", &weights)
      .def_prop_ro("bias", &bias)
      .def_prop_ro("numbers", [](const Model& model) { return numbers_of(model.saved().record); })
      .def_prop_ro("iterations", [](const Model& model) { return model.saved().record.iterations; })
      .def_prop_ro("converged", [](const Model& model) { return model.saved().record.converged; })
      .def_prop_ro("objective", [](const Model& model) { return model.saved().record.objective; })
      .def_prop_ro("options", [](const Model& model) { return model.saved().record.options; })
      .def("text", &Model::text)
      .def("json", &Model::json)
      .def("save", &Model::save, nb::arg("path"))
      .def("bytes", [](const Model& model) {
        const std::string bytes = bytes_of(model);
        return nb::bytes(bytes.data(), bytes.size());
      });
  nb::class_<Fit>(module, "Fit")
      .def_prop_ro("model", [](const Fit& fit) { return fit.model(); })
      .def_prop_ro("heldout", [](const Fit& fit) { return metrics_of(fit.heldout()); })
      .def_prop_ro("baseline", [](const Fit& fit) { return metrics_of(fit.baseline()); })
      .def_prop_ro("converged", &Fit::converged)
      .def_prop_ro("notes", &Fit::notes)
      .def_prop_ro("warnings", &Fit::warnings)
      .def("text", &Fit::summary)
      .def("json", &Fit::json)
      .def("svg", &Fit::svg)
      .def("save", &Fit::save, nb::arg("path"));
  module.def("load", &load, nb::arg("path"));
  module.def("model_of_bytes", [](const nb::bytes& bytes) {
    return Model(parse_model(std::string(bytes.c_str(), bytes.size()), "bytes"));
  });
  module.def("predict", &predict, nb::arg("model"), nb::arg("rows"), nb::arg("options"), nb::arg("run"));
}

}  // namespace plumb::python
