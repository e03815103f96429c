// Least squares in closed form: one pass for the Gram matrix, a Cholesky factor, then refinement with double-double
// residuals until no bit of the weights changes. Derivation and numerical care: docs/least_squares.md.
#pragma once

#include <tuple>

#include "plumb/train/trainer.h"

namespace plumb {

struct LeastSquaresOptions {
  bool bias = true;

  static constexpr auto table() {
    return std::tuple{
        option("no-bias", &LeastSquaresOptions::bias, "fit without a bias: the prediction at x = 0 is 0").off()};
  }
};

class LeastSquares final : public Trainer {
 public:
  explicit LeastSquares(LeastSquaresOptions options = {}) : options_(options) {}
  Wishes wishes() const override { return {.bias = options_.bias, .full_coding = false}; }
  std::uint64_t memory(std::uint32_t features, std::uint64_t rows, const Executor& executor) const override;
  void check(const FeatureMap& map) const override;
  Fit train(const Problem& problem, const Run& run) const override;

 private:
  LeastSquaresOptions options_;
};

}  // namespace plumb
