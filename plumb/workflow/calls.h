// Shared by the public calls: converts public values to the requests of the workflow.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plumb/base/memory.h"
#include "plumb/base/run.h"
#include "plumb/train/trainer.h"
#include "plumb/workflow/data.h"
#include "plumb/workflow/models.h"
#include "plumb/workflow/request.h"
#include "plumb/workflow/trainer_choice.h"

namespace plumb {

// An executor and the run that borrows it.
class OwnRun {
 public:
  OwnRun(const Running& running, std::uint64_t seed)
      : executor_(running.threads),
        run{executor_, RandomKey{seed, 0}, running.watch, MemorySize{running.max_memory}.budget()} {}

 private:
  Executor executor_;

 public:
  const Run run;
};

// The options that the command line would have set, with the names of those that differ from the defaults.
DataRequest request_of(const Data& data, std::vector<std::string>& given);
// Sets an option of the first group that has it. Throws Error(usage) if none has, or for a value out of its range.
void set_option(const std::vector<OptionGroup>& groups, const std::string& name, const std::string& value);
// Sets the options of the recipe. Throws Error(usage) for an unknown one, or a value out of its range.
void set_recipe(const Recipe& recipe, TrainerSetup& setup, std::vector<std::string>& given);
// The same for the trainer that the recipe names, or contains, among those to choose from.
void set_recipe(const Recipe& recipe, TrainerChoice& trainers, std::vector<std::string>& given);

}  // namespace plumb
