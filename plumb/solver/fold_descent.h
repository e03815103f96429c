// Logistic regression without each of several folds, all at once: coordinate descent on the dual as in
// dual_descent.cpp, in lock-step. Rows are read once for up to eight fits, one in each lane of a register. Each fit has
// its own certificate; its result depends on its own rows alone, not on the other fits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/math/lockstep.h"
#include "plumb/objective/design_matrix.h"
#include "plumb/solver/packed_rows.h"

namespace plumb {

// The rows that all fits share, laid out once for any number of penalties.
class FoldRows {
 public:
  // `x`, which must outlive this, has sparse rows and targets 0 and 1. `ridge` is the penalty of each column in units
  // of the strength given to solve(); 0 for an unpenalised bias, otherwise above 0.
  FoldRows(const DesignMatrix& x, std::vector<double> ridge, const Run& run);

  const DesignMatrix& matrix() const noexcept { return x_; }
  In ridge() const noexcept { return ridge_; }
  bool free_bias() const noexcept { return x_.bias() && ridge_.back() == 0.0; }
  const PackedRows<float>& packed() const noexcept { return packed_; }
  In share() const noexcept { return share_; }  // 1 / root of the ridge

 private:
  const DesignMatrix& x_;
  std::vector<double> ridge_;
  std::vector<double> share_;
  PackedRows<float> packed_;
};

// Up to eight fits, from one strength of the penalty to the next: each starts where the previous one ended.
class FoldDescent {
 public:
  static constexpr std::size_t kMost = math::kLanes;

  // Bit k of in[i]: row i of the matrix is a training row of fit k.
  FoldDescent(const FoldRows& rows, std::vector<std::uint8_t> in, std::size_t fits);

  struct Result {
    std::vector<double> w;  // as in Objective
    double value = 0.0;     // of the objective
    double gap = 0.0;       // the value exceeds the minimum by at most this
    bool converged = false;
    std::uint64_t passes = 0;
  };
  // One for each fit: gap <= tolerance * value, unless that took more than `most` passes, or made no progress.
  std::vector<Result> solve(double strength, double tolerance, std::uint64_t most, const Run& run);

 private:
  using Lanes = std::array<double, math::kLanes>;
  struct alignas(64) Weights {
    double of[math::kLanes];
  };
  struct alignas(32) Narrow {
    float of[math::kLanes];
  };
  // A row in each of the fits: a dual variable and its logit.
  struct alignas(64) State {
    double a[math::kLanes];
    double u[math::kLanes];
  };

  void begin();
  void pass(std::uint64_t number, std::uint8_t live, const Run& run);
  void meet(std::size_t r, std::uint8_t live);
  void balance(std::size_t k);
  // The weights of the duals of these fits, and their optimality gaps.
  void check(std::uint8_t asked, std::vector<Result>& results, const Run& run);

  const FoldRows& rows_;
  const DesignMatrix& x_;
  std::vector<std::uint8_t> in_;  // by packed row
  std::size_t fits_;
  bool begun_ = false;
  double strength_ = 1.0;
  double pull_ = 0.0;
  std::vector<double> norm_, sign_;  // by packed row; |x|^2 at a strength of 1
  std::vector<State> state_;
  std::vector<Narrow> v_;      // sum_i a_i y_i x_i share, in the order of the packed columns
  std::vector<Weights> sums_;  // during a check, and then the weights
  std::vector<Weights> scores_;
  Lanes centre_{}, sum_{}, precision_{}, off_{}, before_{}, value_{}, total_{};
};

}  // namespace plumb
