#include "plumb/train/basis.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/math/double_double.h"
#include "plumb/math/kernels.h"

namespace plumb {

Basis::Basis(Parts parts) : parts_(std::move(parts)) {
  const std::uint64_t p = parts_.exponent.size(), numbers = parts_.root.size();
  bias_ = numbers == (p + 1) * (p + 2) / 2;
  const auto finite = [](const std::vector<double>& all) {
    return std::all_of(all.begin(), all.end(), [](double each) { return std::isfinite(each); });
  };
  if (parts_.centre.size() != p || !(bias_ || numbers == p * (p + 1) / 2) || !finite(parts_.centre) ||
      !finite(parts_.root) || !finite(parts_.root_low) || (exact() && parts_.root_low.size() != numbers))
    throw Error(ErrorCode::model, "the basis of the fit has " + std::to_string(numbers) + " numbers for " +
                                      std::to_string(p) + " features; a finite triangle was expected");
  for (const std::int64_t k : parts_.exponent) {
    if (k < -1022 || k > 1024)
      throw Error(ErrorCode::model,
                  "the basis of the fit has a unit of 2^" + std::to_string(k) + "; -1022 to 1024 was expected");
    scale_.push_back(std::ldexp(1.0, static_cast<int>(-k)));
  }
  for (std::size_t i = 0; i < size(); ++i) {
    const double diagonal = parts_.root[row_begin(i)];
    if (diagonal < 0)
      throw Error(ErrorCode::model, "the basis of the fit has a negative diagonal; at least 0 was expected");
    if (diagonal > 0) ++rank_;
  }
}

void Basis::write_shifted(const Row& x, double* z, std::size_t stride) const noexcept {
  if (bias_) {
    z[0] = 1.0;
    z += stride;
  }
  for (std::size_t j = 0; j < features(); ++j) z[stride * j] = -parts_.centre[j];  // absent entries are 0
  for (std::size_t k = 0; k < x.value.size(); ++k) {
    const std::size_t j = x.dense() ? k : x.index[k];
    z[stride * j] = x.value[k] * scale_[j] - parts_.centre[j];
  }
}

void Basis::write_shifted(const Row& x, In lows, std::span<const std::uint32_t> lows_of, double* high, double* low,
                          std::size_t stride) const noexcept {
  write_shifted(x, high, stride);
  for (std::size_t i = 0; i < size(); ++i) low[stride * i] = 0.0;
  const std::size_t first = bias_ ? 1 : 0;
  for (std::size_t k = 0; k < x.value.size(); ++k) {
    const std::size_t j = x.dense() ? k : x.index[k];
    const math::DoubleDouble z = math::two_sum(x.value[k] * scale_[j], -parts_.centre[j]);
    low[stride * (first + j)] = z.low;
  }
  for (std::size_t k = 0; k < lows.size(); ++k) {
    const std::size_t j = lows_of[k], at = stride * (first + j);
    const math::DoubleDouble z = math::DoubleDouble(high[at], low[at]) + lows[k] * scale_[j];
    high[at] = z.high;
    low[at] = z.low;
  }
}

bool Basis::exact_for(std::uint64_t rows) const noexcept {
  constexpr double kMostExactWork = 2e8;  // rows times columns squared
  const auto columns = static_cast<double>(size());
  return exact() && static_cast<double>(rows) * columns * columns <= kMostExactWork;
}

void Basis::whiten(const Row& x, Out t) const noexcept {
  const std::size_t q = size();
  write_shifted(x, t.data(), 1);
  const double* row = parts_.root.data();
  for (std::size_t i = 0; i < q; row += q - i, ++i) {
    t[i] = row[0] > 0 ? t[i] / row[0] : 0.0;
    if (t[i] != 0) math::kernels().axpy(-t[i], row + 1, t.data() + i + 1, q - i - 1);
  }
}

void Basis::whiten(const Row& x, In lows, std::span<const std::uint32_t> lows_of, Out high, Out low) const noexcept {
  using math::DoubleDouble;
  const std::size_t q = size();
  write_shifted(x, lows, lows_of, high.data(), low.data(), 1);
  for (std::size_t i = 0, row = 0; i < q; row += q - i, ++i) {
    const DoubleDouble diagonal(parts_.root[row], parts_.root_low[row]);
    const DoubleDouble t = diagonal.high > 0 ? DoubleDouble(high[i], low[i]) / diagonal : DoubleDouble();
    high[i] = t.high;
    low[i] = t.low;
    for (std::size_t k = i + 1; k < q && t.high != 0; ++k) {
      const DoubleDouble left =
          DoubleDouble(high[k], low[k]) - t * DoubleDouble(parts_.root[row + k - i], parts_.root_low[row + k - i]);
      high[k] = left.high;
      low[k] = left.low;
    }
  }
}

double Basis::squares(std::size_t j) const noexcept {
  const std::size_t first = bias_ ? 1 : 0, column = first + j;
  double sum = 0.0;
  for (std::size_t i = first; i <= column; ++i) {
    const double u = parts_.root[row_begin(i) + column - i];
    sum += u * u;
  }
  return sum;
}

}  // namespace plumb
