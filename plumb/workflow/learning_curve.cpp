#include "plumb/workflow/learning_curve.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/foreseen.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/evaluate/class_metrics.h"
#include "plumb/select/cross_validate.h"
#include "plumb/select/data_checks.h"
#include "plumb/select/trials.h"
#include "plumb/workflow/data_words.h"
#include "plumb/workflow/remedy_trials.h"
#include "plumb/workflow/trainer_choice.h"
#include "plumb/workflow/typed_data.h"

namespace plumb {
namespace {

constexpr std::size_t kSizes = 8;

class LearningCurve {
 public:
  LearningCurve(CurveRequest& request, Source& source, Messages& say, const Run& run)
      : request_(request), options_(request.options), source_(source), say_(say), run_(run) {}

  CurveReport report(const std::vector<Candidate>& variants) {
    check_splits();
    std::vector<FeaturePlan> plans;
    for (const Candidate& variant : variants) plans.push_back(plan_of(variant, source_, request_.data.split));
    const SharedRows tables = read_shared(source_, plans, gaps_of(variants), say_, run_);
    CurveReport report;
    report.target = plans.front().target;
    report.labels = plans.front().target_kind == Kind::category;
    report.rows = tables.rows();
    report.repeats = options_.repeats;
    report.seed = options_.seed;
    report.data = typed_data(request_.data.files, request_.data.groups(), options_of("", options_), {}, request_.given,
                             plans.front());
    report.warnings = warnings_about(source_.skipped());
    if (request_.dry_run) return report;
    const std::vector<double> place = shares(variants);
    for (std::size_t i = 0; i < variants.size(); ++i)
      report.curves.push_back(curve_of(variants[i], plans[i], tables, report, within(run_, place[i], place[i + 1])));
    report.verdicts = verdict(report);
    for (std::size_t i = 0; i < report.curves.size(); ++i)  // the first verdicts are those on each model
      if (FitVerdict& each = report.verdicts[i]; !each.remedies.empty())
        each = tried(std::move(each),
                     {request_.data, source_, *variants[i].entry, *variants[i].setup, request_.given,
                      report.curves[i].points.back().rows},
                     sample_of(tables, RowSet(tables.rows(), true)), false, run_);
    return report;
  }

 private:
  void check_splits() {
    if (options_.test.what == TestChoice::What::none || options_.test.what == TestChoice::What::file)
      throw Error(ErrorCode::usage, "--test of a curve is a fraction or a number of rows", "--test 0.2");
    if (request_.data.split.split != SplitOrder::order) return;  // one split, however often
    if (was_given(request_.given, "repeats") && options_.repeats > 1)
      throw Error(ErrorCode::usage, "--repeats needs random splits, and --split order is always the same",
                  "leave out --repeats");
    options_.repeats = 1;
  }

  // Where the work of each begins among that of all, and 1: an iterative solver takes several times as long.
  static std::vector<double> shares(const std::vector<Candidate>& variants) {
    std::vector<double> place = {0.0};
    for (const Candidate& variant : variants)
      place.push_back(place.back() + (variant.setup->make()->skills().starts_anywhere ? 8.0 : 1.0));
    const double all = place.back();
    for (double& each : place) each /= all;
    return place;
  }

