// Eigenvalues and eigenvectors of a symmetric matrix.
#pragma once

#include <cstddef>
#include <vector>

namespace plumb::math {

struct Eigen {
  std::vector<double> values;   // ascending
  std::vector<double> vectors;  // p by p, row-major: row k belongs to values[k], and has length 1
};

// For the p by p matrix whose lower triangle is given, row-major. Each value is off by a small multiple of 2^-53 times
// the largest, and so are the products A v - value v. Throws Error(data) for a number that is not finite.
Eigen symmetric_eigen(std::vector<double> lower, std::size_t p);

}  // namespace plumb::math
