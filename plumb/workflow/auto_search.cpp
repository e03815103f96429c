#include "plumb/workflow/auto_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "plumb/base/choices.h"
#include "plumb/base/error.h"
#include "plumb/base/foreseen.h"
#include "plumb/base/text.h"
#include "plumb/select/trials.h"
#include "plumb/workflow/calls.h"
#include "plumb/workflow/row_losses.h"

namespace plumb {
namespace {

constexpr std::uint64_t kFewest = 20;            // rows to compare anything on
constexpr std::uint64_t kSampled = 9'000;        // from here on a sample comes first
constexpr std::uint64_t kSample = 6'000;         // of which a third is tried
constexpr std::uint64_t kMost = 100'000;         // rows: by more, settings differ less than matters
constexpr std::uint64_t kFiveFolds = 4'000;      // up to here five folds, beyond it three
constexpr std::uint64_t kMostWork = 40'000'000;  // values of n-grams times hyperplanes
constexpr std::size_t kKeptOfSample = 10;        // settings
constexpr double kSurelyBehind = 2.0;            // standard errors
constexpr double kBehindOnSample = 0.05;         // as a share of the leader's loss: more rows may make up for less
constexpr double kRare = 0.1;                    // a share of the rows of two classes
constexpr const char* kLooseTolerance = "1e-3";

struct Arm {
  std::size_t setting = 0;
  bool alive = true;
  std::string stopped = {};
  std::vector<Tried> tried = {};
  std::vector<Metric> metrics = {};
  Losses losses = {}, second = {};
};

}  // namespace

void expect_metric(const std::string& metric, bool labels) {
  if (metric.empty()) return;
  std::vector<std::string> names;
  for (const MetricEntry& entry : metrics_of(labels)) {
    if (entry.name == metric && entry.goal != MetricGoal::near_zero) return;
    if (entry.goal != MetricGoal::near_zero) names.emplace_back(entry.name);
  }
  throw unknown_choice("metric", metric, names, "--metric ");
}

struct AutoSearch::Content {
  std::vector<AutoSetting>& settings;
  std::span<const FeaturePlan> plans;
  const SharedRows& shared;
  const SearchRequest& request;
  std::vector<std::unique_ptr<Trainer>> trainers, loose;
  std::vector<Experiment> experiments;  // with loose tolerances
  std::vector<std::string> left_out;    // of each setting why it is not tried; empty if it is
  mutable std::map<std::size_t, std::unique_ptr<Experiment>> exact;
};

namespace {

// Why a quick search does without these features; empty if it does not.
std::string too_large(const SharedRows& shared, const FeaturePlan& plan, const Experiment& experiment, Effort effort) {
  if (effort == Effort::full || !experiment.labels()) return "";
  const std::size_t classes = experiment.classes().labels.size();
  const std::uint64_t planes = classes <= 2 ? 1 : classes;
  if (plan.text.rules.longest_ngram <= 1 || shared.text_entries(plan) * planes <= kMostWork) return "";
  return "too large for a quick search: --effort full tries it";
}

// One search: the settings that are left, on more and more rows.
class Searching {
 public:
  Searching(const std::vector<AutoSetting>& settings, const std::vector<Experiment>& experiments,
            const std::vector<std::string>& left_out, const SharedRows& shared, const SearchRequest& request,
            const RowSet& training, const Run& run)
      : settings_(settings),
        experiments_(experiments),
        request_(request),
        first_(experiments.front()),
        shared_(shared),
        training_(training.intersection(first_.rows())),
        run_(run) {
    for (std::size_t i = 0; i < settings.size(); ++i) arms_.push_back({i, left_out[i].empty(), left_out[i]});
    metric_ = request.options.metric.empty() ? usual_metric() : request.options.metric;
  }

