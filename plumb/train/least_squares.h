// Least squares and ridge regression in closed form: one pass for the Gram matrix, a Cholesky factor, then refinement
// with double-double residuals until no bit of the weights changes. Derivation and numerical care:
// docs/least_squares.md.
#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/train/penalty.h"
#include "plumb/train/rank_rule.h"
#include "plumb/train/trainer.h"

namespace plumb {

struct LeastSquaresOptions {
  bool bias = true;
  Strength l2 = {};
  double C = 0.0;               // 0: not given
  double prior_variance = 0.0;  // 0: not given
  std::vector<std::string> penalty_factor = {};
  RankRule rank = RankRule::unsaid;
  double digits = 0;

  static constexpr auto table() {
    using O = LeastSquaresOptions;
    return std::tuple{
        option("no-bias", &O::bias, "fit without a bias: the prediction at x = 0 is 0").off(),
        option("l2", &O::l2, "adds l2/2 times the sum of the squared weights; auto: what predicts left-out rows best")
            .value("X|auto"),
        option("C", &O::C, "the same as --l2 1/C").value("X").in(at_least(1e-300)).otherwise("1/l2"),
        option("prior-variance", &O::prior_variance, "of a Gaussian prior on each weight: the same as --l2 1/variance")
            .value("V")
            .in(at_least(1e-300))
            .otherwise("1/l2"),
        option("penalty-factor", &O::penalty_factor,
               "multiplies the penalty of a feature, or of a column's levels or terms")
            .value("COL=F"),
        option(
            "rank", &O::rank,
            "columns that add up to others: drop gives the later one no weight, min-norm shares it so that weights are "
            "small; auto: min-norm if there are fewer rows than columns, else drop"),
        option("digits", &O::digits, "correct digits to work for; more passes over the data if need be")
            .value("N")
            .in(between(0.0, 15.0))
            .otherwise("all up to 10 million numbers, 9 beyond")};
  }
};

class LeastSquaresTrainer : public Trainer {
 public:
  // Throws Error(usage) if the penalty is said twice.
  explicit LeastSquaresTrainer(LeastSquaresOptions options = {});
  Wishes wishes() const override {
    return {.bias = options_.bias,
            .full_coding = !options_.l2.none(),
            .low_parts = true,
            .expect_hashed = [](std::uint64_t features) { expect_trainable(features, true); }};
  }
  std::uint64_t memory(std::uint32_t features, std::uint64_t rows, const Executor& executor) const override;
  void check(const FeatureMap& map) const override;
  // Throws Error(resources) if the matrix of so many features is too large; hashed: by --hash-bits.
  static void expect_trainable(std::uint64_t features, bool hashed);
  Trained train(const Problem& problem, const Run& run) const override;
  Skills skills() const override { return {.refits = !options_.l2.automatic}; }
  std::unique_ptr<Refitter> refitter(const RefitData& data) const override;  // plumb/train/least_squares_refits.cpp
  const LeastSquaresOptions& options() const noexcept { return options_; }

 protected:
  bool penalised() const noexcept { return !options_.l2.none(); }

 private:
  LeastSquaresOptions options_;
};

// The same with a penalty that must be given.
class RidgeTrainer final : public LeastSquaresTrainer {
 public:
  explicit RidgeTrainer(LeastSquaresOptions options);
};

}  // namespace plumb
