// With columns divided by the root of their ridge, the weights of a fit are w_j = share_j v_j / strength, where v =
// sum_i a_i y_i x_i: rows are packed once, and another strength is another factor. An unpenalised bias is b = c + r e
// with e = sum_i a_i y_i, as in dual_descent.cpp. A check makes e = 0 by scaling the duals of one class down, and takes
// the weights of these: then the gap is that of the rows alone.
#include "plumb/solver/fold_descent.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "plumb/math/special.h"
#include "plumb/objective/row_loss.h"

namespace plumb {
namespace {

constexpr double kFirstFoldPrecision = 1e-2, kLeastFoldPrecision = 1e-10;
constexpr std::uint64_t kFoldPatience = 36;  // passes after which a check is made in any case ...
constexpr double kTooSlow = 0.1;             // ... and in which the gap should decrease to this share at least
constexpr double kFoldRounding = 1e-9;       // as in Objective: a remainder of a bias that rounding explains
constexpr std::uint64_t kFoldReportRows = 4096;

std::vector<double> fold_shares(In ridge) {
  std::vector<double> share;
  for (const double each : ridge) share.push_back(each > 0.0 ? 1.0 / std::sqrt(each) : 0.0);
  return share;
}

// 1 in the lanes of a mask, 0 in the others.
const double* lanes_of(std::uint8_t mask) {
  static const auto table = [] {
    std::array<std::array<double, math::kLanes>, 256> made{};
    for (std::size_t m = 0; m < made.size(); ++m)
      for (std::size_t k = 0; k < math::kLanes; ++k) made[m][k] = (m >> k & 1) != 0 ? 1.0 : 0.0;
    return made;
  }();
  return table[mask].data();
}

bool in_lane(std::uint8_t mask, std::size_t k) { return (mask >> k & 1) != 0; }

}  // namespace

FoldRows::FoldRows(const DesignMatrix& x, std::vector<double> ridge, const Run& run)
    : x_(x), ridge_(std::move(ridge)), share_(fold_shares(ridge_)), packed_(x, share_, run) {
  x_.lay_out(run);
}

FoldDescent::FoldDescent(const FoldRows& rows, std::vector<std::uint8_t> in, std::size_t fits)
    : rows_(rows),
      x_(rows.matrix()),
      fits_(fits),
      state_(x_.rows()),
      v_(x_.columns()),
      sums_(x_.columns()),
      scores_(x_.rows()) {
  const PackedRows<float>& packed = rows.packed();
  for (std::size_t r = 0; r < x_.rows(); ++r) {
    const std::uint64_t i = packed.source(r);
    in_.push_back(in[i]);
    norm_.push_back(packed.norm(r));
    sign_.push_back(x_.targets()[i] == 0.0 ? -1.0 : 1.0);
    for (std::size_t k = 0; k < fits_; ++k)
      if (in_lane(in[i], k)) total_[k] += x_.weights()[i];
  }
}

// The fit for an infinite penalty: no weight, and the bias of the class frequencies.
void FoldDescent::begin() {
  Lanes up{}, down{};
  for (std::size_t r = 0; r < state_.size(); ++r)
    for (std::size_t k = 0; k < fits_; ++k)
      if (in_lane(in_[r], k)) (sign_[r] > 0.0 ? up : down)[k] += x_.weights()[rows_.packed().source(r)];
  for (std::size_t k = 0; k < fits_; ++k)
    centre_[k] = rows_.free_bias() && up[k] > 0.0 && down[k] > 0.0 ? math::log(up[k] / down[k]) : 0.0;
  std::fill(v_.begin(), v_.end(), Narrow{});
  for (std::size_t r = 0; r < state_.size(); ++r) {
    const std::uint64_t i = rows_.packed().source(r);
    const double offset = x_.offsets().empty() ? 0.0 : x_.offsets()[i];
    Narrow step{};
    for (std::size_t k = 0; k < fits_; ++k) {
      if (!in_lane(in_[r], k)) continue;
      state_[r].u[k] = -sign_[r] * (centre_[k] + offset);
      state_[r].a[k] = x_.weights()[i] * math::sigmoid(state_[r].u[k]);
      step.of[k] = static_cast<float>(sign_[r] * state_[r].a[k]);
      sum_[k] += sign_[r] * state_[r].a[k];
    }
    math::sparse_axpys(std::span<const float>(step.of), rows_.packed().row(r), v_.front().of);
  }
  value_ = total_;  // a row costs at most log 2 at the optimum without weights: not more than this
  begun_ = true;
}

void FoldDescent::meet(std::size_t r, std::uint8_t live) {
  const auto wanted = static_cast<std::uint8_t>(in_[r] & live);
  if (wanted == 0) return;
  const std::uint64_t i = rows_.packed().source(r);
  const double scale = 1.0 / strength_, sign = sign_[r], offset = x_.offsets().empty() ? 0.0 : x_.offsets()[i];
  Narrow dots;
  math::lockstep_dots(rows_.packed().row(r), v_.front().of, dots.of);
  Lanes margin, change;
  for (std::size_t k = 0; k < math::kLanes; ++k)
    margin[k] = sign * (double{dots.of[k]} * scale + (centre_[k] + pull_ * sum_[k]) + offset);
  if (!math::lockstep_logistic(margin.data(), norm_[r] * scale + pull_, x_.weights()[i], precision_.data(),
                               lanes_of(wanted), state_[r].a, state_[r].u, change.data(), off_.data()))
    return;
  for (std::size_t k = 0; k < math::kLanes; ++k) {
    const double step = sign * change[k];
    sum_[k] += step;
    dots.of[k] = static_cast<float>(step);
  }
  math::sparse_axpys(std::span<const float>(dots.of), rows_.packed().row(r), v_.front().of);
}

void FoldDescent::pass(std::uint64_t number, std::uint8_t live, const Run& run) {
  const PackedRows<float>& packed = rows_.packed();
  const std::vector<std::uint64_t> order = packed.order(run, number);
  off_ = {};
  std::uint64_t met = 0;
  packed.visit(order, 0, 1, [&](std::size_t r) {
    if (met++ % kFoldReportRows == 0) run.report(Phase::fitting, met, 0);
    meet(r, live);
  });
  for (std::size_t k = 0; k < fits_; ++k) {
    if (!in_lane(live, k)) continue;
    // A tenth of the rows' violation, as if all had a curvature of 1/4.
    precision_[k] = std::clamp(0.1 * std::sqrt(8 * off_[k] / total_[k]), kLeastFoldPrecision, precision_[k]);
    centre_[k] += pull_ * sum_[k];
  }
}

// Slopes of one class pull the bias up, those of the other down: the larger sum is scaled down to the smaller.
void FoldDescent::balance(std::size_t k) {
  double up = 0.0, down = 0.0;
  for (std::size_t r = 0; r < state_.size(); ++r)
    if (in_lane(in_[r], k)) (sign_[r] > 0.0 ? up : down) += state_[r].a[k];
  sum_[k] = 0.0;  // its value has gone into the centre
  if (up == down || up == 0.0 || down == 0.0) return;
  const double factor = up > down ? down / up : up / down, side = up > down ? 1.0 : -1.0;
  std::vector<std::size_t> moved;
  std::vector<double> odds;
  for (std::size_t r = 0; r < state_.size(); ++r) {
    if (!in_lane(in_[r], k) || sign_[r] != side) continue;
    const double s = x_.weights()[rows_.packed().source(r)];
    double& a = state_[r].a[k];
    a *= factor;
    if (!(a > 0.0 && a < s)) continue;  // so far out that doubles have no other logit for it
    moved.push_back(r);
    odds.push_back(a / (s - a));
  }
  math::log(odds, odds);
  for (std::size_t t = 0; t < moved.size(); ++t) state_[moved[t]].u[k] = odds[t];
}

void FoldDescent::check(std::uint8_t asked, std::vector<Result>& results, const Run& run) {
  const std::size_t n = x_.rows(), p = x_.columns(), bias = rows_.free_bias() ? p - 1 : p;
  for (std::size_t k = 0; k < fits_; ++k)
    if (in_lane(asked, k) && rows_.free_bias()) balance(k);
  std::vector<std::size_t> packed(n);  // position of a row of the matrix among the packed ones
  for (std::size_t r = 0; r < n; ++r) packed[rows_.packed().source(r)] = r;
  // X'u, from the numbers of the matrix.
  std::fill(sums_.begin(), sums_.end(), Weights{});
  for (std::size_t i = 0; i < n; ++i) {
    if (i % kFoldReportRows == 0) run.report(Phase::fitting, i, 0);
    const std::size_t r = packed[i];
    const auto wanted = static_cast<std::uint8_t>(in_[r] & asked);
    if (wanted == 0) continue;
    Lanes u;
    for (std::size_t k = 0; k < math::kLanes; ++k) u[k] = in_lane(wanted, k) ? -sign_[r] * state_[r].a[k] : 0.0;
    const Row row = x_.row(i);
    math::lockstep_axpys(u.data(), row.index, row.value, sums_.front().of);
  }
  Lanes rest{};  // the columns' part of the gap: only rounding, as their weights are those of the duals
  Lanes penalty{};
  for (std::size_t j = 0; j < p; ++j)
    for (std::size_t k = 0; k < fits_; ++k) {
      if (!in_lane(asked, k)) continue;
      double& own = sums_[j].of[k];
      if (j == bias) {
        const double b = centre_[k], g = own;
        rest[k] += std::abs(g) > kFoldRounding * total_[k] ? kInfinity : 2 * std::abs(g) * (std::abs(b) + 1.0);
        own = b;
        continue;
      }
      const double ridge = rows_.ridge()[j] * strength_, w = -own / ridge, g = own + ridge * w;
      v_[rows_.packed().place(j)].of[k] = static_cast<float>(-own * rows_.share()[j]);
      rest[k] += g * (g / (2 * ridge));
      penalty[k] += ridge * w * w;
      own = w;
    }
  // sums_ are now the weights.
  for (std::size_t i = 0; i < n; ++i) {
    if (i % kFoldReportRows == 0) run.report(Phase::fitting, i, 0);
    if ((in_[packed[i]] & asked) == 0) continue;
    const Row row = x_.row(i);
    math::lockstep_dots(row.index, row.value, sums_.front().of, scores_[i].of);
    if (!x_.offsets().empty())
      for (double& each : scores_[i].of) each += x_.offsets()[i];
  }
  const std::unique_ptr<RowLoss> loss = row_loss(Loss::logistic);
  std::vector<double> z, y, s, u;
  for (std::size_t k = 0; k < fits_; ++k) {
    if (!in_lane(asked, k)) continue;
    z.clear(), y.clear(), s.clear(), u.clear();
    double value = 0.0, gap = 0.0;
    const auto add_up = [&] {
      value += loss->value(z, y, s);
      gap += loss->excess(z, y, s, u);
      z.clear(), y.clear(), s.clear(), u.clear();
    };
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t r = packed[i];
      if (!in_lane(in_[r], k)) continue;
      z.push_back(scores_[i].of[k]);
      y.push_back(x_.targets()[i]);
      s.push_back(x_.weights()[i]);
      u.push_back(-sign_[r] * state_[r].a[k]);
      if (z.size() == kBlockRows) add_up();
    }
    add_up();
    Result& result = results[k];
    result.value = value + penalty[k] / 2;
    result.gap = std::min(gap + rest[k], result.value);
    result.w.resize(p);
    for (std::size_t j = 0; j < p; ++j) result.w[j] = sums_[j].of[k];
    value_[k] = result.value;
  }
}

