// Sums over one sparse row: value[t] in column index[t], indices ascending. Eight lanes by position t in the row,
// folded as in dense.h; the same bits on every machine.
#pragma once

#include "plumb/base/span.h"
#include "plumb/math/double_double.h"
#include "plumb/math/kernels.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

namespace plumb::math {

using Indices = std::span<const std::uint32_t>;
using Floats = std::span<const float>;  // values that floats represent exactly; each counts as a double

// sum_t value_t w[index_t].
inline double sparse_dot(Indices index, In value, In w) noexcept {
  assert(index.size() == value.size() && (index.empty() || index.back() < w.size()));
  return kernels().sparse_dot(index.data(), value.data(), index.size(), w.data());
}

inline double sparse_dot(Indices index, Floats value, In w) noexcept {
  assert(index.size() == value.size() && (index.empty() || index.back() < w.size()));
  return kernels().sparse_dot_float(index.data(), value.data(), index.size(), w.data());
}

// The same of counts below 256.
inline double sparse_dot(Indices index, std::span<const std::uint8_t> value, In w) noexcept {
  assert(index.size() == value.size() && (index.empty() || index.back() < w.size()));
  return kernels().sparse_dot_byte(index.data(), value.data(), index.size(), w.data());
}

// The same of values that are all 1.
inline double sparse_sum(Indices index, In w) noexcept {
  assert(index.empty() || index.back() < w.size());
  return kernels().sparse_sum(index.data(), index.size(), w.data());
}

// The same for many rows: row r has the columns offsets_r to offsets_(r + 1) of the index.
inline void sparse_sums(const std::uint32_t* index, const std::uint64_t* offsets, In w, Out out) noexcept {
  kernels().sparse_sums(index, offsets, out.size(), w.data(), out.data());
}

// For no numbers, the smallest is the maximum of the type and the largest 0.
inline IndexRange index_range(Indices index) noexcept { return kernels().index_range(index.data(), index.size()); }

// sum_t value_t w[index_t] as if in twice the precision: bound and order of dot2.
inline DoubleDouble sparse_dot2(Indices index, In value, In w) noexcept {
  assert(index.size() == value.size() && (index.empty() || index.back() < w.size()));
  return kernels().sparse_dot2(index.data(), value.data(), index.size(), w.data());
}

// y[index_t] = fma(a, value_t, y[index_t]).
inline void sparse_axpy(double a, Indices index, In value, Out y) noexcept {
  assert(index.size() == value.size() && (index.empty() || index.back() < y.size()));
  kernels().sparse_axpy(a, index.data(), value.data(), index.size(), y.data());
}

inline void sparse_axpy(double a, Indices index, Floats value, Out y) noexcept {
  assert(index.size() == value.size() && (index.empty() || index.back() < y.size()));
  kernels().sparse_axpy_float(a, index.data(), value.data(), index.size(), y.data());
}

// A row of small counts: entries are 256 column + count, and their number a multiple of 8; no column occurs twice,
// except with count 0. Bits are those of the kernels above for the same columns and values. count_dot keeps the weights
// that it read, as many as entries, and count_axpy uses them.
using CountEntries = std::span<const std::uint32_t>;

inline double count_dot(CountEntries entries, In w, double* kept) noexcept {
  assert(entries.size() % 8 == 0);
  return kernels().count_dot(entries.data(), entries.size(), w.data(), kept);
}
inline void count_axpy(double a, CountEntries entries, const double* kept, Out y) noexcept {
  kernels().count_axpy(a, entries.data(), entries.size(), kept, y.data());
}

// Weights of several outputs in parallel, `width` floats a column, a multiple of kOutputStep: out_k = sum_t value_t
// w[column_t width + k], in single precision, in order.
constexpr std::size_t kOutputStep = 8;
inline void sparse_dots(std::span<const SparseEntry> row, const float* w, std::span<float> out) noexcept {
  assert(out.size() % kOutputStep == 0);
  kernels().sparse_dots(row.data(), row.size(), w, out.size(), out.data());
}
// y[column_t width + k] = fma(a_k, value_t, y[column_t width + k]).
inline void sparse_axpys(Floats a, std::span<const SparseEntry> row, float* y) noexcept {
  assert(a.size() % kOutputStep == 0);
  kernels().sparse_axpys(a.data(), row.data(), row.size(), a.size(), y);
}

// gram_add of this one row (dense.h: same layout, same operations), zeros left out: for finite values, the same bits as
// the dense row with its zeros, provided gram started with no -0.
inline void sparse_gram_add(Indices index, In value, double weight, std::size_t p, double* gram) noexcept {
  assert(index.size() == value.size() && (index.empty() || index.back() < p));
  kernels().sparse_gram_add(index.data(), value.data(), index.size(), weight, gram, p);
}

}  // namespace plumb::math
