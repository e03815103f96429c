// If no single column separates: fits with penalties so small that they matter only where nothing else does. The
// optimum under a penalty e goes to the optimum without one if there is one, by steps that shrink as e does; otherwise
// it grows along the direction, as log(1/e). So the difference of two such fits is the direction.
#include "plumb/solver/separation.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "plumb/math/cholesky.h"
#include "plumb/math/dense.h"
#include "plumb/math/double_double.h"
#include "plumb/solver/class_pairs.h"
#include "plumb/solver/newton.h"
#include "plumb/solver/newton_system.h"

namespace plumb {
namespace {

using math::DoubleDouble;

constexpr double kPenalties[] = {1e-6, 1e-8, 1e-10, 1e-12, 1e-14};  // in columns of size 1
constexpr std::size_t kPenaltiesOfMany = 3;  // for more weights than a direction can be corrected for
constexpr double kMoved = 0.5;               // a score that moves by less between two of them has a finite optimum ...
constexpr double kShrinks = 0.2;             // ... and so it has if the next move is shorter by this
constexpr double kLarge = 10.0;              // a score of odds of 22,000 to 1
constexpr double kNoCurvature = 20.0;        // a score whose curvature rounding may hide
constexpr double kSmallStep = 0.1;           // of Newton's method; on separated classes a score moves by about 1
constexpr double kOnPlane[] = {1e-3, 1e-5, 1e-7};  // of the largest margin: the row is assumed to lie on the hyperplane
constexpr double kExactly = 0x1p-80;  // ... and does, after correcting the direction; a share of the score's terms
constexpr std::size_t kMostWeights = 2048;                     // for which a direction can be corrected
constexpr double kMostParts = 12.0;                            // the fractions tried for a direction
constexpr std::size_t kFewWeights = 256;                       // in a further search for complete separation
constexpr std::size_t kMostCells = 50'000'000;                 // classes times columns
constexpr double kNamed[] = {1e-3, 1e-6, 1e-9, 1e-12, 1e-15};  // of the largest component: the column takes part

// A direction, and its margins in double-double.
struct Precise {
  std::vector<double> high, low;
  std::vector<double> margin;  // of each pair
  std::vector<double> terms;   // the sum of the absolute terms

  Precise(const Objective& f, const ClassPairs& pairs, std::vector<double> d)
      : high(std::move(d)), low(high.size()), margin(pairs.size()), terms(pairs.size()) {
    measure(f, pairs);
  }

  void measure(const Objective& f, const ClassPairs& pairs) {
    const std::size_t p = f.matrix().columns(), k = f.outputs();
    std::vector<DoubleDouble> z(k + 1);
    std::vector<double> size(k + 1);
    for (std::size_t i = 0; i < f.matrix().rows(); ++i) {
      const Row row = f.matrix().row(i);
      for (std::size_t c = 0; c < k; ++c) {
        z[c] = 0.0;
        size[c] = 0.0;
        for (std::size_t e = 0; e < row.value.size(); ++e) {
          const std::size_t at = c * p + (row.index.empty() ? e : row.index[e]);
          math::accumulate(z[c], row.value[e], high[at]);
          math::accumulate(z[c], row.value[e], low[at]);
          size[c] += std::abs(row.value[e] * high[at]);
        }
      }
      pairs.of_row(i, [&](std::size_t, std::size_t pair, std::size_t own, std::size_t other) {
        margin[pair] = static_cast<double>(z[own] - z[other]);
        terms[pair] = size[own] + size[other];
      });
    }
  }
  // +1, 0 or -1
  int side(std::size_t pair) const {
    return margin[pair] > kExactly * terms[pair] ? 1 : margin[pair] < -kExactly * terms[pair] ? -1 : 0;
  }
};

// Removes from a direction the changes of some pairs' margins: d - (G + e I)^-1 A' A d, repeatedly, where the rows of A
// are those of the pairs, and G = A'A. The rest of A d is computed in double-double each time.
class Projection {
 public:
  Projection(const Objective& f, const ClassPairs& pairs, std::vector<bool> chosen)
      : f_(f), pairs_(pairs), chosen_(std::move(chosen)), factor_(factor()) {}

