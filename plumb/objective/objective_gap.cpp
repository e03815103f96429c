// A bound on the optimality gap from dual slopes: docs/certificates.md.
#include <algorithm>
#include <cmath>
#include <utility>

#include "plumb/math/double_double.h"
#include "plumb/objective/objective.h"

namespace plumb {
namespace {

// A remainder relative to the sum of the weights that rounding explains: columns have numbers below 1.
constexpr double kRounding = 1e-9;
// Of the value: rounding errors of the scores are reported from here on.
constexpr double kToldLoss = 1e-12;

}  // namespace

std::vector<double> Objective::newton_slopes(const Point& point, In zd) const {
  std::vector<double> u(point.slope.size());
  loss_->curve_times(point.curve, x_.weights(), zd, u);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] += point.slope[i];
  return u;
}

// Slopes of one class pull the bias up, those of the other down. The larger sum is scaled down to the smaller: a slope
// closer to 0 is still a possible slope.
void Objective::balance(Out u) const {
  if (outputs() > 1) return balance_classes(u);
  double up = 0.0, down = 0.0;
  for (const double each : u) (each < 0.0 ? up : down) += std::abs(each);
  if (up == down) return;
  const double factor = up > down ? down / up : up / down;
  for (double& each : u)
    if ((each < 0.0) == (up > down)) each *= factor;
}

// u_ik is the excess of class k in row i over its label, as p_ik = u_ik + s_i 1[y_i = k], and every class should have
// the weight of its labels. A few rounds of proportional scaling, which is what moving the biases would do, leave
// little; the rest is moved from the classes with too much to those with too little, in every row alike.
void Objective::balance_classes(Out u) const {
  constexpr int kRounds = 10;
  const std::size_t k = outputs(), n = x_.rows(), classes = k + (loss_->reference() ? 1 : 0);
  if (!loss_->probabilistic()) return;
  std::vector<double> labels(classes), excess(classes);
  for (std::size_t i = 0; i < n; ++i) labels[static_cast<std::size_t>(x_.targets()[i])] += x_.weights()[i];
  const auto measure = [&] {
    std::fill(excess.begin(), excess.end(), 0.0);
    double most = 0.0, sum = 0.0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = 0; c < k; ++c) excess[c] += u[i * k + c];
    for (std::size_t c = 0; c < k; ++c) sum += excess[c];
    if (classes > k) excess[k] = -sum;
    for (const double each : excess) most = std::max(most, std::abs(each));
    return most;
  };
  // p_i becomes share(p_i), and its sum stays the weight of the row.
  const auto change = [&](auto&& share) {
    std::vector<double> p(classes);
    for (std::size_t i = 0; i < n; ++i) {
      const auto y = static_cast<std::size_t>(x_.targets()[i]);
      double rest = x_.weights()[i];
      for (std::size_t c = 0; c < k; ++c) rest -= p[c] = u[i * k + c] + (c == y ? x_.weights()[i] : 0.0);
      if (classes > k) p[k] = std::max(0.0, rest);
      share(p);
      double sum = 0.0, others = 0.0;
      for (const double each : p) sum += each;
      if (!(sum > 0.0)) continue;
      for (std::size_t c = 0; c < classes; ++c) {
        const double part = p[c] / sum * x_.weights()[i];
        if (c != y) others += part;
        if (c != y && c < k) u[i * k + c] = part;
      }
      if (y < k) u[i * k + y] = -others;
    }
  };
  double most = measure();
  for (int round = 0; round < kRounds && most > 1e-12 * total_weight_; ++round) {
    change([&](std::vector<double>& p) {
      for (std::size_t c = 0; c < classes; ++c)
        if (labels[c] + excess[c] > 0.0) p[c] *= labels[c] / (labels[c] + excess[c]);
    });
    most = measure();
  }
  for (int last = 0; last < 2 && most > 0.0; ++last) {  // the second time for the remainder of rounding
    double wanted = 0.0;
    for (const double each : excess) wanted += std::max(0.0, -each);
    if (!(wanted > 0.0)) return;
    change([&](std::vector<double>& p) {
      double taken = 0.0;
      for (std::size_t c = 0; c < classes; ++c)
        if (excess[c] > 0.0) {
          const double part = p[c] * (excess[c] / (labels[c] + excess[c]));
          p[c] -= part;
          taken += part;
        }
      for (std::size_t c = 0; c < classes; ++c)
        if (excess[c] < 0.0) p[c] += taken * (-excess[c] / wanted);
    });
    most = measure();
  }
}

