// The Gram matrix of rows that come one by one, scaled and shifted on their way: the rows wait in panels of 8 columns,
// as the tiles of gram-inl.h read them, and are added 64 at a time. Bits as those of gram_add (dense.h).
#pragma once

#include "plumb/math/kernels.h"

#include <cstddef>
#include <initializer_list>
#include <vector>

namespace plumb::math {

inline constexpr std::size_t kGramRows = 64;                    // at most, in a panel
inline constexpr std::size_t kGramPanel = 8 * (kGramRows + 1);  // numbers from one panel to the next

class GramRows {
 public:
  // The matrix it keeps is larger than the triangle by as much again: for few columns.
  static constexpr std::size_t kMostColumns = 1024;

  GramRows(std::size_t columns, bool weighted, const Kernels& kernels = math::kernels())
      : columns_(columns),
        stride_(room(columns)),
        kernels_(kernels),
        panels_(room(columns) / 8 * kGramPanel),
        weights_(weighted ? kGramRows : 0),
        gram_(stride_ * stride_) {}

  // A row: x_j scale_j - shift_j for j < n, each step rounded, and then `more`; `columns` numbers in all.
  void add(const double* x, const double* scale, const double* shift, std::size_t n, std::initializer_list<double> more,
           double weight) {
    kernels_.gram_pack(x, scale, shift, n, panels_.data(), rows_);
    std::size_t column = n;
    for (const double each : more) {
      panels_[column / 8 * kGramPanel + 8 * rows_ + column % 8] = each;
      ++column;
    }
    if (!weights_.empty()) weights_[rows_] = weight;
    if (++rows_ == kGramRows) flush(x + n, kGramRows * n);
  }
  void flush() { flush(nullptr, 0); }
  // After flush(), for j >= k.
  double sum(std::size_t j, std::size_t k) const { return gram_[j * stride_ + k]; }

 private:
  // Rows often follow each other: `count` numbers from `next` on will be wanted, if they are there.
  void flush(const double* next, std::size_t count) {
    kernels_.gram_panels_add(panels_.data(), rows_, columns_, weights_.empty() ? nullptr : weights_.data(),
                             gram_.data(), stride_, next, count);
    rows_ = 0;
  }
  // Whole panels, and at least one number more than the last tile may reach.
  static std::size_t room(std::size_t columns) { return (columns + 7) / 8 * 8 + 8; }

  std::size_t columns_;
  std::size_t stride_;
  const Kernels& kernels_;
  std::size_t rows_ = 0;
  std::vector<double> panels_;  // what lies beyond the columns is 0
  std::vector<double> weights_;
  std::vector<double> gram_;
};

}  // namespace plumb::math
