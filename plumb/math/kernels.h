// One table of kernels per instruction set, chosen while the program runs. Tables differ in speed alone: a kernel gives
// the same bits from every table. How is in lanes-inl.h: fused multiply-adds are fused everywhere, and a sum over
// elements has 8 lanes on every machine. Most callers want special.h, dense.h and sparse.h, which call kernels().
#pragma once

#include "plumb/math/double_double.h"

#include <cstddef>
#include <cstdint>

namespace plumb::math {

enum class Simd { scalar, avx2, avx512, neon };

// "scalar", "avx2", "avx512", "neon".
const char* name(Simd simd) noexcept;

// A value of a sparse row and the column it is in.
struct SparseEntry {
  std::uint32_t column;
  float value;
};

// The least and the highest of some numbers (sparse.h).
struct IndexRange {
  std::uint32_t least = 0xffffffff;
  std::uint32_t most = 0;
};

// Adds three or seven planes of bits (planes.h): from[i] >= 0 is a plane, and ~from[i] a slot of kPlaneWords words. The
// sum, its carry and for seven the carry of carries go into slots, which may be those that were added.
constexpr std::size_t kPlaneWords = 64;
struct PlaneStep {
  std::uint32_t count;
  std::int32_t from[7];
  std::uint32_t to[3];
};

// A row of counts beside whole weights (tally.h): where it begins, and how many near and far names it has.
struct TallyRow {
  const std::uint8_t* begin;
  std::uint32_t near;
  std::uint32_t far;
};

// Pointers may be unaligned; n may be 0; inputs and outputs may be the same array but not overlap otherwise.
// What the functions do is said in special.h, dense.h, column_sums.h and sparse.h, under the same names.
struct Kernels {
  struct Function {
    void (*many)(const double* x, double* y, std::size_t n) noexcept;  // y_i = f(x_i)
    double (*one)(double x) noexcept;                                  // the same bits, sooner for one number
  };

  Simd simd;

  Function exp;
  Function expm1;
  Function log;
  Function log1p;
  Function sigmoid;
  Function log_sigmoid;
  Function log1p_exp;
  double (*log_sum_exp)(const double* x, std::size_t n) noexcept;
  void (*odds_losses)(const double* odds, const double* targets, double* loss, double* brier, double* confidence,
                      std::size_t n) noexcept;
  void (*softmax)(const double* x, double* y, std::size_t n) noexcept;

  double (*sum)(const double* x, std::size_t n) noexcept;
  double (*dot)(const double* a, const double* b, std::size_t n) noexcept;
  DoubleDouble (*dot2)(const double* a, const double* b, std::size_t n) noexcept;
  void (*axpy)(double a, const double* x, double* y, std::size_t n) noexcept;
  void (*scale)(double a, double* y, std::size_t n) noexcept;
  // y_i = x_i scale_i - shift_i, each step rounded.
  void (*scale_shift)(const double* x, const double* scale, const double* shift, double* y, std::size_t n) noexcept;

  void (*gram_add)(const double* x, std::size_t rows, std::size_t stride, std::size_t p, const double* weight,
                   double* gram, std::size_t gram_stride) noexcept;
  void (*gram_pack)(const double* x, std::size_t rows, const double* scale, const double* shift, std::size_t n,
                    double* panels, std::size_t row) noexcept;
  // `weighted` is room for as much as the panels, where there are weights. Meanwhile fetches the `count` numbers from
  // `next` on; none may be there.
  void (*gram_panels_add)(const double* panels, std::size_t rows, std::size_t p, const double* weight, double* weighted,
                          double* gram, std::size_t gram_stride, const double* next, std::size_t count) noexcept;
  void (*transpose_times_add)(const double* x, std::size_t rows, std::size_t stride, std::size_t p, const double* r,
                              double* out) noexcept;
  void (*transpose_times_dd_add)(const double* x, std::size_t rows, std::size_t stride, std::size_t p,
                                 const double* r_high, const double* r_low, double* out_high, double* out_low) noexcept;
  void (*residuals)(const double* x, std::size_t rows, std::size_t stride, std::size_t p, const double* w_high,
                    const double* w_low, DoubleDouble bias, const double* y, double* r_high, double* r_low) noexcept;