double Objective::gap(Landing& landing, In reach) {
  if (landing.below.empty()) return gap(landing.point, std::move(landing.dual), reach);
  std::vector<double> v(size());
  double less = 1.0, more = 1.0;  // factors of the slopes below and above 0, as for balance()
  if (free_bias_) {
    const double up = -landing.below.back(), down = landing.above.back();
    (up > down ? less : more) = up > down ? down / up : down > up ? up / down : 1.0;
    for (double& each : landing.dual) each *= each < 0.0 ? less : more;
  }
  for (std::size_t j = 0; j < v.size(); ++j) v[j] = less * landing.below[j] + more * landing.above[j];
  return gap(landing.point, landing.dual, v, reach);
}

double Objective::gap(const Point& point, std::vector<double> u, In reach) {
  loss_->mend(x_.targets(), x_.weights(), u);
  if (free_bias_) balance(u);
  std::vector<double> v(size());
  transpose_times(u, v);
  return gap(point, u, v, reach);
}

// X'u of these columns, rounded once.
void Objective::add_exactly(In u, const std::vector<bool>& columns, Out v) const {
  const std::size_t k = outputs(), p = x_.columns();
  std::vector<math::DoubleDouble> sums(v.size());
  for (std::size_t i = 0; i < x_.rows(); ++i) {
    const Row row = x_.row(i);
    for (std::size_t t = 0; t < row.value.size(); ++t) {
      const std::size_t j = row.dense() ? t : row.index[t];
      for (std::size_t c = 0; columns[j] && c < k; ++c)
        sums[c * p + j] += math::two_product(row.value[t], u[i * k + c]);
    }
  }
  for (std::size_t at = 0; at < v.size(); ++at)
    if (columns[at % p]) v[at] = static_cast<double>(sums[at]);
}

// A column that is a sum of others but for rounding is not moved, in any class, so nothing shows how far its optimum
// is: only the slight penalty then holds the weights. An exact combination adds nothing to them.
bool Objective::held_by_slight(In reach) const {
  const std::size_t k = outputs(), p = x_.columns();
  for (std::size_t j = 0; j < p && !slight_.empty() && !reach.empty(); ++j) {
    bool moved = !(slight_[j] > 0.0);
    for (std::size_t c = 0; c < k; ++c) moved = moved || reach[c * p + j] != 0.0;
    if (!moved && made_up(j) != MadeUp::exactly) return true;
  }
  return false;
}

// If weights are large and nearly cancel, the scores are not exactly those of the weights, nor is the loss.
double Objective::lost_in_scores(const Point& point) const {
  if (exact_) return 0.0;
  double slopes = 0.0;
  for (const double slope : point.slope) slopes += std::abs(slope);
  const double off = x_.score_rounding(point.w);
  const double lost = off * (slopes + total_weight_ * off);
  return lost > kToldLoss * point.value ? lost : 0.0;
}

std::vector<double> Objective::dual_point(std::vector<double>& u) {
  loss_->mend(x_.targets(), x_.weights(), u);
  if (free_bias_) balance(u);
  std::vector<double> v(size());
  transpose_times(u, v);
  if (lasso_.empty()) return v;
  const double factor = shrinkage(v, ridge_, lasso_).factor;
  for (double& each : u) each *= factor;
  for (double& each : v) each *= factor;
  return v;
}

Shrinkage shrinkage(In v, In ridge, In lasso) noexcept {
  Shrinkage found;
  for (std::size_t i = 0, p = lasso.size(); i < v.size(); ++i) {
    const double most = lasso[i % p];
    if (!(most > 0.0) || !(std::abs(v[i]) > most)) continue;
    found.factor = std::min(found.factor, most / std::abs(v[i]));
    found.required = found.required || ridge[i % p] == 0.0;
  }
  return found;
}

