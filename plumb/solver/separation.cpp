// Two fits with penalties so small that they matter only where nothing else does. The optimum under a penalty e goes to
// the optimum without one where there is one; else it runs away along the direction, ever more slowly, as log(1/e). So
// the difference of two such fits is all but 0 in the first case, and the direction in the second.
#include "plumb/solver/separation.h"

#include <algorithm>
#include <cmath>

#include "plumb/math/cholesky.h"
#include "plumb/math/dense.h"
#include "plumb/solver/newton.h"

namespace plumb {
namespace {

constexpr double kSmall = 1e-6, kSmaller = 1e-8;  // penalties, in columns of size 1
constexpr double kMoved = 0.5;                    // a score that moves by less between the two has a finite optimum
constexpr double kOnPlane = 1e-3;  // of the largest margin: the row is taken to lie on the hyperplane ...
constexpr double kExactly = 1e-8;  // ... and does, when the direction has been put right

// The least margin of each row along the direction: its own class against the nearest other.
std::vector<double> margins(const Objective& f, In d) {
  const std::size_t n = f.matrix().rows(), k = f.outputs();
  std::vector<double> z(n * k), margin(n);
  f.matrix().times(d, k, z, f.run());
  const In y = f.matrix().targets();
  for (std::size_t i = 0; i < n; ++i) {
    if (k == 1) {
      margin[i] = y[i] == 0.0 ? -z[i] : z[i];
      continue;
    }
    const auto own = static_cast<std::size_t>(y[i]);
    const double score = own == k ? 0.0 : z[i * k + own];
    double other = f.loss().reference() && own != k ? 0.0 : -kInfinity;
    for (std::size_t c = 0; c < k; ++c)
      if (c != own) other = std::max(other, z[i * k + c]);
    margin[i] = score - other;
  }
  return margin;
}

std::unique_ptr<RowLoss> same_loss(const Objective& f) {
  return f.outputs() == 1 ? row_loss(Loss::logistic) : softmax_loss(f.outputs(), f.loss().reference());
}

// The part of d that leaves the scores of these rows alone: e (G + e I)^-1 d, with G the sum of x x' over them.
void leave_alone(const Objective& f, const std::vector<double>& on_plane, std::vector<double>& d) {
  const std::size_t p = f.matrix().columns();
  std::vector<double> gram = f.matrix().gram(on_plane, f.run());
  constexpr double kPart = 1e-12;
  double trace = 0.0;
  for (std::size_t j = 0; j < p; ++j) trace += gram[j * (p + 1)];
  const double e = kPart * std::max(trace, 1.0);
  for (std::size_t j = 0; j < p; ++j) gram[j * (p + 1)] += e;
  const math::Cholesky factor(std::move(gram), p, 0.0);
  for (int round = 0; round < 2; ++round) {
    factor.solve(d, d);
    math::scale(e, d);
  }
}

// Makes the largest component 1.
void name_columns(const Objective& f, Separation& result) {
  const std::size_t p = f.matrix().columns();
  std::vector<double>& d = result.direction;
  double size = 0.0;
  for (const double each : d) size = std::max(size, std::abs(each));
  math::scale(1.0 / size, d);
  for (std::size_t j = 0; j < p; ++j)
    for (std::size_t k = 0; k < f.outputs(); ++k)
      if (std::abs(d[k * p + j]) > kOnPlane) {
        result.columns.push_back(j);
        break;
      }
}

}  // namespace

Separation separated_by(const Objective& f, const std::vector<double>& w) {
  Separation result;
  result.direction = w;
  for (std::size_t i = 0; i < w.size(); ++i)
    if (f.ridge()[i % f.matrix().columns()] > 0.0) result.direction[i] = 0.0;
  const std::vector<double> margin = margins(f, result.direction);
  const auto [least, largest] = std::minmax_element(margin.begin(), margin.end());
  if (!(*least > kExactly * *largest)) return {};
  result.kind = Separation::Kind::complete;
  name_columns(f, result);
  return result;
}

bool may_be_separated(const Objective& f, const Objective::Point& point) {
  constexpr double kLarge = 10.0;  // odds of 22,000 to 1
  constexpr std::size_t kMostWeights = 2048;
  if (f.penalised() || f.size() > kMostWeights) return false;
  return std::any_of(point.z.begin(), point.z.end(), [](double z) { return std::abs(z) > kLarge; });
}

Separation find_separation(const Objective& f, const std::vector<double>& w) {
  Separation result;
  const std::size_t p = f.matrix().columns();
  std::vector<double> ends[2];
  const double strengths[2] = {kSmall, kSmaller};
  for (int i = 0; i < 2; ++i) {
    std::vector<double> ridge(f.ridge().begin(), f.ridge().end());
    for (double& each : ridge) each = std::max(each, strengths[i]);
    Objective penalised(f.matrix(), same_loss(f), ridge, f.run());
    ends[i] = minimise_by_newton(penalised, i == 0 ? w : ends[0], {.iterations = 200}).point.w;
  }
  std::vector<double>& d = result.direction;
  d = ends[1];
  math::axpy(-1.0, ends[0], d);
  for (std::size_t i = 0; i < d.size(); ++i)
    if (f.ridge()[i % p] > 0.0) d[i] = 0.0;
  std::vector<double> margin = margins(f, d);
  const double most = *std::max_element(margin.begin(), margin.end());
  if (most < kMoved) return {};
  if (f.outputs() == 1) {
    std::vector<double> on_plane(margin.size());
    for (std::size_t i = 0; i < margin.size(); ++i) on_plane[i] = std::abs(margin[i]) <= kOnPlane * most ? 1.0 : 0.0;
    if (std::any_of(on_plane.begin(), on_plane.end(), [](double on) { return on > 0.0; })) {
      leave_alone(f, on_plane, d);
      margin = margins(f, d);
    }
  }
  const auto [least, largest] = std::minmax_element(margin.begin(), margin.end());
  const double slack = (f.outputs() == 1 ? kExactly : kOnPlane) * *largest;
  if (!(*largest > 0.0) || *least < -slack) return {};
  result.kind = *least > slack ? Separation::Kind::complete : Separation::Kind::quasi;
  name_columns(f, result);
  return result;
}

}  // namespace plumb
