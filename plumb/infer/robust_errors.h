// Standard errors that do not take the variance of the model for granted: of rows (White 1980) and of clusters of rows
// (Liang and Zeger 1986). Formulas: docs/inference.md.
#pragma once

#include <cstdint>
#include <span>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/infer/inference.h"
#include "plumb/infer/refits.h"
#include "plumb/train/trainer.h"

namespace plumb {

// The number of clusters, in Record::fit.
inline constexpr const char* kClusters = "clusters";

// The clusters that have training rows, numbered anew in the order of their first.
struct Clusters {
  std::vector<std::uint32_t> of_row;  // of each row with a weight, in their order
  std::size_t count = 0;

  // Throws Error(data) for fewer than two.
  Clusters(const Examples& examples, std::span<const std::uint32_t> of_all);
  // G / (G - 1) (n - 1) / (n - k), as statsmodels and Stata have it for least squares.
  double correction(double copies, double rank) const;
};

// Replaces the errors of a fit with a curvature, at the optimum of the refits.
void make_likelihood_errors_robust(Trained& fit, Refits& refits, const Examples& examples,
                                   const InferenceOptions& options, std::span<const std::uint32_t> clusters);

// Replaces those of a least-squares fit with leverages.
void make_errors_clustered(Trained& fit, const Examples& examples, std::span<const std::uint32_t> clusters);

}  // namespace plumb
