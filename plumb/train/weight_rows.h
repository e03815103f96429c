// The rows of a model while it is fitted, one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plumb/base/span.h"
#include "plumb/objective/design_matrix.h"

namespace plumb {

// Rows of weights and biases in the user's units, from those of the design matrix.
struct WeightRows {
  std::vector<double> weights, bias;

  void add(In w, const DesignMatrix& x, std::optional<std::uint32_t> offset) {
    std::vector<double> own = x.in_units(w);
    bias.push_back(x.bias() ? own.back() : 0.0);
    if (x.bias()) own.pop_back();
    if (offset) own[*offset] = 1.0;
    weights.insert(weights.end(), own.begin(), own.end());
  }
};

}  // namespace plumb
