#include "plumb/workflow/tuning.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/select/data_checks.h"
#include "plumb/select/trials.h"
#include "plumb/workflow/data_words.h"
#include "plumb/workflow/trainer_choice.h"

namespace plumb {
namespace {

bool takes(const TrainerEntry& entry, const std::string& option, const std::string& value) {
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
  return true;  // the option does not exist, which is reported later
}

class Tuning {
 public:
  Tuning(TuneRequest& request, Source& source, Messages& say, const Run& run)
      : request_(request),
        options_(request.options),
        split_(request.data.split),
        source_(source),
        say_(say),
        run_(run) {}

  TuneReport report(const std::vector<GridAxis>& axes, const std::vector<Candidate>& variants) {
    // Settings that differ only in options of the model share a plan.
    const bool same_features = std::all_of(axes.begin(), axes.end(), [&](const GridAxis& axis) {
      return find_option(variants.front().setup->options(), axis.option) != nullptr;
    });
    std::vector<FeaturePlan> plans;
    for (const Candidate& variant : variants) {
      plans.push_back(plan_of(variant, source_, split_));
      if (same_features) break;
    }
    const SharedRows tables = read_shared(source_, plans, gaps_of(variants), say_, run_);
    TuneReport report;
    report.model = variants.front().entry->name;
    report.target = plans.front().target;
    report.rule = EnumNames<TuneRule>::names[static_cast<std::size_t>(options_.rule)];
    report.warnings = warnings_about(source_.skipped());
    report.rows = tables.rows();
    if (request_.dry_run) return report;
    try_settings(variants, plans, tables, report, run_);
    choose_point(report);
    return report;
  }

 private:
  // Then each fit may start where another ended, because it reaches the same optimum. The path of a solver, and where
  // it gives up, depend on its start.
  bool only_penalties_differ(const std::vector<Candidate>& variants) const {
    const std::vector<std::string> penalties = {"l2", "C", "prior-variance"};
    for (const Candidate& variant : variants)
      for (const auto& [option, value] : variant.differs)
        if (std::find(penalties.begin(), penalties.end(), option) == penalties.end()) return false;
    for (const std::string option : {"solver", "tolerance", "max-iterations", "step", "stop", "rate"})
      if (was_given(request_.given, option)) return false;
    return true;
  }

  // The same rows, folds and order for all settings.
  void try_settings(const std::vector<Candidate>& variants, const std::vector<FeaturePlan>& plans,
                    const SharedRows& tables, TuneReport& report, const Run& run) const {
    const auto started = std::chrono::steady_clock::now();
    // The simplest setting first: its fit is fast, and each fit is a good start for the next.
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
      experiments.emplace_back(tables, plans[std::min(i, plans.size() - 1)], *trainers.back(), request_.data.classes,
                               split_);
    }
    const Experiment& first = experiments.front();
    // The rows that train will hold out: of the whole data, then of the requested classes.
    const RowSet dev_file =
        options_.dev.what == TestChoice::What::file ? tables.rows_of_last(options_.dev.file) : RowSet(tables.rows());
    const RowSet test = first.splitter().hold_out(dev_file.complement(), request_.test, run.random);
    say_group_rows(split_, "test", request_.test, dev_file.complement().count(), test.count(), say_);
    const RowSet rows = test.complement().intersection(first.rows());
    report.rows = rows.count();
    report.test = test.intersection(first.rows()).count();
    if (request_.test.what == TestChoice::What::file) report.test_file = request_.test.file;
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
    say_copies(tried.front().front().copies, trials.front().tried.count(), dev ? "development row" : "validation row",
               dev ? "a training row" : "a row of another fold", report.warnings, say_);
    order.resize(tried.size());
    std::vector<TunedPoint> points(variants.size());
    for (std::size_t place = 0; place < order.size(); ++place) {
      const Candidate& variant = variants[order[place]];
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
    std::sort(order.begin(), order.end());  // the tried ones, as given
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
        split_.split == SplitOrder::order ? " of rows in order" : ", seed " + std::to_string(request_.seed);
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

  // Whether the best value of an option is the smallest or the largest of three or more, by its size and not its
  // position.
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

  // Whether settings that differ only in this option all have the same loss.
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
      const Metric* const headline = find_metric(point.metrics, kHeadline);
      right.push_back(headline == nullptr ? 0.0 : headline->value);
      error.push_back(point.standard_error);
      simple.push_back(simplicity_of(point.options));
    }
    // Losses that are all infinite cannot be compared.
    const bool infinite = std::all_of(loss.begin(), loss.end(), [](double each) { return std::isinf(each); });
    if (infinite) {
      for (std::size_t i = 0; i < loss.size(); ++i) loss[i] = -right[i], error[i] = 0.0;
      report.warnings.emplace_back("every setting has an infinite loss, so the one with the fewest errors was chosen");
    }
    report.choice = choose(loss, error, simple);
    report.chosen = options_.rule == TuneRule::min ? report.choice.best : report.choice.one_se;
    const std::size_t best = report.choice.best;
    for (std::size_t axis = 0; !infinite && axis < report.points[best].options.size(); ++axis) {
      const auto& [option, value] = report.points[best].options[axis];
      if (!report.all_tried) break;  // others might be better, or differ
      if (changes_nothing(report, axis)) {
        report.warnings.push_back("--" + option + " makes no difference: every value of the grid has the same loss");
      } else if (at_end(report, axis) && simplicity(option, value) != 0.0) {
        report.warnings.push_back("the best --" + option + ", " + value +
                                  ", is at the end of the grid; try a wider grid");
      }
    }
  }

