#include "plumb/workflow/fit.h"

#include <chrono>
#include <utility>

#include "plumb/base/file.h"
#include "plumb/model/model_file.h"
#include "plumb/report/plot.h"
#include "plumb/report/report.h"
#include "plumb/workflow/auto_training.h"
#include "plumb/workflow/calls.h"
#include "plumb/workflow/fit_request.h"
#include "plumb/workflow/further_training.h"

namespace plumb {

struct Fit::Content {
  Model model;
  std::string bytes;  // of the model file
  std::vector<Metric> heldout, baseline;
  bool converged = true;
  std::vector<std::string> notes, warnings;
  std::string summary, json, svg;
};

const Model& Fit::model() const noexcept { return content_->model; }
const std::vector<Metric>& Fit::heldout() const noexcept { return content_->heldout; }
const std::vector<Metric>& Fit::baseline() const noexcept { return content_->baseline; }
bool Fit::converged() const noexcept { return content_->converged; }
const std::vector<std::string>& Fit::notes() const noexcept { return content_->notes; }
const std::vector<std::string>& Fit::warnings() const noexcept { return content_->warnings; }
std::string Fit::summary() const { return content_->summary; }
std::string Fit::json() const { return content_->json; }
std::string Fit::svg() const { return content_->svg; }

void Fit::save(const std::string& file) const {
  OutputFile output(file);
  output.write(content_->bytes);
  output.commit();
}

Fit fit(const Data& data, const Recipe& recipe, const FitOptions& options, const Running& running) {
  TrainRequest request;
  const SavedModel* const start = options.start ? &options.start->saved() : nullptr;
  request.data = request_of(data, request.given);
  request.options.model = recipe.name();
  request.options.test = options.test;
  request.options.dev = options.dev;
  request.options.seed = options.seed;
  request.options.refit_all = options.refit_all;
  request.options.time_limit = options.time_limit;
  request.wants_figure = options.picture;
  const FitOptions usual;
  if (options.test != usual.test) request.given.emplace_back("test");
  if (options.dev != usual.dev) request.given.emplace_back("dev");
  if (options.seed != usual.seed) request.given.emplace_back("seed");
  if (!recipe.name().empty()) {
    request.given.emplace_back("model");
    if (recipe.name() != kAuto) set_recipe(recipe, request.trainers, request.given);
  }
  if (start != nullptr) take_up(*start, request);
  const std::unique_ptr<Source> source = data.open(start);
  std::unique_ptr<Source> test, dev;
  if (options.test.what == TestChoice::What::file) test = open_source({options.test.file}, request.data.read);
  if (options.dev.what == TestChoice::What::file) dev = open_source({options.dev.file}, request.data.read);
  return fit(request, {*source, start, test.get(), dev.get()}, running);
}

Fit fit(TrainRequest& request, const FitSources& sources, const Running& running) {
  const auto started = std::chrono::steady_clock::now();
  const OwnRun own(running, request.options.seed);
  KeptMessages kept;
  const std::unique_ptr<Training> training =
      sources.start != nullptr ? std::make_unique<FurtherTraining>(*sources.start, request, sources.rows, kept, own.run)
                               : new_training(request, sources.rows, kept, own.run);
  training->use_test(sources.test, sources.dev);
  training->plan();
  training->read();
  training->split();
  training->choose();
  training->calibrate();
  training->learn();
  training->check();
  training->fit();
  training->judge();
  training->refit();
  std::string bytes = training->bytes();
  TrainReport report = training->report();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  const std::optional<Figure> figure = request.wants_figure ? training->figure() : std::nullopt;
  return Fit(std::make_shared<const Fit::Content>(
      Fit::Content{Model(SavedModel{training->trained().model, training->trained().record}), std::move(bytes),
                   report.heldout, report.baseline, training->converged(), std::move(kept.notes), report.warnings,
                   fitted(to_text(report, Style{}), kUsualWidth), to_json(report), figure ? to_svg(*figure) : ""}));
}

void set_options(const NamedOptions& options, const std::vector<OptionGroup>& groups, std::vector<std::string>& given) {
  for (const auto& [name, value] : options) {
    set_option(groups, name, value);
    given.push_back(name);
  }
}

std::vector<OptionGroup> groups_for(TrainRequest& request, const NamedOptions& options) {
  std::optional<std::string> name;
  for (const auto& [option, value] : options)
    if (option == "model" && value != kAuto) name = value;
  std::vector<OptionGroup> groups = request.groups();
  groups.insert(groups.begin(), request.trainers.first(name));
  return groups;
}

}  // namespace plumb
