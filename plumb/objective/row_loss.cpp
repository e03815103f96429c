#include "plumb/objective/row_loss.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "plumb/math/special.h"

namespace plumb {
namespace {

double sign_of(double target) { return target == 0.0 ? -1.0 : 1.0; }

constexpr double kLeastProbability = 1e-290;  // below it a quotient may overflow

// t log(t / p) - t + p for t = p + d: one outcome's part of the divergence of two distributions. Never negative; a
// series if d is so small relative to p that the terms would cancel.
double divergence(double t, double p, double d) {
  if (t <= 0.0) return t < 0.0 ? kInfinity : p;
  const double x = d / p;
  if (std::abs(x) < 1e-4) return p * x * x * (0.5 - x * (1.0 / 6.0 - x / 12.0));
  return std::max(0.0, t * (x < -0.5 ? math::log(t / p) : math::log1p(x)) - d);  // t may be lost in d
}

// The same if log1p of d / p, or of -1/2 if that is larger, is known; and if p nearly underflows, as below.
template <class LogP>
double divergence(double t, double p, double d, double log, LogP&& log_p) {
  if (t <= 0.0) return t < 0.0 ? kInfinity : p;
  if (p < kLeastProbability) return std::max(0.0, t * (math::log(t) - log_p()) - d);
  const double x = d / p;
  return std::abs(x) < 1e-4 || x < -0.5 ? divergence(t, p, d) : std::max(0.0, t * log - d);
}

// The same if p nearly underflows, or does: from its logarithm.
template <class LogP>
double divergence(double t, double p, double d, LogP&& log_p) {
  if (p >= kLeastProbability || t <= 0.0) return divergence(t, p, d);
  return std::max(0.0, t * (math::log(t) - log_p()) - d);
}

template <ScalarLoss L>
class ScalarRows : public RowLoss {
 public:
  explicit ScalarRows(const L& loss = {}) : loss_(loss) {}
  std::unique_ptr<RowLoss> copy() const override { return std::make_unique<ScalarRows>(*this); }
  std::string_view name() const noexcept override { return L::kName; }
  std::size_t outputs() const noexcept override { return 1; }
  std::optional<Loss> kind() const noexcept override { return loss_kind<L>(); }
  bool numbers() const noexcept override { return takes_numbers<L>(); }
  double least_target() const noexcept override { return plumb::least_target<L>(); }
  double first_score(double mean) const noexcept override {
    if constexpr (requires { L::first_score(mean); }) return L::first_score(mean);
    return mean;
  }
  bool probabilistic() const noexcept override { return is_probabilistic<L>(); }
  bool curved() const noexcept override { return CurvedLoss<L>; }
  double curve_bound() const noexcept override { return curve_bound_of(loss_); }
  double slope_bound() const noexcept override { return slope_bound_of(loss_); }
  bool has_dual_step() const noexcept override { return DualLoss<L>; }
  bool scaled() const noexcept override { return ScaledLoss<L>; }
  void set_scale(double scale) override {
    if constexpr (ScaledLoss<L>) loss_.scale = scale;
  }
  double scale_slope([[maybe_unused]] In z, [[maybe_unused]] In y, [[maybe_unused]] In s) const override {
    double sum = 0.0;
    if constexpr (ScaledLoss<L>)
      for (std::size_t i = 0; i < z.size(); ++i) sum += s[i] * loss_.scale_slope(z[i], y[i]);
    return sum;
  }
  double dual_room([[maybe_unused]] In s, [[maybe_unused]] In u) const override {
    double sum = 0.0;
    if constexpr (ScaledLoss<L>)
      for (std::size_t i = 0; i < u.size(); ++i) sum += s[i] * loss_.dual_room(u[i] / s[i]);
    return sum;
  }
  double value(In z, In y, In s) const override {
    double sum = 0.0;
    for (std::size_t i = 0; i < z.size(); ++i) sum += s[i] * loss_.value(z[i], target_of(y[i]));
    return sum;
  }
  double value(In z, In y, In s, Out slope, Out curve) const override {
    for (std::size_t i = 0; i < z.size(); ++i) {
      slope[i] = s[i] * loss_.slope(z[i], target_of(y[i]));
      if constexpr (CurvedLoss<L>)
        curve[i] = loss_.curve(z[i], target_of(y[i]));
      else
        curve[i] = 0.0;
    }
    return value(z, y, s);
  }
  void curve_times(In curve, In s, In t, Out product) const override {
    for (std::size_t i = 0; i < t.size(); ++i) product[i] = s[i] * curve[i] * t[i];
  }
  void diagonal(In curve, In s, Out diagonal) const override {
    for (std::size_t i = 0; i < curve.size(); ++i) diagonal[i] = s[i] * curve[i];
  }
  void entry(In curve, In s, std::size_t, std::size_t, Out out) const override { diagonal(curve, s, out); }
  double excess(In z, In y, In s, In u) const override {
    double sum = 0.0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      const double slope = u[i] / s[i], target = target_of(y[i]);
      if constexpr (requires { loss_.excess(z[i], target, slope); })
        sum += s[i] * loss_.excess(z[i], target, slope);
      else
        sum += s[i] * std::max(0.0, loss_.value(z[i], target) + loss_.conjugate(slope, target) - slope * z[i]);
    }
    return sum;
  }
  void mend(In y, In s, Out u) const override {
    if constexpr (requires { loss_.nearest_slope(u[0], y[0]); })
      for (std::size_t i = 0; i < u.size(); ++i) u[i] = s[i] * loss_.nearest_slope(u[i] / s[i], target_of(y[i]));
  }

