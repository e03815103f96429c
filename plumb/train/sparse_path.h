// --l1 auto: fits for a hundred penalties, from the least one at which every weight is 0 downwards, and the choice
// among them by cross-validation. docs/sparse_models.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plumb/objective/design_matrix.h"
#include "plumb/objective/row_loss.h"
#include "plumb/train/convex_options.h"
#include "plumb/train/penalty.h"
#include "plumb/train/trainer.h"

namespace plumb {

struct SparsePath {
  struct Point {
    PenaltyStrengths strengths;          // without units
    double loss = 0.0;                   // of the training rows
    double explained = 0.0;              // share of the deviance of the fit without features
    double gap = 0.0;                    // relative
    std::uint64_t non_zeros = 0;         // weights
    double held_out = 0.0, error = 0.0;  // mean loss of a held-out row, and its standard error
    std::vector<std::uint32_t> index;    // the non-zeros: output times features plus feature
    std::vector<double> weight;          // in the units of the features
    std::vector<double> bias;
  };
  double ratio = 1.0;
  std::vector<double> ratios, ratio_loss;  // that were tried, and the least held-out loss of each
  std::vector<Point> points;
  std::size_t best = 0, one_se = 0, chosen = 0;
  std::size_t folds = 0;
  std::vector<double> start;      // the weights at the chosen point, in the units of the matrix
  bool explained_all = false;     // ended early, because nothing is left to explain
  std::size_t not_converged = 0;  // points, and fits without a fold at one

  // Into the record, with warnings about the choice.
  void add_to(Trained& fit, std::uint32_t features) const;
};

// Statistics of a record that keeps a path: a row for each point with kPathColumns numbers (l1, l2, non-zeros,
// explained, training loss, gap, held-out loss, its standard error); (feature, point) in the order in which features
// enter; and the weights as (point, output * features + feature, weight), if they are not too many.
inline constexpr const char *kPathStatistic = "l1_path", *kPathEntries = "l1_path_entries",
                            *kPathWeights = "l1_path_weights", *kPathRatios = "l1_ratios";
inline constexpr std::size_t kPathColumns = 8;

// x: the matrix of all rows, with its targets. strengths: of the fixed --l2, with the units. Throws Error(data) if no
// penalised feature has an effect at all.
SparsePath find_sparse_path(const Problem& problem, const ConvexOptions& options, const PenaltyStrengths& strengths,
                            std::vector<double> ratios, const RowLoss& loss, DesignMatrix& x, const Run& run);

}  // namespace plumb
