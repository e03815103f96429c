// gram_jk = fma(s_i x_ij, x_ik, gram_jk) for i = 0, 1, ... and j >= k: tiles of the triangle in registers, rows in
// order inside a tile, columns first copied into panels so that memory is read sequentially. Every element gets the
// same operations in the same order however rows are cut into blocks, calls or tiles.

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

// A tile has up to `rows` values of j by 8 of k: 12 registers (AVX2), which hide the latency of the multiply-adds, 8
// (AVX-512) or 16 (NEON). A corner is a tile of 8 by 8 on the diagonal; half of its first 4 rows is computed: 12
// registers again. A panel has 8 columns of x, row after row, and one extra cache line: otherwise all panels would
// share the same cache sets.
struct GramTile {
  static constexpr std::size_t rows = Eight::parts == 1 ? 8 : Eight::parts == 2 ? 6 : 4;
  static constexpr std::size_t columns = 72;  // rows whose panels stay in the second-level cache
  static_assert(rows <= 8);
};

// left[j] has the numbers of row j of the tile, 8 apart.
// "+ 0.0" turns -0 into +0. An underflow may leave -0, and a later product of zero might turn it into +0 or not; since
// each call ends with +0, leaving such products out (sparse-inl.h) changes nothing.
template <std::size_t... j>
PLUMB_LANES void add_gram_tile(std::index_sequence<j...>, const double* const* lefts, const double* right,
                               std::size_t rows, double* gram, std::size_t gram_stride) {
  Eight sum[] = {Eight::load(gram + j * gram_stride)...};
  const double* const left[] = {lefts[j]...};
  for (std::size_t i = 0; i < 8 * rows; i += 8) {
    const Eight x = Eight::load(right + i);
    ((sum[j] = fma(left[j][i], x, sum[j])), ...);
  }
  ((sum[j] + 0.0).store(gram + j * gram_stride), ...);
}
template <std::size_t most>
PLUMB_LANES void add_gram_tile(std::size_t count, const double* const* left, const double* right, std::size_t rows,
                               double* gram, std::size_t gram_stride) {
  if (count == most) {
    add_gram_tile(std::make_index_sequence<most>(), left, right, rows, gram, gram_stride);
  } else if constexpr (most > 1) {
    add_gram_tile<most - 1>(count, left, right, rows, gram, gram_stride);
  }
}
HWY_NOINLINE void add_gram_tile(std::size_t count, const double* const* left, const double* right, std::size_t rows,
                                double* gram, std::size_t gram_stride) noexcept {
  add_gram_tile<GramTile::rows>(count, left, right, rows, gram, gram_stride);
}

// `left` and `right` are panels; j are the first four rows of the corner; the others follow if it is whole.
template <bool whole, std::size_t... j>
PLUMB_LANES void add_gram_corner(std::index_sequence<j...>, const double* left, const double* right, std::size_t rows,
                                 double* gram, std::size_t gram_stride) {
  using Four = Doubles<4>;
  double* const below = gram + (whole ? 4 * gram_stride : 0);
  Four sum[] = {Four::load(gram + j * gram_stride)...};
  Eight sum_below[] = {whole ? Eight::load(below + j * gram_stride) : Eight(0.0)...};
  for (std::size_t i = 0; i < 8 * rows; i += 8) {
    const Four half = Four::load(right + i);
    ((sum[j] = fma(left[i + j], half, sum[j])), ...);
    if constexpr (whole) {
      const Eight x = Eight::load(right + i);
      ((sum_below[j] = fma(left[i + 4 + j], x, sum_below[j])), ...);
    }
  }
  ((sum[j] + 0.0).store(gram + j * gram_stride), ...);
  if constexpr (whole) ((sum_below[j] + 0.0).store(below + j * gram_stride), ...);
}
HWY_NOINLINE void add_gram_corner(std::size_t columns, const double* left, const double* right, std::size_t rows,
                                  double* gram, std::size_t gram_stride) noexcept {
  if (columns > 4) {
    add_gram_corner<true>(std::make_index_sequence<4>(), left, right, rows, gram, gram_stride);
  } else {
    add_gram_corner<false>(std::make_index_sequence<4>(), left, right, rows, gram, gram_stride);
  }
}