 protected:
  static double target_of(double y) noexcept { return takes_numbers<L>() ? y : sign_of(y); }
  L loss_;
};

// The same numbers as LogisticLoss one by one, from one exponential per row, for many rows at once.
class LogisticRows final : public ScalarRows<LogisticLoss> {
 public:
  std::unique_ptr<RowLoss> copy() const override { return std::make_unique<LogisticRows>(*this); }
  double value(In z, In y, In s) const override {
    std::vector<double> loss(z.size());
    for (std::size_t i = 0; i < z.size(); ++i) loss[i] = y[i] == 0.0 ? z[i] : -z[i];
    math::log1p_exp(loss, loss);
    double sum = 0.0;
    for (std::size_t i = 0; i < z.size(); ++i) sum += s[i] * loss[i];
    return sum;
  }
  double value(In z, In y, In s, Out slope, Out curve) const override {
    std::vector<double> e(z.size()), log(z.size());
    for (std::size_t i = 0; i < z.size(); ++i) e[i] = -std::abs(z[i]);
    math::exp(e, e);
    math::log1p(e, log);
    double sum = 0.0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      const double sign = sign_of(y[i]), m = sign * z[i], one = 1.0 + e[i];
      slope[i] = -sign * s[i] * ((m >= 0.0 ? e[i] : 1.0) / one);
      curve[i] = e[i] / (one * one);
      sum += s[i] * (log[i] + std::max(0.0, -m));
    }
    return sum;
  }
  // The divergence between the probabilities under z and those implied by u.
  double excess(In z, In y, In s, In u) const override {
    const std::size_t n = z.size();
    std::vector<double> e(n), wrong(n), right(n), off(n), log_wrong(n), log_right(n);
    for (std::size_t i = 0; i < n; ++i) e[i] = -std::abs(z[i]);
    math::exp(e, e);
    for (std::size_t i = 0; i < n; ++i) {
      const double sign = sign_of(y[i]), less = e[i] / (1.0 + e[i]), more = 1.0 / (1.0 + e[i]);
      wrong[i] = sign * z[i] >= 0.0 ? less : more;
      right[i] = sign * z[i] >= 0.0 ? more : less;
      off[i] = -sign * u[i] / s[i] - wrong[i];
      log_wrong[i] = std::max(off[i] / wrong[i], -0.5);
      log_right[i] = std::max(-off[i] / right[i], -0.5);
    }
    // For many at once; invalid ones are ignored.
    math::log1p(log_wrong, log_wrong);
    math::log1p(log_right, log_right);
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const double sign = sign_of(y[i]), m = sign * z[i], t = -sign * u[i] / s[i];
      sum += s[i] * (divergence(t, wrong[i], off[i], log_wrong[i], [&] { return math::log_sigmoid(-m); }) +
                     divergence(1.0 - t, right[i], -off[i], log_right[i], [&] { return math::log_sigmoid(m); }));
    }
    return sum;
  }
  void mend(In y, In s, Out u) const override {
    for (std::size_t i = 0; i < u.size(); ++i) {
      const double sign = sign_of(y[i]);
      u[i] = -sign * std::clamp(-sign * u[i], 0.0, s[i]);
    }
  }
};

