// Statistical inference for a least-squares fit, added to its Record: adjusted R^2, the F test, likelihood and
// criteria, VIF, the leave-one-out error, robust standard errors, and the data for prediction intervals. Formulas:
// docs/inference.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "plumb/base/option_types.h"
#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/train/trainer.h"

namespace plumb {

// The kind of standard errors. classic: one variance for all rows, or that of the likelihood. hc0 to hc3: each row has
// its own, estimated by its squared residual, plain (White 1980), times n / (n - k), over 1 - h, or over (1 - h)^2.
// bootstrap: the spread of refits to rows drawn with replacement.
enum class Errors { classic, hc0, hc1, hc2, hc3, bootstrap };

template <>
struct EnumNames<Errors> {
  static constexpr std::string_view names[] = {"classic", "hc0", "hc1", "hc2", "hc3", "bootstrap"};
};

// As users give it: "hc3", "bootstrap:1000".
struct ErrorsChoice {
  Errors kind = Errors::classic;
  std::uint64_t resamples = 1000;

  ErrorsChoice(Errors errors = Errors::classic) noexcept : kind(errors) {}
  bool robust() const noexcept { return kind != Errors::classic && kind != Errors::bootstrap; }
};

template <>
struct OptionText<ErrorsChoice> {
  static ErrorsChoice read(std::string_view text);
  static std::string text(const ErrorsChoice& choice);
};

// How much is computed after a fit. wald: what the fit itself gives; full: what takes refits too, which are profile-
// likelihood intervals and tests of terms. automatic: wald where there is no penalty.
enum class InferenceAmount { automatic, none, wald, full };

template <>
struct EnumNames<InferenceAmount> {
  static constexpr std::string_view names[] = {"auto", "none", "wald", "full"};
};

struct InferenceOptions {
  ErrorsChoice errors = {};
  InferenceAmount inference = InferenceAmount::automatic;
  std::string cluster = {};  // a column; the caller reads it

  static OptionTable table();
};

// Throws Error(usage) for options that exclude each other. add_inference does so too; this is for a check before the fit.
void check_inference(const InferenceOptions& options);

// Beside the options, what only the caller has.
struct InferenceData {
  std::span<const std::uint32_t> clusters = {};  // by global row index; empty: rows are independent
  const Trainer* trainer = nullptr;              // that made the fit, for refits to other rows
};

// Completes fit.record for the examples that the fit was trained on. A fit with neither a basis nor a curvature is left
// as it is, unless robust errors are requested: then it throws Error(usage). A robust error is that of one copy of a
// row, so weight k is k copies there too.
void add_inference(Trained& fit, const Examples& examples, const InferenceOptions& options, const Run& run,
                   const InferenceData& data = {});

// The most features for which the model file keeps the basis, p^2 / 2 numbers, so that predictions can have intervals.
inline constexpr std::uint32_t kMostKeptFeatures = 512;
// The leave-one-out error costs about as much as the fit; beyond that many rows times columns squared it is left out.
inline constexpr double kMostLeaveOneOutWork = 2e10;

}  // namespace plumb
