// plumb tune: option values chosen by rows that fits have not seen, never by the test rows; then the model is trained
// with them, as plumb train would.
#include <algorithm>
#include <chrono>
#include <numeric>
#include <set>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/data_words.h"
#include "cli/plot.h"
#include "cli/trainer_choice.h"
#include "cli/variants.h"

namespace plumb::cli {

enum class TuneRule { min, one_se };

}  // namespace plumb::cli

template <>
struct plumb::EnumNames<plumb::cli::TuneRule> {
  static constexpr std::string_view names[] = {"min", "1se"};
};

namespace plumb::cli {
namespace {

// What is tune's own: the rest is handed to train as it is.
struct TuneOptions {
  Texts grid;
  FoldChoice folds;
  TestChoice dev = {TestChoice::What::none, 0.0, 0, ""};
  bool refit = false;
  double time_limit = 0.0;
  TuneRule rule = TuneRule::min;

  static OptionTable table() {
    using O = TuneOptions;
    return {
        option("grid", &O::grid, "an option and its values: l2=1e-3..1e3:7 or ngrams=1-1,1-2; given twice, all pairs")
            .value("OPTION=VALUES"),
        option("folds", &O::folds, "values are judged by fits without a fold, or without the row: a number, or loo")
            .value("K|loo")
            .otherwise("10"),
        option("dev", &O::dev, "judge by these rows instead, in one split: a fraction, a number of rows, or a file")
            .value("F|N|FILE")
            .reads_file()
            .otherwise("folds"),
        option("refit", &O::refit,
               "fit every setting from scratch: no sums of all rows, no start from the setting before"),
        option("time-limit", &O::time_limit,
               "seconds after which no fit is begun and none goes on, but for the first; what was tried on whole "
               "folds by then is chosen from, and the model is trained")
            .value("S")
            .in(at_least(1e-9))
            .otherwise("none"),
        option("rule", &O::rule, "min: the least loss; 1se: the simplest model within a standard error of it")
            .value("RULE")};
  }
};

struct TuneTraining {
  std::string model;
  std::string output = "model.plumb";
  TestChoice test;
  std::uint64_t seed = 42;

  static OptionTable table() {
    using O = TuneTraining;
    return {option("model", &O::model, "the kind of model")
                .value("MODEL")
                .short_as('m')
                .otherwise("least-squares for a target of numbers, logistic for labels"),
            option("output", &O::output, "where to save the model").value("FILE").writes_file().short_as('o'),
            option("test", &O::test,
                   "rows held out of the choice, to score on: a fraction, a number of rows, a file, or none")
                .value("F|N|FILE|none")
                .reads_file(),
            option("seed", &O::seed, "of every random draw").value("N")};
  }
};

class Tune final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    std::vector<OptionGroup> groups = handed_on();
    groups.insert(groups.begin() + 5, options_of("Tuning", options_));
    return groups;
  }

