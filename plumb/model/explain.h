// Why a row scores as it does: score = bias + the sum of the features' contributions w_j * x_j.
#pragma once

#include <cstdint>
#include <vector>

#include "plumb/model/model.h"

namespace plumb {

struct Contribution {
  std::uint32_t feature = 0;
  double value = 0.0;         // x_j
  double weight = 0.0;        // w_j
  double contribution = 0.0;  // w_j * x_j
};

struct Explanation {
  double score = 0.0;
  double bias = 0.0;
  std::vector<Contribution>
      contributions;  // those that are not zero; largest first by size, equal ones in feature order
};

// Of row r of the model.
Explanation explain(const LinearModel& model, std::uint64_t r, const Row& x);

}  // namespace plumb
