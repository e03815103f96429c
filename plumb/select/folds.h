// How many folds, as --folds says it. Which rows are in them: plumb/select/splitter.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plumb/base/option_types.h"

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

}  // namespace plumb
