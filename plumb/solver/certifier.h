// Certificates for solvers that have none of their own: the dual point of a Newton step from the current point. It
// costs as much as many of their steps, so it is computed only when it is likely to succeed.
#pragma once

#include "plumb/solver/newton.h"
#include "plumb/solver/newton_system.h"

namespace plumb {

class Certifier {
 public:
  Certifier(Objective& f, double tolerance) : f_(f), system_(f), tolerance_(tolerance) {}

  // Whether to try now: `left`, about the optimality gap, is within the tolerance, and ten times less than at the last
  // failure, if there was one.
  bool worth(const Objective::Point& point, double left) noexcept {
    if (left > tolerance_ * point.value || left > asked_ / 10) return false;
    asked_ = left;
    return true;
  }
  double gap(const Objective::Point& point) {
    const NewtonSystem::Direction direction = system_.solve(point, true);
    return certified_gap(f_, point, direction.d, direction.zd);
  }

 private:
  Objective& f_;
  NewtonSystem system_;
  double tolerance_;
  double asked_ = kInfinity;
};

}  // namespace plumb
