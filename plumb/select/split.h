// How much of the data is held out, from --test and --dev. plumb/select/splitter.h chooses the rows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plumb/select/split_options.h"

namespace plumb {

// A fraction of n rows as a number of rows; other choices as they are.
TestChoice as_rows(const TestChoice& choice, std::uint64_t n);

// How many of n rows the choice holds out: at least one, and at least one remains. 0 for What::none and What::file.
// Throws Error(data) if n is too small for that; `option` names the choice.
std::uint64_t held_out_count(std::uint64_t n, const TestChoice& choice, const std::string& option = "test");

}  // namespace plumb
