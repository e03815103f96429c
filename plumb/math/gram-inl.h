// gram_jk = fma(s_i x_ij, x_ik, gram_jk) for i = 0, 1, ... and j >= k: tiles of the triangle in registers, rows walked
// in order inside a tile, columns first copied into panels so that the walk reads memory in a straight line. Every
// element sees the same operations in the same order however rows are cut into blocks, calls or tiles.

#if defined(PLUMB_MATH_GRAM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_MATH_GRAM_INL_H
#undef PLUMB_MATH_GRAM_INL_H
#else
#define PLUMB_MATH_GRAM_INL_H
#endif

#include "plumb/math/lanes-inl.h"

#include <algorithm>
#include <cstddef>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace plumb::math {
namespace HWY_NAMESPACE {

// A tile has tile_rows values of j by 8 of k: 8 registers (AVX2, AVX-512) or 16 (NEON), enough to hide the latency of
// the multiply-adds, and small, as what a tile holds beyond the diagonal is waste. A panel has 8 columns of x for
// `block` rows; the right panels serve many tiles, the left one is a panel times the weights.
struct GramPanels {
  static constexpr std::size_t tile_rows = Eight::parts == 1 ? 8 : 4;
  static constexpr std::size_t block = 128;
  static constexpr std::size_t columns = 72;             // that are packed at once: 72 KiB, meant for the second cache
  static constexpr std::size_t panel = 8 * (block + 1);  // one line more: else all panels share the same cache sets

  alignas(64) double right[columns / 8 * panel];
  alignas(64) double left[panel];
};

// "+ 0.0" turns -0 into +0. An underflow may leave -0, which a later product that is zero would turn or not turn; as
// each call ends with +0, leaving such products out (sparse-inl.h) cannot be seen.
template <std::size_t... j>
PLUMB_LANES void gram_tile(std::index_sequence<j...>, const double* left, const double* right, std::size_t rows,
                           double* gram, std::size_t gram_stride) {
  Eight sum[] = {Eight::load(gram + j * gram_stride)...};
  for (std::size_t i = 0; i < rows; ++i) {
    const Eight x = Eight::load(right + 8 * i);
    ((sum[j] = fma(left[8 * i + j], x, sum[j])), ...);
  }
  ((sum[j] + 0.0).store(gram + j * gram_stride), ...);
}
using TileRows = std::make_index_sequence<GramPanels::tile_rows>;

// A tile that crosses the diagonal or the last row goes through a copy, so nothing outside the triangle is touched.
inline void gram_edge_tile(const double* left, const double* right, std::size_t rows, std::size_t j0, std::size_t k0,
                           std::size_t p, double* gram, std::size_t gram_stride) noexcept {
  double tile[GramPanels::tile_rows * 8];
  for (std::size_t t = 0; t < GramPanels::tile_rows; ++t) Eight(0.0).store(tile + 8 * t);
  const std::size_t j_end = std::min(p, j0 + GramPanels::tile_rows);
  for (std::size_t j = std::max(j0, k0); j < j_end; ++j) {
    for (std::size_t k = k0; k <= j && k < k0 + 8; ++k) tile[(j - j0) * 8 + (k - k0)] = gram[j * gram_stride + k];
  }
  gram_tile(TileRows(), left, right, rows, tile, 8);
  for (std::size_t j = std::max(j0, k0); j < j_end; ++j) {
    for (std::size_t k = k0; k <= j && k < k0 + 8; ++k) gram[j * gram_stride + k] = tile[(j - j0) * 8 + (k - k0)];
  }
}

// 8 numbers of a row, or the last `count` and zeros, times s. s_i x_ij is rounded here, and only here.
PLUMB_LANES void pack(const double* from, std::size_t count, double s, double* to) {
  if (count >= 8) {
    (s * Eight::load(from)).store(to);
  } else {
    Eight(0.0).store(to);
    for (std::size_t t = 0; t < count; ++t) to[t] = s * from[t];
  }
}

// At most `block` rows.
inline void gram_add_block(const double* x, std::size_t rows, std::size_t stride, std::size_t p, const double* weight,
                           double* gram, std::size_t gram_stride, GramPanels& panels) noexcept {
  constexpr std::size_t tile_rows = GramPanels::tile_rows;
  for (std::size_t k_begin = 0; k_begin < p; k_begin += GramPanels::columns) {
    const std::size_t k_end = std::min(p, k_begin + GramPanels::columns);
    const auto right = [&](std::size_t k) { return panels.right + (k - k_begin) / 8 * GramPanels::panel; };
    for (std::size_t i = 0; i < rows; ++i) {
      const double* const row = x + i * stride;
      const double* const later = x + std::min(i + 16, rows - 1) * stride;
      for (std::size_t k = k_begin; k < k_end; k += 8) {
        __builtin_prefetch(later + k);
        pack(row + k, p - k, 1.0, right(k) + 8 * i);
      }
    }
    for (std::size_t j8 = k_begin; j8 < p; j8 += 8) {
      const bool packed = weight == nullptr && j8 < k_end;
      const double* const left = packed ? right(j8) : panels.left;
      for (std::size_t i = 0; i < rows && !packed; ++i) {
        pack(x + i * stride + j8, p - j8, weight == nullptr ? 1.0 : weight[i], panels.left + 8 * i);
      }
      for (std::size_t k = k_begin; k < std::min(k_end, j8 + 8); k += 8) {
        for (std::size_t j = j8; j < std::min(p, j8 + 8); j += tile_rows) {
          if (k + 7 <= j && j + tile_rows <= p) {
            gram_tile(TileRows(), left + (j - j8), right(k), rows, gram + j * gram_stride + k, gram_stride);
          } else {
            gram_edge_tile(left + (j - j8), right(k), rows, j, k, p, gram, gram_stride);
          }
        }
      }
    }
  }
}

inline void gram_add(const double* x, std::size_t rows, std::size_t stride, std::size_t p, const double* weight,
                     double* gram, std::size_t gram_stride) noexcept {
  GramPanels panels;
  for (std::size_t i = 0; i < rows; i += GramPanels::block) {
    gram_add_block(x + i * stride, std::min(GramPanels::block, rows - i), stride, p,
                   weight == nullptr ? nullptr : weight + i, gram, gram_stride, panels);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::math
HWY_AFTER_NAMESPACE();

#endif
