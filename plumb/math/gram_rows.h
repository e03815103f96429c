// The Gram matrix of rows that arrive in groups, scaled and shifted on their way: the rows wait in panels of 8 columns,
// as the tiles of gram-inl.h read them, and are added 64 at a time. The bits are those of gram_add (dense.h).
#pragma once

#include "plumb/math/kernels.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace plumb::math {

inline constexpr std::size_t kGramRows = 64;                    // at most, in a panel
inline constexpr std::size_t kGramPanel = 8 * (kGramRows + 1);  // numbers from one panel to the next

class GramRows {
 public:
  // The matrix it keeps is twice as large as the triangle: for few columns.
  static constexpr std::size_t kMostColumns = 1024;

  GramRows(std::size_t columns, bool weighted, const Kernels& kernels = math::kernels())
      : columns_(columns),
        stride_(room(columns)),
        kernels_(kernels),
        panels_(room(columns) / 8 * kGramPanel),
        weighted_(weighted ? panels_.size() : 0),
        weights_(weighted ? kGramRows : 0),
        gram_(stride_ * stride_) {}

  // Rows of n numbers, one after the other: x_j scale_j - shift_j, each step rounded, and then, for each row, its part
  // of `more`; `columns` numbers in all. `weight` is read only if there are weights.
  void add(const double* x, std::size_t rows, const double* scale, const double* shift, std::size_t n,
           const double* more, const double* weight) {
    const std::size_t others = columns_ - n;
    for (std::size_t done = 0, count = 0; done < rows; done += count) {
      count = std::min(rows - done, kGramRows - rows_);
      kernels_.gram_pack(x + done * n, count, scale, shift, n, panels_.data(), rows_);
      for (std::size_t k = 0; k < others; ++k) {
        double* const to = panels_.data() + (n + k) / 8 * kGramPanel + 8 * rows_ + (n + k) % 8;
        for (std::size_t i = 0; i < count; ++i) to[8 * i] = more[(done + i) * others + k];
      }
      if (weights_.size() > 0) std::copy_n(weight + done, count, weights_.data() + rows_);
      rows_ += count;
      if (rows_ == kGramRows) flush(x + (done + count) * n, kGramRows * n);
    }
  }
  void flush() { flush(nullptr, 0); }
  // After flush(), for j >= k.
  double sum(std::size_t j, std::size_t k) const { return gram_[j * stride_ + k]; }

 private:
  // Rows are often consecutive: prefetches `count` numbers from `next` on; the addresses need not be valid.
  void flush(const double* next, std::size_t count) {
    kernels_.gram_panels_add(panels_.data(), rows_, columns_, weights_.size() == 0 ? nullptr : weights_.data(),
                             weighted_.data(), gram_.data(), stride_, next, count);
    rows_ = 0;
  }
  // Whole panels, and at least one number beyond the reach of the last tile.
  static std::size_t room(std::size_t columns) { return (columns + 7) / 8 * 8 + 8; }

  // Zeros, aligned to cache lines.
  class Numbers {
   public:
    explicit Numbers(std::size_t size) : lines_((size + 7) / 8), size_(size) {}
    std::size_t size() const { return size_; }
    double* data() { return lines_.empty() ? nullptr : lines_.front().number; }
    double operator[](std::size_t i) const { return lines_[i / 8].number[i % 8]; }

   private:
    struct alignas(64) Line {
      double number[8];
    };
    std::vector<Line> lines_;
    std::size_t size_;
  };

  std::size_t columns_;
  std::size_t stride_;
  const Kernels& kernels_;
  std::size_t rows_ = 0;
  Numbers panels_;    // numbers beyond the columns are 0
  Numbers weighted_;  // buffer for the panels times the weights
  Numbers weights_;
  Numbers gram_;
};

}  // namespace plumb::math
