// One look at the data before a fit: how large the columns are, where their means lie, whether the weights are fit to
// use.
#pragma once

#include <cstddef>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/base/span.h"
#include "plumb/data/examples.h"

namespace plumb {

// The parts of the flat array that a reduce fills.
struct Moments {
  explicit Moments(std::size_t p) : p(p), numbers(3 * p + 6) {}
  Out entries() { return Out(numbers).subspan(0, p); }      // rows that store a value for column j
  Out sums() { return Out(numbers).subspan(p, p); }         // sum s x_j
  Out largest() { return Out(numbers).subspan(2 * p, p); }  // max |x_j|
  double& rows() { return numbers[3 * p]; }                 // with a weight above 0
  double& weight() { return numbers[3 * p + 1]; }           // sum s
  double& target_sum() { return numbers[3 * p + 2]; }       // sum s y
  double& largest_target() { return numbers[3 * p + 3]; }   // max |y|
  double& bad_weights() { return numbers[3 * p + 4]; }      // weights below 0
  double& weighted() { return numbers[3 * p + 5]; }         // 1 if a weight is not 1

  std::size_t p;
  std::vector<double> numbers;
};

Moments find_moments(const Examples& examples, const Run& run);

}  // namespace plumb