  // The training sets of one repeat are nested, with the classes in the same shares.
  Curve curve_of(const Candidate& variant, const FeaturePlan& plan, const SharedRows& tables, CurveReport& report,
                 const Run& run) const {
    const std::unique_ptr<Trainer> trainer = variant.setup->make();
    const Experiment experiment(tables, plan, *trainer, request_.data.classes, request_.data.split);
    const Splitter& splitter = experiment.splitter();
    Curve curve{
        variant.name, {}, is_penalised(*variant.setup), typed_options(variant.setup->options(), request_.given)};
    std::vector<std::uint64_t> sizes;
    std::vector<Trial> trials;
    std::uint64_t held_out = 0;
    for (std::uint64_t repeat = 0; repeat < options_.repeats; ++repeat) {
      const RandomKey key{options_.seed + repeat, 0};
      const RowSet test = splitter.hold_out(experiment.rows(), options_.test, key);
      const RowSet rest = test.complement().intersection(experiment.rows());
      if (sizes.empty()) {
        sizes = chosen_sizes(rest.count(), report.labels ? experiment.classes().labels.size() : 1);
      }
      held_out += test.count();
      for (const std::uint64_t size : sizes)
        trials.push_back({size < rest.count() ? splitter.first_drawn(rest, size, key) : rest, test});
    }
    report.test = per_repeat(held_out);
    std::size_t count = merge_sizes(trials, sizes.size());
    if (report.labels && options_.sizes.empty()) count = without_small_sizes(experiment, trials, count);
    if (report.labels) expect_two_classes(experiment, trials);
    TrialOptions trying;
    trying.seen_too = true;
    trying.copies_in = count - 1;  // of the first repeat, with the most training rows
    const std::vector<Tried> tried = try_nested(experiment, trials, count, trying, options_.refit, run);
    if (report.curves.empty()) {
      warn_of_imbalance(experiment, report.warnings);
      say_copies(tried[count - 1].copies, report.test, "held-out row", "a training row of the first split",
                 report.warnings, say_);
    }
    report.constant = !report.labels && all_the_same(tried[count - 1]);
    std::vector<std::vector<std::vector<Metric>>> unseen(count), seen(count);  // by size, by repeat
    std::vector<std::vector<double>> errors(count), baseline(count);
    std::vector<std::uint64_t> rows(count);
    for (std::size_t i = 0; i < tried.size(); ++i) {
      unseen[i % count].push_back(tried[i].outcome.metrics(run, 0));
      seen[i % count].push_back(tried[i].seen.metrics(run, 0));
      errors[i % count].push_back(error_of(unseen[i % count].back()));
      baseline[i % count].push_back(error_of(baseline_of(tried[i], run)));
      rows[i % count] += trials[i].training.count();
    }
    for (std::size_t i = 0; i < count; ++i)
      curve.points.push_back(
          {per_repeat(rows[i]), over_repeats(unseen[i]), over_repeats(seen[i]), errors[i], baseline[i]});
    return curve;
  }

  static bool all_the_same(const Tried& tried) {
    for (const Predicted* const rows : {&tried.outcome.numbers, &tried.seen.numbers})
      for (const double target : rows->target)
        if (target != tried.outcome.numbers.target.front()) return false;
    return !tried.outcome.numbers.target.empty();
  }

  // For always predicting the mean, or the most common label, of the training rows.
  static std::vector<Metric> baseline_of(const Tried& tried, const Run& run) {
    if (!tried.outcome.labels)
      return constant_metrics(mean_target(tried.seen.numbers, run), tried.outcome.numbers, run);
    std::vector<double> weights(tried.outcome.classes.known);
    const auto count = [&](const PredictedClasses& rows) {
      for (std::uint64_t i = 0; i < rows.rows(); ++i)
        if (rows.actual[i] < weights.size()) weights[rows.actual[i]] += rows.weight[i];
    };
    count(tried.seen.classes);
    const std::vector<double> trained = weights;
    count(tried.outcome.classes);
    return share_baseline(trained, tried.outcome.classes, weights).metrics;
  }

  std::uint64_t per_repeat(std::uint64_t rows) const { return (rows + options_.repeats / 2) / options_.repeats; }

  // Groups are not cut, so several sizes may lead to the same rows: one of them is kept. Returns the number of sizes
  // left.
  static std::size_t merge_sizes(std::vector<Trial>& trials, std::size_t sizes) {
    std::vector<bool> kept(sizes);
    for (std::size_t i = 0; i < trials.size(); ++i)
      if (i % sizes == 0 || trials[i].training.count() != trials[i - 1].training.count()) kept[i % sizes] = true;
    std::size_t end = 0;
    for (std::size_t i = 0; i < trials.size(); ++i)
      if (kept[i % sizes]) std::swap(trials[end++], trials[i]);
    trials.erase(trials.begin() + static_cast<std::ptrdiff_t>(end), trials.end());
    return static_cast<std::size_t>(std::count(kept.begin(), kept.end(), true));
  }

