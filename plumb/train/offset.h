// The known part of a row's score: the value of the feature that FeatureMap::offset() names. Its weight is 1, so a
// trainer fits the rest of the target, and leaves the feature alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "plumb/data/examples.h"

namespace plumb {

class Offset {
 public:
  explicit Offset(std::optional<std::uint32_t> feature = {}) noexcept : feature_(feature) {}

  std::optional<std::uint32_t> feature() const noexcept { return feature_; }
  double of(const Row& x) const noexcept {
    if (!feature_) return 0.0;
    if (x.dense()) return x.value[*feature_];
    const auto found = std::lower_bound(x.index.begin(), x.index.end(), *feature_);
    if (found == x.index.end() || *found != *feature_) return 0.0;
    return x.value[static_cast<std::size_t>(found - x.index.begin())];
  }
  // The target minus the offset, rounded to a double.
  double target(const Example& e) const noexcept { return target(e.target, e.x); }
  double target(double target, const Row& x) const noexcept { return target - of(x); }

 private:
  std::optional<std::uint32_t> feature_;
};

}  // namespace plumb
