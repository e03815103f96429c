#include "plumb/solver/lasso_path.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plumb/solver/proximal_newton.h"

namespace plumb {
namespace {

constexpr double kBeyond = 1e200;  // a penalty that no gradient reaches

class RowPath final : public PathFollower {
 public:
  RowPath(Objective& f, PathUnits units, const SolverOptions& options)
      : f_(f), units_(std::move(units)), options_(options) {
    options_.on_step = {};
    if (units_.needless.empty())
      for (std::size_t j = 0; j < f.matrix().columns(); ++j) units_.needless.push_back(j);
  }

  PathFit null() override {
    std::vector<double> beyond = units_.lasso;
    for (double& each : beyond) each *= kBeyond;
    f_.set_lasso(std::move(beyond));
    f_.set_ridge(units_.fixed_ridge);
    return take(follow_by_proximal_newton(f_, f_.at(std::vector<double>(f_.size())), units_.needless, options_));
  }

  double largest() const override {
    double most = 0.0;
    for (std::size_t i = 0, p = units_.lasso.size(); i < point_.gradient.size(); ++i)
      if (units_.lasso[i % p] > 0.0) most = std::max(most, std::abs(point_.gradient[i]) / units_.lasso[i % p]);
    return most;
  }

  PathFit at(const PathPenalty& penalty) override {
    const std::vector<double> before(f_.ridge().begin(), f_.ridge().end());
    std::vector<double> ridge = units_.fixed_ridge, lasso = units_.lasso;
    for (std::size_t j = 0; j < ridge.size(); ++j) {
      ridge[j] += penalty.l2 * units_.ridge[j];
      lasso[j] *= penalty.l1;
    }
    f_.set_ridge(std::move(ridge));
    f_.set_lasso(std::move(lasso));
    f_.repenalise(point_, before);
    return take(follow_by_proximal_newton(f_, std::move(point_), units_.needless, options_));
  }

 private:
  PathFit take(Solution solution) {
    point_ = std::move(solution.point);
    return {point_.w, point_.loss, point_.value, solution.gap, solution.iterations};
  }

  Objective& f_;
  PathUnits units_;
  SolverOptions options_;
  Objective::Point point_;
};

}  // namespace

std::unique_ptr<PathFollower> follow_rows(Objective& f, PathUnits units, const SolverOptions& options) {
  return std::make_unique<RowPath>(f, std::move(units), options);
}

}  // namespace plumb
