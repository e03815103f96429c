// Rows in folds: each is predicted by a fit that has not seen it. Assignment depends on the seed and on global row
// numbers alone, so that every model of a comparison has the same folds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/options.h"
#include "plumb/base/random.h"

namespace plumb {

// --folds: a number of folds, or loo for a fold per row.
struct FoldChoice {
  enum class What { automatic, number, leave_one_out };
  What what = What::automatic;  // leave-one-out where it comes with the fit, else 10 folds
  std::uint64_t folds = 10;
};

template <>
struct OptionText<FoldChoice> {
  static FoldChoice read(std::string_view text);
  static std::string text(const FoldChoice& choice);
};

// The fold of each of n rows, by chance; sizes differ by at most 1. Throws Error(data) if there are more folds than
// rows.
std::vector<std::uint32_t> assign_folds(std::uint64_t n, std::uint64_t folds, RandomKey key);

// The same with the rows of each class spread evenly: row i is of class class_of_row[i].
std::vector<std::uint32_t> assign_folds(std::span<const std::uint32_t> class_of_row, std::uint64_t folds,
                                        RandomKey key);

}  // namespace plumb