  SearchResult result() {
    SearchResult result;
    SearchReport& report = result.report;
    report.metric = metric_;
    const std::uint64_t rows = training_.count(), most = std::min(first_.splitter().most_folds(training_), rows);
    if (rows < kFewest || most < 2) {
      report.note = "too few rows, or groups of rows, to compare models";
      return result;
    }
    const bool full = request_.options.effort == Effort::full;
    if (!full && rows > kSampled && settings_.size() > 2) try_on_sample();
    const bool part = rows > kMost && !full;
    const RowSet tried = part ? first_.splitter().first_drawn(training_, kMost, run_.random) : training_;
    std::uint64_t folds = first_.splitter().keys().folds;
    if (folds == 0) folds = std::min<std::uint64_t>(most, full || rows <= kFiveFolds ? 5 : 3);
    const std::vector<std::uint32_t> fold = first_.splitter().folds(tried, folds, run_.random);
    if (first_.labels()) {
      try {
        first_.classes().expect_two_without_each(tried, fold);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::data) throw;
        report.note = "the rows of a class are too few to compare models";
        return result;
      }
    }
    const std::vector<Trial> trials = trials_of(fold);
    std::size_t done = trials.size();
    if (alive() > 1 && !full) {
      try_trials(experiments_, {trials.data(), 1}, within(run_, 0.15, 0.5));
      give_up("behind after 1 of " + counted(trials.size(), "fold"), 0.0);
      done = 1;
    } else {
      done = 0;
    }
    if (!over() && (alive() > 1 || done == 0)) {
      try_trials(experiments_, {trials.data() + done, trials.size() - done}, within(run_, 0.5, 1.0));
      done = trials.size();
    } else if (alive() == 1 && done < trials.size()) {
      alone_ = true;
    }
    report.method = std::to_string(trials.size()) + "-fold cross-validation on " +
                    counted(tried.count(), "training row") + (done < trials.size() ? ", ended after one fold" : "");
    if (over()) report.note = "the time for the search was over; this is the best so far";
    report_on(result);
    return result;
  }

 private:
  bool over() const { return request_.over && request_.over(); }
  std::size_t alive() const {
    return static_cast<std::size_t>(std::count_if(arms_.begin(), arms_.end(), [](const Arm& a) { return a.alive; }));
  }

  std::string usual_metric() const {
    if (!first_.labels()) return "rmse";
    std::vector<std::uint64_t> counts(first_.classes().labels.size());
    std::uint64_t all = 0;
    for (std::uint64_t row = training_.next(0, training_.rows()); row < training_.rows();
         row = training_.next(row + 1, training_.rows())) {
      ++counts[first_.classes().of_row[row]];
      ++all;
    }
    std::erase(counts, 0);
    const bool rare =
        counts.size() == 2 && static_cast<double>(std::min(counts[0], counts[1])) < kRare * static_cast<double>(all);
    return rare ? "log_loss" : "accuracy";
  }

  // Copies of the rows, if they can be copied: features are then made of these alone.
  void try_on_sample() {
    const Splitter& all = first_.splitter();
    if (all.keys().folds > 0) return;
    const RowSet rows = all.first_drawn(training_, kSample, run_.random);
    const std::optional<SharedRows> sample = shared_.some(rows);
    if (!sample) return;
    std::vector<Experiment> experiments;
    std::vector<std::uint32_t> fold;
    try {
      experiments.emplace_back(*sample, first_.plan(), first_.trainer(), request_.classes, request_.split);
      const Experiment& first = experiments.front();
      if (first.splitter().most_folds(first.rows()) < 3) return;
      fold = first.splitter().folds(first.rows(), 3, run_.random);
      if (first.labels()) first.classes().expect_two_without_each(first.rows(), fold);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::data) throw;
      return;  // too few rows of a class are in it
    }
    for (std::size_t i = 1; i < experiments_.size(); ++i)
      experiments.push_back(experiments.front().with(experiments_[i].plan(), experiments_[i].trainer()));
    const std::vector<Trial> trials = trials_of(fold);
    try_trials(experiments, {trials.data(), 1}, within(run_, 0.0, 0.15));
    give_up("behind on a sample of " + counted(rows.count(), "row"), kBehindOnSample, kKeptOfSample);
    for (Arm& arm : arms_)
      if (arm.alive) arm.tried.clear();
  }

