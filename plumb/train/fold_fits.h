// Logistic regression without each of several folds, by fits in lock-step (plumb/solver/fold_descent.h), for one
// penalty after the other.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "plumb/data/row_set.h"
#include "plumb/objective/design_matrix.h"
#include "plumb/solver/fold_descent.h"
#include "plumb/train/logistic.h"

namespace plumb {

class FoldFits {
 public:
  // All rows that any of the fits learns from, and the trainer. Null where fits in lock-step are not what this trainer
  // would do with them: of another loss, of more than two classes, or where it would not choose coordinate descent.
  static std::unique_ptr<FoldFits> make(const ConvexClassifier& trainer, const Problem& all, const Run& run);
  // Whether another trainer is the same but for the strength of its penalty.
  bool serves(const ConvexClassifier& other) const;

  // Up to FoldDescent::kMost of the fits. All trainers that are used with it are served.
  class Group {
   public:
    Group(const FoldFits& fits, std::span<const RowSet* const> training);

    struct Found {
      LinearModel model;
      bool converged;
    };
    std::vector<Found> fit(const ConvexClassifier& trainer, const Run& run);

   private:
    const FoldFits& fits_;
    FoldDescent descent_;
  };

 private:
  FoldFits(const ConvexClassifier& trainer, const Problem& all, const Run& run);

  ConvexOptions options_;
  FeatureMap map_;
  std::vector<std::string> labels_;
  DesignMatrix x_;
  std::vector<std::uint64_t> number_;  // global row index of each row of the matrix
  std::unique_ptr<FoldRows> rows_;
};

}  // namespace plumb
