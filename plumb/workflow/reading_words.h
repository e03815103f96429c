// The messages of `plumb train` about its data and its plan, before the fit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/feature/plan.h"
#include "plumb/report/memory_plan.h"
#include "plumb/train/trainer.h"
#include "plumb/workflow/messages.h"

namespace plumb {

// The rows and columns, and their guessed kinds.
void say_what_was_read(const Source& source, const FeaturePlan& plan, const Tables& tables, Messages& say);
// Throws Error(data) if there are none.
void expect_rows(const Source& source, const std::string& path, const Tables& tables);
// For --dry-run, as text or JSON.
std::string plan_text(const FeaturePlan& plan, const FeatureMap& map, std::uint64_t train_rows, std::uint64_t test_rows,
                      const TrainerEntry& entry, const MemoryPlan& memory, const std::string& output, bool as_json);

}  // namespace plumb