  TuneRequest& request_;
  const TuneOptions& options_;
  const SplitOptions& split_;
  Source& source_;
  Messages& say_;
  const Run& run_;
};

}  // namespace

OptionTable TuneOptions::table() {
  using O = TuneOptions;
  return {option("grid", &O::grid,
                 "an option and its values: l2=1e-3..1e3:7 or ngrams=1-1,1-2; repeat it for all combinations")
              .value("OPTION=VALUES"),
          option("folds", &O::folds, "number of folds, or loo (leave-one-out)").value("K|loo").otherwise("10"),
          option("dev", &O::dev, "validate on these rows instead of folds: a fraction, a number of rows, or a file")
              .value("F|N|FILE")
              .reads_file()
              .otherwise("folds"),
          option("refit", &O::refit, "fit every setting from scratch: no shared sums, no warm starts"),
          option("time-limit", &O::time_limit,
                 "stop trying settings after this many seconds, and train with the best so far")
              .value("S")
              .in(at_least(1e-9))
              .otherwise("none"),
          option("rule", &O::rule, "min: the smallest loss; 1se: the simplest model within one standard error of it")
              .value("RULE")};
}

std::vector<GridAxis> read_grid(const TrainerEntry& entry, const TuneOptions& options,
                                const std::vector<std::string>& given) {
  std::vector<GridAxis> axes;
  for (const std::string& text : options.grid.each) {
    axes.push_back(read_axis(
        text, [&](const std::string& option, const std::string& value) { return takes(entry, option, value); }));
    for (std::size_t i = 0; i + 1 < axes.size(); ++i)
      if (axes[i].option == axes.back().option)
        throw Error(ErrorCode::usage, "--grid " + axes[i].option + " is given twice; one list of values was expected",
                    "--grid " + axes[i].option + "=" + axes[i].values.front() + "," + axes.back().values.back());
  }
  if (was_given(given, "folds") && was_given(given, "dev"))
    throw Error(ErrorCode::usage, "--folds and --dev are given; values are judged by one or the other",
                "leave out --folds");
  if (axes.empty())
    throw Error(ErrorCode::usage, "no values are given to choose from; --grid was expected", "--grid l2=1e-3..1e3:7");
  return axes;
}

TuneReport tune(TuneRequest& request, const std::vector<GridAxis>& axes, const std::vector<Candidate>& candidates,
                Source& source, Messages& say, const Run& run) {
  return Tuning(request, source, say, run).report(axes, candidates);
}

}  // namespace plumb
