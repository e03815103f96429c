// A grid of option values: --grid l2=1e-3..1e3:7, --grid 'smoothing=0.1,1,10'.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb {

struct GridAxis {
  std::string option;
  std::vector<std::string> values;
};

// OPTION=LOW..HIGH:N are N values from LOW to HIGH, in equal ratios if both are above 0, otherwise in equal steps;
// OPTION=A,B,C are these. Values inside a range are rounded to whole numbers if the option takes only these, and each
// occurs once. `takes`: whether the option takes a value. Throws Error(usage) that says what was expected.
using TakesValue = std::function<bool(const std::string& option, const std::string& value)>;
GridAxis read_axis(std::string_view text, const TakesValue& takes = {});

// Every combination of one value of each axis, the last axis running fastest.
std::vector<std::vector<std::pair<std::string, std::string>>> combinations(const std::vector<GridAxis>& axes);

// How much simpler this value makes the model: larger for a larger penalty, for fewer terms. 0 for other options.
double simplicity(const std::string& option, const std::string& value);

// From losses and their standard errors: the least, and the simplest model within one standard error of it (the one
// with the largest `simple`; if several are equal the one with the least loss).
struct GridChoice {
  std::size_t best = 0;
  std::size_t one_se = 0;
};
GridChoice choose(const std::vector<double>& loss, const std::vector<double>& standard_error,
                  const std::vector<double>& simple);

}  // namespace plumb