  void apply(Precise& d) const {
    constexpr int kRounds = 40;
    double before = kInfinity;
    for (int round = 0; round < kRounds; ++round) {
      double most = 0.0;
      std::vector<double> pull(f_.matrix().rows() * k_), change(f_.size());
      pairs_.for_each([&](std::size_t i, std::size_t pair, std::size_t own, std::size_t other) {
        if (!chosen_[pair] || d.side(pair) == 0) return;
        most = std::max(most, std::abs(d.margin[pair]));
        if (own < k_) pull[i * k_ + own] += d.margin[pair];
        if (other < k_) pull[i * k_ + other] -= d.margin[pair];
      });
      if (most == 0.0 || most > before / 2) return;
      before = most;
      f_.matrix().transpose_times(pull, k_, change, f_.run());
      for (std::size_t at = 0; at < change.size(); ++at)
        if (held(at)) change[at] = 0.0;
      factor_.solve(change, change);
      for (std::size_t at = 0; at < change.size(); ++at) {
        const DoubleDouble next = DoubleDouble(d.high[at], d.low[at]) - change[at];
        d.high[at] = next.high;
        d.low[at] = next.low;
      }
      d.measure(f_, pairs_);
    }
  }

 private:
  bool held(std::size_t at) const { return f_.ridge()[at % f_.matrix().columns()] > 0.0; }

  math::Cholesky factor() const {
    constexpr double kPart = 1e-14;
    const std::size_t p = f_.matrix().columns(), q = f_.size();
    std::vector<double> full(q * q);
    for (std::size_t a = 0; a < k_; ++a)
      for (std::size_t b = 0; b <= a; ++b) {
        std::vector<double> weight(f_.matrix().rows());
        pairs_.for_each([&](std::size_t i, std::size_t pair, std::size_t own, std::size_t other) {
          if (!chosen_[pair]) return;
          if (a == b) weight[i] += own == a || other == a ? 1.0 : 0.0;
          if (a != b && std::max(own, other) == a && std::min(own, other) == b) weight[i] -= 1.0;
        });
        const std::vector<double> gram = f_.matrix().gram(weight, f_.run());
        for (std::size_t i = 0; i < p; ++i)
          for (std::size_t j = 0; j <= i; ++j) {
            full[(a * p + i) * q + b * p + j] = gram[i * p + j];
            if (a != b) full[(a * p + j) * q + b * p + i] = gram[i * p + j];
          }
      }
    double trace = 0.0;
    for (std::size_t at = 0; at < q; ++at) trace += full[at * (q + 1)];
    for (std::size_t at = 0; at < q; ++at) {
      full[at * (q + 1)] += kPart * std::max(trace, 1.0);
      if (!held(at)) continue;
      for (std::size_t other = 0; other < q; ++other) full[at * q + other] = full[other * q + at] = 0.0;
      full[at * (q + 1)] = 1.0;
    }
    return math::Cholesky(std::move(full), q, 0.0);
  }

