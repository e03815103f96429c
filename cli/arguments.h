// The words of a command line taken apart by the option tables.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plumb/plumb.h"

namespace plumb::cli {

struct Arguments {
  std::vector<std::string> operands;
  std::vector<std::string> given;  // names of the options met, without dashes
  std::optional<Error> fault;      // the first value that was wrong; the rest was read all the same
};

// --name VALUE, --name=VALUE, -n VALUE, -nVALUE, -abc for flags; -- ends options; - is an operand. Sets what the groups
// are bound to. Throws Error(usage) for an option that is not there: what follows it might be its value or an operand.
Arguments read_arguments(const std::vector<std::string>& words, const std::vector<OptionGroup>& groups);

}  // namespace plumb::cli
