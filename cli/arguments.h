// Parses the words of a command line by the option tables.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/options.h"

namespace plumb::cli {

struct Arguments {
  std::vector<std::string> operands;
  std::vector<std::string> given;  // names of the options met, without dashes
  std::optional<Error> fault;      // the first value that was wrong; the rest was parsed all the same
};

// --name VALUE, --name=VALUE, -n VALUE, -nVALUE, -abc for flags; -- ends options; - is an operand. Sets the objects
// that the groups are bound to. Throws Error(usage) for an unknown option, because the word after it might be its value
// or an operand. If two groups have an option of one name, the first of them is set.
Arguments read_arguments(const std::vector<std::string>& words, const std::vector<OptionGroup>& groups);

// The value that read_arguments would give this option, the last one if it is given twice; nothing is set. For an
// option that decides which groups the words are parsed with. Empty if it is absent or invalid.
std::optional<std::string> value_of(std::string_view option, const std::vector<std::string>& words,
                                    const std::vector<OptionGroup>& groups);

}  // namespace plumb::cli