// t is the part of -q that l takes, and a the weight that the rest would have. Without a ridge the rest must be 0.
double penalty_gap(In w, In v, In ridge, In lasso, In reach, double factor, double rounding) {
  constexpr double kNoRest = 1e-13;
  double total = 0.0;
  for (std::size_t i = 0, p = ridge.size(); i < v.size(); ++i) {
    const double q = factor * v[i], l = lasso[i % p], r = ridge[i % p];
    const double t = std::clamp(-q, -l, l), rest = -q - t;
    if (r > 0.0) {
      const double a = rest / r;
      total += r * ((w[i] - a) * (w[i] - a)) / 2 + std::max(0.0, l * std::abs(w[i]) - t * w[i]);
    } else if (l > 0.0) {
      if (std::abs(rest) > kNoRest * l) return kInfinity;
      total += std::max(0.0, l * std::abs(w[i]) - t * w[i]);
    } else {
      if (std::abs(q) > rounding) return kInfinity;
      total += 2 * std::abs(q) * (reach.empty() ? std::abs(w[i]) + 1.0 : std::abs(reach[i]));
    }
  }
  return total;
}

double Objective::lasso_gap(const Point& point, In u, In v, In reach, double factor) const {
  const std::size_t k = outputs();
  const double penalties = penalty_gap(point.w, v, ridge_, lasso_, reach, factor, kRounding * total_weight_);
  if (!(penalties < point.value)) return point.value;
  const double total =
      lost_in_scores(point) + penalties + sum_blocks([&](std::size_t begin, std::size_t count) {
        std::vector<double> own(u.begin() + static_cast<std::ptrdiff_t>(begin * k),
                                u.begin() + static_cast<std::ptrdiff_t>((begin + count) * k));
        for (double& each : own) each *= factor;
        return loss_->excess(In(point.z).subspan(begin * k, count * k), x_.targets().subspan(begin, count),
                             x_.weights().subspan(begin, count), own);
      });
  return total <= point.value ? total : point.value;
}

double Objective::gap(const Point& point, In u, In v, In reach) const {
  const std::size_t k = outputs(), p = x_.columns();
  if (!lasso_.empty()) {  // a factor that no column needs may still prove more than a small ridge does
    const Shrinkage found = shrinkage(v, ridge_, lasso_);
    const double shrunk = lasso_gap(point, u, v, reach, found.factor);
    return found.required || found.factor == 1.0 ? shrunk : std::min(shrunk, lasso_gap(point, u, v, reach, 1.0));
  }
  double total = sum_blocks([&](std::size_t begin, std::size_t count) {
    return loss_->excess(In(point.z).subspan(begin * k, count * k), x_.targets().subspan(begin, count),
                         x_.weights().subspan(begin, count), u.subspan(begin * k, count * k));
  });
  total += lost_in_scores(point);
  const bool held = held_by_slight(reach);
  double further = 0.0;
  std::vector<double> exact;
  if (held) {
    exact.assign(v.begin(), v.end());
    std::vector<bool> free(p);
    for (std::size_t j = 0; j < p; ++j) free[j] = ridge_[j] == 0.0;
    add_exactly(u, free, exact);
    for (std::size_t at = 0; at < exact.size(); ++at) {
      const double r = slight_[at % p], most = std::abs(exact[at]) + r * std::abs(point.w[at]);
      if (r > 0.0) total += most * (most / (2 * r));
    }
    // F(w) - min F is at least r |w - w*|^2 / 2, and unpenalised weights move with the rest.
    for (std::size_t j = 0; j < p; ++j)
      if (slight_[j] > 0.0) further = std::max(further, std::sqrt(2 * total / slight_[j]));
  }
  for (std::size_t c = 0; c < k; ++c)
    for (std::size_t j = 0; j < p; ++j) {
      const double w = point.w[c * p + j], g = (held ? exact[c * p + j] : v[c * p + j]) + ridge_[j] * w;
      const double slight = slight_.empty() ? 0.0 : slight_[j];
      if (ridge_[j] > 0.0) {
        total += g * (g / (2 * ridge_[j]));
      } else {
        if (std::abs(g) > kRounding * total_weight_) return point.value;
        if (held && slight > 0.0) continue;
        const double far = reach.empty() ? std::abs(w) + 1.0 : std::abs(reach[c * p + j]) + further;
        total += 2 * std::abs(g) * far + w * (slight * w) / 2;
      }
    }
  return total <= point.value ? total : point.value;  // neither loss nor penalty is below 0
}

}  // namespace plumb
