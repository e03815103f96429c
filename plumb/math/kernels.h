// One table of kernels per instruction set, chosen while the program runs. Tables differ only in speed: a kernel gives
// the same bits from every table. lanes-inl.h explains how: fused multiply-adds are fused everywhere, and a sum over
// elements has 8 lanes on every machine. Most callers want special.h, dense.h and sparse.h, which call kernels().
#pragma once

#include "plumb/math/double_double.h"

#include <cstddef>
#include <cstdint>

namespace plumb::math {

enum class Simd { scalar, avx2, avx512, neon };

// "scalar", "avx2", "avx512", "neon".
const char* name(Simd simd) noexcept;

// A value of a sparse row and its column.
struct SparseEntry {
  std::uint32_t column;
  float value;
};

// The smallest and the largest of some numbers (sparse.h).
struct IndexRange {
  std::uint32_t least = 0xffffffff;
  std::uint32_t most = 0;
};

// THE lists of kernels: these lines make a member of Kernels, its place in every table and the test that all tables
// give the same bits. Functions of one number: name and the function that computes it.
#define PLUMB_FUNCTIONS(X)   \
  X(exp, Exp)                \
  X(expm1, Expm1)            \
  X(log, Log)                \
  X(log1p, Log1p)            \
  X(sigmoid, Sigmoid)        \
  X(log_sigmoid, LogSigmoid) \
  X(log1p_exp, Log1pExp)

// Others: the required divisors of their sizes, result, name, arguments, and the function of *-inl.h. gram_panels_add:
// `weighted` is a buffer as large as the panels, if there are weights; meanwhile prefetches the `count` numbers from
// `next` on. scale_shift: y_i = x_i scale_i - shift_i, each step rounded. eliminate8: b_j -= u_j z for n rows b_j of 8
// numbers, one step of eight triangular solves at once.
#define PLUMB_KERNELS(X)                                                                                               \
  X(1, double, log_sum_exp, (const double* x, std::size_t n), log_sum_exp)                                             \
  X(1, void, odds_losses,                                                                                              \
    (const double* odds, const double* targets, double* loss, double* brier, double* confidence, std::size_t n),       \
    odds_losses)                                                                                                       \
  X(1, void, softmax, (const double* x, double* y, std::size_t n), softmax)                                            \
  X(1, double, sum, (const double* x, std::size_t n), sum)                                                             \
  X(1, double, dot, (const double* a, const double* b, std::size_t n), dot)                                            \
  X(1, DoubleDouble, dot2, (const double* a, const double* b, std::size_t n), dot2)                                    \
  X(1, void, axpy, (double a, const double* x, double* y, std::size_t n), axpy)                                        \
  X(1, void, scale, (double a, double* y, std::size_t n), scale)                                                       \
  X(1, void, scale_shift, (const double* x, const double* scale, const double* shift, double* y, std::size_t n),       \
    scale_shift)                                                                                                       \
  X(1, void, gram_add,                                                                                                 \
    (const double* x, std::size_t rows, std::size_t stride, std::size_t p, const double* weight, double* gram,         \
     std::size_t gram_stride),                                                                                         \
    gram_add)                                                                                                          \
  X(1, void, gram_pack,                                                                                                \
    (const double* x, std::size_t rows, const double* scale, const double* shift, std::size_t n, double* panels,       \
     std::size_t row),                                                                                                 \
    gram_pack)                                                                                                         \
  X(1, void, gram_panels_add,                                                                                          \
    (const double* panels, std::size_t rows, std::size_t p, const double* weight, double* weighted, double* gram,      \
     std::size_t gram_stride, const double* next, std::size_t count),                                                  \
    gram_panels_add)                                                                                                   \
  X(1, void, transpose_times_add,                                                                                      \
    (const double* x, std::size_t rows, std::size_t stride, std::size_t p, const double* r, double* out),              \
    transpose_times_add)                                                                                               \
  X(1, void, transpose_times_dd_add,                                                                                   \
    (const double* x, std::size_t rows, std::size_t stride, std::size_t p, const double* r_high, const double* r_low,  \
     double* out_high, double* out_low),                                                                               \
    transpose_times_dd_add)                                                                                            \
  X(1, void, residuals,                                                                                                \
    (const double* x, std::size_t rows, std::size_t stride, std::size_t p, const double* w_high, const double* w_low,  \
     DoubleDouble bias, const double* y, double* r_high, double* r_low),                                               \
    residuals)                                                                                                         \
  X(1, void, moments_about_add,                                                                                        \
    (const double* const* row, std::size_t step, std::size_t rows, std::size_t p, const double* about, double* sums,   \
     double* plain, double* counted, const double* next, std::size_t stride),                                          \
    moments_about_add)                                                                                                 \
  X(1, void, weighted_moments_add,                                                                                     \
    (const double* row, std::size_t step, std::size_t p, double weight, const double* about, double* sums),            \
    weighted_moments_add)                                                                                              \
  X(1, void, dots,                                                                                                     \
    (const double* x, std::size_t rows, std::size_t stride, std::size_t p, const double* w, double* out), dots)        \
  X(1, void, times8, (const double* a, std::size_t rows, std::size_t n, const double* b, double* out), times8)         \
  X(1, double, sparse_dot, (const std::uint32_t* index, const double* value, std::size_t n, const double* w),          \
    sparse_dot<double>)                                                                                                \
  X(1, double, sparse_dot_float, (const std::uint32_t* index, const float* value, std::size_t n, const double* w),     \
    sparse_dot<float>)                                                                                                 \
  X(1, double, sparse_dot_byte,                                                                                        \
    (const std::uint32_t* index, const std::uint8_t* value, std::size_t n, const double* w), sparse_dot<std::uint8_t>) \
  X(1, double, sparse_sum, (const std::uint32_t* index, std::size_t n, const double* w), sparse_sum)                   \
  X(1, void, sparse_sums,                                                                                              \
    (const std::uint32_t* index, const std::uint64_t* offsets, std::size_t rows, const double* w, double* out),        \
    sparse_sums)                                                                                                       \
  X(1, IndexRange, index_range, (const std::uint32_t* index, std::size_t n), index_range)                              \
  X(1, DoubleDouble, sparse_dot2, (const std::uint32_t* index, const double* value, std::size_t n, const double* w),   \
    sparse_dot2)                                                                                                       \
  X(1, void, sparse_axpy, (double a, const std::uint32_t* index, const double* value, std::size_t n, double* y),       \
    sparse_axpy<double>)                                                                                               \
  X(1, void, sparse_axpy_float, (double a, const std::uint32_t* index, const float* value, std::size_t n, double* y),  \
    sparse_axpy<float>)                                                                                                \
  X(8, void, sparse_dots, (const SparseEntry* row, std::size_t n, const float* w, std::size_t width, float* out),      \
    sparse_dots)                                                                                                       \
  X(8, void, sparse_axpys, (const float* a, const SparseEntry* row, std::size_t n, std::size_t width, float* y),       \
    sparse_axpys)                                                                                                      \
  X(1, void, sparse_gram_add,                                                                                          \
    (const std::uint32_t* index, const double* value, std::size_t n, double weight, double* gram,                      \
     std::size_t gram_stride),                                                                                         \
    sparse_gram_add)                                                                                                   \
  X(1, void, lockstep_dots, (const SparseEntry* row, std::size_t n, const float* w, float* out), lockstep_dots)        \
  X(1, void, lockstep_dots_exact,                                                                                      \
    (const std::uint32_t* index, const double* value, std::size_t n, const double* w, double* out),                    \
    lockstep_dots_exact)                                                                                               \
  X(1, void, lockstep_axpys_exact,                                                                                     \
    (const double* a, const std::uint32_t* index, const double* value, std::size_t n, double* y),                      \
    lockstep_axpys_exact)                                                                                              \
  X(1, bool, lockstep_logistic,                                                                                        \
    (const double* margin, double norm, double s, const double* precision, const double* wanted, double* a, double* u, \
     double* change, double* off),                                                                                     \
    lockstep_logistic)                                                                                                 \
  X(1, void, eliminate8, (const double* u, std::size_t n, const double* z, double* b), eliminate8)                     \
  X(1, void, eliminate8_dd,                                                                                            \
    (const double* u_high, const double* u_low, std::size_t n, const double* z_high, const double* z_low,              \
     double* b_high, double* b_low),                                                                                   \
    eliminate8_dd)                                                                                                     \
  X(1, void, left_out8,                                                                                                \
    (const double* s, const double* y, const double* h, const double* fitted, const double* leverage, std::size_t n,   \
     double* sums),                                                                                                    \
    left_out8)                                                                                                         \
  X(8, double, count_dot, (const std::uint32_t* entries, std::size_t n, const double* w, double* kept), count_dot)     \
  X(8, void, count_axpy, (double a, const std::uint32_t* entries, std::size_t n, const double* kept, double* y),       \
    count_axpy)                                                                                                        \
  X(1, const std::uint32_t*, sort_keys, (std::uint32_t * keys, std::size_t n, std::uint32_t * room), sort_keys)

// Pointers may be unaligned; n may be 0; inputs and outputs may be the same array but not overlap otherwise. special.h,
// dense.h, column_sums.h, sparse.h and lockstep.h describe the functions, under the same names.
struct Kernels {
  struct Function {
    void (*many)(const double* x, double* y, std::size_t n) noexcept;  // y_i = f(x_i)
    double (*one)(double x) noexcept;                                  // the same bits, faster for one number
  };

  Simd simd;
#define PLUMB_MEMBER(name, ...) Function name;
  PLUMB_FUNCTIONS(PLUMB_MEMBER)
#undef PLUMB_MEMBER
#define PLUMB_MEMBER(step, result, name, arguments, ...) result(*name) arguments noexcept;
  PLUMB_KERNELS(PLUMB_MEMBER)
#undef PLUMB_MEMBER
};

// The best table this machine can run, or the one the environment variable PLUMB_SIMD names (scalar, avx2, avx512 or
// neon). A name that is unknown (simd.h), or that this machine cannot run, is ignored: results are the same bits either
// way. Decided once, at the first call.
const Kernels& kernels() noexcept;

// The table for one instruction set; nullptr if the machine or the build lacks it.
const Kernels* kernels_for(Simd simd) noexcept;

}  // namespace plumb::math