  const Objective& f_;
  const ClassPairs& pairs_;
  std::vector<bool> chosen_;
  std::size_t k_ = f_.outputs();
  math::Cholesky factor_;
};

// Empty if a pair is on its wrong side, or no pair is on its right one.
Separation::Kind kind_of(const Precise& d) {
  bool right = false, on_plane = false;
  for (std::size_t pair = 0; pair < d.margin.size(); ++pair) {
    const int side = d.side(pair);
    if (side < 0) return Separation::Kind::none;
    (side > 0 ? right : on_plane) = true;
  }
  if (!right) return Separation::Kind::none;
  return on_plane ? Separation::Kind::quasi : Separation::Kind::complete;
}

void make_largest_1(std::vector<double>& d) {
  double size = 0.0;
  for (const double each : d) size = std::max(size, std::abs(each));
  math::scale(1.0 / size, d);
}

// The columns with a component above this part of the largest.
std::vector<std::size_t> columns_above(const Objective& f, In d, double part) {
  const std::size_t p = f.matrix().columns();
  double size = 0.0;
  for (const double each : d) size = std::max(size, std::abs(each));
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < p; ++j)
    for (std::size_t k = 0; k < f.outputs(); ++k)
      if (std::abs(d[k * p + j]) > part * size) {
        columns.push_back(j);
        break;
      }
  return columns;
}

// A small component matters if the column is large in few rows: columns are left out, the smallest components first,
// only as long as the others, with the bias, prove the same.
Separation named(const Objective& f, const ClassPairs& pairs, Precise d, Separation::Kind kind) {
  const std::size_t p = f.matrix().columns();
  Separation result{kind, d.high, columns_above(f, d.high, 0.0)};
  for (const double part : kNamed) {
    const std::vector<std::size_t> columns = columns_above(f, d.high, part);
    if (columns.size() == result.columns.size()) break;
    Precise few = d;
    std::vector<bool> kept(p);
    for (const std::size_t j : columns) kept[j] = true;
    if (f.matrix().bias()) kept.back() = true;
    for (std::size_t at = 0; at < few.high.size(); ++at)
      if (!kept[at % p]) few.high[at] = few.low[at] = 0.0;
    few.measure(f, pairs);
    if (kind_of(few) != kind) continue;
    result.direction = std::move(few.high);
    result.columns = columns;
    break;
  }
  make_largest_1(result.direction);
  return result;
}

// Empty if the direction is not a proof.
Separation judged(const Objective& f, const ClassPairs& pairs, const Precise& d) {
  const Separation::Kind kind = kind_of(d);
  if (kind == Separation::Kind::none) return {};
  return named(f, pairs, d, kind);
}

double largest(In values) {
  double most = 0.0;
  for (const double each : values) most = std::max(most, std::abs(each));
  return most;
}

std::unique_ptr<RowLoss> same_loss(const Objective& f) {
  return f.outputs() == 1 ? row_loss(Loss::logistic) : softmax_loss(f.outputs(), f.loss().reference());
}

std::vector<double> optimum_at(const Objective& f, double penalty, std::vector<double> start) {
  std::vector<double> ridge(f.ridge().begin(), f.ridge().end());
  for (double& each : ridge) each = std::max(each, penalty);
  Objective penalised(f.matrix(), same_loss(f), ridge, f.run());
  return minimise_by_newton(penalised, std::move(start), {.iterations = 200}).point.w;
}

double most_moved(const Objective& f, In from, const std::vector<double>& to, std::vector<double>& d) {
  d = to;
  math::axpy(-1.0, from, d);
  std::vector<double> z(f.matrix().rows() * f.outputs());
  f.matrix().times(d, f.outputs(), z, f.run());
  return largest(z);
}

}  // namespace