// Calls tile(j, count) for all rows from begin to end, in tiles of similar size: a small one would wait for its own
// sums.
template <class Tile>
PLUMB_LANES void for_each_tile(std::size_t begin, std::size_t end, Tile&& tile) {
  for (std::size_t j = begin, tiles = (end - begin + GramTile::rows - 1) / GramTile::rows; tiles > 0; --tiles) {
    const std::size_t count = (end - j + tiles - 1) / tiles;
    tile(j, count);
    j += count;
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

// A corner goes through a copy, so that nothing outside the triangle is touched.
inline void add_gram_corner_by_copy(std::size_t columns, const double* left, const double* right, std::size_t rows,
                                    double* gram, std::size_t gram_stride) noexcept {
  double copy[64] = {};
  for (std::size_t j = 0; j < columns; ++j) std::copy_n(gram + j * gram_stride, j + 1, copy + 8 * j);
  add_gram_corner(columns, left, right, rows, copy, 8);
  for (std::size_t j = 0; j < columns; ++j) std::copy_n(copy + 8 * j, j + 1, gram + j * gram_stride);
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
    const auto pack_left = [&](std::size_t j, std::size_t count) {
      for (std::size_t i = 0; i < rows; ++i)
        pack(x + i * stride + j, count, weight == nullptr ? 1.0 : weight[i], left_panel + 8 * i);
    };
    for (std::size_t k = k_begin; k < k_end; k += 8) {
      const std::size_t columns = std::min<std::size_t>(8, k_end - k);
      if (weight != nullptr) pack_left(k, columns);
      add_gram_corner_by_copy(columns, weight == nullptr ? right(k) : left_panel, right(k), rows,
                              gram + k * gram_stride + k, gram_stride);
    }
    const double* left[GramTile::rows];
    const auto tile = [&](std::size_t j, std::size_t count, std::size_t k) {
      add_gram_tile(count, left, right(k), rows, gram + j * gram_stride + k, gram_stride);
    };
    // Eight rows at a time, so that a tile of weighted rows is packed once.
    for (std::size_t begin = k_begin + 8; begin < k_end; begin += 8) {
      for_each_tile(begin, std::min(k_end, begin + 8), [&](std::size_t j, std::size_t count) {
        if (weight != nullptr) pack_left(j, count);
        for (std::size_t t = 0; t < count; ++t)
          left[t] = weight == nullptr ? right(j + t) + (j + t) % 8 : left_panel + t;
        for (std::size_t k = k_begin; k < begin; k += 8) tile(j, count, k);
      });
    }
    if (k_end == p) return;
    for_each_tile(k_end, p, [&](std::size_t j, std::size_t count) {
      pack_left(j, count);
      for (std::size_t t = 0; t < count; ++t) left[t] = left_panel + t;
      for (std::size_t k = k_begin; k < k_end; k += 8) tile(j, count, k);
    });
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

// Rows of n numbers, x_j scale_j - shift_j, into the panels from their row i on.
inline void gram_pack(const double* x, std::size_t rows, const double* scale, const double* shift, std::size_t n,
                      double* panels, std::size_t i) noexcept {
  constexpr std::size_t together = 8;  // rows whose lines stay in the first-level cache
  for (std::size_t begin = 0; begin < rows; begin += together) {
    const std::size_t count = std::min(together, rows - begin);
    const double* const from = x + begin * n;
    double* to = panels + 8 * (i + begin);
    std::size_t j = 0;
    for (; j + 8 <= n; j += 8, to += kGramPanel) {
      const Eight a = Eight::load(scale + j), c = Eight::load(shift + j);
      for (std::size_t t = 0; t < count; ++t) (Eight::load(from + t * n + j) * a - c).store(to + 8 * t);
    }
    if (j + 4 <= n) {
      const Doubles<4> a = Doubles<4>::load(scale + j), c = Doubles<4>::load(shift + j);
      for (std::size_t t = 0; t < count; ++t) (Doubles<4>::load(from + t * n + j) * a - c).store(to + 8 * t);
      j += 4, to += 4;
    }
    for (; j < n; ++j, ++to) {
      const double a = scale[j], c = shift[j];
      for (std::size_t t = 0; t < count; ++t) to[8 * t] = from[t * n + j] * a - c;
    }
  }
}

// Tiles need no bounds, because the matrix has room for whole ones. While they are added, the next rows are prefetched.
inline void gram_panels_add(const double* panels, std::size_t rows, std::size_t p, const double* weight,
                            double* weighted, double* gram, std::size_t gram_stride, const double* next,
                            std::size_t count) noexcept {
  constexpr std::size_t columns = 32;  // rows whose panels stay in the first-level cache
  const std::size_t lines_at_once = count / (8 + p * p / 12) + 1;
  const double* const next_end = next + count;
  const auto fetch = [&]() PLUMB_LANES_ATTR {
    for (std::size_t line = 0; line < lines_at_once && next < next_end; ++line, next += 8)
      __builtin_prefetch(next, 0, 2);
  };
  if (weight != nullptr) {
    for (std::size_t k = 0; k < p; k += 8) {
      const double* const from = panels + k / 8 * kGramPanel;
      double* const to = weighted + k / 8 * kGramPanel;
      for (std::size_t i = 0; i < rows; ++i) (Eight(weight[i]) * Eight::load(from + 8 * i)).store(to + 8 * i);
    }
  }
  const double* const left_panels = weight == nullptr ? panels : weighted;
  const double* left[GramTile::rows];
  const auto look_at = [&](std::size_t j) PLUMB_LANES_ATTR {
    for (std::size_t t = 0; t < GramTile::rows; ++t) left[t] = left_panels + (j + t) / 8 * kGramPanel + (j + t) % 8;
  };
  const auto tile = [&](std::size_t j, std::size_t height, std::size_t k) PLUMB_LANES_ATTR {
    fetch();
    add_gram_tile(height, left, panels + k / 8 * kGramPanel, rows, gram + j * gram_stride + k, gram_stride);
  };
  for (std::size_t k_begin = 0; k_begin < p; k_begin += columns) {
    const std::size_t k_end = std::min(p, k_begin + columns);
    for (std::size_t k = k_begin; k < k_end; k += 8) {
      fetch();
      add_gram_corner(k_end - k, left_panels + k / 8 * kGramPanel, panels + k / 8 * kGramPanel, rows,
                      gram + k * gram_stride + k, gram_stride);
      if (k + 8 < k_end) {
        for_each_tile(k + 8, k_end, [&](std::size_t j, std::size_t height) PLUMB_LANES_ATTR {
          look_at(j);
          tile(j, height, k);
        });
      }
    }
    for_each_tile(k_end, p, [&](std::size_t j, std::size_t height) PLUMB_LANES_ATTR {
      look_at(j);
      for (std::size_t k = k_begin; k < k_end; k += 8) tile(j, height, k);
    });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::math
HWY_AFTER_NAMESPACE();

#endif
