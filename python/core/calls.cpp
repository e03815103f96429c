// fit, cross_validate and the other calls, with options by the names of the command line.
#include <algorithm>
#include <optional>
#include <utility>

#include "plumb/base/memory.h"
#include "plumb/report/plot.h"
#include "plumb/report/report.h"
#include "plumb/workflow/calls.h"
#include "plumb/workflow/crossval.h"
#include "plumb/workflow/evaluating.h"
#include "plumb/workflow/explaining.h"
#include "plumb/workflow/fit_request.h"
#include "plumb/workflow/further_training.h"
#include "plumb/workflow/judging.h"
#include "python/core/core.h"

namespace plumb::python {
namespace {

// What a call found, in the forms it can be shown.
struct Page {
  std::string text, json, svg;
  std::vector<std::string> notes, warnings;
};

Page page_of(const Report& report) {
  return {report.text(), report.json(), report.svg(), report.notes(), report.warnings()};
}

template <class Found>
Page page_of(const Found& found, const Figure* figure, KeptMessages kept) {
  std::vector<std::string> warnings = found.warnings;
  warnings.insert(warnings.end(), kept.warnings.begin(), kept.warnings.end());
  return {fitted(to_text(found, Style{}), kUsualWidth), to_json(found), figure != nullptr ? to_svg(*figure) : "",
          std::move(kept.notes), std::move(warnings)};
}

// The names that rows in memory give their target and weight themselves, unless the options name others.
NamedOptions with_roles(const Data& rows, NamedOptions options) {
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty() &&
        std::none_of(options.begin(), options.end(), [&](const auto& each) { return each.first == name; }))
      options.emplace_back(name, value);
  };
  add("target", rows.options().target);
  add("weight", rows.options().columns.weight);
  return options;
}

std::unique_ptr<Source> open(const Data& rows, const ReadOptions& reading, const SavedModel* model = nullptr) {
  DataOptions data;
  data.reading = reading;
  return rows.with(data).open(model);
}

Fit fit_rows(const Data& rows, const NamedOptions& named, const RunOptions& run, const std::optional<Model>& start,
             const std::optional<Data>& test, bool picture) {
  return run_without_gil(run, [&](const Running& running) {
    TrainRequest request;
    const NamedOptions options = with_roles(rows, named);
    set_options(options, groups_for(request, options), request.given);
    request.data.files = rows.files();
    request.wants_figure = picture;
    const SavedModel* const from = start ? &start->saved() : nullptr;
    if (from != nullptr) take_up(*from, request);
    if (test) request.options.test = TestChoice::of_file("the rows given as test"), request.given.emplace_back("test");
    const auto file = [&](const TestChoice& choice) {
      return choice.what == TestChoice::What::file ? open_source({choice.file}, request.data.read) : nullptr;
    };
    const std::unique_ptr<Source> source = open(rows, request.data.read, from);
    const std::unique_ptr<Source> held_out = test ? open(*test, request.data.read) : file(request.options.test);
    const std::unique_ptr<Source> dev = file(request.options.dev);
    return fit(request, {*source, from, held_out.get(), dev.get()}, running);
  });
}

Page cross_validate_rows(const Data& rows, const NamedOptions& named, const RunOptions& run) {
  return run_without_gil(run, [&](const Running& running) {
    CrossvalRequest request;
    const NamedOptions options = with_roles(rows, named);
    std::optional<std::string> model;
    for (const auto& [name, value] : options)
      if (name == "model" && value != kAuto) model = value;
    std::vector<OptionGroup> groups = request.data.groups();
    groups.insert(groups.begin(), request.trainers.first(model));
    groups.push_back(options_of("", request.options));
    groups.push_back(options_of("", request.search));
    set_options(options, groups, request.given);
    request.data.files = rows.files();
    request.wants_figure = true;
    const std::unique_ptr<Source> source = open(rows, request.data.read);
    const OwnRun own(running, request.options.seed);
    KeptMessages kept;
    const CrossvalResult found = cross_validate(request, *source, kept, own.run);
    return page_of(found.report, found.figure ? &*found.figure : nullptr, std::move(kept));
  });
}

