#include "plumb/workflow/model.h"

#include <algorithm>
#include <utility>

#include "plumb/base/choices.h"
#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/data/memory_source.h"
#include "plumb/model/model_file.h"
#include "plumb/report/model_rows.h"
#include "plumb/report/report.h"
#include "plumb/workflow/calls.h"
#include "plumb/workflow/predicting.h"

namespace plumb {
namespace {

// The row of the model for a label; with two labels the one row is for the second.
std::uint64_t row_for(const LinearModel& model, std::string_view label) {
  if (label.empty()) return 0;
  for (std::uint64_t row = 0; row < model.rows(); ++row)
    if (const std::string* const own = row_label(model, row); own != nullptr && *own == label) return row;
  throw unknown_choice("label with weights called", std::string(label), model.parts().labels);
}

// A row of a model of sparse entries: entries that are not named are 0.
Prediction predict_entries(const Model& model, const std::vector<NamedValue>& row) {
  CsrRows entries;
  std::vector<double> values;
  std::vector<std::uint32_t> indices;
  for (const NamedValue& each : row) {
    const double* const number = std::get_if<double>(&each.value);
    if (number == nullptr)
      throw Error(ErrorCode::data,
                  each.name + " is " + in_quotes(std::get<std::string>(each.value)) + "; a number was expected");
    indices.push_back(static_cast<std::uint32_t>(values.size()));
    values.push_back(*number);
    entries.names.push_back(each.name);
  }
  const std::uint64_t offsets[] = {0, values.size()};
  entries.values = values.data();
  entries.indices = indices.data();
  entries.offsets = offsets;
  entries.rows = 1;
  entries.columns = values.size();
  MemoryRows rows;
  rows.values = std::move(entries);
  return model.predict(Data(std::move(rows), {})).front();
}

bool has_probabilities(const LinearModel& model) {
  return model.parts().link == Link::logistic || model.parts().link == Link::softmax;
}

}  // namespace

Model::Model(SavedModel saved) : saved_(std::make_shared<const SavedModel>(std::move(saved))) {}

void Model::predict(const Data& data, const std::function<void(const Prediction&)>& each,
                    const Running& running) const {
  const OwnRun own(running, 0);
  const std::unique_ptr<Source> source = data.open(saved_.get());
  Messages silent;
  PredictOptions options;
  options.proba = has_probabilities(saved_->model);
  options.scores = !labels().empty() && labels().size() == 2;
  Predicting predicting(*saved_, *source, options, silent);
  const std::size_t classes = labels().size();
  Prediction prediction;
  while (predicting.next(own.run)) {
    const PredictedRows& found = predicting.found();
    for (std::uint64_t row = 0; row < found.rows; ++row) {
      if (classes == 0) prediction.value = found.values[row];
      if (options.scores) prediction.value = found.scores[row];
      if (classes > 0) prediction.label = labels()[found.labels[row]];
      if (options.proba)
        prediction.probabilities.assign(found.probabilities.begin() + static_cast<std::ptrdiff_t>(row * classes),
                                        found.probabilities.begin() + static_cast<std::ptrdiff_t>((row + 1) * classes));
      each(prediction);
    }
  }
}

std::vector<Prediction> Model::predict(const Data& data, const Running& running) const {
  std::vector<Prediction> all;
  predict(
      data, [&](const Prediction& each) { all.push_back(each); }, running);
  return all;
}

Prediction Model::predict(const std::vector<NamedValue>& row) const {
  const std::vector<FeatureMap::Input>& inputs = saved_->model.parts().map.parts().inputs;
  if (std::any_of(inputs.begin(), inputs.end(), [](const auto& input) { return input.kind == Kind::sparse; }))
    return predict_entries(*this, row);
  // Converts each value to the kind of the model's column.
  std::vector<double> numbers(row.size());
  std::vector<std::string> texts(row.size());
  std::vector<MemoryColumn> columns;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double* const number = std::get_if<double>(&row[i].value);
    const std::string* const text = std::get_if<std::string>(&row[i].value);
    bool as_number = number != nullptr;
    for (const FeatureMap::Input& input : inputs)
      if (input.name == row[i].name) as_number = input.kind == Kind::number;
    if (as_number && number == nullptr)
      throw Error(ErrorCode::data, row[i].name + " is " + in_quotes(*text) + "; a number was expected");
    if (as_number) {
      numbers[i] = *number;
      columns.push_back({row[i].name, std::span<const double>(&numbers[i], 1)});
    } else {
      texts[i] = number != nullptr ? number_text(*number) : *text;
      columns.push_back({row[i].name, std::span<const std::string>(&texts[i], 1)});
    }
  }
  return predict(plumb::columns(std::move(columns))).front();
}

Prediction Model::predict(std::initializer_list<NamedValue> row) const { return predict(std::vector<NamedValue>(row)); }

double Model::weight(std::string_view feature, std::string_view label) const {
  const LinearModel& model = saved_->model;
  const std::vector<std::string> names = features();
  for (std::uint32_t j = 0; j < names.size(); ++j)
    if (names[j] == feature) {
      std::vector<double> row(names.size());
      model.parts().weights.row(row_for(model, label), row);
      return row[j];
    }
  throw unknown_choice("feature", std::string(feature), names);
}

double Model::bias(std::string_view label) const { return saved_->model.parts().bias[row_for(saved_->model, label)]; }

std::vector<std::string> Model::features() const { return saved_->model.parts().map.names(); }
const std::vector<std::string>& Model::labels() const { return saved_->model.parts().labels; }
std::string Model::text() const {
  return fitted(to_text(InspectReport{*saved_, "", shown_by_default(saved_->model)}, Style{}), kUsualWidth);
}
std::string Model::json() const { return to_json(InspectReport{*saved_, "", 0}); }
void Model::save(const std::string& file) const { save_model(file, saved_->model, saved_->record); }

Model load(const std::string& file) { return Model(load_model(file)); }

}  // namespace plumb
