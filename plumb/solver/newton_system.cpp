#include "plumb/solver/newton_system.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/math/dense.h"

namespace plumb {
namespace {

constexpr double kAliased = 1e-14;         // share of a column that the earlier ones leave, of which rounding hides all
constexpr std::size_t kMostDirect = 2048;  // weights whose second derivative is kept as a matrix
constexpr std::size_t kMostGramColumns = 2048;  // columns of a preconditioner that is one
constexpr double kDiagonalShare = 0.01;   // of the curvature in a diagonal beside the penalty: see docs/solvers.md
constexpr std::size_t kMostSteps = 1000;  // of conjugate gradients
constexpr double kLastStep = 500.0;       // times what is enough: from there one Newton step comes to it

// Costs in multiplications of a pass over the data; a Gram matrix of dense rows goes ten times as fast as one.
double gram_work(const DesignMatrix& x) { return x.gram_cost() * (x.sparse() ? 0.4 : 0.1); }

}  // namespace

bool few_weights(const Objective& f) {
  const auto q = static_cast<double>(f.size()), k = static_cast<double>(f.outputs());
  if (f.size() > kMostDirect) return false;
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
    std::vector<double> gram = x.gram(mean, f.run());
    for (std::size_t j = 0; j < columns_; ++j) gram[j * (columns_ + 1)] += f.ridge()[j];
    factor_.emplace(std::move(gram), columns_, kAliased);
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

// A bias and columns whose mean is not 0 stand in for each other, which a diagonal does not see, and conjugate
// gradients take long to. In w and b + mean.w, whose columns have a mean of 0, the bias has no part in any other.
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

// Rounding in the matrix leaves a residual, which one refinement takes away where it matters: near the end.
NewtonSystem::Direction NewtonSystem::solve_directly(const Objective::Point& point, bool precise,
                                                     std::vector<double> hessian) {
  const std::size_t q = f_.size();
  const math::Cholesky factor(hessian.empty() ? f_.hessian(point) : std::move(hessian), q, kAliased);
  Direction result;
  std::vector<double> r(q);
  for (std::size_t i = 0; i < q; ++i) r[i] = -point.gradient[i];
  result.d.resize(q);
  factor.solve(r, result.d);
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

// A column without penalty has no such bound; the gap sees to it otherwise. What is left of a bias the gap takes out of
// the rows, and so out of every column by its mean.
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
  const bool last = start <= kLastStep * enough;  // a step that can end it goes on until it does
  for (std::size_t step = 1; step <= kMostSteps && rho > 0.0; ++step) {
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
    if (precise ? next <= tolerance * tolerance * start
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
