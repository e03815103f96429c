// With K the kept columns and x_j = sum_K d_kj x_k for the aliased ones, every row is x = x_K R with R = (I, D); the
// weights of least length are in the span of R's rows, w = T R' (R T R')^-1 w_K, where T = diag(t_j) converts w^2 to
// the user's units. D and M = R T R' are double-double if the Gram matrix is: no later step over the data sees an error
// along directions that change no prediction.
#include "plumb/train/least_norm.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "plumb/math/kernels.h"

namespace plumb {
namespace {

using math::DoubleDouble;
using NormNumbers = std::vector<DoubleDouble>;

constexpr int kMostRounds = 20;

// Solves A x = b, where residual(x, i) is b_i - (A x)_i, by steps of an approximate factor of A. Each step gains the
// digits of the factor; the first that does not is not taken.
template <class Residual>
NormNumbers refined(const math::Cholesky& factor, int most_rounds, const Residual& residual) {
  const std::size_t n = factor.size();
  NormNumbers x(n);
  std::vector<double> left(n), step(n);
  double last = std::numeric_limits<double>::infinity();
  for (int round = 0; round < most_rounds; ++round) {
    for (std::size_t i = 0; i < n; ++i) left[i] = factor.aliased()[i] ? 0.0 : residual(x, i).high;
    factor.solve(left, step);
    double most = 0.0, moved = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      most = std::max(most, std::abs(x[i].high));
      moved = std::max(moved, std::abs(step[i]));
    }
    if (!(moved < last / 2)) break;
    last = moved;
    for (std::size_t i = 0; i < n; ++i) x[i] += step[i];
    if (moved <= 0x1p-104 * most) break;
  }
  return x;
}

class Search {
 public:
  Search(const Design& design, const math::Cholesky& factor, const Design::ExactGram& gram)
      : design_(design), factor_(factor), gram_(gram), first_(design.first()) {
    const Moments& moments = design.moments();
    // A common factor of T changes nothing; the largest is 1.
    int highest = std::numeric_limits<int>::min();
    for (std::size_t j = 0; j < design.features(); ++j)
      if (!moments.zero[j]) highest = std::max(highest, moments.unit[j].exponent);
    for (std::size_t j = 0; j < design.features(); ++j) {
      t_.push_back(moments.zero[j] ? 0.0 : std::ldexp(1.0, 2 * (moments.unit[j].exponent - highest)));
      if (!factor.aliased()[first_ + j])
        kept_.push_back(j);
      else if (!moments.zero[j])
        shared_.push_back(j);
    }
    if (first_ != 0) places_.push_back(0);
    for (const std::size_t j : kept_) places_.push_back(first_ + j);
    for (const std::size_t j : shared_) d_.push_back(combination(first_ + j));
  }

  LeastNorm find(double condition, const Design::Point& point, double error, double smallest) {
    const std::size_t k = kept_.size();
    const math::Cholesky m = product();
    const auto w = [&](std::size_t a) { return DoubleDouble(point.high[kept_[a]], point.low[kept_[a]]); };
    const NormNumbers y = refined(m, kMostRounds, [&](const NormNumbers& x, std::size_t a) {
      DoubleDouble left = w(a);
      for (std::size_t b = 0; b < k; ++b)
        if (x[b].high != 0) left -= m_at(a, b) * x[b];
      return left;
    });
    LeastNorm found{NormNumbers(design_.columns()), 0.0};
    for (std::size_t s = 0; s < shared_.size(); ++s) {
      DoubleDouble weight;
      for (std::size_t a = 0; a < k; ++a) weight += d_[s][first_ + a] * y[a];
      weight *= t_[shared_[s]];
      found.move[first_ + shared_[s]] = weight;
      for (std::size_t i = 0; i < places_.size(); ++i) found.move[places_[i]] -= weight * d_[s][i];
    }
    found.error = bound(condition, m, point, found.move, error, smallest);
    return found;
  }

 private:
  bool exact() const { return !gram_.low.empty(); }
  DoubleDouble gram_at(std::size_t i, std::size_t k) const {
    const std::size_t where = std::max(i, k) * (design_.columns() + 1) + std::min(i, k);
    return {gram_.high[where], exact() ? gram_.low[where] : 0.0};
  }
  DoubleDouble m_at(std::size_t a, std::size_t b) const {
    const std::size_t where = std::max(a, b) * kept_.size() + std::min(a, b);
    return {m_high_[where], m_low_[where]};
  }

