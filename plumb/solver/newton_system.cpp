#include "plumb/solver/newton_system.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/math/dense.h"
#include "plumb/math/pair_sums.h"

namespace plumb {
namespace {

constexpr double kAliasedPivot = 1e-14;           // share of a column that the earlier ones leave, hidden by rounding
constexpr int kMostRefined = 6;                   // rounds, each of which leaves a hundredth or less
constexpr double kNearEnd = 1e-2;                 // of the value: the most that a step promises
constexpr std::size_t kMostDirectColumns = 2048;  // weights whose second derivative is stored as a matrix
constexpr std::size_t kMostGramColumns = 2048;    // columns of a preconditioner that is a matrix
constexpr double kDiagonalShare = 0.01;  // of the curvature in a diagonal beside the penalty: see docs/solvers.md
constexpr std::size_t kMostConjugateSteps = 1000;  // of conjugate gradients
constexpr double kFreeRest = 1e-26;  // of the value: the square of the allowed residual of unbounded columns
constexpr double kLastStep = 500.0;  // times what is enough: from there one Newton step reaches it

// Costs in multiplications of a pass over the data; a Gram matrix of dense rows goes ten times as fast as one.
double gram_work(const DesignMatrix& x) { return x.gram_cost() * (x.sparse() ? 0.4 : 0.1); }

bool is_free(const Objective& f, std::size_t i) { return !(f.ridge()[i % f.matrix().columns()] > 0.0); }

// Without a reference, unpenalised weights of all classes are determined up to a shift: the last class has none.
bool is_shift(const Objective& f, std::size_t i) {
  return f.outputs() > 1 && !f.loss().reference() && is_free(f, i) && i / f.matrix().columns() + 1 == f.outputs();
}

// For the factor of a matrix of doubles, of all weights or of the columns alone: which unpenalised columns it has too
// few digits for, or set aside. Linear combinations get no weight; columns that differ by more than rounding need more
// digits.
struct Doubts {
  std::vector<std::size_t> made_up;
  bool apart = false;

