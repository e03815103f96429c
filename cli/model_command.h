// Shared by commands that train models: their options are parsed for the trainer that -m names.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "plumb/workflow/trainer_choice.h"

namespace plumb::cli {

// The groups with the options of the chosen trainer first: an option that two trainers have is set for that one.
std::vector<OptionGroup> with_chosen_trainer(std::vector<OptionGroup> groups, const std::vector<std::string>& words,
                                             TrainerChoice& trainers);

// Written completely or not at all, also if a signal ends the program.
void write_file(const std::string& path, const std::string& bytes);

}  // namespace plumb::cli
