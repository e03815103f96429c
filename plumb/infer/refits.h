// Refits of a maximum-likelihood fit with some weights held: the likelihood-ratio test that weights are 0, and the ends
// of a profile-likelihood interval, where twice the loss of likelihood is a quantile of chi-square. Formulas:
// docs/inference.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/train/curvature.h"
#include "plumb/train/likelihood.h"
#include "plumb/train/trainer.h"

namespace plumb {

class Refits {
 public:
  // For a fit with a curvature; all must outlive this. firth: by Firth's penalised likelihood.
  Refits(const Trained& fit, const Examples& examples, bool firth, const Run& run);

  std::size_t outputs() const noexcept { return outputs_; }
  std::size_t features() const noexcept { return x_.columns() - (x_.bias() ? 1 : 0); }
  bool bias() const noexcept { return x_.bias(); }
  // Whether the feature has a weight of its own.
  bool free(std::size_t feature) const noexcept { return !likelihood_->aside()[feature]; }

  // The place of a weight among all; the bias is one past the features.
  struct Place {
    std::size_t output = 0, column = 0;
  };
  struct Interval {
    double low, high;  // NaN where the profile has no such end
  };
  // In the units of the features. `quantile`: of chi-square with one degree of freedom.
  Interval profile(Place place, double quantile);
  // Twice the loss of likelihood with that weight at 0.
  double ratio(Place place);
  // The same with all weights of these features at 0, of every output. `without`: features that are 0 in both fits.
  double ratio(std::span<const std::uint32_t> features, std::span<const std::uint32_t> without = {});
  // Whether every refit so far found its optimum.
  bool converged() const noexcept { return converged_; }

  const DesignMatrix& matrix() const noexcept { return x_; }
  const RowLoss& loss() const noexcept { return f_->loss(); }
  const Run& run() const noexcept { return f_->run(); }
  const Likelihood::Found& best() const noexcept { return best_; }
  const math::Cholesky& factor() const noexcept { return *factor_; }  // of the information at the best
  // The vector a for which a.w is that weight, but for its unit.
  std::vector<double> form_of(Place place) const;
  double unit_of(Place place) const;

 private:
  std::vector<double> start_of(const LinearModel& model, std::optional<std::size_t> reference) const;
  double end(const std::vector<double>& form, double quantile, double side);
  double value_without(std::span<const std::uint32_t> features, std::span<const std::uint32_t> more);
  Likelihood::Found minimise(std::vector<double> start, const Likelihood::Held& held);

  DesignMatrix x_;
  std::size_t outputs_;
  std::unique_ptr<Objective> f_;
  std::unique_ptr<Likelihood> likelihood_;
  Likelihood::Found best_;
  std::optional<math::Cholesky> factor_;  // at the best
  bool converged_ = true;
};

}  // namespace plumb
