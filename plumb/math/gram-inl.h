// gram_jk = fma(s_i x_ij, x_ik, gram_jk) for i = 0, 1, ... and j >= k: tiles of the triangle in registers, rows walked
// in order inside a tile, columns first copied into panels so that the walk reads memory in a straight line. Every
// element sees the same operations in the same order however rows are cut into blocks, calls or tiles.

#if defined(PLUMB_MATH_GRAM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_MATH_GRAM_INL_H
#undef PLUMB_MATH_GRAM_INL_H
#else
#define PLUMB_MATH_GRAM_INL_H
#endif

#include "plumb/math/gram_rows.h"
#include "plumb/math/lanes-inl.h"

#include <algorithm>
#include <cstddef>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace plumb::math {
namespace HWY_NAMESPACE {

// A tile has tile_rows values of j by 8 of k: 12 registers (AVX2), which hide the latency of the multiply-adds, 8
// (AVX-512) or 16 (NEON); and small, as what a tile holds beyond the diagonal is waste. A panel has 8 columns of x, row
// after row, and one line more: else all panels would share the same cache sets.
struct GramTile {
  static constexpr std::size_t rows = Eight::parts == 1 ? 8 : Eight::parts == 2 ? 6 : 4;
  static constexpr std::size_t columns = 72;  // whose panels stay in the second cache while the tiles go by
  static_assert(rows <= 8);

