// Least squares and ridge regression in closed form: one pass for the Gram matrix, a Cholesky factor, then refinement
// with double-double residuals until no bit of the weights changes. Derivation and numerical care:
// docs/least_squares.md.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plumb/train/least_squares_options.h"
#include "plumb/train/penalty.h"
#include "plumb/train/trainer.h"

namespace plumb {

class LeastSquaresTrainer : public Trainer {
 public:
  // Throws Error(usage) if the penalty is given twice.
  explicit LeastSquaresTrainer(LeastSquaresOptions options = {});
  Wishes wishes() const override {
    return {.bias = options_.bias, .full_coding = penalised(), .low_parts = !descends(), .complete_rows = !penalised()};
  }
  std::uint64_t memory(const FitSize& size, const Executor& executor) const override;
  void check(const FeatureMap& map) const override;
  // Throws Error(resources) if the matrix of that many features is too large; hashed: by --hash-bits.
  static void expect_trainable(std::uint64_t features, bool hashed);
  Trained train(const Problem& problem, const Run& run) const override;
  Skills skills() const override { return {.refits = !options_.l2.automatic && !descends()}; }
  std::unique_ptr<Refitter> refitter(const RefitData& data) const override;  // plumb/train/least_squares_refits.cpp
  const LeastSquaresOptions& options() const noexcept { return options_; }
  bool goes_wide(const Problem& problem) const;  // by the products of rows: wide_least_squares.h

 protected:
  // With an L1 penalty there is no closed form.
  bool descends() const noexcept { return options_.solver != "auto" || !options_.sparse.none(); }
  bool penalised() const noexcept { return !options_.l2.none() || !options_.sparse.none(); }

 private:
  LeastSquaresOptions options_;
};

// The same with a required penalty.
class RidgeTrainer final : public LeastSquaresTrainer {
 public:
  explicit RidgeTrainer(LeastSquaresOptions options);
};

}  // namespace plumb
