// Logistic regression for two classes or more, and the linear support vector machine: one penalised objective, any of
// the solvers, one certificate. docs/logistic_regression.md derives it, docs/solvers.md and docs/certificates.md the
// rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/train/convex_options.h"
#include "plumb/train/penalty.h"
#include "plumb/train/trainer.h"

namespace plumb {

enum class Loss;
class DesignMatrix;
class RowLoss;

// Their common part. Targets are labels 0, 1, ... (see Problem::labels), or numbers if the loss takes them.
class ConvexTrainer : public Trainer {
 public:
  Wishes wishes() const override {
    return {.bias = options_.bias, .full_coding = penalised(), .complete_rows = !penalised()};
  }
  std::uint64_t memory(const FitSize& size, const Executor& executor) const override;
  void check(const FeatureMap& map) const override;
  Trained train(const Problem& problem, const Run& run) const override;
  Skills skills() const override { return {.starts_anywhere = true, .lockstep = true}; }
  std::unique_ptr<LockstepFits> lockstep(const Problem& all, std::size_t groups, const Run& run) const override;
  Loss loss() const;
  const ConvexOptions& options() const noexcept { return options_; }
  Strength strength() const;  // l2, from any of its options
  bool penalised() const { return !strength().none() || !options_.sparse.none(); }

 protected:
  // link: for numbers.
  ConvexTrainer(std::unique_ptr<RowLoss> loss, ConvexOptions options, Link link = Link::identity);

 private:
  // warm: weights to start from, in the units of the matrix; or empty.
  Trained train_at(const PenaltyStrengths& strengths, const Problem& problem, const Run& run,
                   std::vector<double> warm = {}) const;
  Trained train_sparse(const Problem& problem, const Run& run) const;  // sparse_fit.cpp
  void expect_sparse_fit() const;
  void refit(Trained& fit, PenaltyStrengths strengths, const Problem& problem, const Run& run) const;
  std::vector<double> class_weights(const Problem& problem) const;
  std::optional<std::size_t> reference_of(const Problem& problem) const;
  void expect_classes(const Problem& problem) const;
  void expect_numbers(const Problem& problem) const;

  std::shared_ptr<const RowLoss> loss_;
  ConvexOptions options_;
  Link link_;
};

// Targets of a softmax with a reference, whose score is 0: it comes last.
void move_reference(DesignMatrix& x, std::size_t reference, std::size_t outputs);

class LogisticTrainer final : public ConvexTrainer {
 public:
  explicit LogisticTrainer(const LogisticOptions& options = {});
};
class HingeTrainer final : public ConvexTrainer {
 public:
  explicit HingeTrainer(const HingeOptions& options = {});
};
class SquaredHingeTrainer final : public ConvexTrainer {
 public:
  explicit SquaredHingeTrainer(const HingeOptions& options = {});
};

}  // namespace plumb
