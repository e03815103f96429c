// The cells of the table of weights that inspect prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plumb/infer/weight_tests.h"
#include "plumb/model/record.h"

namespace plumb {

// "std error", or "hc3 error" if that was requested.
std::vector<std::string> weight_heading(const Record& record, const std::optional<WeightTests>& tests);

// Entry i of the bias or of the weights, with its standard error and tests.
std::vector<std::string> weight_line(const std::string& name, double weight, const Record& record,
                                     const std::optional<WeightTests>& tests, std::vector<double> ModelNumbers::*part,
                                     std::size_t i);

}  // namespace plumb