// Probabilities are kept as `curve`: the second derivative is s (diag p - p p').
class SoftmaxRows final : public RowLoss {
 public:
  SoftmaxRows(std::size_t outputs, bool reference) : outputs_(outputs), reference_(reference) {}
  std::unique_ptr<RowLoss> copy() const override { return std::make_unique<SoftmaxRows>(*this); }
  std::string_view name() const noexcept override { return "softmax"; }
  double curve_bound() const noexcept override { return 0.5; }
  bool has_dual_step() const noexcept override { return true; }  // softmax_descent.h
  std::size_t outputs() const noexcept override { return outputs_; }
  bool reference() const noexcept override { return reference_; }
  bool probabilistic() const noexcept override { return true; }
  bool curved() const noexcept override { return true; }
  double value(In z, In y, In s) const override {
    std::vector<double> room(z.size());
    return probabilities(z, y, s, room);
  }
  double value(In z, In y, In s, Out slope, Out curve) const override {
    const double sum = probabilities(z, y, s, curve);
    for (std::size_t i = 0; i < y.size(); ++i) {
      double rest = 0.0;  // p_y - 1 = -(the others), with all its digits
      const auto own = static_cast<std::size_t>(y[i]);
      for (std::size_t k = 0; k < outputs_; ++k) {
        slope[i * outputs_ + k] = s[i] * curve[i * outputs_ + k];
        if (k != own) rest += curve[i * outputs_ + k];
      }
      if (own == outputs_) continue;
      if (reference_) rest = 1.0 - curve[i * outputs_ + own];
      slope[i * outputs_ + own] = -s[i] * rest;
    }
    return sum;
  }
  void curve_times(In curve, In s, In t, Out product) const override {
    for (std::size_t i = 0; i < s.size(); ++i) {
      const double *p = curve.data() + i * outputs_, *v = t.data() + i * outputs_;
      double* out = product.data() + i * outputs_;
      double mean = 0.0;
      for (std::size_t k = 0; k < outputs_; ++k) mean += p[k] * v[k];
      for (std::size_t k = 0; k < outputs_; ++k) out[k] = s[i] * p[k] * (v[k] - mean);
    }
  }
  void diagonal(In curve, In s, Out diagonal) const override {
    for (std::size_t i = 0; i < s.size(); ++i)
      for (std::size_t k = 0; k < outputs_; ++k) {
        const double p = curve[i * outputs_ + k];
        diagonal[i * outputs_ + k] = s[i] * p * (1.0 - p);
      }
  }
  void entry(In curve, In s, std::size_t a, std::size_t b, Out out) const override {
    for (std::size_t i = 0; i < s.size(); ++i) {
      const double p = curve[i * outputs_ + a], q = curve[i * outputs_ + b];
      out[i] = s[i] * (a == b ? p * (1.0 - p) : -p * q);
    }
  }
  double excess(In z, In y, In s, In u) const override {
    std::vector<double> p(z.size());
    probabilities(z, y, s, p);
    double sum = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const auto own = static_cast<std::size_t>(y[i]);
      double row = 0.0, t_left = 1.0, p_left = 1.0;
      for (std::size_t k = 0; k < outputs_; ++k) {
        const double prior = p[i * outputs_ + k];
        const double t = u[i * outputs_ + k] / s[i] + (k == own ? 1.0 : 0.0);
        row += divergence(t, prior, t - prior, [&] { return z[i * outputs_ + k] - log_sum(z, i); });
        t_left -= t;
        p_left -= prior;
      }
      if (reference_) {
        p_left = std::max(0.0, p_left);
        if (t_left < 0.0 && t_left > -kRounding) t_left = 0.0;
        row += divergence(t_left, p_left, t_left - p_left, [&] { return -log_sum(z, i); });
      }
      // Probabilities that do not add up to 1 are not possible slopes; this is the tolerance for rounding.
      if (!reference_ && std::abs(t_left) > 1e-9) return kInfinity;
      sum += s[i] * row;
    }
    return sum;
  }
  // The nearest shares that are at least 0 and sum to the weight of the row, in proportion.
  void mend(In y, In s, Out u) const override {
    std::vector<double> t(outputs_);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const auto own = static_cast<std::size_t>(y[i]);
      double* const row = u.data() + i * outputs_;
      double sum = 0.0, least = 0.0;
      for (std::size_t k = 0; k < outputs_; ++k) {
        t[k] = row[k] + (k == own ? s[i] : 0.0);
        least = std::min(least, t[k]);
        t[k] = std::max(0.0, t[k]);
        sum += t[k];
      }
      if (least == 0.0 && (reference_ ? sum <= s[i] : std::abs(sum - s[i]) <= kRounding * s[i])) continue;
      const double factor = reference_ ? std::min(1.0, s[i] / sum) : s[i] / sum;
      if (!std::isfinite(factor)) continue;  // they are not shares at all
      double others = reference_ ? std::max(0.0, s[i] - sum * factor) : 0.0;
      for (std::size_t k = 0; k < outputs_; ++k)
        if (k != own) others += row[k] = t[k] * factor;
      if (own < outputs_) row[own] = -std::min(others, s[i]);
    }
  }

 private:
  static constexpr double kRounding = 1e-14;  // of sums of a few shares

  // log sum_k e^z_k of row i, with the reference's e^0.
  double log_sum(In z, std::size_t i) const {
    const double own = math::log_sum_exp(z.subspan(i * outputs_, outputs_));
    return reference_ ? std::max(own, 0.0) + math::log1p_exp(-std::abs(own)) : own;
  }

  // Fills p, and returns sum_i s_i loss_i. Scores are taken relative to the largest of the row, whose e^0 = 1 is left
  // out of the sum under log1p: a row that is all but certain keeps its digits.
  double probabilities(In z, In y, In s, Out p) const {
    std::vector<double> top(y.size()), rest(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double* own = z.data() + i * outputs_;
      top[i] = *std::max_element(own, own + outputs_);
      if (reference_) top[i] = std::max(top[i], 0.0);
      for (std::size_t k = 0; k < outputs_; ++k) p[i * outputs_ + k] = own[k] - top[i];
      rest[i] = -top[i];
    }
    math::exp(p, p);
    if (reference_) math::exp(rest, rest);
    for (std::size_t i = 0; i < y.size(); ++i) {
      double* own = p.data() + i * outputs_;
      double sum = reference_ ? rest[i] : 0.0;
      bool seen = reference_ && top[i] == 0.0;
      if (seen) sum = 0.0;
      for (std::size_t k = 0; k < outputs_; ++k) {
        if (!seen && own[k] == 1.0)
          seen = true;
        else
          sum += own[k];
      }
      for (std::size_t k = 0; k < outputs_; ++k) own[k] /= 1.0 + sum;
      rest[i] = sum;
    }
    math::log1p(rest, rest);
    double total = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const auto own = static_cast<std::size_t>(y[i]);
      const double score = own == outputs_ ? 0.0 : z[i * outputs_ + own];
      total += s[i] * (rest[i] + (top[i] - score));
    }
    return total;
  }

  std::size_t outputs_;
  bool reference_;
};

}  // namespace

template <ScalarLoss L>
std::unique_ptr<RowLoss> row_loss_of(const L& loss) {
  if constexpr (std::is_same_v<L, LogisticLoss>)
    return std::make_unique<LogisticRows>();
  else
    return std::make_unique<ScalarRows<L>>(loss);
}
#define PLUMB_LOSS(name, type) template std::unique_ptr<RowLoss> row_loss_of(const type& loss);
PLUMB_LOSSES(PLUMB_LOSS)
#undef PLUMB_LOSS

std::unique_ptr<RowLoss> row_loss(Loss loss) {
  return with_loss(loss, [](const auto& own) { return row_loss_of(own); });
}

std::unique_ptr<RowLoss> softmax_loss(std::size_t outputs, bool reference) {
  return std::make_unique<SoftmaxRows>(outputs, reference);
}

}  // namespace plumb