  std::vector<OptionGroup> options_for(const std::vector<std::string>& words) override {
    words_ = words;
    std::vector<OptionGroup> groups = options(), all = groups;
    CommonOptions common;
    all.push_back(options_of("", common));
    groups.insert(groups.begin(), trainers_.first(value_of("model", words, all)));
    return groups;
  }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("tune"), operands, 1, kAnyNumber);
    if (std::find(operands.begin(), operands.end(), "-") != operands.end())
      throw Error(ErrorCode::usage, "standard input can be read only once, and tune reads the data again to train",
                  "save the rows in a file first");
    std::vector<std::string> files = operands;
    if (options_.dev.what == TestChoice::What::file && training_.test.what == TestChoice::What::file &&
        same_place(options_.dev.file, training_.test.file))
      throw Error(ErrorCode::usage, "--dev and --test are one file; what a setting is chosen by is no test of it",
                  "--test none");
    if (options_.dev.what == TestChoice::What::file) files.push_back(options_.dev.file);
    source_ = open_source(files, run_.reading(read_));
  }

  int run(const std::vector<std::string>& operands, const CommonOptions& common, Terminal& terminal) override {
    const auto started = std::chrono::steady_clock::now();
    Executor executor(run_.chosen());
    const Run run{executor, RandomKey{training_.seed, 0}, terminal.observer(), run_.max_memory.budget()};
    const std::string name = training_.model.empty()
                                 ? default_model(plan_split(*source_, features_, {}, split_).target_kind)
                                 : training_.model;
    const TrainerEntry& entry = trainer_list()[trainers_.find(name, given)];
    refuse_folds_beside(split_.fold, given);
    check_output({"output", training_.output}, "model.plumb");
    check_plot(plot_);
    std::vector<GridAxis> axes;
    for (const std::string& text : options_.grid.each) {
      axes.push_back(read_axis(
          text, [&](const std::string& option, const std::string& value) { return takes(entry, option, value); }));
      for (std::size_t i = 0; i + 1 < axes.size(); ++i)
        if (axes[i].option == axes.back().option)
          throw Error(ErrorCode::usage, "--grid " + axes[i].option + " is given twice; one list of values was expected",
                      "--grid " + axes[i].option + "=" + axes[i].values.front() + "," + axes.back().values.back());
    }
    if (was_given("folds") && was_given("dev"))
      throw Error(ErrorCode::usage, "--folds and --dev are given; values are judged by one or the other",
                  "leave out --folds");
    if (axes.empty())
      throw Error(ErrorCode::usage, "no values are given to choose from; --grid was expected", "--grid l2=1e-3..1e3:7");
    const std::vector<Variant> variants = read_variants(entry, axes);
    // Settings that differ in options of the model alone share a plan.
    const bool same_features = std::all_of(axes.begin(), axes.end(), [&](const GridAxis& axis) {
      return find_option(variants.front().setup->options(), axis.option) != nullptr;
    });
    std::vector<FeaturePlan> plans;
    for (const Variant& variant : variants) {
      plans.push_back(plan_split(*source_, variant.features, variant.text, split_, entry.target));
      if (plans.back().target_kind != entry.target) throw not_a_numeric_target(*source_, plans.back(), entry.name);
      if (same_features) break;
    }
    const SharedRows tables(*source_, plans, run);
    for (const std::string& note : source_->notes()) terminal.note(source_->name() + ": " + note);
    expect_two_rows(*source_, tables.rows());
    TuneReport report;
    report.model = entry.name;
    report.target = plans.front().target;
    report.rule = EnumNames<TuneRule>::names[static_cast<std::size_t>(options_.rule)];
    report.warnings = warnings_about(source_->skipped());
    if (common.dry_run) {
      if (common.json) {
        JsonWriter json(JsonWriter::Layout::indented);
        json.begin_object().member("schema", 1).member("command", "tune").member("dry_run", true);
        json.member("model", report.model).member("target", report.target).member("rows", tables.rows());
        terminal.print(json.member("settings", variants.size()).end_object().take());
        return 0;
      }
      terminal.print("would try " + counted(variants.size(), "setting") + " of " + std::string(entry.name) + " on " +
                     counted(tables.rows(), "row") + "\n");
      return 0;
    }
    try_settings(variants, plans, tables, report, terminal, run);
    choose_point(report);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    for (const std::string& warning : report.warnings) terminal.warn(warning);
    if (plot_.wanted()) terminal.note(save_plot(plot_, tuning_figure(report)));
    if (!common.json) terminal.print(to_text(report, terminal.style()));
    return train_chosen(operands, report, common, terminal);
  }

 private:
  bool was_given(std::string_view option) const { return std::find(given.begin(), given.end(), option) != given.end(); }

  std::vector<OptionGroup> handed_on() {
    std::vector<OptionGroup> groups = {options_of("Data", features_),   options_of("Text", text_),
                                       options_of("Classes", classes_), options_of("Splits", split_),
                                       options_of("Reading", read_),    options_of("Training", training_),
                                       options_of("Plot", plot_)};
    trainers_.append_to(groups);
    groups.push_back(options_of("Running", run_));
    return groups;
  }

  static bool takes(const TrainerEntry& entry, const std::string& option, const std::string& value) {
    FeatureOptions features;
    TextOptions text;
    const std::unique_ptr<TrainerSetup> setup = entry.setup();
    for (const OptionGroup& group : {options_of("", features), options_of("", text), setup->options()})
      if (const OptionInfo* const info = find_option(group, option)) try {
          info->set(group.owner, value);
          return true;
        } catch (const OptionFault&) {
          return false;
        }
    return true;  // there is no such option, which is said later
  }

  std::vector<Variant> read_variants(const TrainerEntry& entry, const std::vector<GridAxis>& axes) {
    std::vector<Variant> variants;
    for (const auto& values : combinations(axes)) {
      std::vector<std::string> with;
      for (const auto& [option, value] : values) with.push_back(option + "=" + value);
      variants.push_back(read_variant(entry, words_, options(), "grid", with));
    }
    return variants;
  }

  // Then each fit may begin where another ended: it comes to the same optimum. What a solver does on its way there, and
  // where it gives up, depends on where it began.
  bool only_penalties_differ(const std::vector<Variant>& variants) const {
    const std::vector<std::string> penalties = {"l2", "C", "prior-variance"};
    for (const Variant& variant : variants)
      for (const auto& [option, value] : variant.differs)
        if (std::find(penalties.begin(), penalties.end(), option) == penalties.end()) return false;
    for (const std::string option : {"solver", "tolerance", "max-iterations", "step", "stop", "rate"})
      if (std::find(given.begin(), given.end(), option) != given.end()) return false;
    return true;
  }

  // The same rows, folds and order for all settings.
  void try_settings(const std::vector<Variant>& variants, const std::vector<FeaturePlan>& plans,
                    const SharedRows& tables, TuneReport& report, Terminal& terminal, const Run& run) const {
    const auto started = std::chrono::steady_clock::now();
    // The simplest setting first: its fit is quickly had, and each fit is a good beginning for the next.
    std::vector<std::size_t> order(variants.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (plans.size() == 1)
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return simplicity_of(variants[a].differs) > simplicity_of(variants[b].differs);
      });
    std::vector<std::unique_ptr<Trainer>> trainers;
    std::vector<Experiment> experiments;
    for (const std::size_t i : order) {
      trainers.push_back(variants[i].setup->make());
      experiments.emplace_back(tables, plans[std::min(i, plans.size() - 1)], *trainers.back(), classes_, split_);
    }
    const Experiment& first = experiments.front();
    // The rows that train will hold out: of the whole data, then of the classes asked for.
    const RowSet dev_file =
        options_.dev.what == TestChoice::What::file ? tables.rows_of_last(options_.dev.file) : RowSet(tables.rows());
    const RowSet test = first.splitter().hold_out(dev_file.complement(), training_.test, run.random);
    say_group_rows(split_, "test", training_.test, dev_file.complement().count(), test.count(), terminal);
    const RowSet rows = test.complement().intersection(first.rows());
    report.rows = rows.count();
    report.test = test.intersection(first.rows()).count();
    if (training_.test.what == TestChoice::What::file) report.test_file = training_.test.file;
    const std::vector<Trial> trials = trials_for(first, rows, dev_file, report, run);
    TrialOptions options;
    options.copies_in = 0;
    options.from_scratch = options_.refit || !only_penalties_differ(variants);
    if (options_.time_limit > 0)
      options.over = [&] {
        const auto gone = std::chrono::steady_clock::now() - started;
        return std::chrono::duration<double>(gone).count() > options_.time_limit;
      };
    std::vector<std::vector<Tried>> tried = try_all(experiments, trials, options, run);
    report.all_tried = tried.size() == variants.size();
    if (!report.all_tried || tried.front().size() < trials.size())
      report.warnings.push_back(time_was_over(tried, variants.size(), trials.size()));
    const bool dev = options_.dev.what != TestChoice::What::none;
    say_copies(tried.front().front().copies, trials.front().tried.count(), dev ? "development row" : "tried row",
               dev ? "a training row" : "a row of another fold", report.warnings, terminal);
    order.resize(tried.size());
    std::vector<TunedPoint> points(variants.size());
    for (std::size_t place = 0; place < order.size(); ++place) {
      const Variant& variant = variants[order[place]];
      TunedPoint& point = points[order[place]];
      point.options = variant.differs;
      for (const Tried& each : tried[place])
        point.converged = point.converged && (each.converged || !variant.entry->gate);
      const Outcome outcome = merged(std::move(tried[place]));
      point.metrics = outcome.metrics(run, 0);
      const Outcome::Loss loss = outcome.loss();
      point.loss = loss.mean;
      point.standard_error = loss.standard_error;
      report.loss_name = outcome.loss_name();
    }
    std::sort(order.begin(), order.end());  // those that were tried, as they were given
    for (const std::size_t i : order) report.points.push_back(std::move(points[i]));
  }

  static std::string time_was_over(const std::vector<std::vector<Tried>>& tried, std::size_t settings,
                                   std::size_t folds) {
    const std::string some = count_text(tried.size()) + " of " + counted(settings, "setting"),
                      part = count_text(tried.front().size()) + " of " + counted(folds, "fold");
    if (folds == 1) return "the time was over: " + some + " were tried";
    return "the time was over: " + (tried.size() < settings ? some + " were tried, on " + part
                                                            : part + " were tried, the same for every setting");
  }

  static double simplicity_of(const std::vector<std::pair<std::string, std::string>>& options) {
    double sum = 0.0;
    for (const auto& [option, value] : options) sum += simplicity(option, value);
    return sum;
  }

  std::vector<Trial> trials_for(const Experiment& experiment, const RowSet& rows, const RowSet& dev_file,
                                TuneReport& report, const Run& run) const {
    const std::string seed =
        split_.split == SplitOrder::order ? " of rows in order" : ", seed " + std::to_string(training_.seed);
    if (options_.dev.what != TestChoice::What::none) {
      const bool file = options_.dev.what == TestChoice::What::file;
      const std::uint64_t all = rows.count() + report.test;  // a fraction is one of all rows
      const RowSet dev =
          file ? dev_file.intersection(experiment.rows())
               : experiment.splitter().hold_out(rows, as_rows(options_.dev, all), {run.random.seed, 1}, "dev");
      report.method = counted(dev.count(), "row") + " of development" +
                      (file                                ? ""
                       : split_.split == SplitOrder::order ? ", the last"
                                                           : seed);
      return {{rows.intersection(dev.complement()), dev}};
    }
    const bool most = options_.folds.what == FoldChoice::What::leave_one_out || !split_.fold.empty();
    const std::uint64_t folds = most ? experiment.splitter().most_folds(rows) : options_.folds.folds;
    report.method = counted(folds, "fold") + (split_.fold.empty() ? seed : " of " + split_.fold);
    return trials_of(experiment.splitter().folds(rows, folds, run.random));
  }

  // Whether the best value of an option is the least or the largest of three or more, by its size and not its place.
  static bool at_end(const TuneReport& report, std::size_t axis) {
    std::set<double> values;
    for (const TunedPoint& point : report.points) {
      const ParsedNumber number = parse_number(point.options[axis].second);
      if (number.fault != NumberFault::none) return false;
      values.insert(number.value);
    }
    const double best = parse_number(report.points[report.choice.best].options[axis].second).value;
    return values.size() > 2 && (best == *values.begin() || best == *values.rbegin());
  }

  // Whether settings that differ in this option alone all have the same loss.
  static bool changes_nothing(const TuneReport& report, std::size_t axis) {
    bool several = false;
    for (const TunedPoint& a : report.points)
      for (const TunedPoint& b : report.points) {
        auto others = b.options;
        others[axis] = a.options[axis];
        if (others != a.options || a.options[axis] == b.options[axis]) continue;
        several = true;
        if (a.loss != b.loss) return false;
      }
    return several;
  }

  void choose_point(TuneReport& report) const {
    std::vector<double> loss, error, simple, right;
    for (const TunedPoint& point : report.points) {
      loss.push_back(point.loss);
      right.push_back(0.0);
      for (const Metric& metric : point.metrics)
        if (metric.name == "accuracy") right.back() = metric.value;
      error.push_back(point.standard_error);
      simple.push_back(simplicity_of(point.options));
    }
    // Losses that are all infinite tell nothing apart.
    const bool infinite = std::all_of(loss.begin(), loss.end(), [](double each) { return std::isinf(each); });
    if (infinite) {
      for (std::size_t i = 0; i < loss.size(); ++i) loss[i] = -right[i], error[i] = 0.0;
      report.warnings.emplace_back(
          "every setting has an infinite loss, so the one with the most right labels was chosen");
    }
    report.choice = choose(loss, error, simple);
    report.chosen = options_.rule == TuneRule::min ? report.choice.best : report.choice.one_se;
    const std::size_t best = report.choice.best;
    for (std::size_t axis = 0; !infinite && axis < report.points[best].options.size(); ++axis) {
      const auto& [option, value] = report.points[best].options[axis];
      if (!report.all_tried) break;  // others might be better, or differ
      if (changes_nothing(report, axis)) {
        report.warnings.push_back("--" + option + " changes nothing here: every value of the grid has the same loss");
      } else if (at_end(report, axis) && simplicity(option, value) != 0.0) {
        report.warnings.push_back("the best --" + option + ", " + value +
                                  ", is at the end of the grid: a wider one may hold a better");
      }
    }
  }

  static std::string said_again(const OptionInfo& info, const void* owner) {
    const std::string file = info.file(owner);
    return file.empty() ? info.text(owner) : file;
  }

  bool is_flag(const std::string& option) {
    std::vector<OptionGroup> groups = handed_on();
    return std::any_of(groups.begin(), groups.end(), [&](const OptionGroup& group) {
      const OptionInfo* const info = find_option(group, option);
      return info != nullptr && info->flag();
    });
  }

  // The words that plumb train takes: what was given here, with the values chosen.
  int train_chosen(const std::vector<std::string>& operands, const TuneReport& report, const CommonOptions& common,
                   Terminal& terminal) {
    std::vector<std::string> words = {"train"};
    words.push_back("--model=" + report.model);
    const auto& chosen = report.points[report.chosen].options;
    const auto add = [&](const std::vector<OptionGroup>& groups) {
      for (const OptionGroup& group : groups)
        for (const OptionInfo& info : group.options) {
          const auto is = [&](const auto& name) { return name == info.name; };
          const bool varied =
              std::any_of(chosen.begin(), chosen.end(), [&](const auto& each) { return is(each.first); });
          const bool said = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
            return word == "--" + info.name || word.starts_with("--" + info.name + "=");
          });
          if (info.name == "plot" || (varied && !adds_to_typed(info.name)) || said ||
              std::find_if(given.begin(), given.end(), is) == given.end())
            continue;
          words.push_back(info.flag() ? "--" + info.name : "--" + info.name + "=" + said_again(info, group.owner));
        }
    };
    add({trainers_.setup(trainers_.find(report.model, given)).options()});
    add(handed_on());
    std::vector<std::string> tuned;
    for (const auto& [option, value] : chosen) {
      tuned.push_back(option);
      const bool flag = is_flag(option);
      if (!flag || value != "false") words.push_back("--" + option + (flag ? "" : "=" + value));
    }
    if (common.json) words.push_back("--json");
    if (common.quiet) words.push_back("--quiet");
    words.push_back("--");
    words.insert(words.end(), operands.begin(), operands.end());
    terminal.hush_notes(true);  // it reads what was read already
    if (!common.json) return run_words(words, terminal, tuned);
    std::string trained;
    terminal.keep_results(&trained);
    const int code = run_words(words, terminal, tuned);
    terminal.keep_results(nullptr);
    terminal.print(to_json(report, trained));
    return code;
  }

  FeatureOptions features_;
  TextOptions text_;
  ClassOptions classes_;
  ReadOptions read_;
  TuneTraining training_;
  TuneOptions options_;
  SplitOptions split_;
  PlotOptions plot_;
  RunOptions run_;
  TrainerChoice trainers_;
  std::vector<std::string> words_;
  std::unique_ptr<Source> source_;
};

}  // namespace

std::unique_ptr<Command> make_tune() { return std::make_unique<Tune>(); }

}  // namespace plumb::cli
