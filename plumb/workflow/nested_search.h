// -m auto where models are judged: the search runs anew on the training rows of every fold, so that the held-out rows
// of none of them had a part in the choice.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumb/train/refitter.h"
#include "plumb/workflow/auto_search.h"

namespace plumb {

class NestedSearch {
 public:
  // All must outlive this.
  NestedSearch(const DataRequest& data, TrainerChoice& trainers, const std::vector<std::string>& given,
               const AutoOptions& options, const Source& source);

  const std::vector<AutoSetting>& settings() const noexcept { return settings_; }
  std::span<const FeaturePlan> plans() const noexcept { return plans_; }
  // The rows that the source gave for the plans: before any search.
  void use(const SharedRows& rows);
  // The experiment of the setting that these rows choose.
  const Experiment& chosen(const RowSet& training, const Run& run);
  // Each trial with its own search.
  std::vector<Tried> tried(std::span<const Trial> trials, const Run& run);
  // "logistic --l2 3 (7 of 10), squared-hinge --l2 1 (3 of 10)": what the trials chose.
  std::string choices() const;

 private:
  SearchRequest request_;
  std::vector<AutoSetting> settings_;
  std::vector<FeaturePlan> plans_;
  std::optional<AutoSearch> search_;
  std::map<std::size_t, std::size_t> chosen_;  // how often which setting
};

// One plan for each number that AutoSetting::plan has.
std::vector<FeaturePlan> plans_of(const std::vector<AutoSetting>& settings, const Source& source,
                                  const SplitOptions& split);

}  // namespace plumb
