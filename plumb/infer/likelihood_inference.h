// Inference for a model fitted by maximum likelihood, logistic or Poisson, added to its Record: standard errors from
// the observed information, deviances, the likelihood-ratio test of the model, criteria. Formulas: docs/inference.md.
#pragma once

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/infer/inference.h"
#include "plumb/train/curvature.h"
#include "plumb/train/trainer.h"

namespace plumb {

// The names of the numbers in Record::fit that a report compares.
inline constexpr const char* kResidualDeviance = "residual_deviance";
inline constexpr const char* kResidualFreedom = "residual_degrees_of_freedom";
inline constexpr const char* kNullDeviance = "null_deviance";
inline constexpr const char* kNullFreedom = "null_degrees_of_freedom";

// Whether the errors of the record are those of a likelihood, so that tests are normal.
inline bool has_likelihood(const Record& record) noexcept { return find_number(record, kResidualDeviance) != nullptr; }

// Completes fit.record, for a fit with a curvature.
void add_likelihood_inference(Trained& fit, const Examples& examples, const InferenceOptions& options, const Run& run,
                              const InferenceData& data);

}  // namespace plumb
