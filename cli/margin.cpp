// plumb margin: whether a plane has two classes apart, with a proof either way, and how wide it can be; or how far the
// boundary of a given model is from the rows.
#include <algorithm>
#include <chrono>

#include "cli/command.h"
#include "cli/plot.h"

namespace plumb::cli {
namespace {

struct MarginCommandOptions {
  std::string model;
  double tolerance = 1e-4;
  std::uint64_t passes = 2000;
  bool bias = true;
  std::uint64_t seed = 42;

  static OptionTable table() {
    using O = MarginCommandOptions;
    return {
        option("model", &O::model, "the margin of this model on the data, not that of the data")
            .value("MODEL")
            .reads_file()
            .otherwise("none"),
        option("tolerance", &O::tolerance, "how far apart, relatively, the two bounds on the margin may be")
            .value("X")
            .in(between(1e-12, 0.5)),
        option("passes", &O::passes, "over the data at most, for each of the two margins").value("N").in(at_least(1)),
        option("no-bias", &O::bias, "planes through 0 only").off(),
        option("seed", &O::seed, "of the order in which rows are looked at").value("N")};
  }
};

class Margin final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    return {options_of("Margin", options_),  options_of("Data", features_), options_of("Text", text_),
            options_of("Classes", classes_), options_of("Reading", read_),  options_of("Plot", plot_),
            options_of("Running", run_)};
  }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("margin"), operands, 1, kAnyNumber);
    if (!options_.model.empty()) saved_ = std::make_unique<SavedModel>(load_model(options_.model));
    source_ =
        saved_ ? open_for(saved_->model, operands, run_.reading(read_)) : open_source(operands, run_.reading(read_));
  }

  int run(const std::vector<std::string>&, const CommonOptions& common, Terminal& terminal) override {
    check_plot(plot_);
    check_options();
    const auto started = std::chrono::steady_clock::now();
    Executor executor(run_.chosen());
    const Run run{executor, RandomKey{options_.seed, 0}, terminal.observer(), run_.max_memory.budget()};
    MarginReport report = saved_ ? of_model(run, common.dry_run) : of_data(run, common.dry_run);
    report.dry_run = common.dry_run;
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    for (const std::string& note : source_->notes()) terminal.note(source_->name() + ": " + note);
    for (const std::string& warning : warnings_about(source_->skipped())) report.warnings.push_back(warning);
    for (const std::string& warning : report.warnings) terminal.warn(warning);
    if (figure_) terminal.note(save_plot(plot_, *figure_));
    terminal.print(common.json ? to_json(report) : to_text(report, terminal.style()));
    return 0;
  }

 private:
  void check_options() const {
    if (!features_.offset.empty())
      throw Error(ErrorCode::usage,
                  "a margin is that of planes whose weights are all free; --offset has one that is not",
                  "leave out --offset");
    if (!saved_) return;
    MarginCommandOptions own;
    FeatureOptions features;
    TextOptions text;
    ClassOptions classes;
    for (const OptionGroup& group :
         {options_of("", own), options_of("", features), options_of("", text), options_of("", classes)})
      for (const OptionInfo& info : group.options)
        if (info.name != "model" && info.name != "target" && info.name != "classes" &&
            std::find(given.begin(), given.end(), info.name) != given.end())
          throw Error(ErrorCode::usage,
                      "the model decides on features and classes, and its margin is not searched for, so --" +
                          info.name + " has no meaning with --model",
                      "leave it out");
  }

  MarginReport of_data(const Run& run, bool dry_run) {
    const FeaturePlan plan = plan_features(*source_, features_, text_, Kind::category);
    source_->select(plan.selected);
    Tables tables = read_all(*source_, run);
    expect_rows(tables);
    const Classes classes = classes_of(tables, plan.inputs.size(),
                                       plan.weight.empty() ? std::nullopt : std::optional(plan.inputs.size() + 1));
    RowSet rows = classes.counted;
    if (!classes_.classes.empty()) rows = rows.intersection(classes.rows_of(classes_.classes));
    Learnt learnt = learn_features(tables, plan, rows, {.bias = options_.bias}, run);
    learnt.layout.labels = classes.among(rows, classes_.positive);
    if (learnt.layout.labels.size() != 2)
      throw Error(ErrorCode::usage, {source_->name()},
                  "the target has " + count_text(learnt.layout.labels.size()) +
                      " labels; a margin is between two: " + listed(learnt.layout.labels),
                  "--classes " + as_typed(learnt.layout.labels[0] + "," + learnt.layout.labels[1]));
    learnt.layout.known_labels = 2;
    append_new_labels(learnt.layout.labels, 2, classes.labels);
    FeatureMap::Unseen unseen;
    const Examples all = learnt.map.apply(std::move(tables), learnt.layout, unseen, run);
    const Examples examples = all.with(rows);
    MarginReport report{
        plan.target, {learnt.layout.labels[0], learnt.layout.labels[1]}, examples.size(), learnt.map, options_.bias, {},
        {}};
    report.warnings = learnt.warnings;
    if (!dry_run)
      report.data = data_margin(
          examples, {.tolerance = options_.tolerance, .max_passes = options_.passes, .bias = options_.bias}, run);
    if (plot_.wanted() && !dry_run) draw(report, examples);
    warn_of_width(report);
    return report;
  }

  // Columns far from 0 make the margin through 0 of (x, 1) so small beside them that doubles have few digits of it.
  void warn_of_width(MarginReport& report) const {
    constexpr double kLong = 1e3, kFar = 1e4;  // a row, alone and beside the margin
    const DataMargin& found = report.data;
    if (found.separable != Separable::yes) return;
    const auto warn = [&](const MarginBounds& bounds, const std::string& of, bool far) {
      if (bounds.width() <= options_.tolerance) return;
      const std::string apart = bounds.width() > 0.99 ? "more than 99" : number_text(100 * bounds.width(), 2);
      report.warnings.push_back(
          "the bounds of the " + of + " are " + apart + " % apart after " + count_text(found.passes) + " passes; " +
          (far ? "subtract a constant from columns far from 0: the margin stays, the augmented one grows"
               : "--passes " + std::to_string(10 * options_.passes) + " goes on"));
    };
    warn(found.free, "margin", false);
    const bool far = found.radius > kLong && found.free.low > 0.0 && found.radius > kFar * found.free.low;
    if (options_.bias) warn(found.augmented, "augmented margin", far);
  }

  MarginReport of_model(const Run& run, bool dry_run) {
    const LinearModel& model = saved_->model;
    const std::string target = features_.target.empty() ? saved_->record.target : features_.target;
    TableLayout layout = model.parts().map.select_from(*source_, {target, model.parts().labels});
    Tables tables = read_all(*source_, run);
    expect_rows(tables);
    FeatureMap::Unseen unseen;
    RowSet rows(tables.rows, true);
    if (!classes_.classes.empty() && !model.predicts_numbers()) {
      const Classes classes = classes_of(tables, *layout.target, {}, model.parts().labels);
      rows = classes.rows_of(classes_.classes);
      layout.known_labels = layout.labels.size();
      append_new_labels(layout.labels, *layout.known_labels, classes.labels);
    }
    const Examples examples = model.parts().map.apply(std::move(tables), layout, unseen, run).with(rows);
    MarginReport report{target, model.parts().labels, examples.size(), model.parts().map, true, {}, {}};
    report.model_file = options_.model;
    if (unseen.values > 0) report.warnings.push_back(unseen.text());
    if (dry_run) return report;
    report.model = model_margin(model, examples, run);
    if (plot_.wanted()) draw(report, model, examples);
    for (std::size_t b = 0; b < examples.blocks(); ++b)
      examples.block(b).for_each([&](const Example& example) {
        if (example.number == report.model->row)
          report.row_label = model.parts().labels[static_cast<std::size_t>(example.target)];
      });
    return report;
  }

  // The plane that was found; without one, a plane of no weights: the rows alone.
  void draw(MarginReport& report, const Examples& examples) {
    const DataMargin& data = report.data;
    const bool found = data.separable == Separable::yes;
    LinearModel::Parts parts;
    parts.map = report.map;
    parts.labels = report.labels;
    parts.link = Link::sign;
    parts.bias = {found ? data.bias : 0.0};
    parts.weights =
        Weights::dense(1, report.map.features(), found ? data.weights : std::vector<double>(report.map.features()));
    draw(report, LinearModel(std::move(parts)), examples);
    if (!figure_ || found) return;
    figure_->panels[0].notes = {
        data.separable == Separable::no
            ? "not separable: no line " + std::string(report.bias ? "" : "through 0 ") + "has the labels apart"
            : "undecided: no line that has the labels apart was found, and no proof that none is"};
  }
  void draw(MarginReport& report, const LinearModel& model, const Examples& examples) {
    figure_ = class_figure(model, report.target, examples);
    if (!figure_) report.warnings.push_back("no picture was made: --plot draws two labels by two features");
  }

  void expect_rows(const Tables& tables) const {
    if (tables.rows == 0)
      throw Error(ErrorCode::data, {source_->name()}, "there are no rows; at least one was expected");
  }

  MarginCommandOptions options_;
  FeatureOptions features_;
  TextOptions text_;
  ClassOptions classes_;
  ReadOptions read_;
  PlotOptions plot_;
  RunOptions run_;
  std::optional<Figure> figure_;
  std::unique_ptr<SavedModel> saved_;
  std::unique_ptr<Source> source_;
};

}  // namespace

std::unique_ptr<Command> make_margin() { return std::make_unique<Margin>(); }

}  // namespace plumb::cli
