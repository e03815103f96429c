#include "plumb/workflow/auto_training.h"

#include <utility>

#include "plumb/base/text.h"
#include "plumb/workflow/calls.h"
#include "plumb/workflow/nested_search.h"
#include "plumb/workflow/typed_data.h"

namespace plumb {
namespace {

constexpr double kShareOfTime = 0.6;  // of --time-limit; the rest is for the fit

}  // namespace

bool wants_search(TrainRequest& request) {
  const TrainOptions& options = request.options;
  if (request.search.effort == Effort::none || !request.trainers.is_listed() || !options.start.empty() ||
      !options.diagnostics.empty() || !options.trace.empty() || was_given(request.given, "errors") ||
      was_given(request.given, "cluster") || was_given(request.given, "inference"))
    return false;
  // Every setting reads these files.
  if (request.data.text.stop_words == "-" || request.data.text.vocabulary == "-") return false;
  return options.model == kAuto || (options.model.empty() && !request.trainers.any_given(request.given));
}

std::unique_ptr<Training> new_training(TrainRequest& request, Source& source, Messages& say, const Run& run) {
  if (wants_search(request)) return std::make_unique<AutoTraining>(request, source, say, run);
  return std::make_unique<Training>(request, source, say, run);
}

// Of the first setting: it decides how the target is read, and which given options there may be.
std::string AutoTraining::model_name() {
  const std::string usual = Training::model_name();
  const FeaturePlan plan = plan_split(source_, request_.data.features, {}, request_.data.split);
  expect_metric(request_.search.metric, plan.target_kind == Kind::category);
  settings_ = auto_settings(auto_rows(plan), plan.target_kind, request_.search.effort, request_.data, request_.trainers,
                            request_.given);
  return settings_.empty() ? usual : std::string(settings_.front().candidate.entry->name);
}

void AutoTraining::select() {
  plans_ = plans_of(settings_, source_, request_.data.split);
  shared_.emplace(source_, plans_);
}

Tables AutoTraining::read_tables() {
  shared_->read(source_, run_);
  return shared_->roles_for(plan_);
}

void AutoTraining::choose(bool planned) {
  const auto started = std::chrono::steady_clock::now();
  SearchResult found;
  if (!planned && settings_.size() > 1) {
    SearchRequest request{request_.search, request_.data.classes, request_.data.split, request_.given,
                          wanted_calibration() != Calibrate::none};
    if (const double limit = kShareOfTime * request_.options.time_limit; limit > 0.0)
      request.over = [started, limit] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count() > limit;
      };
    const AutoSearch search(settings_, plans_, *shared_, request);
    found = search.choose(training_, run_);
  }
  const AutoSetting& winner = settings_[found.winner];
  search_ = std::move(found.report);
  if (!search_.empty() || planned || settings_.size() == 1) take(winner);
  plan_.selected = plans_[winner.plan].selected;
  tables_ = shared_->taken_for(plan_);
  shared_.reset();
  if (double& limit = request_.options.time_limit; limit > 0.0) {
    const auto gone = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    limit = std::max(limit - gone, (1.0 - kShareOfTime) * limit);
  }
  if (!search_.empty()) search_.command = command();
}

// As if its options had been given.
void AutoTraining::take(const AutoSetting& setting) {
  const Candidate& candidate = setting.candidate;
  request_.data.features = candidate.features;
  request_.data.text = candidate.text;
  chosen_ = static_cast<std::size_t>(candidate.entry - trainer_list().data());
  entry_ = candidate.entry;
  const OptionGroup own = request_.trainers.setup(chosen_).options();
  for (const auto& [name, value] : candidate.differs) {
    if (find_option(own, name) != nullptr) {
      set_option({own}, name, value);
      request_.tuned.push_back(name);
    }
    request_.given.push_back(name);
  }
  std::vector<std::string> notes = std::move(plan_.notes);
  plan_ = plans_[setting.plan];
  plan_.notes = std::move(notes);
}

std::string AutoTraining::command() const {
  TrainerSetup& setup = request_.trainers.setup(chosen_);
  const TypedData typed = typed_data(request_.data.files, request_.data.groups(), options_of("", request_.options),
                                     setup.options(), request_.given, plan_);
  std::string words = "-m " + std::string(entry_->name);
  if (!request_.data.files.empty()) words = "plumb train " + typed.words + " " + words;  // otherwise rows in memory
  for (const TypedOption& option : typed.options) words += " " + option.words;
  for (const TypedOption& option : typed_options(options_of("", request_.options), request_.given))
    if (option.name != "model" && option.name != "test" && option.name != "seed" && option.name != "output" &&
        option.name != "time-limit" &&
        (option.name != "calibrate" || request_.options.calibrate != Calibrate::automatic))
      words += " " + option.words;
  return words;
}

}  // namespace plumb
