// Leverages of the rows of a least-squares fit: whether they are known, and when one counts as 1.
#pragma once

#include "plumb/model/record.h"
#include "plumb/train/basis.h"
#include "plumb/train/trainer.h"

namespace plumb {

// Whether the leverages of the fit are known: it has a basis, and its features are not too close to linear combinations
// of each other. Otherwise diagnostics have only residuals.
inline bool has_leverages(const Trained& fit) {
  return fit.basis != nullptr && find_number(fit.record, kLeverageError) == nullptr;
}

// Rows whose leverage is this close to 1 alone decide a weight: without them there is none. If 1 - h is smaller, it has
// fewer than five digits.
inline constexpr double kLeverageOne = 1e-10;

}  // namespace plumb
