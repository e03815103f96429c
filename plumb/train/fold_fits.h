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
#include "plumb/train/refitter.h"

namespace plumb {

class FoldFits final : public LockstepFits {
 public:
  // All training rows of any of the fits, and the trainer. Null if this trainer would not fit them in lock-step:
  // another loss, more than two classes, another solver than coordinate descent; or if that many groups need more
  // memory than is available.
  static std::unique_ptr<LockstepFits> make(const ConvexTrainer& trainer, const Problem& all, std::size_t groups,
                                            const Run& run);
  bool serves(const Trainer& other) const override;
  std::unique_ptr<Group> group(std::span<const RowSet* const> training) const override;

 private:
  class Fits;
  FoldFits(const ConvexTrainer& trainer, const Problem& all, const Run& run);

  ConvexOptions options_;
  FeatureMap map_;
  std::vector<std::string> labels_;
  DesignMatrix x_;
  std::vector<std::uint64_t> number_;  // global row index of each row of the matrix
  std::unique_ptr<FoldRows> rows_;
};

}  // namespace plumb
