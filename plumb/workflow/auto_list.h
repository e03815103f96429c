// What -m auto tries: THE list of models with their features, and the settings made of it for one request.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/workflow/candidate.h"
#include "plumb/workflow/trainer_choice.h"

namespace plumb {

// How long -m auto looks for the best model; none: a model that depends only on the kind of the target.
enum class Effort { none, quick, full };
template <>
struct EnumNames<Effort> {
  static constexpr std::string_view names[] = {"none", "quick", "full"};
};

struct AutoOptions {
  Effort effort = Effort::quick;
  std::string metric = {};

  static OptionTable table();
};

// Rows with a column of texts, rows with a list of entries (LIBSVM), or others.
enum class AutoRows { texts, entries, table };

struct AutoModel {
  AutoRows rows;
  std::string_view model;
  std::string_view settings;  // options of the features and the model, as --with has them: "tfidf ngrams=1-2"
  std::string_view varied;    // the option that is chosen too; empty: none
  std::string_view values;    // the simplest first: "10 1 0.1"
  bool preferred = false;     // chosen unless another is better by more than a standard error
  bool full = false;          // only with --effort full
  bool two = false;           // only for two classes
  // Only for entries whose largest is more than this, and at most that.
  double above = 0.0, most = std::numeric_limits<double>::infinity();
};
std::span<const AutoModel> auto_list();

// One setting: a model, its features and its options.
struct AutoSetting {
  Candidate candidate;
  const AutoModel* from = nullptr;
  std::size_t plan = 0;  // settings with the same features have the same
};

// The settings to try, the simplest first. What the request says itself stays in all of them: a given option is not
// varied, and a model that does not have it is left out. Empty if no model is left.
std::vector<AutoSetting> auto_settings(AutoRows rows, Kind target, Effort effort, const DataRequest& data,
                                       TrainerChoice& trainers, const std::vector<std::string>& given);
AutoRows auto_rows(const FeaturePlan& plan);

}  // namespace plumb
