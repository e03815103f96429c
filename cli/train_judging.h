// What `plumb train` tells of a fit beside the fit itself: how good it is on rows that it has not seen, and its plan.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "plumb/plumb.h"

namespace plumb::cli {

// Of a model of classes, before it is judged.
void say_imbalance(const Examples& training, const std::vector<std::string>& labels, const Run& run,
                   Terminal& terminal);
// On the rows of --dev, if there are any; `labels` are empty for a model of numbers.
void judge_development(TrainReport& report, const LinearModel& model, const Examples& rows,
                       const std::vector<std::string>& labels, const Run& run);
// On the rows held out, if there are any. What evaluate holds the model against goes into the record.
void judge_numbers(TrainReport& report, Fit& fit, const Examples& trained_on, const Examples& heldout, const Run& run);
void judge_classes(TrainReport& report, Fit& fit, const Examples& trained_on, const Examples& heldout,
                   const std::vector<std::string>& labels, const Run& run);
// Of --dry-run, as text or JSON.
std::string plan_text(const FeaturePlan& plan, const FeatureMap& map, std::uint64_t train_rows, std::uint64_t test_rows,
                      const TrainerEntry& entry, const MemoryPlan& memory, const std::string& output, bool as_json);

}  // namespace plumb::cli
