// The control of a solver that makes passes over the rows of the dual: passes, checks of the gap when they are worth
// their price, and Newton's method to finish if passes do not.
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
  // From the duals that are the slopes at `start`; if these are all 0, from the default start of the passes.
  Solution solve(std::vector<double> start);

 protected:
  DualPasses(Objective& f, const SolverOptions& options) : f_(f), options_(options), x_(f.matrix()) {}

  // Estimates made during a pass.
  struct Seen {
    double off = kInfinity;  // of the gap: distance of the duals from the slopes at the scores they met
    double value = 0.0;      // of the objective there
    double left = -1.0;      // of the gap after it, from a sample of rows; below 0 without one
  };
  virtual Seen pass(std::uint64_t number) = 0;
  // The slopes of the duals, in the order of the matrix.
  virtual std::vector<double> slopes() const = 0;
  // The duals of these slopes, at these scores.
  virtual void begin(In slopes, In scores) = 0;
  // X' times slopes(): the weights are -1 / ridge times as much, without accumulated rounding.
  virtual void renew(In sums) = 0;
  virtual std::vector<double> weights() const = 0;
  // Sets the unpenalised biases of weights() to those of `w`.
  virtual void move_biases(In w) = 0;

  // An estimate of the gap after a pass, as a multiple of the wanted one, extrapolated from the decrease since the pass
  // before.
  double promised(const Seen& last, const Seen& before) const {
    if (!(before.off < kInfinity)) return kInfinity;
    return last.off * std::min(1.0, last.off / before.off) / (options_.tolerance * last.value);
  }

  // 1 / root of each penalty; 0 without one.
  static std::vector<double> shares(const Objective& f);
  // How strongly the sum of duals pulls at an unpenalised bias; 0 without one.
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
