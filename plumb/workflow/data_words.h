// Messages about data that can inflate a score, the same for every command that scores: many copies and rare classes
// are warnings, a few copies are a note.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/select/experiment.h"
#include "plumb/select/split.h"
#include "plumb/workflow/messages.h"

namespace plumb {

// As for copies_text.
void say_copies(std::uint64_t copies, std::uint64_t rows, const std::string& of, const std::string& like,
                std::vector<std::string>& warnings, Messages& say);

// If classes are unbalanced: for these rows by their weights, or for the rows that take part by their number.
void warn_of_imbalance(const Examples& rows, const std::vector<std::string>& labels, const Run& run,
                       std::vector<std::string>& warnings);
void warn_of_imbalance(const Experiment& experiment, std::vector<std::string>& warnings);

// If whole groups led to another number of rows than the option requested, out of `all` rows.
void say_group_rows(const SplitOptions& split, const std::string& option, const TestChoice& choice, std::uint64_t all,
                    std::uint64_t held_out, Messages& say);

// Throws Error(data) if there are fewer: some are predicted by a fit to others.
void expect_two_rows(const Source& source, std::uint64_t rows);

// Throws Error(usage) if --folds is given although the column of --fold defines the folds.
void refuse_folds_beside(const std::string& fold, const std::vector<std::string>& given);

}  // namespace plumb