  // All that are left, those with the same features together.
  void try_trials(const std::vector<Experiment>& all, std::span<const Trial> trials, const Run& run) {
    std::vector<std::vector<std::size_t>> groups;
    std::size_t plan = static_cast<std::size_t>(-1);
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      if (!arms_[i].alive) continue;
      if (groups.empty() || settings_[i].plan != plan) {
        const auto same = std::find_if(groups.begin(), groups.end(), [&](const std::vector<std::size_t>& group) {
          return settings_[group.front()].plan == settings_[i].plan;
        });
        if (same != groups.end()) {
          same->push_back(i);
          continue;
        }
        groups.emplace_back();
      }
      plan = settings_[i].plan;
      groups.back().push_back(i);
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const auto part = [&](std::size_t i) { return static_cast<double>(i) / static_cast<double>(groups.size()); };
      const Run own = within(run, part(g), part(g + 1));
      // A model that these rows do not suit must not take the others with it.
      if (!try_group(all, groups[g], trials, own) && groups[g].size() > 1)
        for (const std::size_t i : groups[g]) try_group(all, {i}, trials, own);
    }
    if (alive() == 0) throw *failure_;
    for (Arm& arm : arms_) {
      if (!arm.alive) continue;
      const Outcome outcome = merged(arm.tried);
      arm.losses = losses_of(outcome, metric_, request_.calibrated);
      if (weights_.size() != arm.losses.size())
        weights_ = outcome.labels ? outcome.classes.weight : outcome.numbers.weight;
      if (outcome.labels && metric_ != "log_loss") arm.second = losses_of(outcome, "log_loss", request_.calibrated);
      arm.metrics = outcome.metrics(run_, 0);
      if (outcome.labels) correct_log_loss(arm, outcome);
    }
  }

  // The log loss shown is the one compared: with calibrated probabilities, which scores alone do not have.
  void correct_log_loss(Arm& arm, const Outcome&) const {
    const Losses& losses = metric_ == "log_loss" ? arm.losses : arm.second;
    if (losses.empty()) return;
    for (Metric& metric : arm.metrics)
      if (metric.name == "log_loss") {
        metric.value = mean(losses, weights_);
        return;
      }
    if (request_.calibrated) arm.metrics.push_back({"log_loss", mean(losses, weights_), {}, {}});
  }

  // False if one of them failed: none of them was then tried.
  bool try_group(const std::vector<Experiment>& all, const std::vector<std::size_t>& group,
                 std::span<const Trial> trials, const Run& run) {
    std::vector<Experiment> experiments;
    for (const std::size_t i : group) experiments.push_back(all[i]);
    TrialOptions options;
    options.over = request_.over;
    options.in_turn = settings_[group.front()].from->rows == AutoRows::texts;
    std::vector<std::vector<Tried>> found;
    try {
      found = try_all(experiments, trials, options, run);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::internal) throw;
      if (group.size() > 1) return false;
      Arm& arm = arms_[group.front()];
      arm.alive = false;
      arm.stopped = "failed: " + std::string(error.message());
      if (!failure_) failure_ = error;
      return true;
    }
    for (std::size_t g = 0; g < group.size(); ++g) {
      Arm& arm = arms_[group[g]];
      if (g >= found.size() || found[g].size() < trials.size()) {
        arm.alive = alive() == 1;
        arm.stopped = "the time was over";
        continue;
      }
      for (Tried& tried : found[g]) arm.tried.push_back(std::move(tried));
    }
    return true;
  }

  std::size_t leader() const {
    std::size_t best = arms_.size();
    for (std::size_t i = 0; i < arms_.size(); ++i)
      if (arms_[i].alive &&
          (best == arms_.size() || mean(arms_[i].losses, weights_) < mean(arms_[best].losses, weights_)))
        best = i;
    return best;
  }

  // Those that are surely behind; `slack` is a share of the leader's loss.
  void give_up(const std::string& why, double slack, std::size_t most = static_cast<std::size_t>(-1)) {
    const std::size_t best = leader();
    const Losses& leading = arms_[best].losses;
    std::vector<std::pair<double, std::size_t>> left;
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      Arm& arm = arms_[i];
      if (!arm.alive) continue;
      const Difference behind = difference(arm.losses, leading, weights_);
      if (i != best && behind.mean > kSurelyBehind * behind.standard_error &&
          behind.mean > slack * mean(leading, weights_)) {
        arm.alive = false;
        arm.stopped = why;
      } else {
        left.emplace_back(behind.mean, i);
      }
    }
    std::stable_sort(left.begin(), left.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t k = most; k < left.size(); ++k) {
      arms_[left[k].second].alive = false;
      arms_[left[k].second].stopped = why;
    }
  }

  // Among these the best by the losses; those within so many standard errors of it remain.
  std::vector<std::size_t> near_best(const std::vector<std::size_t>& among, Losses Arm::*losses, double errors) const {
    std::size_t best = among.front();
    for (const std::size_t i : among)
      if (mean(arms_[i].*losses, weights_) < mean(arms_[best].*losses, weights_)) best = i;
    return close_to(among, best, errors, losses);
  }

  // Those of them that are at most so many standard errors behind the best.
  std::vector<std::size_t> close_to(const std::vector<std::size_t>& among, std::size_t best, double errors,
                                    Losses Arm::*losses = &Arm::losses) const {
    std::vector<std::size_t> near;
    for (const std::size_t i : among) {
      const Difference behind = difference(arms_[i].*losses, arms_[best].*losses, weights_);
      if (i == best || behind.mean <= errors * behind.standard_error) near.push_back(i);
    }
    return near;
  }

  // The best by the metric, ties by log loss, then the simplest, which is the first.
  std::size_t best_of(const std::vector<std::size_t>& among) const {
    std::vector<std::size_t> near = near_best(among, &Arm::losses, 0.5);
    if (!is_by_row(metric_)) near = near_by_metric(among);
    const bool tied = std::all_of(near.begin(), near.end(), [&](std::size_t i) { return !arms_[i].second.empty(); });
    if (near.size() > 1 && tied) near = near_best(near, &Arm::second, 0.5);
    return near.front();
  }

  double metric_of(std::size_t i) const {
    const bool large = find_entry(metric_)->goal == MetricGoal::large;
    for (const Metric& metric : arms_[i].metrics)
      if (metric.name == metric_) return large ? metric.value : -metric.value;
    return -std::numeric_limits<double>::infinity();
  }

  // A metric that is not a mean over rows: those as good as the best to a part in 500 of the way to perfection.
  std::vector<std::size_t> near_by_metric(const std::vector<std::size_t>& among) const {
    double best = -std::numeric_limits<double>::infinity();
    for (const std::size_t i : among) best = std::max(best, metric_of(i));
    std::vector<std::size_t> near;
    for (const std::size_t i : among)
      if (metric_of(i) >= best - 0.002 * std::abs(best)) near.push_back(i);
    return near;
  }

  std::size_t choice() const {
    std::vector<std::size_t> left, preferred;
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      if (!arms_[i].alive) continue;
      left.push_back(i);
      if (settings_[i].from->preferred) preferred.push_back(i);
    }
    const std::size_t best = best_of(left);
    if (preferred.empty() || settings_[best].from->preferred) return best;
    if (!is_by_row(metric_)) {
      const std::size_t usual = best_of(preferred);
      return metric_of(usual) >= metric_of(best) ? usual : best;
    }
    // A single row that differs is one standard error.
    const std::vector<std::size_t> near = close_to(preferred, best, 1.05);
    return near.empty() ? best : best_of(near);
  }

  void report_on(SearchResult& result) const {
    const std::size_t winner = choice();
    result.winner = winner;
    std::vector<std::size_t> order(arms_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // How far each came, then how good it was there.
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const auto key = [&](std::size_t i) {
        return std::tuple(i != winner, !arms_[i].alive, -static_cast<double>(arms_[i].losses.size()),
                          arms_[i].losses.empty() ? 0.0 : -metric_of(i));
      };
      return key(a) < key(b);
    });
    for (const std::size_t i : order) {
      TriedSetting tried;
      tried.model = settings_[i].candidate.entry->name;
      tried.options = settings_[i].candidate.differs;
      tried.metrics = arms_[i].metrics;
      tried.stopped = arms_[i].stopped;
      tried.from = static_cast<std::size_t>(settings_[i].from - auto_list().data());
      result.report.tried.push_back(std::move(tried));
    }
    for (const std::size_t i : order) {
      if (!arms_[i].alive || settings_[i].from == settings_[winner].from) continue;
      const Difference ahead = difference(arms_[i].losses, arms_[winner].losses, weights_);
      result.report.ahead = ahead.mean;
      result.report.standard_error = ahead.standard_error;
      break;
    }
  }

  const std::vector<AutoSetting>& settings_;
  const std::vector<Experiment>& experiments_;
  const SearchRequest& request_;
  const Experiment& first_;
  const SharedRows& shared_;
  RowSet training_;
  Run run_;
  std::string metric_;
  std::vector<Arm> arms_;
  std::vector<double> weights_;  // of the rows last tried
  std::optional<Error> failure_;
  bool alone_ = false;
};

}  // namespace

