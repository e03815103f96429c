// Leverages of the rows of a least-squares fit: whether they are known, and when one is taken for 1.
#pragma once

#include "plumb/model/record.h"
#include "plumb/train/basis.h"
#include "plumb/train/trainer.h"

namespace plumb {

// Whether the leverages of the fit are known: it has a basis, and its features are not too near to sums of multiples of
// each other. Where they are not, diagnostics have residuals alone.
inline bool has_leverages(const Trained& fit) {
  return fit.basis != nullptr && find_number(fit.record, kLeverageError) == nullptr;
}

// Rows whose leverage is this near to 1 decide a weight alone: without them there is none. Where 1 - h is smaller, it
// holds fewer than five digits.
inline constexpr double kLeverageOne = 1e-10;

}  // namespace plumb