  Doubts(Objective& f, const math::Cholesky& factor) {
    const std::size_t p = f.matrix().columns();
    for (std::size_t i = 0; i < factor.size(); ++i) {
      if (!is_free(f, i) || factor.share_left(i) >= kDoubtfulShare || (factor.size() > p && is_shift(f, i))) continue;
      if (f.made_up(i % p) == MadeUp::no)
        apart = true;
      else if (!factor.aliased()[i])
        made_up.push_back(i);
    }
  }
};

// In double-double: a column without a weight of its own has no curvature either.
void set_aside(Objective& f, ExactGram& matrix, std::size_t q) {
  for (std::size_t i = 0; i < q; ++i)
    if (is_free(f, i) &&
        ((q > f.matrix().columns() && is_shift(f, i)) || f.made_up(i % f.matrix().columns()) != MadeUp::no))
      matrix.high[i * (q + 1)] = matrix.low[i * (q + 1)] = 0.0;
}

}  // namespace

bool few_weights(const Objective& f) {
  const auto q = static_cast<double>(f.size()), k = static_cast<double>(f.outputs());
  if (f.size() > kMostDirectColumns) return false;
  const double work = gram_work(f.matrix()) * k * (k + 1) / 2 + q * q * q / 60;
  return f.size() <= 64 || work <= 60 * k * static_cast<double>(f.matrix().entries());
}

Preconditioner::Preconditioner(Objective& f, const Objective::Point& point)
    : columns_(f.matrix().columns()), outputs_(f.outputs()) {
  const DesignMatrix& x = f.matrix();
  if (columns_ <= kMostGramColumns && gram_work(x) <= 200 * static_cast<double>(x.entries())) {
    std::vector<double> all(x.rows() * outputs_), mean(x.rows());
    f.loss().diagonal(point.curve, x.weights(), all);
    for (std::size_t i = 0; i < mean.size(); ++i) {
      for (std::size_t k = 0; k < outputs_; ++k) mean[i] += all[i * outputs_ + k];
      mean[i] /= static_cast<double>(outputs_);
    }
    set_factor(f, mean);
    return;
  }
  inverse_ = f.hessian_diagonal(point);
  if (f.free_bias()) centre(f, point);
  double least = kInfinity, most = 0.0;
  for (std::size_t i = 0; i < inverse_.size(); ++i) {
    const double ridge = f.ridge()[i % columns_];
    if (!(ridge > 0.0)) continue;
    least = std::min(least, inverse_[i] / ridge);
    most = std::max(most, inverse_[i] / ridge);
  }
  const double share = most > 1e4 * least ? 1.0 : kDiagonalShare;
  for (std::size_t i = 0; i < inverse_.size(); ++i) {
    const double ridge = f.ridge()[i % columns_];
    const double entry = ridge > 0.0 ? ridge + share * (inverse_[i] - ridge) : inverse_[i];
    inverse_[i] = entry > 0.0 ? 1.0 / entry : 0.0;
  }
}

void Preconditioner::set_factor(Objective& f, In curvature) {
  std::vector<std::size_t> aside;
  while (!f.exact()) {
    std::vector<double> gram = f.matrix().gram(curvature, f.run());
    for (std::size_t j = 0; j < columns_; ++j) gram[j * (columns_ + 1)] += f.ridge()[j];
    for (const std::size_t j : aside) gram[j * (columns_ + 1)] = 0.0;
    factor_.emplace(std::move(gram), columns_, kAliasedPivot);
    const Doubts doubts(f, *factor_);
    if (doubts.apart) f.be_exact();
    if (doubts.made_up.empty()) break;
    aside.insert(aside.end(), doubts.made_up.begin(), doubts.made_up.end());
  }
  if (!f.exact()) return;
  ExactGram gram = exact_gram(f.matrix(), curvature, f.run());
  const math::PairSums sums(gram.high, gram.low);
  for (std::size_t j = 0; j < columns_; ++j) sums.add(j * (columns_ + 1), f.ridge()[j]);
  set_aside(f, gram, columns_);
  factor_.emplace(std::move(gram.high), std::move(gram.low), columns_, kRoundingShare);
}

// A bias and columns whose mean is not 0 are correlated, which a diagonal does not see, and conjugate gradients take
// long to find. In w and b + mean.w, whose columns have a mean of 0, the bias is uncorrelated with all others.
void Preconditioner::centre(Objective& f, const Objective::Point& point) {
  const DesignMatrix& x = f.matrix();
  std::vector<double> curvature(x.rows() * outputs_);
  f.loss().diagonal(point.curve, x.weights(), curvature);
  means_.resize(inverse_.size());
  x.transpose_times(curvature, outputs_, means_, f.run());
  f.count_passes(1);
  for (std::size_t k = 0; k < outputs_; ++k) {
    const std::size_t begin = k * columns_, bias = begin + columns_ - 1;
    const double all = means_[bias];
    for (std::size_t i = begin; i < bias; ++i) {
      means_[i] = all > 0.0 ? means_[i] / all : 0.0;
      inverse_[i] = std::max(f.ridge()[i - begin], inverse_[i] - all * means_[i] * means_[i]);
    }
    means_[bias] = 0.0;
  }
}

void Preconditioner::apply(In r, Out out) const {
  if (!factor_ && means_.empty()) {
    for (std::size_t i = 0; i < r.size(); ++i) out[i] = inverse_[i] * r[i];
    return;
  }
  if (!factor_) {
    for (std::size_t k = 0; k < outputs_; ++k) {
      const std::size_t begin = k * columns_, bias = begin + columns_ - 1;
      double sum = 0.0;
      for (std::size_t i = begin; i < bias; ++i) {
        out[i] = inverse_[i] * (r[i] - means_[i] * r[bias]);
        sum += means_[i] * out[i];
      }
      out[bias] = inverse_[bias] * r[bias] - sum;
    }
    return;
  }
  for (std::size_t k = 0; k < outputs_; ++k)
    factor_->solve(r.subspan(k * columns_, columns_), out.subspan(k * columns_, columns_));
}

NewtonSystem::NewtonSystem(Objective& f) : f_(f), direct_(few_weights(f)) {}

NewtonSystem::Direction NewtonSystem::solve(const Objective::Point& point, bool precise, double enough,
                                            std::vector<double> hessian) {
  Direction result =
      direct_ ? solve_directly(point, precise, std::move(hessian)) : solve_iteratively(point, precise, enough);
  result.decrement = -math::dot(point.gradient, result.d);
  return result;
}

// Rounding in the matrix leaves a residual, which one refinement removes where it matters: near the end.
NewtonSystem::Direction NewtonSystem::solve_directly(const Objective::Point& point, bool precise,
                                                     std::vector<double> hessian) {
  if (f_.exact()) return solve_exactly(point);
  const std::size_t q = f_.size();
  if (hessian.empty()) hessian = f_.hessian(point);
  for (const std::size_t i : aside_) hessian[i * (q + 1)] = 0.0;
  const math::Cholesky factor(std::move(hessian), q, kAliasedPivot);
  Direction result;
  std::vector<double> r(q);
  for (std::size_t i = 0; i < q; ++i) r[i] = -point.gradient[i];
  result.d.resize(q);
  factor.solve(r, result.d);
  if (precise || math::dot(r, result.d) / 2 <= kNearEnd * point.value) {
    const Doubts doubts(f_, factor);
    aside_.insert(aside_.end(), doubts.made_up.begin(), doubts.made_up.end());
    if (doubts.apart) f_.be_exact();
    if (doubts.apart || !doubts.made_up.empty()) return solve_directly(point, precise, {});
    result.judged = true;
  }
  if (precise) {
    std::vector<double> product(q);
    f_.hessian_times(point, result.d, product, result.zd);
    for (std::size_t i = 0; i < q; ++i) r[i] -= product[i];
    factor.solve(r, r);
    math::axpy(1.0, r, result.d);
    result.zd = f_.scores(result.d);
  }
  return result;
}

// The factor is rounded to doubles, which costs as many digits as the columns have in common, half of what a matrix of
// doubles would lose: the residual, in double-double, restores them.
NewtonSystem::Direction NewtonSystem::solve_exactly(const Objective::Point& point) {
  const std::size_t q = f_.size();
  ExactGram hessian = f_.exact_hessian(point);
  set_aside(f_, hessian, q);
  const math::PairSums entry(hessian.high, hessian.low);
  const math::Cholesky factor(hessian.high, hessian.low, q, kRoundingShare);
  std::vector<math::DoubleDouble> d(q), rest(q);
  std::vector<double> r(q);
  for (std::size_t i = 0; i < q; ++i) rest[i] = -point.gradient[i];
  double last = kInfinity;
  for (int round = 0; round < kMostRefined; ++round) {
    for (std::size_t i = 0; i < q; ++i) r[i] = factor.aliased()[i] ? 0.0 : rest[i].high;
    const double left = factor.inverse_form(r);
    if (!(left < last / 2)) break;
    last = left;
    factor.solve(r, r);
    for (std::size_t i = 0; i < q; ++i) d[i] += r[i];
    for (std::size_t i = 0; i < q; ++i) rest[i] = -point.gradient[i];
    for (std::size_t i = 0; i < q; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        rest[i] -= entry[i * q + j] * d[j];
        if (i != j) rest[j] -= entry[i * q + j] * d[i];
      }
  }
  Direction result;
  result.judged = true;
  for (const math::DoubleDouble each : d) result.d.push_back(each.high);
  result.zd = f_.scores(result.d);
  return result;
}

// A column without a penalty has no such bound; the gap handles it otherwise. The gap subtracts a remainder of the bias
// from the rows, and so its mean from every column.
double NewtonSystem::rest_of(In r, In means) const {
  const std::size_t p = f_.matrix().columns();
  double sum = 0.0;
  for (std::size_t c = 0; c < f_.outputs(); ++c)
    for (std::size_t j = 0; j < p; ++j) {
      if (!(f_.ridge()[j] > 0.0)) continue;
      const double own = std::abs(r[c * p + j]) + (means.empty() ? 0.0 : std::abs(means[c * p + j] * r[c * p + p - 1]));
      sum += own * (own / (2 * f_.ridge()[j]));
    }
  return sum;
}

NewtonSystem::Direction NewtonSystem::solve_iteratively(const Objective::Point& point, bool precise, double enough) {
  const std::size_t q = f_.size();
  const Preconditioner preconditioner(f_, point);
  std::vector<double> r(q), y(q), direction(q), product(q), xv;
  Direction result;
  result.d.assign(q, 0.0);
  result.zd.assign(point.z.size(), 0.0);
  for (std::size_t i = 0; i < q; ++i) r[i] = -point.gradient[i];
  preconditioner.apply(r, y);
  direction = y;
  double rho = math::dot(r, y), model = 0.0;
  const double start = rho;
  // The quadratic model's own progress ends the inner loop: LIBLINEAR's rule, which wastes no passes far from the end.
  const double tolerance = precise ? 1e-3 : std::min(0.5, std::sqrt(std::sqrt(rho / (1.0 + std::abs(point.value)))));
  // For unpenalised columns that nearly cancel, a small residual has no bounded effect: if they differ by a part of
  // 1e-10, it is 1e20 times its square. So it must be next to nothing.
  const double floor = f_.penalised() ? tolerance * tolerance * start : kFreeRest * std::abs(point.value);
  const bool last = start <= kLastStep * enough;  // a step that can finish continues until it does
  for (std::size_t step = 1; step <= kMostConjugateSteps && rho > 0.0; ++step) {
    try {
      f_.hessian_times(point, direction, product, xv);
    } catch (const Error&) {
      if (step > 1) unfinished_ = std::move(result.d);
      throw;
    }
    const double curvature = math::dot(direction, product);
    if (!(curvature > 1e-300) || curvature <= 1e-16 * math::dot(direction, direction) * 1e-6) break;
    const double alpha = rho / curvature;
    math::axpy(alpha, direction, result.d);
    math::axpy(alpha, xv, result.zd);
    math::axpy(-alpha, product, r);
    const double reached = 0.5 * (math::dot(result.d, r) - math::dot(result.d, point.gradient));
    preconditioner.apply(r, y);
    const double next = math::dot(r, y);
    if (enough > 0.0 && rest_of(r, preconditioner.means()) <= enough) break;
    if (precise ? next <= floor
                : !last && static_cast<double>(step) * (reached - model) >= 0.0 &&
                      static_cast<double>(step) * (reached - model) <= tolerance * reached)
      break;
    model = reached;
    math::scale(next / rho, direction);
    math::axpy(1.0, y, direction);
    rho = next;
  }
  result.rest = rest_of(r, preconditioner.means());
  return result;
}

}  // namespace plumb
