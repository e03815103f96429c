#include "plumb/data/rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/base/number.h"
#include "plumb/base/options.h"

namespace plumb {

std::optional<std::size_t> RoundingLoss::round(Out numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double before = numbers[i];
    if (!(std::abs(before) <= std::numeric_limits<float>::max())) return i;
    numbers[i] = double{static_cast<float>(before)};
    if (numbers[i] == before) continue;
    ++changed;
    largest = std::max(largest, std::abs((numbers[i] - before) / before));
  }
  values += numbers.size();
  return std::nullopt;
}

void RoundingLoss::add(const RoundingLoss& other) {
  values += other.values;
  changed += other.changed;
  largest = std::max(largest, other.largest);
}

std::string RoundingLoss::text() const {
  if (changed == 0) return "--values f32 changed none of " + count_text(values) + " values";
  return "--values f32 changed " + count_text(changed) + " of " + count_text(values) + " values, by at most " +
         number_text(largest, 2) + " of a value" +
         (beyond_rounding() ? ": some are too small for a float to hold their digits" : "");
}

OptionTable ValueOptions::table() {
  return {option("values", &ValueOptions::values,
                 "exact keeps every bit of a feature; f32 rounds to floats, half the memory, and says what that lost")
              .value("PRECISION")};
}

}  // namespace plumb
