// Least squares with more features than rows, by the products of rows: their matrix is n by n, whatever the number of
// features. Derivation: docs/ridge.md, "More features than rows".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plumb/train/least_squares_options.h"
#include "plumb/train/ridge_path.h"
#include "plumb/train/trainer.h"

namespace plumb {

// Whether to use this method: more features than rows, and so many that their own matrix is expensive.
bool is_wide(std::uint64_t features, std::uint64_t rows) noexcept;
std::uint64_t wide_memory(std::uint64_t rows) noexcept;

struct WideFit {
  Trained trained;
  std::optional<RidgePath> path;  // if the penalty was chosen
};
// factors multiply the penalty of each feature, and are above 0 except for an offset's. Without a penalty: the weights
// with the least sum of squares among all that fit. Throws Error(resources) for too many rows.
WideFit fit_wide(const Problem& problem, const LeastSquaresOptions& options, const std::vector<double>& factors,
                 const Run& run);

}  // namespace plumb
