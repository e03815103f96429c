// A loss as an objective sees it: many rows at once, with one score a row or one a class. A ScalarLoss (loss.h) gets
// this interface automatically; softmax is written here.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "plumb/base/span.h"
#include "plumb/objective/loss.h"

namespace plumb {

// The K = outputs() scores of row i begin at z[i K], and so do its slopes; y and s have a target and a weight per row.
// Targets are labels, 0 and 1 for one output, which mean y = -1 and +1; or numbers, if the loss says so.
class RowLoss {
 public:
  virtual ~RowLoss() = default;
  virtual std::unique_ptr<RowLoss> copy() const = 0;
  virtual std::string_view name() const noexcept = 0;
  virtual std::size_t outputs() const noexcept = 0;
  // Its entry in THE list, for code that must know its loss (with_loss); empty for softmax.
  virtual std::optional<Loss> kind() const noexcept { return {}; }
  // Whether targets are numbers, their lower bound, and the score of a constant fit to targets of this mean.
  virtual bool numbers() const noexcept { return false; }
  virtual double least_target() const noexcept { return -kInfinity; }
  virtual double first_score(double mean) const noexcept { return mean; }
  // Whether there is one more class, whose score is always 0.
  virtual bool reference() const noexcept { return false; }
  // Whether s - |slope| is a probability: the logistic loss and softmax.
  virtual bool probabilistic() const noexcept { return false; }
  // Whether the slopes have a derivative that Newton's method can use.
  virtual bool curved() const noexcept = 0;
  // Bounds on the derivative of a slope and on its size; infinite if there is none.
  virtual double curve_bound() const noexcept = 0;
  virtual double slope_bound() const noexcept { return kInfinity; }
  // Whether coordinate descent has a step for a row (DualLoss).
  virtual bool has_dual_step() const noexcept { return false; }
  // For a ScaledLoss: its scale, and the sums over rows of s_i d loss_i / d scale and of s_i dual_room(u_i / s_i).
  virtual bool scaled() const noexcept { return false; }
  virtual void set_scale(double /*scale*/) {}
  virtual double scale_slope(In /*z*/, In /*y*/, In /*s*/) const { return 0.0; }
  virtual double dual_room(In /*s*/, In /*u*/) const { return 0.0; }
  // sum_i s_i loss_i.
  virtual double value(In z, In y, In s) const = 0;
  // The same; slope_ik = s_i d loss_i / d z_ik, and the data that curve_times() needs for each row.
  virtual double value(In z, In y, In s, Out slope, Out curve) const = 0;
  // product_i = s_i (second derivative of row i) t_i.
  virtual void curve_times(In curve, In s, In t, Out product) const = 0;
  // Diagonal of the second derivative: s_i d^2 loss_i / d z_ik^2.
  virtual void diagonal(In curve, In s, Out diagonal) const = 0;
  // An entry (a, b) of it for every row.
  virtual void entry(In curve, In s, std::size_t a, std::size_t b, Out out) const = 0;
  // sum_i s_i (loss_i(z) + conjugate_i(u / s) - (u / s) z): how far the slopes u are from those at z; never negative,
  // and infinite if a u is not a possible slope.
  virtual double excess(In z, In y, In s, In u) const = 0;
  // Moves u back into the range of slopes, after a linear step or rounding.
  virtual void mend(In /*y*/, In /*s*/, Out /*u*/) const {}
};

std::unique_ptr<RowLoss> row_loss(Loss loss);
// The same for a loss with parameters, and for one of THE list.
template <ScalarLoss L>
std::unique_ptr<RowLoss> row_loss_of(const L& loss);
// Cross-entropy of softmax: log sum_k e^z_k - z_y. With a reference there is one more class, whose score is 0 and whose
// target is `outputs`.
std::unique_ptr<RowLoss> softmax_loss(std::size_t outputs, bool reference);

}  // namespace plumb
