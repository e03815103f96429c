// Reflections reduce the matrix to tridiagonal form, then rotations (implicit QL steps with Wilkinson's shift) to a
// diagonal. Source: Golub, Van Loan, Matrix Computations, 4th edition, sections 8.3.1 and 8.3.3; Parlett, The Symmetric
// Eigenvalue Problem, section 8.
#include "plumb/math/eigen.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>

#include "plumb/base/error.h"
#include "plumb/math/kernels.h"
#include "plumb/math/special.h"

namespace plumb::math {
namespace {

class Tridiagonal {
 public:
  Tridiagonal(std::vector<double> lower, std::size_t p)
      : p_(p), a_(std::move(lower)), diagonal_(p), beside_(p), q_(p * p) {
    for (std::size_t i = 0; i < p; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        if (!std::isfinite(a_[i * p + j]))
          throw Error(ErrorCode::data,
                      "a matrix of which the eigenvalues are wanted holds a number that is not finite");
        a_[j * p + i] = a_[i * p + j];
      }
    for (std::size_t i = 0; i < p; ++i) q_[i * p + i] = 1.0;
    for (std::size_t k = 0; k + 2 < p; ++k) reflect(k);
    for (std::size_t i = 0; i < p; ++i) {
      diagonal_[i] = a_[i * p + i];
      if (i + 1 < p) beside_[i] = a_[(i + 1) * p + i];
    }
    for (std::size_t i = 0; i < p; ++i) largest_ = std::max({largest_, std::abs(diagonal_[i]), std::abs(beside_[i])});
    for (std::size_t l = 0; l < p; ++l) settle(l);
  }

  Eigen sorted() const {
    std::vector<std::size_t> order(p_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return diagonal_[a] < diagonal_[b]; });
    Eigen found;
    for (const std::size_t k : order) {
      found.values.push_back(diagonal_[k]);
      found.vectors.insert(found.vectors.end(), q_.begin() + static_cast<std::ptrdiff_t>(k * p_),
                           q_.begin() + static_cast<std::ptrdiff_t>((k + 1) * p_));
    }
    return found;
  }

 private:
  // H A H with H = I - 2 v v' / v'v, so that column k is 0 below its second diagonal. q_ has rows: it becomes H q.
  void reflect(std::size_t k) {
    const std::size_t n = p_ - k - 1;
    std::vector<double> v(n), w(n);
    double largest = 0.0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(v[i] = a_[(k + 1 + i) * p_ + k]));
    if (largest == 0.0) return;
    double squares = 0.0;
    for (double& each : v) {
      each /= largest;
      squares += each * each;
    }
    const double length = std::sqrt(squares);
    if (squares == v[0] * v[0]) return;  // it already has the form
    v[0] += std::copysign(length, v[0]);
    const double half = length * std::abs(v[0]);  // v'v / 2
    for (std::size_t i = 0; i < n; ++i) w[i] = kernels_.dot(&a_[(k + 1 + i) * p_ + k + 1], v.data(), n) / half;
    const double along = kernels_.dot(v.data(), w.data(), n) / (2 * half);
    for (std::size_t i = 0; i < n; ++i) w[i] -= along * v[i];
    for (std::size_t i = 0; i < n; ++i) {
      double* const row = &a_[(k + 1 + i) * p_ + k + 1];
      kernels_.axpy(-v[i], w.data(), row, n);
      kernels_.axpy(-w[i], v.data(), row, n);
    }
    a_[(k + 1) * p_ + k] = -std::copysign(length * largest, v[0]);
    // Rows k+1.. of q: q -= v (v'q) / half.
    std::vector<double> sum(p_);
    for (std::size_t i = 0; i < n; ++i) kernels_.axpy(v[i] / half, &q_[(k + 1 + i) * p_], sum.data(), p_);
    for (std::size_t i = 0; i < n; ++i) kernels_.axpy(-v[i], sum.data(), &q_[(k + 1 + i) * p_], p_);
  }

  // Steps until diagonal_[l] is an eigenvalue: its off-diagonal element is negligible beside its neighbours. Of a
  // matrix that lacks rank, some neighbours are rounding errors themselves; after a while what is negligible beside the
  // largest element is dropped too.
  void settle(std::size_t l) {
    constexpr int kMostSteps = 60, kPatience = 20;
    for (int step = 0;; ++step) {
      std::size_t m = l;
      for (; m + 1 < p_; ++m) {
        const double size = std::abs(diagonal_[m]) + std::abs(diagonal_[m + 1]);
        const double beside = step < kPatience ? size : std::max(size, largest_);
        if (std::abs(beside_[m]) <= std::numeric_limits<double>::epsilon() * beside) break;
      }
      if (m == l) return;
      if (step == kMostSteps) throw Error(ErrorCode::internal, "an eigenvalue was not found");
      rotate(l, m);
    }
  }

  // Several numbers at a time, each step rounded; a compiler would not vectorise this if it knew that the two are rows
  // of one matrix.
  void turn(double* low, double* high, double c, double s) const {
    typedef double Two __attribute__((vector_size(16)));
    std::size_t k = 0;
    for (; k + 2 <= p_; k += 2) {
      Two a, b;
      std::memcpy(&a, low + k, sizeof(a));
      std::memcpy(&b, high + k, sizeof(b));
      const Two up = s * a + c * b, down = c * a - s * b;
      std::memcpy(high + k, &up, sizeof(up));
      std::memcpy(low + k, &down, sizeof(down));
    }
    for (; k < p_; ++k) {
      const double f = high[k];
      high[k] = s * low[k] + c * f;
      low[k] = c * low[k] - s * f;
    }
  }

  void rotate(std::size_t l, std::size_t m) {
    const double half = (diagonal_[l + 1] - diagonal_[l]) / (2 * beside_[l]);
    double g = diagonal_[m] - diagonal_[l] + beside_[l] / (half + std::copysign(length(half, 1.0), half));
    double s = 1.0, c = 1.0, shift = 0.0;
    for (std::size_t i = m; i-- > l;) {
      const double f = s * beside_[i], b = c * beside_[i], r = length(f, g);
      beside_[i + 1] = r;
      if (r == 0.0) {  // the matrix splits here
        diagonal_[i + 1] -= shift;
        beside_[m] = 0.0;
        return;
      }
      s = f / r;
      c = g / r;
      g = diagonal_[i + 1] - shift;
      const double t = (diagonal_[i] - g) * s + 2 * c * b;
      shift = s * t;
      diagonal_[i + 1] = g + shift;
      g = c * t - b;
      turn(&q_[i * p_], &q_[(i + 1) * p_], c, s);
    }
    diagonal_[l] -= shift;
    beside_[l] = g;
    beside_[m] = 0.0;
  }

  std::size_t p_;
  const Kernels& kernels_ = kernels();
  std::vector<double> a_;
  std::vector<double> diagonal_, beside_;  // beside_[i] couples i and i + 1
  std::vector<double> q_;                  // rows: the vectors, at the end
  double largest_ = 0.0;                   // of the tridiagonal matrix, in size
};

}  // namespace

Eigen symmetric_eigen(std::vector<double> lower, std::size_t p) {
  if (lower.size() != p * p)
    throw Error(ErrorCode::internal, "symmetric_eigen: the matrix has " + std::to_string(lower.size()) + " numbers; " +
                                         std::to_string(p) + " columns need " + std::to_string(p * p));
  return Tridiagonal(std::move(lower), p).sorted();
}

}  // namespace plumb::math
