// Variants of a model: the options of one command line, with some other values.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "plumb/workflow/candidate.h"
#include "plumb/workflow/trainer_choice.h"

namespace plumb::cli {

// The words of the command line are parsed again, into the options of this variant; then its own are set: each of
// `with` is OPTION=VALUE, or a flag. `groups` are the options of the command, and `option` is the one that gave `with`,
// for messages. Throws Error(usage) for anything that is not an option of the features, the text or the trainer, naming
// the nearest.
Candidate read_variant(const TrainerEntry& entry, const std::vector<std::string>& words,
                       const std::vector<OptionGroup>& groups, const std::string& option,
                       const std::vector<std::string>& with);

// Throws Error(usage) if an option was given that belongs to trainers, but to none of these; and if some of these
// predict numbers, others labels.
void expect_used(TrainerChoice& trainers, const std::vector<std::string>& given,
                 const std::vector<const TrainerEntry*>& entries);

// Whether a value of a variant is added to the typed one instead of replacing it: lists of columns and formulas,
// because replacing them would silently add or remove features.
bool adds_to_typed(std::string_view option);

}  // namespace plumb::cli