AutoSearch::AutoSearch(std::vector<AutoSetting>& settings, std::span<const FeaturePlan> plans, const SharedRows& shared,
                       const SearchRequest& request)
    : content_(new Content{settings, plans, shared, request, {}, {}, {}, {}, {}}) {
  for (AutoSetting& setting : settings) {
    content_->trainers.push_back(setting.candidate.setup->make());
    const OptionGroup own = setting.candidate.setup->options();
    const OptionInfo* const tolerance = find_option(own, "tolerance");
    const bool loose = tolerance != nullptr && !was_given(request.given, "tolerance");
    const std::string before = loose ? tolerance->text(own.owner) : "";
    if (loose) tolerance->set(own.owner, kLooseTolerance);
    content_->loose.push_back(setting.candidate.setup->make());
    if (loose) tolerance->set(own.owner, before);
    if (content_->experiments.empty())
      content_->experiments.emplace_back(shared, plans[setting.plan], *content_->loose.back(), request.classes,
                                         request.split);
    else
      content_->experiments.push_back(content_->experiments.front().with(plans[setting.plan], *content_->loose.back()));
  }
  std::vector<std::string> by_plan;
  for (const FeaturePlan& plan : plans)
    by_plan.push_back(too_large(shared, plan, content_->experiments.front(), request.options.effort));
  const double largest = shared.largest_entry(plans.front());
  for (const AutoSetting& setting : settings) {
    const AutoModel& from = *setting.from;
    const bool many = content_->experiments.front().classes().labels.size() > 2;
    const bool suits = from.rows != AutoRows::entries || (largest > from.above && largest <= from.most);
    content_->left_out.push_back(!suits             ? "not for entries of this size"
                                 : from.two && many ? "only for two classes"
                                                    : by_plan[setting.plan]);
  }
  // What is alone is tried.
  if (std::none_of(content_->left_out.begin(), content_->left_out.end(),
                   [](const std::string& why) { return why.empty(); }))
    content_->left_out.assign(settings.size(), "");
}

AutoSearch::~AutoSearch() = default;

const Experiment& AutoSearch::experiment(std::size_t setting) const {
  std::unique_ptr<Experiment>& found = content_->exact[setting];
  if (found == nullptr)
    found = std::make_unique<Experiment>(content_->experiments.front().with(
        content_->plans[content_->settings[setting].plan], *content_->trainers[setting]));
  return *found;
}

SearchResult AutoSearch::choose(const RowSet& training, const Run& run) const {
  return Searching(content_->settings, content_->experiments, content_->left_out, content_->shared, content_->request,
                   training, run)
      .result();
}

}  // namespace plumb
