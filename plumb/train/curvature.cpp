#include "plumb/train/curvature.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plumb/solver/newton_system.h"

namespace plumb {
namespace {

constexpr double kPivot = 1e-14;  // as in Newton's method: a smaller share of a column is rounding
// A column of which the others leave a smaller share has fewer than nine digits in a matrix of doubles.
constexpr double kFewDigits = 1e-6;
constexpr std::size_t kMostExactWeights = 512;
constexpr std::size_t kMostWeights = 2048;

// The lower triangle in another order: entry (a, b) of the result is that of from[a] and from[b]; -1 is a column of 0.
std::vector<double> reordered(const std::vector<double>& lower, std::size_t size,
                              const std::vector<std::ptrdiff_t>& from) {
  const std::size_t q = from.size();
  std::vector<double> result(q * q);
  for (std::size_t a = 0; a < q; ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      if (from[a] < 0 || from[b] < 0) continue;
      const auto row = static_cast<std::size_t>(std::max(from[a], from[b]));
      result[a * q + b] = lower[row * size + static_cast<std::size_t>(std::min(from[a], from[b]))];
    }
  return result;
}

// Of the columns that take part, the least share that the earlier ones leave.
double least_share(const math::Cholesky& factor, const std::vector<std::ptrdiff_t>& from) {
  double least = 1.0;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] >= 0) least = std::min(least, factor.aliased()[i] ? 0.0 : factor.share_left(i));
  return least;
}

}  // namespace

std::vector<double> Curvature::bias_form(std::size_t k) const {
  std::vector<double> form(outputs * width());
  form[k * width()] = 1.0;
  for (std::size_t j = 0; j < features; ++j) form[k * width() + 1 + j] = -centre[j];
  return form;
}

Curvature::Errors Curvature::standard_errors() const {
  std::vector<double> diagonal(factor.size());
  factor.inverse_diagonal(diagonal);
  Errors found;
  const std::size_t first = bias ? 1 : 0;
  bool centred = false;
  for (const double each : centre) centred = centred || each != 0.0;
  for (std::size_t k = 0; k < outputs; ++k) {
    if (bias) {
      const double variance = centred ? factor.inverse_form(bias_form(k)) : diagonal[k * width()];
      found.bias.push_back(std::sqrt(variance));
    }
    for (std::size_t j = 0; j < features; ++j)
      found.weights.push_back(std::ldexp(std::sqrt(diagonal[k * width() + first + j]), -static_cast<int>(exponent[j])));
  }
  return found;
}

Basis Curvature::basis() const { return Basis({exponent, centre, factor.packed_root(), factor.packed_root_low()}); }

std::shared_ptr<const Curvature> curvature_at(Objective& f, const Objective::Point& point,
                                              std::span<const std::uint32_t> aliased,
                                              std::optional<std::size_t> reference) {
  const DesignMatrix& x = f.matrix();
  const std::size_t p = x.columns(), features = p - (x.bias() ? 1 : 0);
  if (f.size() > kMostWeights || !few_weights(f)) return nullptr;
  const bool symmetric = f.outputs() > 1 && !f.loss().reference();
  std::vector<std::ptrdiff_t> from;
  for (std::size_t k = symmetric ? 1 : 0; k < f.outputs(); ++k) {
    const auto begin = static_cast<std::ptrdiff_t>(k * p), first = std::ssize(from);
    if (x.bias()) from.push_back(begin + static_cast<std::ptrdiff_t>(features));
    for (std::size_t j = 0; j < features; ++j) from.push_back(begin + static_cast<std::ptrdiff_t>(j));
    for (const std::uint32_t j : aliased) from[static_cast<std::size_t>(first) + (x.bias() ? 1 : 0) + j] = -1;
  }
  const std::vector<double> squares = f.hessian(point);
  for (std::ptrdiff_t& each : from)  // of an offset, whose column is empty
    if (each >= 0 && squares[static_cast<std::size_t>(each) * (f.size() + 1)] == 0.0) each = -1;
  std::optional<math::Cholesky> factor;
  if (!f.exact()) factor.emplace(reordered(squares, f.size(), from), from.size(), kPivot);
  if (!factor || least_share(*factor, from) < kFewDigits) {
    if (from.size() > kMostExactWeights) return nullptr;
    const ExactGram exact = f.exact_hessian(point);
    factor.emplace(reordered(exact.high, f.size(), from), reordered(exact.low, f.size(), from), from.size(),
                   kRoundingShare);
    if (least_share(*factor, from) == 0.0) return nullptr;
  }
  Curvature found{std::move(*factor), f.outputs() - (symmetric ? 1 : 0), features, x.bias()};
  if (f.outputs() > 1) found.reference = reference.value_or(0);
  for (std::size_t j = 0; j < features; ++j) {
    found.exponent.push_back(x.exponent(j));
    found.centre.push_back(std::ldexp(x.shift(j), -x.exponent(j)));
  }
  found.loss = f.loss().copy();
  return std::make_shared<const Curvature>(std::move(found));
}

}  // namespace plumb