Separation proved_separation(const Objective& f, std::vector<double> direction) {
  for (std::size_t at = 0; at < direction.size(); ++at)
    if (f.ridge()[at % f.matrix().columns()] > 0.0) direction[at] = 0.0;
  const ClassPairs pairs(f);
  const Precise start(f, pairs, std::move(direction));
  if (Separation found = judged(f, pairs, start); found.kind != Separation::Kind::none) return found;
  if (f.size() > kMostWeights) return {};
  const double most = *std::max_element(start.margin.begin(), start.margin.end());
  const double least = *std::min_element(start.margin.begin(), start.margin.end());
  for (const double slack : kOnPlane) {
    if (!(most > 0.0) || least < -slack * most) break;
    std::vector<bool> chosen(start.margin.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = std::abs(start.margin[i]) <= slack * most;
    Precise d = start;
    Projection(f, pairs, std::move(chosen)).apply(d);
    if (Separation found = judged(f, pairs, d); found.kind != Separation::Kind::none) return found;
  }
  // For small whole numbers, such as levels and counts, a direction of small fractions may be exact.
  std::vector<double> whole = start.high;
  make_largest_1(whole);
  for (double parts = 1.0; parts <= kMostParts; ++parts) {
    std::vector<double> rounded = whole;
    for (double& each : rounded) each = std::round(each * parts) / parts;
    if (Separation found = judged(f, pairs, Precise(f, pairs, std::move(rounded)));
        found.kind != Separation::Kind::none)
      return found;
  }
  return {};
}

Separation separated_by_column(const Objective& f) {
  const DesignMatrix& x = f.matrix();
  const std::size_t p = x.columns(), features = p - (x.bias() ? 1 : 0), outputs = f.outputs();
  const std::size_t classes = outputs == 1 ? 2 : outputs + (f.loss().reference() ? 1 : 0);
  if (classes * p > kMostCells) return {};
  std::vector<double> low(classes * p, kInfinity), high(classes * p, -kInfinity);
  std::vector<std::uint32_t> count(classes * p), rows(classes);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const auto own = static_cast<std::size_t>(x.targets()[i]);
    ++rows[own];
    const Row row = x.row(i);
    for (std::size_t e = 0; e < row.value.size(); ++e) {
      const std::size_t at = own * p + (row.index.empty() ? e : row.index[e]);
      low[at] = std::min(low[at], row.value[e]);
      high[at] = std::max(high[at], row.value[e]);
      ++count[at];
    }
  }
  Separation result;
  for (std::size_t j = 0; j < features; ++j) {
    if (f.ridge()[j] > 0.0) continue;
    for (std::size_t c = 0; c < classes; ++c)
      if (count[c * p + j] < rows[c]) {  // the others are 0
        low[c * p + j] = std::min(low[c * p + j], 0.0);
        high[c * p + j] = std::max(high[c * p + j], 0.0);
      }
    for (std::size_t c = 0; c < classes; ++c) {
      double rest_low = kInfinity, rest_high = -kInfinity;
      for (std::size_t other = 0; other < classes; ++other) {
        if (other == c) continue;
        rest_low = std::min(rest_low, low[other * p + j]);
        rest_high = std::max(rest_high, high[other * p + j]);
      }
      const double own_low = low[c * p + j], own_high = high[c * p + j];
      if (rows[c] == 0 || rest_low > rest_high) continue;
      const bool above = own_low >= rest_high && own_high > rest_low;
      const bool below = own_high <= rest_low && own_low < rest_high;
      if (!above && !below) continue;
      const double upper = above ? own_low : rest_low, lower = above ? rest_high : own_high;
      if (!f.free_bias() && !(lower <= 0.0 && upper >= 0.0)) continue;
      const bool strictly = f.free_bias() ? lower < upper : lower < 0.0 && upper > 0.0;
      if (result.direction.empty()) {
        // For the output of the class; for a class whose score is always 0, all others negated.
        const bool named = outputs == 1 ? c == 1 : c < outputs;
        const double sign = above == named ? 1.0 : -1.0, middle = lower + (upper - lower) / 2;
        result.kind = Separation::Kind::quasi;
        result.direction.assign(f.size(), 0.0);
        for (std::size_t k = 0; k < outputs; ++k) {
          if (outputs > 1 && named && k != c) continue;
          result.direction[k * p + j] = sign;
          if (f.free_bias()) result.direction[k * p + features] = -sign * middle;
        }
      }
      if (strictly && classes == 2) result.kind = Separation::Kind::complete;
      result.columns.push_back(j);
      break;
    }
  }
  return result;
}

Separation find_separation(Objective& f, const Objective::Point& point, bool certified) {
  const ClassPairs pairs(f);
  std::vector<double> d = point.w;
  for (std::size_t at = 0; at < d.size(); ++at)
    if (f.ridge()[at % f.matrix().columns()] > 0.0) d[at] = 0.0;
  Separation found = judged(f, pairs, Precise(f, pairs, d));
  if (found.kind == Separation::Kind::complete) return found;
  const Separation by_column = separated_by_column(f);  // if it leaves ties, several columns may leave none
  if (by_column.kind == Separation::Kind::complete ||
      (by_column.kind == Separation::Kind::quasi && f.size() > kFewWeights))
    return by_column;
  const double most = largest(point.z);
  if (certified && most <= kLarge) return by_column;
  if (certified && most <= kNoCurvature && largest(NewtonSystem(f).solve(point, true).zd) <= kSmallStep)
    return by_column;
  std::vector<double> before = optimum_at(f, kPenalties[0], point.w);
  double moved_before = kMoved / kShrinks;
  const std::size_t fits = f.size() > kMostWeights ? kPenaltiesOfMany : std::size(kPenalties);
  for (std::size_t i = 1; i < fits; ++i) {
    std::vector<double> here = optimum_at(f, kPenalties[i], before);
    const double moved = most_moved(f, before, here, d);
    if (moved < std::max(kMoved, kShrinks * moved_before)) return by_column;
    found = proved_separation(f, d);
    if (found.kind == Separation::Kind::complete) return found;
    if (found.kind == Separation::Kind::quasi) return by_column.kind != Separation::Kind::none ? by_column : found;
    moved_before = moved;
    before = std::move(here);
  }
  if (by_column.kind != Separation::Kind::none) return by_column;
  found = {Separation::Kind::undecided, d, columns_above(f, d, kNamed[0])};
  make_largest_1(found.direction);
  return found;
}

}  // namespace plumb