Page evaluate_rows(const Model& model, const Data& rows, const NamedOptions& named, const RunOptions& run) {
  return run_without_gil(run, [&](const Running& running) {
    EvaluateOptions options;
    ReadOptions reading;
    std::vector<std::string> given;
    set_options(with_roles(rows, named), {options_of("", options), options_of("", reading)}, given);
    const std::unique_ptr<Source> source = open(rows, reading, &model.saved());
    const OwnRun own(running, options.seed);
    KeptMessages kept;
    Figure figure;
    const EvaluateReport found = evaluate(model.saved(), *source, options, kept, own.run, &figure);
    return page_of(found, &figure, std::move(kept));
  });
}

Page explain_rows(const Model& model, const Data& rows, const NamedOptions& named, const RunOptions& run) {
  return run_without_gil(run, [&](const Running& running) {
    ExplainOptions options;
    ReadOptions reading;
    std::vector<std::string> given;
    set_options(named, {options_of("", options), options_of("", reading)}, given);
    const std::unique_ptr<Source> source = open(rows, reading, &model.saved());
    const OwnRun own(running, 0);
    KeptMessages kept;
    const ExplainReport found =
        explain(std::make_shared<const SavedModel>(model.saved()), *source, options, kept, own.run);
    return Page{fitted(to_text(found, Style{}), kUsualWidth), to_json(found), "", std::move(kept.notes),
                std::move(kept.warnings)};
  });
}

// The rows with the options that are about data; the others remain.
Data with_data_options(const Data& rows, NamedOptions& options) {
  DataRequest request;
  NamedOptions rest;
  std::vector<std::string> given;
  const std::vector<OptionGroup> groups = request.groups();
  for (const auto& each : with_roles(rows, options)) {
    const bool about_data = std::any_of(groups.begin(), groups.end(), [&](const OptionGroup& group) {
      return find_option(group, each.first) != nullptr;
    });
    if (about_data)
      set_options({each}, groups, given);
    else
      rest.push_back(each);
  }
  options = std::move(rest);
  DataOptions data;
  data.target = request.features.target;
  data.columns = request.features;
  data.text = request.text;
  data.classes = request.classes;
  data.split = request.split;
  data.reading = request.read;
  return rows.with(data);
}

// Takes an option out of the list.
std::optional<std::string> taken(NamedOptions& options, const std::string& name) {
  const auto found = std::find_if(options.begin(), options.end(), [&](const auto& each) { return each.first == name; });
  if (found == options.end()) return {};
  const std::string value = found->second;
  options.erase(found);
  return value;
}

template <class T>
void take(NamedOptions& options, const std::string& name, T& field) {
  if (const std::optional<std::string> text = taken(options, name)) {
    struct One {
      T value;
    } one{field};
    std::vector<std::string> given;
    static_assert(std::is_standard_layout_v<One> || true);
    const OptionTable table = {option(name, &One::value, "")};
    set_options({{name, *text}}, {options_of("", one, table)}, given);
    field = one.value;
  }
}

using Models = std::vector<std::pair<std::string, NamedOptions>>;

std::vector<Recipe> recipes_of(const Models& models, const NamedOptions& shared) {
  std::vector<Recipe> recipes;
  for (const auto& [name, own] : models) {
    NamedOptions options = shared;
    options.insert(options.end(), own.begin(), own.end());
    recipes.emplace_back(std::string_view(name), options);
  }
  return recipes;
}

Page compare_rows(const Data& rows, const Models& models, NamedOptions named, const RunOptions& run) {
  return run_without_gil(run, [&](const Running& running) {
    const Data data = with_data_options(rows, named);
    CrossValidateOptions options;
    take(named, "folds", options.folds);
    take(named, "seed", options.seed);
    return page_of(compare(data, recipes_of(models, named), options, running));
  });
}