  const double* left[rows];  // of each j: its numbers are 8 apart
};

// "+ 0.0" turns -0 into +0. An underflow may leave -0, which a later product that is zero would turn or not turn; as
// each call ends with +0, leaving such products out (sparse-inl.h) cannot be seen.
template <std::size_t... j>
PLUMB_LANES void add_gram_tile(std::index_sequence<j...>, const GramTile& tile, const double* right, std::size_t rows,
                               double* gram, std::size_t gram_stride) {
  Eight sum[] = {Eight::load(gram + j * gram_stride)...};
  const double* const left[] = {tile.left[j]...};
  for (std::size_t i = 0; i < 8 * rows; i += 8) {
    const Eight x = Eight::load(right + i);
    ((sum[j] = fma(left[j][i], x, sum[j])), ...);
  }
  ((sum[j] + 0.0).store(gram + j * gram_stride), ...);
}
PLUMB_LANES void add_gram_tile(const GramTile& tile, const double* right, std::size_t rows, double* gram,
                               std::size_t gram_stride) {
  add_gram_tile(std::make_index_sequence<GramTile::rows>(), tile, right, rows, gram, gram_stride);
}

// A tile that crosses the diagonal or the last row goes through a copy, so nothing outside the triangle is touched.
inline void add_gram_edge(const GramTile& tile, const double* right, std::size_t rows, std::size_t j0, std::size_t k0,
                          std::size_t p, double* gram, std::size_t gram_stride) noexcept {
  double copy[GramTile::rows * 8];
  for (std::size_t t = 0; t < GramTile::rows; ++t) Eight(0.0).store(copy + 8 * t);
  const std::size_t j_end = std::min(p, j0 + GramTile::rows);
  for (std::size_t j = std::max(j0, k0); j < j_end; ++j) {
    for (std::size_t k = k0; k <= j && k < k0 + 8; ++k) copy[(j - j0) * 8 + (k - k0)] = gram[j * gram_stride + k];
  }
  add_gram_tile(tile, right, rows, copy, 8);
  for (std::size_t j = std::max(j0, k0); j < j_end; ++j) {
    for (std::size_t k = k0; k <= j && k < k0 + 8; ++k) gram[j * gram_stride + k] = copy[(j - j0) * 8 + (k - k0)];
  }
}

// The first `count` of 8 numbers of a row, or all, and zeros, times s. s_i x_ij is rounded here, and only here.
PLUMB_LANES void pack(const double* from, std::size_t count, double s, double* to) {
  if (count >= 8) {
    (s * Eight::load(from)).store(to);
  } else {
    Eight(0.0).store(to);
    for (std::size_t t = 0; t < count; ++t) to[t] = s * from[t];
  }
}

// At most kGramRows rows.
inline void gram_add_block(const double* x, std::size_t rows, std::size_t stride, std::size_t p, const double* weight,
                           double* gram, std::size_t gram_stride, double* right_panels, double* left_panel) noexcept {
  for (std::size_t k_begin = 0; k_begin < p; k_begin += GramTile::columns) {
    const std::size_t k_end = std::min(p, k_begin + GramTile::columns);
    const auto right = [&](std::size_t k) { return right_panels + (k - k_begin) / 8 * kGramPanel; };
    for (std::size_t i = 0; i < rows; ++i) {
      const double* const row = x + i * stride;
      const double* const later = x + std::min(i + 16, rows - 1) * stride;
      for (std::size_t k = k_begin; k < k_end; k += 8) {
        __builtin_prefetch(later + k);
        pack(row + k, p - k, 1.0, right(k) + 8 * i);
      }
    }
    for (std::size_t j0 = k_begin; j0 < p; j0 += GramTile::rows) {
      const std::size_t j_end = std::min(p, j0 + GramTile::rows);
      const bool packed = weight == nullptr && j_end <= k_end;
      for (std::size_t i = 0; i < rows && !packed; ++i) {
        pack(x + i * stride + j0, j_end - j0, weight == nullptr ? 1.0 : weight[i], left_panel + 8 * i);
      }
      GramTile tile;
      for (std::size_t t = 0; t < GramTile::rows; ++t) {
        const std::size_t j = std::min(j0 + t, j_end - 1);
        tile.left[t] = packed ? right(j) + j % 8 : left_panel + (j - j0);
      }
      for (std::size_t k = k_begin; k < std::min(k_end, j_end); k += 8) {
        if (k + 7 <= j0 && j0 + GramTile::rows <= p) {
          add_gram_tile(tile, right(k), rows, gram + j0 * gram_stride + k, gram_stride);
        } else {
          add_gram_edge(tile, right(k), rows, j0, k, p, gram, gram_stride);
        }
      }
    }
  }
}

inline void gram_add(const double* x, std::size_t rows, std::size_t stride, std::size_t p, const double* weight,
                     double* gram, std::size_t gram_stride) noexcept {
  alignas(64) double right[GramTile::columns / 8 * kGramPanel];
  alignas(64) double left[kGramPanel];
  for (std::size_t i = 0; i < rows; i += kGramRows) {
    gram_add_block(x + i * stride, std::min(kGramRows, rows - i), stride, p, weight == nullptr ? nullptr : weight + i,
                   gram, gram_stride, right, left);
  }
}

// x_j scale_j - shift_j into row i of the panels.
inline void gram_pack(const double* x, const double* scale, const double* shift, std::size_t n, double* panels,
                      std::size_t i) noexcept {
  double* to = panels + 8 * i;
  std::size_t j = 0;
  for (; j + 8 <= n; j += 8, to += kGramPanel) {
    (Eight::load(x + j) * Eight::load(scale + j) - Eight::load(shift + j)).store(to);
  }
  for (; j < n; ++j) *to++ = x[j] * scale[j] - shift[j];
}

// Every tile is whole, as the matrix has room for it. A tile takes about as long as memory does to send some lines.
inline void gram_panels_add(const double* panels, std::size_t rows, std::size_t p, const double* weight, double* gram,
                            std::size_t gram_stride, const double* next, std::size_t count) noexcept {
  alignas(64) double left[kGramPanel];
  constexpr std::size_t lines_at_once = 10;
  const double* const end = next + count;
  for (std::size_t k_begin = 0; k_begin < p; k_begin += GramTile::columns) {
    for (std::size_t j0 = k_begin / GramTile::rows * GramTile::rows; j0 < p; j0 += GramTile::rows) {
      GramTile tile;
      for (std::size_t t = 0; t < GramTile::rows; ++t) {
        const double* const column = panels + (j0 + t) / 8 * kGramPanel + (j0 + t) % 8;
        tile.left[t] = weight == nullptr ? column : left + t;
        for (std::size_t i = 0; i < rows && weight != nullptr; ++i) left[8 * i + t] = weight[i] * column[8 * i];
      }
      const std::size_t k_end = std::min(j0 + GramTile::rows, std::min(p, k_begin + GramTile::columns));
      for (std::size_t k = k_begin; k < k_end; k += 8) {
        for (std::size_t line = 0; line < lines_at_once && next < end; ++line, next += 8)
          __builtin_prefetch(next, 0, 2);
        add_gram_tile(tile, panels + k / 8 * kGramPanel, rows, gram + j0 * gram_stride + k, gram_stride);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::math
HWY_AFTER_NAMESPACE();

#endif
