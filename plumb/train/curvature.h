// The second derivative of an unpenalised log-likelihood at its optimum, factored: the observed information, from which
// standard errors, leverages and intervals come. A trainer keeps it if inference follows the fit (Problem::infers).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "plumb/math/cholesky.h"
#include "plumb/objective/objective.h"
#include "plumb/train/basis.h"

namespace plumb {

// For each output the numbers of the bias, if there is one, and of the features, in the units of the design matrix:
// with x' = 2^-exponent x - centre, the bias is that of x'. A softmax has outputs for all labels but the reference,
// whose weights are 0.
struct Curvature {
  math::Cholesky factor;
  std::size_t outputs = 1;
  std::size_t features = 0;
  bool bias = true;
  std::optional<std::size_t> reference = {};  // a label, for a softmax
  std::vector<std::int64_t> exponent = {};
  std::vector<double> centre = {};
  std::shared_ptr<const RowLoss> loss = {};

  std::size_t width() const noexcept { return features + (bias ? 1 : 0); }  // of an output
  // The vector a for which a.w' is the bias of output k in the units of the features.
  std::vector<double> bias_form(std::size_t k) const;
  // In the units of the features, with the biases of all outputs.
  struct Errors {
    std::vector<double> bias, weights;
  };
  // sqrt of the diagonal of the inverse; 0 where a column is aliased.
  Errors standard_errors() const;
  // For one output.
  Basis basis() const;
};

// From the second derivative at this point of f, which has no penalty. `aliased`: features whose weight is 0 because
// others replace them. A softmax without a reference gets the first label as its reference. Null if the matrix is too
// large, or if columns that have weights leave some of them undetermined.
std::shared_ptr<const Curvature> curvature_at(Objective& f, const Objective::Point& point,
                                              std::span<const std::uint32_t> aliased,
                                              std::optional<std::size_t> reference);

}  // namespace plumb