  void (*moments_about_add)(const double* const* row, std::size_t step, std::size_t rows, std::size_t p,
                            const double* about, double* sums, double* plain, double* counted, const double* next,
                            std::size_t stride) noexcept;
  void (*weighted_moments_add)(const double* row, std::size_t step, std::size_t p, double weight, const double* about,
                               double* sums) noexcept;
  void (*dots)(const double* x, std::size_t rows, std::size_t stride, std::size_t p, const double* w,
               double* out) noexcept;
  void (*times8)(const double* a, std::size_t rows, std::size_t n, const double* b, double* out) noexcept;
  double (*sparse_dot)(const std::uint32_t* index, const double* value, std::size_t n, const double* w) noexcept;
  double (*sparse_dot_float)(const std::uint32_t* index, const float* value, std::size_t n, const double* w) noexcept;
  double (*sparse_dot_byte)(const std::uint32_t* index, const std::uint8_t* value, std::size_t n,
                            const double* w) noexcept;
  double (*sparse_sum)(const std::uint32_t* index, std::size_t n, const double* w) noexcept;
  void (*sparse_sums)(const std::uint32_t* index, const std::uint64_t* offsets, std::size_t rows, const double* w,
                      double* out) noexcept;
  IndexRange (*index_range)(const std::uint32_t* index, std::size_t n) noexcept;
  DoubleDouble (*sparse_dot2)(const std::uint32_t* index, const double* value, std::size_t n, const double* w) noexcept;
  void (*sparse_axpy)(double a, const std::uint32_t* index, const double* value, std::size_t n, double* y) noexcept;
  void (*sparse_axpy_float)(double a, const std::uint32_t* index, const float* value, std::size_t n,
                            double* y) noexcept;
  void (*sparse_dots)(const SparseEntry* row, std::size_t n, const float* w, std::size_t width, float* out) noexcept;
  void (*sparse_axpys)(const float* a, const SparseEntry* row, std::size_t n, std::size_t width, float* y) noexcept;
  void (*sparse_gram_add)(const std::uint32_t* index, const double* value, std::size_t n, double weight, double* gram,
                          std::size_t gram_stride) noexcept;

  // Of eight fits side by side (lockstep.h).
  void (*lockstep_dots)(const SparseEntry* row, std::size_t n, const float* w, float* out) noexcept;
  void (*lockstep_dots_exact)(const std::uint32_t* index, const double* value, std::size_t n, const double* w,
                              double* out) noexcept;
  void (*lockstep_axpys_exact)(const double* a, const std::uint32_t* index, const double* value, std::size_t n,
                               double* y) noexcept;
  bool (*lockstep_logistic)(const double* margin, double norm, double s, const double* precision, const double* wanted,
                            double* a, double* u, double* change, double* off) noexcept;

  // b_j -= u_j z for n rows b_j of 8 numbers: one step of eight triangular solves at once.
  void (*eliminate8)(const double* u, std::size_t n, const double* z, double* b) noexcept;
  // The same in double-double, with the steps of DoubleDouble.
  void (*eliminate8_dd)(const double* u_high, const double* u_low, std::size_t n, const double* z_high,
                        const double* z_low, double* b_high, double* b_low) noexcept;

  double (*sparse_dot_ahead)(const std::uint32_t* index, const float* value, std::size_t n, const double* w,
                             const std::uint32_t* next_index, const float* next_value, std::size_t next) noexcept;
  void (*left_out8)(const double* s, const double* y, const double* h, const double* fitted, const double* leverage,
                    std::size_t n, double* sums) noexcept;
  void (*add_planes)(const PlaneStep* steps, std::size_t n, const std::uint64_t* planes, std::size_t stride,
                     std::uint64_t* slots, std::size_t words) noexcept;
  void (*planes_to_numbers)(const std::uint64_t* const* planes, std::size_t count, const std::uint64_t* negative,
                            const std::int32_t* start, std::size_t rows, std::int32_t* numbers) noexcept;
  double (*count_dot)(const std::uint32_t* entries, std::size_t n, const double* w, double* kept) noexcept;
  void (*count_axpy)(double a, const std::uint32_t* entries, std::size_t n, const double* kept, double* y) noexcept;
  const std::uint32_t* (*sort_keys)(std::uint32_t* keys, std::size_t n, std::uint32_t* room) noexcept;
  std::int32_t (*tally_score)(const TallyRow& row, const std::int16_t* w) noexcept;
  void (*tally_move)(const TallyRow& row, int sign, std::int16_t* w) noexcept;
};

// The best table this machine can run, or the one the environment variable PLUMB_SIMD names (scalar, avx2, avx512 or
// neon). A name that is unknown (simd.h), or that this machine cannot run, is ignored: results are the same bits either
// way. Decided once, at the first call.
const Kernels& kernels() noexcept;

// The table for one instruction set; nullptr where the machine or the build lacks it.
const Kernels* kernels_for(Simd simd) noexcept;

}  // namespace plumb::math
