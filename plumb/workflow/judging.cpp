#include "plumb/workflow/judging.h"

#include <algorithm>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/model/model_file.h"
#include "plumb/report/curves.h"
#include "plumb/report/judging_figures.h"
#include "plumb/report/margin_report.h"
#include "plumb/report/plot.h"
#include "plumb/report/report.h"
#include "plumb/workflow/calls.h"
#include "plumb/workflow/comparing.h"
#include "plumb/workflow/crossval.h"
#include "plumb/workflow/evaluating.h"
#include "plumb/workflow/explaining.h"
#include "plumb/workflow/learning_curve.h"
#include "plumb/workflow/margins.h"
#include "plumb/workflow/merging.h"
#include "plumb/workflow/sampling.h"
#include "plumb/workflow/tuning.h"

namespace plumb {

struct Report::Pages {
  std::string text, json, svg;
  std::vector<std::string> notes, warnings;
};

std::string Report::text() const { return pages_->text; }
std::string Report::json() const { return pages_->json; }
std::string Report::svg() const { return pages_->svg; }
const std::vector<std::string>& Report::notes() const noexcept { return pages_->notes; }
const std::vector<std::string>& Report::warnings() const noexcept { return pages_->warnings; }

namespace {

template <class Found>
Report report_of(const Found& found, const std::optional<Figure>& figure, KeptMessages kept) {
  std::vector<std::string> warnings = found.warnings;
  warnings.insert(warnings.end(), kept.warnings.begin(), kept.warnings.end());
  return Report(std::make_shared<const Report::Pages>(Report::Pages{fitted(to_text(found, Style{}), kUsualWidth),
                                                                    to_json(found), figure ? to_svg(*figure) : "",
                                                                    std::move(kept.notes), std::move(warnings)}));
}

Candidate candidate_of(const Recipe& recipe, const Source& source, const DataRequest& data) {
  const bool open = recipe.name().empty() || recipe.name() == kAuto;
  const TrainerEntry& entry = recipe.own() ? *recipe.own()
                              : open       ? default_entry(source, data)
                                           : find_trainer(recipe.name());
  Candidate candidate;
  candidate.entry = &entry;
  candidate.searched = recipe.name() == kAuto;
  candidate.name = candidate.searched ? kAuto : entry.name;
  candidate.features = data.features;
  candidate.text = data.text;
  candidate.setup = entry.setup();
  std::vector<std::string> given;
  set_recipe(recipe, *candidate.setup, given);
  candidate.differs = recipe.options();
  return candidate;
}

// Two models of one kind are distinguished by their options.
void name_apart(std::vector<Candidate>& candidates) {
  for (Candidate& each : candidates)
    for (const auto& [option, value] : each.differs) each.name += " " + option + (value.empty() ? "" : "=" + value);
}

}  // namespace

Evaluation cross_validate(const Data& data, const Recipe& recipe, const CrossValidateOptions& options,
                          const Running& running) {
  CrossvalRequest request;
  request.data = request_of(data, request.given);
  const std::unique_ptr<Source> source = data.open();
  request.options.model = recipe.name();
  request.options.folds = options.folds;
  request.options.repeats = options.repeats;
  request.options.seed = options.seed;
  if (!recipe.name().empty() && recipe.name() != kAuto) set_recipe(recipe, request.trainers, request.given);
  request.wants_figure = true;
  const OwnRun own(running, options.seed);
  KeptMessages kept;
  const CrossvalResult found = cross_validate(request, *source, kept, own.run);
  return {report_of(found.report, found.figure, std::move(kept)), found.report.metrics, found.report.baseline,
          found.report.rows};
}

Evaluation evaluate(const Model& model, const Data& data, const Running& running) {
  EvaluateOptions options;
  options.target = data.options().target;
  options.weight = data.options().columns.weight;
  const OwnRun own(running, options.seed);
  const std::unique_ptr<Source> source = data.open(&model.saved());
  KeptMessages kept;
  Figure figure;
  const EvaluateReport found = evaluate(model.saved(), *source, options, kept, own.run, &figure);
  return {report_of(found, figure, std::move(kept)), found.metrics, found.baseline, found.rows};
}

Comparison compare(const Data& data, const std::vector<Recipe>& recipes, const CrossValidateOptions& options,
                   const Running& running) {
  CompareRequest request;
  request.data = request_of(data, request.given);
  request.options.folds = options.folds;
  request.options.seed = options.seed;
  request.wants_figure = true;
  const std::unique_ptr<Source> source = data.open();
  std::vector<Candidate> candidates;
  for (const Recipe& each : recipes) candidates.push_back(candidate_of(each, *source, request.data));
  if (recipes.empty())
    for (const TrainerEntry* const entry : compared_by_default(*source, request))
      candidates.push_back(candidate_of(Recipe(entry->name), *source, request.data));
  if (candidates.size() < 2) throw Error(ErrorCode::usage, "compare needs at least two models");
  name_apart(candidates);
  const OwnRun own(running, options.seed);
  KeptMessages kept;
  const CompareResult found = compare(request, candidates, *source, kept, own.run);
  Comparison comparison{report_of(found.report, found.figure, std::move(kept)), {}};
  for (const ComparedModel& each : found.report.models) comparison.models.push_back({each.name, each.metrics});
  return comparison;
}

Tuned tune(const Data& data, const Recipe& recipe, const TuneChoices& choices, const Running& running) {
  TuneRequest request;
  request.data = request_of(data, request.given);
  request.options.grid.each = choices.grid;
  request.options.folds = choices.folds;
  request.options.time_limit = choices.time_limit;
  request.options.rule = choices.one_se ? TuneRule::one_se : TuneRule::min;
  request.test = choices.test;
  request.seed = choices.seed;
  const std::unique_ptr<Source> source = data.open();
  const Candidate first = candidate_of(recipe, *source, request.data);
  const std::vector<GridAxis> axes = read_grid(*first.entry, request.options, request.given);
  std::vector<Candidate> candidates;
  for (const auto& values : combinations(axes)) {
    candidates.push_back(candidate_of(recipe, *source, request.data));
    Candidate& each = candidates.back();
    each.differs.clear();
    for (const auto& [option, value] : values) {
      set_option({options_of("", each.features), options_of("", each.text), each.setup->options()}, option, value);
      each.differs.emplace_back(option, value);
    }
  }
  const OwnRun own(running, choices.seed);
  KeptMessages kept;
  const TuneReport found = tune(request, axes, candidates, *source, kept, own.run);
  // Fitted with the values chosen.
  const auto& chosen = found.points[found.chosen].options;
  DataOptions with = data.options();
  std::vector<std::pair<std::string, std::string>> own_options;
  for (const auto& [option, value] : chosen)
    if (find_option(first.setup->options(), option) != nullptr) {
      own_options.emplace_back(option, value);
    } else {
      set_option({options_of("", with.columns), options_of("", with.text)}, option, value);
    }
  for (const auto& each : recipe.options())
    if (std::none_of(chosen.begin(), chosen.end(), [&](const auto& one) { return one.first == each.first; }))
      own_options.push_back(each);
  Fit fitted = fit(data.with(with), recipe.own() ? recipe : Recipe(first.entry->name, own_options),
                   {.test = choices.test, .seed = choices.seed}, running);
  const std::string json = to_json(found, fitted.json());
  const Report report(std::make_shared<const Report::Pages>(
      Report::Pages{plumb::fitted(to_text(found, Style{}), kUsualWidth), json, to_svg(tuning_figure(found)),
                    std::move(kept.notes), found.warnings}));
  return {report, chosen, std::move(fitted)};
}

LearningCurves learning_curve(const Data& data, const std::vector<Recipe>& recipes, const CurveChoices& choices,
                              const Running& running) {
  CurveRequest request;
  request.data = request_of(data, request.given);
  request.options.sizes = choices.sizes;
  request.options.repeats = choices.repeats;
  request.options.test = choices.test;
  request.options.seed = choices.seed;
  const std::unique_ptr<Source> source = data.open();
  std::vector<Candidate> candidates;
  for (const Recipe& each : recipes) candidates.push_back(candidate_of(each, *source, request.data));
  if (recipes.empty()) candidates.push_back(candidate_of({}, *source, request.data));
  name_apart(candidates);
  const OwnRun own(running, choices.seed);
  KeptMessages kept;
  const CurveReport found = learning_curve(request, candidates, *source, kept, own.run);
  LearningCurves curves{report_of(found, curve_figure(found), std::move(kept)), {}};
  for (const Curve& curve : found.curves)
    for (const CurvePoint& point : curve.points)
      curves.points.push_back({curve.model, point.rows, point.metrics, point.on_training});
  return curves;
}

Explanations explain(const Model& model, const Data& data, std::uint64_t rows, const Running& running) {
  const OwnRun own(running, 0);
  const std::unique_ptr<Source> source = data.open(&model.saved());
  KeptMessages kept;
  ExplainOptions options;
  options.rows = rows;
  const ExplainReport found =
      explain(std::make_shared<const SavedModel>(model.saved()), *source, options, kept, own.run);
  Explanations all{Report(std::make_shared<const Report::Pages>(
                       Report::Pages{fitted(to_text(found, Style{}), kUsualWidth), to_json(found), "",
                                     std::move(kept.notes), std::move(kept.warnings)})),
                   {}};
  for (const ExplainedRow& each : found.rows) {
    Explanations::Row row{each.explanation.score, {}};
    for (const Contribution& part : each.explanation.contributions)
      row.contributions.emplace_back(model.saved().model.parts().map.name(part.feature), part.contribution);
    all.rows.push_back(std::move(row));
  }
  return all;
}

Margin margin(const Data& data, const Running& running) {
  MarginRequest request;
  const DataRequest asked = request_of(data, request.given);
  request.features = asked.features;
  request.text = asked.text;
  request.classes = asked.classes;
  const OwnRun own(running, request.search.seed);
  const std::unique_ptr<Source> source = data.open();
  KeptMessages kept;
  std::optional<Figure> figure;
  const MarginReport found = margin(nullptr, *source, request, kept, own.run, &figure);
  const DataMargin& of = found.data;
  std::optional<bool> separable;
  if (of.separable != Separable::undecided) separable = of.separable == Separable::yes;
  return {report_of(found, figure, std::move(kept)), separable, of.free.low, of.free.high};
}

Margin margin(const Model& model, const Data& data, const Running& running) {
  MarginRequest request;
  const DataRequest asked = request_of(data, request.given);
  request.features = asked.features;
  request.classes = asked.classes;
  const OwnRun own(running, request.search.seed);
  const std::unique_ptr<Source> source = data.open(&model.saved());
  KeptMessages kept;
  std::optional<Figure> figure;
  const MarginReport found = margin(&model.saved(), *source, request, kept, own.run, &figure);
  const double value = found.model->margin;
  return {report_of(found, figure, std::move(kept)), value > 0.0 ? std::optional(true) : std::nullopt, value, value};
}

std::string sample(const Model& model, std::uint64_t rows, std::uint64_t seed, const Running& running) {
  const OwnRun own(running, seed);
  Messages silent;
  SampleOptions options;
  options.rows = rows;
  options.seed = seed;
  std::string text;
  sample(
      model.saved(), options, [&](std::string_view part) { text += part; }, silent, own.run);
  return text;
}

Model merge(const std::vector<Model>& models, const Running&) {
  std::vector<SavedModel> saved;
  for (const Model& each : models) saved.push_back(each.saved());
  Trained merged = merge(saved);
  return Model(SavedModel{std::move(merged.model), std::move(merged.record)});
}

Model forget(const Model& model, const Data& rows, const Running& running) {
  const OwnRun own(running, 0);
  const std::unique_ptr<Source> source = rows.open(&model.saved());
  Messages silent;
  Trained rest = forget(model.saved(), *source, silent, own.run);
  return Model(SavedModel{std::move(rest.model), std::move(rest.record)});
}

}  // namespace plumb