  // Column `place` of z as a sum of the kept ones. A Gram matrix in double is worth only one solve.
  NormNumbers combination(std::size_t place) const {
    const NormNumbers all = refined(factor_, exact() ? kMostRounds : 1, [&](const NormNumbers& d, std::size_t i) {
      DoubleDouble left = gram_at(i, place);
      for (const std::size_t k : places_)
        if (d[k].high != 0) left -= gram_at(i, k) * d[k];
      return left;
    });
    NormNumbers kept;
    for (const std::size_t k : places_) kept.push_back(all[k]);
    return kept;
  }

  // M, factored: in double if the Gram matrix is, because many columns make it large.
  math::Cholesky product() {
    const std::size_t k = kept_.size();
    m_high_.assign(k * k, 0.0);
    m_low_.assign(k * k, 0.0);
    for (std::size_t a = 0; a < k; ++a) m_high_[a * (k + 1)] = t_[kept_[a]];
    std::vector<double> row(k);
    for (std::size_t s = 0; s < shared_.size(); ++s) {
      const auto d = [&](std::size_t a) { return d_[s][first_ + a]; };
      if (!exact()) {
        for (std::size_t a = 0; a < k; ++a) row[a] = d(a).high;
        math::kernels().gram_add(row.data(), 1, k, k, &t_[shared_[s]], m_high_.data(), k);
        continue;
      }
      for (std::size_t a = 0; a < k; ++a) {
        const DoubleDouble scaled = d(a) * t_[shared_[s]];
        for (std::size_t b = 0; b <= a; ++b) {
          const DoubleDouble sum = m_at(a, b) + scaled * d(b);
          m_high_[a * k + b] = sum.high;
          m_low_[a * k + b] = sum.low;
        }
      }
    }
    return exact() ? math::Cholesky(m_high_, m_low_, k, 0.0) : math::Cholesky(m_high_, k, 0.0);
  }

  // With S = R T^(1/2), its rows scaled to length 1, v = T^(-1/2) w is S^+ w_K; so an error of S moves v by at most 2
  // |S^+| |dS| |v|, and one of w_K by |S^+| times it. |S^+|^2 is at most the condition number of M. Errors of the Gram
  // matrix are multiplied in D by its condition number, for columns of length 1; a_j converts them to the user's units.
  double bound(double condition, const math::Cholesky& m, const Design::Point& point, const NormNumbers& move,
               double error, double smallest) const {
    const auto k = static_cast<double>(kept_.size());
    const double noise = exact() ? 0x1p-98 * static_cast<double>(design_.moments().rows) : 0x1p-48 * k;
    double longest = 0.0, shortest = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < t_.size(); ++j) {
      if (t_[j] == 0) continue;
      const double a = std::sqrt(gram_at(first_ + j, first_ + j).high * t_[j]);
      longest = std::max(longest, a);
      if (!factor_.aliased()[first_ + j]) shortest = std::min(shortest, a);
    }
    double before = 0.0, length = 0.0, most = 0.0;  // |w_K| in the scale of the rows of S, |v|, the largest weight
    for (std::size_t a = 0; a < kept_.size(); ++a)
      before += point.high[kept_[a]] * point.high[kept_[a]] / m_at(a, a).high;
    std::vector<double> after;
    for (std::size_t j = 0; j < t_.size(); ++j) {
      const double weight = point.high[j] + move[first_ + j].high;
      after.push_back(weight);
      if (t_[j] > 0) length += weight * weight / t_[j];
      most = std::max(most, std::abs(weight));
    }
    const double inverse = 2 * std::sqrt(m.condition_estimate());  // an estimate from below
    const auto shared = static_cast<double>(shared_.size());
    const double of_rows = noise * (k + condition * longest / shortest * std::sqrt(shared));
    const double of_product = exact() ? 0x1p-96 * k * inverse : 0x1p-48 * k * inverse;
    const double off = inverse * (2 * (of_rows + of_product) * std::sqrt(length) + error * std::sqrt(before));
    double largest = 0.0;
    for (std::size_t j = 0; j < t_.size(); ++j)
      if (t_[j] > 0)
        largest = std::max(largest, std::sqrt(t_[j]) * off / std::max(std::abs(after[j]), smallest * most));
    return std::isfinite(largest) ? largest : 1.0;
  }

  const Design& design_;
  const math::Cholesky& factor_;
  const Design::ExactGram& gram_;
  std::size_t first_;
  std::vector<double> t_;
  std::vector<std::size_t> kept_, shared_;  // features
  std::vector<std::size_t> places_;         // of the bias and the kept features in z
  std::vector<NormNumbers> d_;              // for each shared feature, indexed as places_
  std::vector<double> m_high_, m_low_;      // R T R', lower triangle
};

}  // namespace

LeastNorm find_least_norm(const Design& design, const math::Cholesky& factor, const Design::ExactGram& gram,
                          double condition, const Design::Point& point, double error, double smallest) {
  return Search(design, factor, gram).find(condition, point, error, smallest);
}

}  // namespace plumb
