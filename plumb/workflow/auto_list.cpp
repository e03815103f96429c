#include "plumb/workflow/auto_list.h"

#include <algorithm>
#include <set>

#include "plumb/base/text.h"
#include "plumb/workflow/calls.h"

namespace plumb {
namespace {

using R = AutoRows;

constexpr double kUnscaled = 100.0;  // beyond it unscaled entries take many steps and give no better models

// In the order in which equals are chosen.
constexpr AutoModel kList[] = {
    {R::texts, "logistic", "tfidf sublinear", "l2", "1 0.1 0.01"},
    {R::texts, "squared-hinge", "tfidf sublinear", "l2", "3 1 0.3 0.1"},
    {R::texts, "naive-bayes", "", "smoothing", "1 0.1"},
    {R::texts, "naive-bayes", "event=complement tfidf sublinear", "smoothing", "1 0.3 0.1"},
    {R::texts, "squared-hinge", "tfidf sublinear ngrams=1-2", "l2", "1 0.3 0.1"},
    {R::texts, "logistic", "tfidf sublinear ngrams=1-2", "l2", "0.1 0.01"},
    {R::texts, "naive-bayes", "ngrams=1-2", "smoothing", "1 0.3"},
    {R::texts, "logistic", "binary ngrams=1-2 weighting=nb", "l2", "1", false, false, true},
    {R::texts, "naive-bayes", "event=complement tfidf sublinear ngrams=1-2", "smoothing", "0.3 0.1"},
    {R::texts, "logistic", "", "l2", "10 1", false, true},
    {R::texts, "squared-hinge", "tfidf sublinear ngrams=1-3 min-df=2", "l2", "1 0.3 0.1", false, true},
    {R::texts, "squared-hinge", "binary normalise=l2 ngrams=1-2", "l2", "1 0.3 0.1", false, true},

    {R::entries, "logistic", "", "l2", "10 1 0.1 0.01", false, false, false, 0.0, kUnscaled},
    {R::entries, "squared-hinge", "", "l2", "10 1 0.3 0.1", false, false, false, 0.0, kUnscaled},
    {R::entries, "logistic", "scale=max-abs", "l2", "100 10 1 0.1", false, false, false, 1.0},
    {R::entries, "squared-hinge", "scale=max-abs", "l2", "100 10 1 0.1", false, false, false, 1.0},
    {R::entries, "naive-bayes", "", "smoothing", "1 0.1"},
    {R::entries, "naive-bayes", "event=complement", "smoothing", "1 0.1", false, true},

    {R::table, "logistic", "scale=standard", "l2", "100 30 10 3 1 0.1 0.01", true},
    {R::table, "logistic", "", "l2", "1", true},
    {R::table, "squared-hinge", "scale=standard", "l2", "100 10 1 0.1"},
    {R::table, "naive-bayes", "", "smoothing", "1"},
    {R::table, "logistic", "scale=max-abs", "l2", "100 10 1 0.1", true, true},

    {R::texts, "ridge", "tfidf sublinear", "", ""},
    {R::texts, "ridge", "tfidf sublinear ngrams=1-2", "", ""},
    {R::entries, "least-squares", "", "", "", true},
    {R::entries, "ridge", "", "", ""},
    {R::table, "least-squares", "", "", "", true},
    {R::table, "ridge", "", "", ""},
};

// The ways to say the strength of a penalty, or of the smoothing: if one of them is given, the others are not varied.
constexpr std::string_view kSameAs[][2] = {
    {"l2", "C"}, {"l2", "prior-variance"}, {"smoothing", "virtual"}, {"smoothing", "beta"}};

bool is_said(std::string_view option, const std::vector<std::string>& given) {
  if (was_given(given, option)) return true;
  return std::any_of(std::begin(kSameAs), std::end(kSameAs),
                     [&](const auto& same) { return same[0] == option && was_given(given, same[1]); });
}

std::vector<std::string> words_of_list(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::size_t place_of(const TrainerEntry& entry) { return static_cast<std::size_t>(&entry - trainer_list().data()); }

// Whether all options of models that are given are this one's.
bool has_all(const TrainerEntry& entry, TrainerChoice& trainers, const std::vector<std::string>& given) {
  const OptionGroup own = trainers.setup(place_of(entry)).options();
  for (const std::string& option : given) {
    if (find_option(own, option) != nullptr) continue;
    for (std::size_t i = 0; i < trainer_list().size(); ++i)
      if (find_option(trainers.setup(i).options(), option) != nullptr) return false;
  }
  return true;
}

Candidate copy_of(const TrainerEntry& entry, const DataRequest& data, TrainerChoice& trainers) {
  Candidate candidate;
  candidate.name = entry.name;
  candidate.entry = &entry;
  candidate.features = data.features;
  candidate.text = data.text;
  candidate.setup = entry.setup();
  const OptionGroup now = trainers.setup(place_of(entry)).options(), own = candidate.setup->options();
  for (std::size_t i = 0; i < now.options.size(); ++i)
    if (const std::string text = now.options[i].text(now.owner); text != own.options[i].text(own.owner))
      own.options[i].set(own.owner, now.options[i].flag() ? "" : text);
  return candidate;
}

void set(Candidate& candidate, const std::string& name, const std::string& value) {
  set_option({options_of("", candidate.features), options_of("", candidate.text), candidate.setup->options()}, name,
             value);
  candidate.differs.emplace_back(name, value);
}

// The options of its features, as one text: settings with the same text share a plan.
std::string features_of(const Candidate& candidate) {
  const OptionGroup own = candidate.setup->options();
  std::string text;
  for (const auto& [name, value] : candidate.differs)
    if (find_option(own, name) == nullptr) text += name + "=" + value + " ";
  return text;
}

}  // namespace

OptionTable AutoOptions::table() {
  using O = AutoOptions;
  return {
      option("effort", &O::effort, "without -m: how long to search for the best model and its settings").unrecorded(),
      option("metric", &O::metric, "without -m: the score that the search optimises")
          .value("NAME")
          .otherwise("accuracy, log_loss if a class is rare, rmse for numbers")
          .unrecorded()};
}

std::span<const AutoModel> auto_list() { return kList; }

AutoRows auto_rows(const FeaturePlan& plan) {
  AutoRows rows = AutoRows::table;
  for (const FeaturePlan::Input& input : plan.inputs) {
    if (input.kind == Kind::text) return AutoRows::texts;
    if (input.kind == Kind::sparse) rows = AutoRows::entries;
  }
  return rows;
}

std::vector<AutoSetting> auto_settings(AutoRows rows, Kind target, Effort effort, const DataRequest& data,
                                       TrainerChoice& trainers, const std::vector<std::string>& given) {
  std::vector<AutoSetting> settings;
  std::set<std::string> known;
  std::vector<std::string> features;
  for (const AutoModel& model : kList) {
    const TrainerEntry& entry = find_trainer(model.model);
    if (model.rows != rows || entry.target != target || (model.full && effort != Effort::full)) continue;
    if (!has_all(entry, trainers, given)) continue;
    std::vector<std::string> values = words_of_list(model.values);
    if (values.empty() || is_said(model.varied, given)) values = {""};
    for (const std::string& value : values) {
      AutoSetting setting{copy_of(entry, data, trainers), &model};
      for (const std::string& each : words_of_list(model.settings)) {
        const std::size_t equals = std::min(each.find('='), each.size());
        const std::string name = each.substr(0, equals);
        if (!is_said(name, given)) set(setting.candidate, name, each.substr(std::min(equals + 1, each.size())));
      }
      const std::string text = features_of(setting.candidate);
      if (!value.empty()) set(setting.candidate, std::string(model.varied), value);
      std::string all = setting.candidate.name;
      for (const auto& [name, own] : setting.candidate.differs) all += " " + name + "=" + own;
      if (!known.insert(all).second) continue;
      const auto found = std::find(features.begin(), features.end(), text);
      setting.plan = static_cast<std::size_t>(found - features.begin());
      if (found == features.end()) features.push_back(text);
      settings.push_back(std::move(setting));
    }
  }
  return settings;
}

}  // namespace plumb
