#include "plumb/report/comparison_tables.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/train/traits.h"

namespace plumb {
namespace {

constexpr std::size_t kSideBySide = 9;  // traits in the table; strengths and weaknesses have lines of their own

std::vector<std::string> trainers_in(const CompareReport& report) {
  std::vector<std::string> trainers;
  for (const ComparedModel& model : report.models)
    if (std::find(trainers.begin(), trainers.end(), model.model) == trainers.end()) trainers.push_back(model.model);
  return trainers;
}

std::string cell(const std::optional<double>& weight) { return weight ? number_text(*weight, 4) : ""; }

}  // namespace

WeightsBeside weights_beside(const std::vector<const LinearModel*>& models, std::size_t most) {
  WeightsBeside beside;
  const auto one_row = [](const LinearModel* model) { return model->rows() == 1 && model->parts().labels.size() == 2; };
  if (models.size() < 2 || !std::all_of(models.begin(), models.end(), one_row)) return beside;
  std::map<std::string, std::vector<std::optional<double>>> of;  // by feature, one for each model
  std::map<std::string, double> importance;                      // the sum over models of |w| / the largest |w|
  for (std::size_t m = 0; m < models.size(); ++m) {
    std::vector<double> w(models[m]->features());
    models[m]->parts().weights.row(0, w);
    double largest = 0.0;
    for (const double each : w) largest = std::max(largest, std::abs(each));
    for (std::uint32_t j = 0; j < w.size(); ++j) {
      const std::string name = models[m]->parts().map.name(j);
      std::vector<std::optional<double>>& weights = of[name];
      weights.resize(models.size());
      weights[m] = w[j];
      importance[name] += largest > 0 ? std::abs(w[j]) / largest : 0.0;
    }
  }
  std::vector<std::string> names;
  for (const auto& [name, weights] : of) names.push_back(name);
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string& a, const std::string& b) { return importance[a] > importance[b]; });
  if (names.size() > most) names.resize(most);
  beside.features.emplace_back("(bias)");
  beside.features.insert(beside.features.end(), names.begin(), names.end());
  for (std::size_t m = 0; m < models.size(); ++m) {
    beside.models.push_back({models[m]->parts().bias[0]});
    for (const std::string& name : names) beside.models.back().push_back(of[name][m]);
  }
  return beside;
}

namespace {

// With squares of numbers the boundary is a hyperplane among numbers and squares.
std::string_view trait(const ComparedModel& model, const TraitEntry& entry) {
  if (entry.field == &Traits::power && model.squares) return "linear in numbers and their squares";
  return traits_of(model.model).*entry.field;
}

std::string_view trait(const CompareReport& report, const std::string& trainer, const TraitEntry& entry) {
  const ComparedModel* found = nullptr;
  for (const ComparedModel& model : report.models)
    if (model.model == trainer && (found == nullptr || model.squares)) found = &model;
  return trait(*found, entry);
}

}  // namespace

namespace report_detail {

std::string traits_text(const CompareReport& report, const Style& style) {
  const std::vector<std::string> trainers = trainers_in(report);
  if (!report.labels || trainers.size() < 2) return "";
  TextTable table(TextTable::Align::left);
  std::vector<std::string> heading = {"trait"};
  for (const std::string& trainer : trainers) heading.push_back(escaped_for_terminal(trainer));
  table.add(std::move(heading));
  for (const TraitEntry& entry : trait_entries().first(kSideBySide)) {
    std::vector<std::string> line = {std::string(entry.title)};
    for (const std::string& trainer : trainers) line.emplace_back(trait(report, trainer, entry));
    table.add(std::move(line));
  }
  std::string text = "\n" + table.text(style);
  for (const TraitEntry& entry : trait_entries().subspan(kSideBySide))
    for (const std::string& trainer : trainers)
      text += "  " + std::string(entry.title) + std::string(10 - entry.title.size(), ' ') + trainer + ": " +
              std::string(traits_of(trainer).*entry.field) + "\n";
  return text;
}

std::string weights_text(const CompareReport& report, const Style& style) {
  const WeightsBeside& beside = report.weights;
  if (beside.models.empty() && report.labels)
    return "\n  " +
           style.faint(
               "weights are compared for models with one hyperplane for two classes; plumb inspect shows the weights "
               "of one model") +
           "\n";
  if (beside.models.empty()) return "";
  TextTable table;
  std::vector<std::string> heading = {"weight"};
  for (const ComparedModel& model : report.models) heading.push_back(escaped_for_terminal(model.name));
  table.add(heading);
  for (std::size_t f = 0; f < beside.features.size(); ++f) {
    std::vector<std::string> line = {escaped_for_terminal(beside.features[f])};
    for (const auto& model : beside.models) line.push_back(cell(model[f]));
    table.add(line);
  }
  return "\n" + table.text(style) + "  " +
         style.faint(
             "weights of fits to all rows: the change in score per unit of the feature; the most important in any "
             "model") +
         "\n";
}

void traits(JsonWriter& json, const ComparedModel& model) {
  for (const TraitEntry& entry : trait_entries()) json.member(entry.key, trait(model, entry));
}

void weights(JsonWriter& json, const CompareReport& report) {
  const WeightsBeside& beside = report.weights;
  if (beside.models.empty()) return;
  json.key("weights").begin_array();
  for (std::size_t m = 0; m < beside.models.size(); ++m) {
    json.begin_object().member("name", report.models[m].name).member("bias", *beside.models[m][0]);
    json.key("weights").begin_object();
    for (std::size_t f = 1; f < beside.features.size(); ++f)
      if (beside.models[m][f]) json.member(beside.features[f], *beside.models[m][f]);
    json.end_object().end_object();
  }
  json.end_array();
}

}  // namespace report_detail
}  // namespace plumb
