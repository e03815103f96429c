#include "plumb/train/basis.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/math/kernels.h"

namespace plumb {

Basis::Basis(Parts parts) : parts_(std::move(parts)) {
  const std::uint64_t p = parts_.exponent.size(), numbers = parts_.root.size();
  bias_ = numbers == (p + 1) * (p + 2) / 2;
  const auto finite = [](const std::vector<double>& all) {
    return std::all_of(all.begin(), all.end(), [](double each) { return std::isfinite(each); });
  };
  if (parts_.centre.size() != p || !(bias_ || numbers == p * (p + 1) / 2) || !finite(parts_.centre) ||
      !finite(parts_.root))
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
  for (std::size_t j = 0; j < features(); ++j) z[stride * j] = -parts_.centre[j];  // what a sparse row leaves out is 0
  for (std::size_t k = 0; k < x.value.size(); ++k) {
    const std::size_t j = x.dense() ? k : x.index[k];
    z[stride * j] = x.value[k] * scale_[j] - parts_.centre[j];
  }
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

void Basis::whiten_eight(Out eight) const noexcept {
  const std::size_t q = size();
  const double* row = parts_.root.data();
  double* z = eight.data();
  for (std::size_t i = 0; i < q; row += q - i, z += 8, ++i) {
    for (std::size_t lane = 0; lane < 8; ++lane) z[lane] = row[0] > 0 ? z[lane] / row[0] : 0.0;
    if (row[0] > 0) math::kernels().eliminate8(row + 1, q - i - 1, z, z + 8);
  }
}

std::vector<double> Basis::columns() const {
  std::vector<double> columns;
  columns.reserve(parts_.root.size());
  for (std::size_t j = 0; j < size(); ++j)
    for (std::size_t i = 0; i <= j; ++i) columns.push_back(parts_.root[row_begin(i) + j - i]);
  return columns;
}

void Basis::solve_eight(In columns, Out eight) const noexcept {
  for (std::size_t j = size(); j-- > 0;) {
    const double* const column = columns.data() + j * (j + 1) / 2;
    double* const t = eight.data() + 8 * j;
    for (std::size_t lane = 0; lane < 8; ++lane) t[lane] = column[j] > 0 ? t[lane] / column[j] : 0.0;
    math::kernels().eliminate8(column, j, t, eight.data());
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
