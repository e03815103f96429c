// The search of -m auto: settings compared on training rows alone, first on a sample, then fold by fold, where those
// that are surely behind are given up. docs/auto.md says what is tried, in what order and why.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/report/search_report.h"
#include "plumb/select/experiment.h"
#include "plumb/workflow/auto_list.h"

namespace plumb {

struct SearchRequest {
  AutoOptions options;
  ClassOptions classes;
  SplitOptions split;
  std::vector<std::string> given;
  bool calibrated = true;           // probabilities will be calibrated where that helps
  std::function<bool()> over = {};  // true once the time is over, and from then on
};

struct SearchResult {
  std::size_t winner = 0;  // of the settings
  // Without the command. Empty if there were too few rows to compare anything: the winner is then the first setting.
  SearchReport report;
};

class AutoSearch {
 public:
  // All must outlive this. Settings and plans: one plan for each number that AutoSetting::plan has.
  AutoSearch(std::vector<AutoSetting>& settings, std::span<const FeaturePlan> plans, const SharedRows& shared,
             const SearchRequest& request);
  ~AutoSearch();

  // By these rows alone. Throws the first cause if every setting fails.
  SearchResult choose(const RowSet& training, const Run& run) const;
  // The experiment of a setting, with its own tolerance.
  const Experiment& experiment(std::size_t setting) const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

// Throws Error(usage) that names the nearest for a metric that does not exist for such a target.
void expect_metric(const std::string& metric, bool labels);

}  // namespace plumb
