#include "plumb/solver/coordinate_descent.h"

#include <algorithm>
#include <cmath>

namespace plumb {
namespace {

constexpr int kQuietPasses = 2;      // with the same non-zeros and little progress, before conjugate gradients
constexpr double kSlowOnFace = 0.2;  // of the violation is still there after a pass: slow progress
constexpr std::size_t kFaceSteps = 50;
constexpr double kFaceTolerance = 1e-3, kFaceLoosest = 0.1;  // of the residual that conjugate gradients leave

class Descent {
 public:
  Descent(QuadraticModel& model, In w, In lasso, const DescentLimits& limits)
      : model_(model), w_(w), lasso_(lasso), limits_(limits) {
    for (std::uint32_t i = 0; i < model.size(); ++i) all_.push_back(i);
  }

  std::size_t run() {
    const double first = pass(all_);
    const double enough = limits_.tolerance * first;
    double left = first;
    while (left > enough && passes_ < limits_.passes) {
      descend_on_face(0.5 * enough);
      left = pass(all_);
    }
    return passes_;
  }

 private:
  double weight(std::uint32_t i) const { return w_[i] + model_.d()[i]; }
  bool on_face(std::uint32_t i) const { return model_.curve(i) > 0.0 && (lasso_[i] == 0.0 || weight(i) != 0.0); }

  // Every coordinate of `some` to its optimum, in turn. The sum of violations that they had.
  double pass(const std::vector<std::uint32_t>& some) {
    double sum = 0.0;
    changed_ = false;
    for (const std::uint32_t i : some) {
      const double h = model_.curve(i), u = weight(i);
      double next = 0.0;
      if (h > 0.0) {
        const double pull = h * u - model_.slope(i);
        next = lasso_[i] == 0.0    ? pull / h
               : pull > lasso_[i]  ? (pull - lasso_[i]) / h
               : pull < -lasso_[i] ? (pull + lasso_[i]) / h
                                   : 0.0;
      } else if (lasso_[i] == 0.0) {
        next = u;
      }
      if (next == u) continue;
      changed_ = changed_ || (next == 0.0) != (u == 0.0);
      sum += h * std::abs(next - u);
      model_.move(i, next - w_[i]);  // a zero is exact
    }
    ++passes_;
    if (limits_.tick) limits_.tick();
    return sum;
  }

  // Passes over the non-zeros until little is left to gain there.
  void descend_on_face(double enough) {
    double before = -1.0;
    int quiet = 0;
    for (int tries = 0; tries < 30 && passes_ < limits_.passes; ++tries) {
      std::vector<std::uint32_t> face;
      for (const std::uint32_t i : all_)
        if (on_face(i)) face.push_back(i);
      if (face.empty()) return;
      const double left = pass(face);
      if (left <= enough) return;
      quiet = !changed_ && before >= 0.0 && left > kSlowOnFace * before ? quiet + 1 : 0;
      before = left;
      if (quiet < kQuietPasses) continue;
      quiet = 0;
      std::erase_if(face, [&](std::uint32_t i) { return !on_face(i); });
      solve_on_face(face);
    }
  }

  // Preconditioned conjugate gradients for the derivatives of the face, all signs kept; then as far along that
  // direction as they do last.
  void solve_on_face(const std::vector<std::uint32_t>& face) {
    const std::size_t m = model_.size();
    std::vector<double> r(m), p(m), d(m), hp(m);
    const auto inverse = [&](std::uint32_t i) { return 1.0 / model_.curve(i); };
    double rho = 0.0;
    for (const std::uint32_t i : face) {
      r[i] = -(model_.slope(i) + (lasso_[i] > 0.0 ? std::copysign(lasso_[i], weight(i)) : 0.0));
      p[i] = r[i] * inverse(i);
      rho += r[i] * p[i];
    }
    const double part = std::clamp(limits_.tolerance, kFaceTolerance, kFaceLoosest), enough = part * part * rho;
    for (std::size_t k = 0; k < kFaceSteps && rho > enough; ++k) {
      model_.times(face, p, hp);
      double along = 0.0, next = 0.0;
      for (const std::uint32_t i : face) along += p[i] * hp[i];
      if (!(along > 0.0)) break;
      const double a = rho / along;
      for (const std::uint32_t i : face) {
        d[i] += a * p[i];
        r[i] -= a * hp[i];
        next += r[i] * (r[i] * inverse(i));
      }
      for (const std::uint32_t i : face) p[i] = r[i] * inverse(i) + next / rho * p[i];
      rho = next;
      if (limits_.tick) limits_.tick();
    }
    double t = 1.0;
    for (const std::uint32_t i : face)
      if (lasso_[i] > 0.0 && weight(i) * d[i] < 0.0) t = std::min(t, -weight(i) / d[i]);
    for (const std::uint32_t i : face) {
      const double u = weight(i), next = u + t * d[i];
      const bool ends = lasso_[i] > 0.0 &&
                        (next == 0.0 || (next < 0.0) != (u < 0.0) || (t < 1.0 && u * d[i] < 0.0 && t >= -u / d[i]));
      if (d[i] != 0.0) model_.move(i, ends ? -w_[i] : model_.d()[i] + t * d[i]);
    }
    passes_ += 2;
  }

  QuadraticModel& model_;
  In w_, lasso_;
  const DescentLimits& limits_;
  std::vector<std::uint32_t> all_;
  std::size_t passes_ = 0;
  bool changed_ = false;  // the last pass: whether a weight became zero or ceased to be
};

}  // namespace

std::size_t descend(QuadraticModel& model, In w, In lasso, const DescentLimits& limits) {
  return Descent(model, w, lasso, limits).run();
}

}  // namespace plumb