  // The only label of the training rows, if there is one only.
  static std::optional<std::uint32_t> only_label(const Experiment& experiment, const Trial& trial) {
    const Classes& classes = experiment.classes();
    std::optional<std::uint32_t> first;
    for (std::uint64_t row = 0; row < trial.training.rows(); ++row) {
      const bool labelled = classes.of_row[row] < classes.labels.size();
      if (!trial.training.has(row) || !classes.counted.has(row) || !labelled) continue;
      if (first && *first != classes.of_row[row]) return {};
      first = classes.of_row[row];
    }
    return first;
  }

  // Sizes that nobody asked for, and whose rows are of one class: at least the largest stays.
  static std::size_t without_small_sizes(const Experiment& experiment, std::vector<Trial>& trials, std::size_t sizes) {
    std::size_t small = 0;
    for (std::size_t i = 0; i < trials.size(); ++i)
      if (only_label(experiment, trials[i])) small = std::max(small, std::min(i % sizes + 1, sizes - 1));
    std::vector<Trial> left;
    for (std::size_t i = 0; i < trials.size(); ++i)
      if (i % sizes >= small) left.push_back(std::move(trials[i]));
    trials = std::move(left);
    return sizes - small;
  }

  // Few rows may all be of the most common class.
  static void expect_two_classes(const Experiment& experiment, const std::vector<Trial>& trials) {
    const Classes& classes = experiment.classes();
    for (const Trial& trial : trials) {
      const std::optional<std::uint32_t> first = only_label(experiment, trial);
      if (!first) continue;
      const std::uint64_t size = trial.training.count(), most = experiment.rows().count() - trial.tried.count();
      throw Error(ErrorCode::data,
                  "a part of " + counted(size, "row") + " has the label " + in_quotes(classes.labels[*first]) +
                      " alone; two classes or more were expected in every training set",
                  size < most ? "--sizes " + std::to_string(std::min(4 * size, most))
                              : "there are no more rows to train on: hold out fewer with --test, or give more");
    }
  }

  std::vector<std::uint64_t> chosen_sizes(std::uint64_t most, std::uint64_t classes) const {
    std::vector<std::uint64_t> sizes;
    for (const std::string& text : options_.sizes) {
      const ParsedNumber number = parse_number(text);
      const bool fraction = number.value > 0 && number.value < 1;
      const double rows = fraction ? std::round(number.value * static_cast<double>(most)) : number.value;
      if (number.fault != NumberFault::none || !(rows >= 1) || rows != std::floor(rows) ||
          rows > static_cast<double>(most))
        throw Error(ErrorCode::usage,
                    "--sizes has " + in_quotes(text) + "; numbers of rows up to " + count_text(most) +
                        ", or fractions, were expected",
                    "--sizes 0.1,0.3,1.0");
      sizes.push_back(number.value == 1 && text.find('.') != std::string::npos ? most
                                                                               : static_cast<std::uint64_t>(rows));
    }
    if (sizes.empty()) {
      const double low = std::min(static_cast<double>(most), std::max(10.0, 4.0 * static_cast<double>(classes)));
      for (std::size_t i = 0; i < kSizes; ++i)
        sizes.push_back(static_cast<std::uint64_t>(
            std::llround(low * std::pow(static_cast<double>(most) / low, static_cast<double>(i) / (kSizes - 1)))));
    }
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
  }

  CurveRequest& request_;
  CurveOptions& options_;
  Source& source_;
  Messages& say_;
  const Run& run_;
};

}  // namespace

OptionTable CurveOptions::table() {
  using O = CurveOptions;
  return {option("model", &O::models, "the models")
              .value("MODEL,...")
              .short_as('m')
              .otherwise("least-squares for numbers, logistic for labels"),
          option("sizes", &O::sizes, "training set sizes: numbers of rows, or fractions")
              .value("N,...")
              .otherwise("eight sizes at equal ratios"),
          option("repeats", &O::repeats, "number of random splits").value("R").in(between(1, 100'000)),
          option("test", &O::test, "rows held out in each split: a fraction, or a number of rows").value("F|N"),
          option("refit", &O::refit, "refit every size, also where running sums give the same"),
          option("seed", &O::seed, "seed of all random choices").value("N")};
}

CurveReport learning_curve(CurveRequest& request, const std::vector<Candidate>& variants, Source& source, Messages& say,
                           const Run& run) {
  return LearningCurve(request, source, say, run).report(variants);
}

}  // namespace plumb