std::pair<Page, Fit> tune_rows(const Data& rows, const std::string& model, const std::vector<std::string>& grid,
                               bool one_se, NamedOptions named, const RunOptions& run) {
  return run_without_gil(run, [&](const Running& running) {
    const Data data = with_data_options(rows, named);
    TuneChoices choices;
    choices.grid = grid;
    choices.one_se = one_se;
    take(named, "folds", choices.folds);
    take(named, "test", choices.test);
    take(named, "seed", choices.seed);
    take(named, "time-limit", choices.time_limit);
    const Tuned found = tune(data, model.empty() ? Recipe() : Recipe(model, named), choices, running);
    return std::pair(page_of(found), found.fit);
  });
}

Page curve_rows(const Data& rows, const Models& models, const std::vector<std::string>& sizes, NamedOptions named,
                const RunOptions& run) {
  return run_without_gil(run, [&](const Running& running) {
    const Data data = with_data_options(rows, named);
    CurveChoices choices;
    choices.sizes = sizes;
    take(named, "repeats", choices.repeats);
    take(named, "test", choices.test);
    take(named, "seed", choices.seed);
    return page_of(learning_curve(data, recipes_of(models, named), choices, running));
  });
}

Page margin_rows(const Data& rows, const std::optional<Model>& model, NamedOptions named, const RunOptions& run) {
  return run_without_gil(run, [&](const Running& running) {
    const Data data = with_data_options(rows, named);
    if (!named.empty()) throw Error(ErrorCode::usage, "margin has no option " + named.front().first);
    return page_of(model ? margin(*model, data, running) : margin(data, running));
  });
}

// The tables of options of plumb train, for docs and for the checks of names.
nb::list option_groups() {
  TrainRequest request;
  nb::list groups;
  for (const OptionGroup& group : request.groups()) {
    nb::list options;
    for (const OptionInfo& info : group.options) {
      nb::dict each;
      each["name"] = info.name;
      each["meaning"] = info.meaning;
      each["value"] = info.value_name;
      each["default"] = info.fallback;
      each["choices"] = nb::cast(info.choices);
      each["repeats"] = info.repeats;
      options.append(each);
    }
    groups.append(nb::make_tuple(group.title, options));
  }
  return groups;
}

}  // namespace

void add_calls(nb::module_& module) {
  nb::class_<Page>(module, "Page")
      .def_ro("text", &Page::text)
      .def_ro("json", &Page::json)
      .def_ro("svg", &Page::svg)
      .def_ro("notes", &Page::notes)
      .def_ro("warnings", &Page::warnings);
  module.def("fit", &fit_rows, nb::arg("rows"), nb::arg("options"), nb::arg("run"), nb::arg("start") = nb::none(),
             nb::arg("test") = nb::none(), nb::arg("picture") = false);
  module.def("cross_validate", &cross_validate_rows, nb::arg("rows"), nb::arg("options"), nb::arg("run"));
  module.def("evaluate", &evaluate_rows, nb::arg("model"), nb::arg("rows"), nb::arg("options"), nb::arg("run"));
  module.def("explain", &explain_rows, nb::arg("model"), nb::arg("rows"), nb::arg("options"), nb::arg("run"));
  module.def("compare", &compare_rows, nb::arg("rows"), nb::arg("models"), nb::arg("options"), nb::arg("run"));
  module.def("tune", &tune_rows, nb::arg("rows"), nb::arg("model"), nb::arg("grid"), nb::arg("one_se"),
             nb::arg("options"), nb::arg("run"));
  module.def("learning_curve", &curve_rows, nb::arg("rows"), nb::arg("models"), nb::arg("sizes"), nb::arg("options"),
             nb::arg("run"));
  module.def("margin", &margin_rows, nb::arg("rows"), nb::arg("model"), nb::arg("options"), nb::arg("run"));
  module.def(
      "merge", [](const std::vector<Model>& models) { return merge(models); }, nb::arg("models"));
  module.def(
      "forget",
      [](const Model& model, const Data& rows, const RunOptions& run) {
        return run_without_gil(run, [&](const Running& running) { return forget(model, rows, running); });
      },
      nb::arg("model"), nb::arg("rows"), nb::arg("run"));
  module.def(
      "sample", [](const Model& model, std::uint64_t rows, std::uint64_t seed) { return sample(model, rows, seed); },
      nb::arg("model"), nb::arg("rows"), nb::arg("seed"));
  module.def("option_groups", &option_groups);
}

}  // namespace plumb::python
