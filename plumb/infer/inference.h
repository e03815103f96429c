// Statistical inference for a least-squares fit, added to its Record: adjusted R^2, the F test, likelihood and
// criteria, VIF, the leave-one-out error, robust standard errors, and the data for prediction intervals. Formulas:
// docs/inference.md.
#pragma once

#include <string_view>

#include "plumb/base/option_types.h"
#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/train/trainer.h"

namespace plumb {

// The kind of standard errors. classic: one variance for all rows. hc0 to hc3: each row has its own, estimated by its
// squared residual, plain (White 1980), times n / (n - k), over 1 - h, or over (1 - h)^2.
enum class Errors { classic, hc0, hc1, hc2, hc3 };

template <>
struct EnumNames<Errors> {
  static constexpr std::string_view names[] = {"classic", "hc0", "hc1", "hc2", "hc3"};
};

// How much is computed after a fit. wald: what the fit itself gives; full: what takes refits too, which are profile-
// likelihood intervals and tests of terms. automatic: wald where there is no penalty.
enum class InferenceAmount { automatic, none, wald, full };

template <>
struct EnumNames<InferenceAmount> {
  static constexpr std::string_view names[] = {"auto", "none", "wald", "full"};
};

struct InferenceOptions {
  Errors errors = Errors::classic;
  InferenceAmount inference = InferenceAmount::automatic;

  static OptionTable table();
};

// Completes fit.record for the examples that the fit was trained on. A fit without a basis is left as it is, unless
// robust errors are requested: then it throws Error(usage). A robust error is that of one copy of a row, so weight k is
// k copies there too.
void add_inference(Trained& fit, const Examples& examples, const InferenceOptions& options, const Run& run);

// The most features for which the model file keeps the basis, p^2 / 2 numbers, so that predictions can have intervals.
inline constexpr std::uint32_t kMostKeptFeatures = 512;
// The leave-one-out error costs about as much as the fit; beyond that many rows times columns squared it is left out.
inline constexpr double kMostLeaveOneOutWork = 2e10;

}  // namespace plumb
