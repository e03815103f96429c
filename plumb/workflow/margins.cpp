#include "plumb/workflow/margins.h"

#include <utility>

#include "plumb/base/number.h"
#include "plumb/base/options.h"
#include "plumb/base/text.h"
#include "plumb/feature/levels.h"
#include "plumb/report/class_plots.h"
#include "plumb/workflow/request.h"

namespace plumb {
namespace {

void check_request(const MarginRequest& request, bool of_model) {
  if (!request.features.offset.empty())
    throw Error(ErrorCode::usage, "margin does not support --offset", "leave out --offset");
  if (!of_model) return;
  MarginRequest own;
  for (const OptionGroup& group : {options_of("", own.search), options_of("", own.features), options_of("", own.text),
                                   options_of("", own.classes)})
    for (const OptionInfo& info : group.options)
      if (info.name != "model" && info.name != "target" && info.name != "classes" &&
          was_given(request.given, info.name))
        throw Error(ErrorCode::usage,
                    "the model fixes the features and classes, so --" + info.name + " cannot be combined with --model",
                    "leave it out");
}

Tables rows_of(Source& source, const Run& run) {
  Tables tables = read_all(source, run);
  if (tables.rows == 0) throw Error(ErrorCode::data, {source.name()}, "there are no rows; at least one was expected");
  return tables;
}

void draw(MarginReport& report, const LinearModel& model, const Examples& examples, std::optional<Figure>& figure) {
  figure = class_figure(model, report.target, examples);
  if (!figure) report.warnings.push_back("no plot was drawn: --plot of margin needs two features");
}

// The hyperplane that was found; without one, zero weights: the rows alone.
void draw(MarginReport& report, const Examples& examples, std::optional<Figure>& figure) {
  const DataMargin& data = report.data;
  const bool found = data.separable == Separable::yes;
  LinearModel::Parts parts;
  parts.map = report.map;
  parts.labels = report.labels;
  parts.link = Link::sign;
  parts.bias = {found ? data.bias : 0.0};
  parts.weights =
      Weights::dense(1, report.map.features(), found ? data.weights : std::vector<double>(report.map.features()));
  draw(report, LinearModel(std::move(parts)), examples, figure);
  if (!figure || found) return;
  figure->panels[0].notes = {data.separable == Separable::no
                                 ? "not separable: no line " + std::string(report.bias ? "" : "through 0 ") +
                                       "separates the labels"
                                 : "undecided: neither a separating line nor a proof that there is none was found"};
}

// Columns far from 0 make the margin of (x, 1) through 0 so small relative to them that doubles have few digits of it.
void warn_of_width(MarginReport& report, const MarginSearch& search) {
  constexpr double kLong = 1e3, kFar = 1e4;  // a row, alone and with the margin
  const DataMargin& found = report.data;
  if (found.separable != Separable::yes) return;
  const auto warn = [&](const MarginBounds& bounds, const std::string& of, bool far) {
    if (bounds.width() <= search.tolerance) return;
    const std::string apart = bounds.width() > 0.99 ? "more than 99" : number_text(100 * bounds.width(), 2);
    report.warnings.push_back(
        "the bounds of the " + of + " are " + apart + " % apart after " + count_text(found.passes) + " passes; " +
        (far ? "subtract a constant from columns far from 0: the margin stays, the augmented one grows"
             : "--passes " + std::to_string(10 * search.passes) + " goes on"));
  };
  warn(found.free, "margin", false);
  const bool far = found.radius > kLong && found.free.low > 0.0 && found.radius > kFar * found.free.low;
  if (search.bias) warn(found.augmented, "augmented margin", far);
}

MarginReport of_data(Source& source, const MarginRequest& request, const Run& run, std::optional<Figure>* figure) {
  const MarginSearch& search = request.search;
  const FeaturePlan plan = plan_features(source, request.features, request.text, Kind::category);
  source.select(plan.selected);
  Tables tables = rows_of(source, run);
  const Classes classes = classes_of(tables, plan.inputs.size(),
                                     plan.weight.empty() ? std::nullopt : std::optional(plan.inputs.size() + 1));
  RowSet rows = classes.counted;
  if (!request.classes.classes.empty()) rows = rows.intersection(classes.rows_of(request.classes.classes));
  Learnt learnt = learn_features(tables, plan, rows, {.bias = search.bias}, run);
  learnt.layout.labels = classes.among(rows, request.classes.positive);
  if (learnt.layout.labels.size() != 2)
    throw Error(ErrorCode::usage, {source.name()},
                "the target has " + count_text(learnt.layout.labels.size()) +
                    " labels; a margin is between two: " + listed(learnt.layout.labels),
                "--classes " + as_typed(learnt.layout.labels[0] + "," + learnt.layout.labels[1]));
  learnt.layout.known_labels = 2;
  append_new_labels(learnt.layout.labels, 2, classes.labels);
  FeatureMap::Unseen unseen;
  const Examples all = learnt.map.apply(std::move(tables), learnt.layout, unseen, run);
  const Examples examples = all.with(rows);
  MarginReport report{
      plan.target, {learnt.layout.labels[0], learnt.layout.labels[1]}, examples.size(), learnt.map, search.bias, {},
      {}};
  report.warnings = learnt.warnings;
  report.warnings.insert(report.warnings.end(), learnt.filled.begin(), learnt.filled.end());
  if (request.dry_run) return report;
  report.data =
      data_margin(examples, {.tolerance = search.tolerance, .max_passes = search.passes, .bias = search.bias}, run);
  if (figure != nullptr) draw(report, examples, *figure);
  warn_of_width(report, search);
  return report;
}

MarginReport of_model(const LinearModel& model, const std::string& target, Source& source, const MarginRequest& request,
                      const Run& run, std::optional<Figure>* figure) {
  TableLayout layout = model.parts().map.select_from(source, {target, model.parts().labels});
  Tables tables = rows_of(source, run);
  FeatureMap::Unseen unseen;
  RowSet rows(tables.rows, true);
  if (!request.classes.classes.empty() && !model.predicts_numbers()) {
    const Classes classes = classes_of(tables, *layout.target, {}, model.parts().labels);
    rows = classes.rows_of(request.classes.classes);
    layout.known_labels = layout.labels.size();
    append_new_labels(layout.labels, *layout.known_labels, classes.labels);
  }
  const Examples examples = model.parts().map.apply(std::move(tables), layout, unseen, run).with(rows);
  MarginReport report{target, model.parts().labels, examples.size(), model.parts().map, true, {}, {}};
  report.model_file = request.search.model;
  if (unseen.values > 0) report.warnings.push_back(unseen.text());
  if (request.dry_run) return report;
  report.model = model_margin(model, examples, run);
  if (figure != nullptr) draw(report, model, examples, *figure);
  for (std::size_t b = 0; b < examples.blocks(); ++b)
    examples.block(b).for_each([&](const Example& example) {
      if (example.number == report.model->row)
        report.row_label = model.parts().labels[static_cast<std::size_t>(example.target)];
    });
  return report;
}

}  // namespace

OptionTable MarginSearch::table() {
  using O = MarginSearch;
  return {option("model", &O::model, "the margin of this model on the data, not that of the data")
              .value("MODEL")
              .reads_file()
              .otherwise("none"),
          option("tolerance", &O::tolerance, "relative gap allowed between the two bounds on the margin")
              .value("X")
              .in(between(1e-12, 0.5)),
          option("passes", &O::passes, "maximum passes over the data, for each of the two margins")
              .value("N")
              .in(at_least(1)),
          option("no-bias", &O::bias, "only hyperplanes through 0").off(),
          option("seed", &O::seed, "seed of the order of the rows").value("N")};
}

MarginReport margin(const SavedModel* model, Source& source, const MarginRequest& request, Messages& messages,
                    const Run& run, std::optional<Figure>* figure) {
  check_request(request, model != nullptr);
  Run seeded = run;
  seeded.random = RandomKey{request.search.seed, 0};
  const std::string& target = request.features.target;
  MarginReport report = model == nullptr ? of_data(source, request, seeded, figure)
                                         : of_model(model->model, target.empty() ? model->record.target : target,
                                                    source, request, seeded, figure);
  report.dry_run = request.dry_run;
  for (const std::string& note : source.notes()) messages.note(source.name() + ": " + note);
  for (const std::string& warning : warnings_about(source.skipped())) report.warnings.push_back(warning);
  return report;
}

}  // namespace plumb
