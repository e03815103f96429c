// The course of a solver that goes over the rows of the dual again and again: passes, checks of the gap where they are
// worth their price, and Newton's method to end what passes do not.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "plumb/solver/solver.h"

namespace plumb {

class DualPasses {
 public:
  virtual ~DualPasses() = default;
  // From the duals that are the slopes at `start`; where these are all 0, from where the passes begin by themselves.
  Solution solve(std::vector<double> start);

 protected:
  DualPasses(Objective& f, const SolverOptions& options) : f_(f), options_(options), x_(f.matrix()) {}

  // What a pass saw on its way.
  struct Seen {
    double off = kInfinity;  // about the gap: how far the duals were from the slopes at the scores they met
    double value = 0.0;      // about the objective there
    double left = -1.0;      // about the gap after it, from a sample of rows; below 0 where none was taken
  };
  virtual Seen pass(std::uint64_t number) = 0;
  // The slopes that the duals stand for, in the order of the matrix.
  virtual std::vector<double> slopes() const = 0;
  // Duals that stand for these slopes, at these scores.
  virtual void begin(In slopes, In scores) = 0;
  // X' times slopes(): the weights are -1 / ridge times as much, without what rounding added up.
  virtual void renew(In sums) = 0;
  virtual std::vector<double> weights() const = 0;
  // So that the biases without penalty of weights() are those of `w`.
  virtual void move_biases(In w) = 0;

  // About the gap after a pass, as a multiple of what is wanted: how far rows were off, as that fell from the pass
  // before.
  double promised(const Seen& last, const Seen& before) const {
    if (!(before.off < kInfinity)) return kInfinity;
    return last.off * std::min(1.0, last.off / before.off) / (options_.tolerance * last.value);
  }

  // 1 / root of each penalty; 0 without one.
  static std::vector<double> shares(const Objective& f);
  // How strongly the sum of duals pulls at a bias without penalty; 0 where there is none.
  static double pull(const Objective& f, double mean_norm);

  Objective& f_;
  const SolverOptions& options_;
  const DesignMatrix& x_;
  Seen last_, before_;  // by the last pass, and by the one before

 private:
  bool worth_a_check(std::uint64_t passes) const;
  void tell(std::uint64_t passes) const;
  bool newton_ends_it() const;
  Solution finish_by_newton(Solution result);
  void check(Solution& result);
  void begin_at(std::vector<double> start);
  Solution fallen_short(Solution result) const;

  std::optional<Objective::Point> start_;
};

}  // namespace plumb