std::vector<FoldDescent::Result> FoldDescent::solve(double strength, double tolerance, std::uint64_t most,
                                                    const Run& run) {
  std::vector<Result> results(fits_);
  strength_ = strength;
  pull_ = 0.0;
  if (rows_.free_bias()) {  // as in DualPasses::pull
    constexpr double kPull = 0.1, kFewRows = 1000.0;
    const double mean = rows_.packed().mean_norm() / strength;
    double all = 0.0;
    for (const double each : x_.weights()) all += each;
    pull_ = std::max({kPull * mean, std::min(mean, kFewRows / all), 1e-3});
  }
  // The bias stays what it was.
  if (!begun_) begin();
  for (std::size_t k = 0; k < fits_; ++k) {
    if (rows_.free_bias()) centre_[k] -= pull_ * sum_[k];
    precision_[k] = kFirstFoldPrecision;
    off_[k] = before_[k] = kInfinity;
  }
  auto live = static_cast<std::uint8_t>((1u << fits_) - 1);
  Lanes earlier;
  earlier.fill(kInfinity);  // the gap kFoldPatience passes ago
  for (std::uint64_t passes = 0; live != 0 && passes < most;) {
    before_ = off_;
    pass(passes++, live, run);
    std::uint8_t asked = 0;
    for (std::size_t k = 0; k < fits_; ++k) {
      if (!in_lane(live, k)) continue;
      const bool promises =
          before_[k] < kInfinity && off_[k] * std::min(1.0, off_[k] / before_[k]) <= tolerance / 2 * value_[k];
      if (promises || passes % kFoldPatience == 0 || passes == most) asked = static_cast<std::uint8_t>(asked | 1u << k);
    }
    if (asked == 0) continue;
    check(asked, results, run);
    for (std::size_t k = 0; k < fits_; ++k) {
      if (!in_lane(asked, k)) continue;
      results[k].passes = passes;
      results[k].converged = results[k].gap <= tolerance * results[k].value;
      const bool late = passes % kFoldPatience == 0, slow = late && !(results[k].gap < kTooSlow * earlier[k]);
      if (late) earlier[k] = results[k].gap;
      if (results[k].converged || slow) live = static_cast<std::uint8_t>(live & ~(1u << k));
    }
  }
  return results;
}

}  // namespace plumb
