// The rows of a fit as its solver sees them: the columns scaled by powers of two, a column of ones for a bias, rows
// without weight left out. Dense rows stay in place, and a few at a time are scaled for a product; so are large sparse
// ones while products are few. Otherwise sparse rows are kept by row and, once that pays, by column too, so that sums
// over rows have one owner per column and need no partial sums. Every product has the same bits for any number of
// threads; which bits depends on how many products there were before, so only one thread may call at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "plumb/base/once.h"
#include "plumb/base/run.h"
#include "plumb/base/span.h"
#include "plumb/base/unset.h"
#include "plumb/data/examples.h"

namespace plumb {

class DesignMatrix {
 public:
  // `offset`, if any, is the feature that is added to the scores as it is: its column is 0 here. `class_weights`, if
  // any, multiply the weights of the rows, one for each target. Throws Error(data) for a weight that is negative or not
  // a number, or if no row has a weight.
  DesignMatrix(const Examples& examples, bool bias, std::optional<std::uint32_t> offset, In class_weights,
               const Run& run);
  // Some rows of another, their weights times `factor`.
  DesignMatrix(const DesignMatrix& all, std::span<const std::uint32_t> rows, double factor);
  // The same rows with other targets: target[i] of row i.
  void set_targets(std::vector<double> targets) { target_ = std::move(targets); }
  // Removes the common part of a column whose values are a thousand times as large as their differences: squares of
  // numbers like 1e7 +- 1 lose the 1. The difference of two such numbers is exact, and with an unpenalised bias the
  // model is the same: b + shift.w in place of b.
  void centre();

  // The bytes that it will take.
  static std::uint64_t bytes(std::uint64_t rows, std::uint64_t entries, std::uint32_t features, bool sparse) noexcept;

  std::size_t rows() const noexcept { return rows_; }
  std::size_t columns() const noexcept { return columns_; }  // features, and the bias as the last
  bool bias() const noexcept { return bias_; }
  bool sparse() const noexcept { return sparse_; }
  std::size_t entries() const noexcept { return entries_; }
  std::uint64_t all_rows() const noexcept { return all_rows_; }  // with those without weight
  // Column j holds 2^-exponent(j) times the feature, so that its largest number is in [1/2, 1).
  int exponent(std::size_t j) const noexcept { return exponent_[j]; }
  // For the feature, before scaling; 0 unless centre() found one.
  double shift(std::size_t j) const noexcept { return shift_.empty() ? 0.0 : shift_[j]; }
  bool centred() const noexcept { return !shift_.empty(); }
  // The weights of one output in the units of the features, and back.
  std::vector<double> in_units(In w) const;
  std::vector<double> from_units(In w) const;
  // A bound on the rounding error of a score of such weights, for rows of average length.
  double score_rounding(In w) const noexcept;
  In targets() const noexcept { return target_; }
  In weights() const noexcept { return weight_; }
  In offsets() const noexcept { return offset_; }  // empty without an offset

  std::size_t blocks() const noexcept { return (rows_ + kBlockRows - 1) / kBlockRows; }
  std::size_t block_begin(std::size_t b) const noexcept { return b * kBlockRows; }
  std::size_t block_size(std::size_t b) const noexcept {
    return std::min<std::size_t>(kBlockRows, rows_ - b * kBlockRows);
  }

  // Row i; index is empty for a dense one. The first caller waits until all rows are laid out.
  Row row(std::size_t i) const {
    if (!laid_out()) lay_out(nullptr);
    if (!sparse_) return {{}, In(value_).subspan(i * columns_, columns_)};
    const std::size_t begin = row_begin_[i], count = row_begin_[i + 1] - begin;
    return {std::span(index_).subspan(begin, count), In(value_).subspan(begin, count)};
  }

  // The same for all rows at once, by all threads.
  void lay_out(const Run& run) const { lay_out(&run); }

  // Sparse rows that stayed in place: use(index, value, count), of floats or of doubles, without the bias; multiply a
  // value by the unit of its column to get that of the matrix.
  bool sparse_in_place() const noexcept { return !sparse_place_.empty() && !laid_out(); }
  template <class Use>
  void with_place(std::size_t i, Use&& use) const {
    const SparsePlace& row = sparse_place_[i];
    if (floats_)
      use(row.index, static_cast<const float*>(row.value), row.count);
    else
      use(row.index, static_cast<const double*>(row.value), row.count);
  }
  double unit(std::size_t j) const noexcept { return j < features_ ? scale_[j] : 1.0; }

  // The position of the first value of row i, row after row.
  std::size_t row_begin(std::size_t i) const noexcept { return sparse_ ? row_begin_[i] : i * columns_; }

  // The dense rows of a block, some at a time: visit(i, count, values) for scaled rows i to i + count.
  static constexpr std::size_t kChunkRows = 64;  // at most
  template <class Visit>
  void for_each_chunk(std::size_t b, Visit&& visit) const {
    const std::size_t most = std::clamp<std::size_t>(kChunkCells / columns_, 1, kChunkRows);
    UnsetVector<double> room(laid_out() ? 0 : most * columns_);
    for (std::size_t i = block_begin(b), end = i + block_size(b); i < end; i += most) {
      const std::size_t count = std::min(most, end - i);
      visit(i, count, room.empty() ? value_.data() + i * columns_ : in_room(i, count, room.data()));
    }
  }

  // Sparse rows by column: the rows in which column j is stored, ascending, and its values there. column() is
  // for after make_columns().
  struct Column {
    std::span<const std::uint32_t> row;
    In value;
  };
  void make_columns(const Run& run) const;
  Column column(std::size_t j) const noexcept {
    const std::size_t begin = column_begin_[j], count = column_begin_[j + 1] - begin;
    return {std::span(column_row_).subspan(begin, count), In(column_value_).subspan(begin, count)};
  }

  // z_ik = x_i . w_k, for `outputs` weight vectors one after the other; z goes row after row.
  void times(In w, std::size_t outputs, Out z, const Run& run) const;
  // g_k = sum_i r_ik x_i, in the same layouts.
  void transpose_times(In r, std::size_t outputs, Out g, const Run& run) const;
  // out_j = sum_i d_i x_ij^2
  void squares(In d, Out out, const Run& run) const;
  // sum_i d_i x_i x_i', the lower triangle, row-major; d may be negative.
  std::vector<double> gram(In d, const Run& run) const;
  // The number of multiplications in gram().
  double gram_cost() const noexcept { return gram_cost_; }

 private:
  struct SparsePlace {
    const std::uint32_t* index;
    const void* value;
    std::size_t count;
  };
  static constexpr std::size_t kChunkCells = 8192;  // stay in a near cache while they are used

  void find_units(const Examples& examples, std::optional<std::uint32_t> offset, const Run& run);
  void fill(const Examples& examples, std::optional<std::uint32_t> offset, In class_weights, const Run& run);
  void count_gram();
  void place_sparse(const Examples& examples, In class_weights, const Run& run);
  bool laid_out() const noexcept { return laid_out_.done(); }
  const double* in_room(std::size_t i, std::size_t count, double* room) const;
  void lay_out(const Run* run) const;
  void lay_out_sparse(std::size_t begin, std::size_t end) const;
  template <class Use>
  void for_each_value(std::size_t i, Use&& use) const;
  // Whether sums over rows go by columns: the first few do not.
  bool by_columns(const Run& run) const;
  std::size_t stripes() const noexcept { return stripe_.empty() ? 0 : stripe_.size() - 1; }
  void sparse_times(In w, std::size_t outputs, Out z, const Run& run) const;
  void sparse_transpose_times(In r, std::size_t outputs, Out g, const Run& run) const;

  bool bias_;
  bool sparse_;
  std::size_t rows_ = 0;
  std::size_t features_;
  std::size_t columns_;
  std::size_t entries_ = 0;
  bool whole_ = true;  // no sparse row stores a 0
  std::uint64_t all_rows_ = 0;
  double gram_cost_ = 0.0;
  std::vector<int> exponent_;
  std::vector<double> shift_;                         // one per column; empty: all are 0
  std::vector<std::size_t> first_row_, first_entry_;  // of each block of the examples
  std::vector<double> target_, weight_, offset_;
  // Where each row is among the examples, which are kept for it, and its scaling: x scale - lift.
  std::optional<Examples> kept_;
  UnsetVector<const double*> place_;
  UnsetVector<SparsePlace> sparse_place_;
  bool floats_ = false;  // in these places, or doubles
  std::vector<double> scale_, lift_;
  mutable Once laid_out_;  // value_ and index_ contain the rows
  mutable UnsetVector<double> value_;
  mutable UnsetVector<std::uint32_t> index_;  // for sparse rows
  std::vector<std::size_t> row_begin_;
  // Made when they are needed.
  mutable int sums_by_rows_ = 0;
  mutable UnsetVector<double> column_value_;
  mutable UnsetVector<std::uint32_t> column_row_;
  mutable std::vector<std::size_t> column_begin_;
  mutable std::vector<std::size_t> stripe_;  // columns cut into runs of about equal numbers of entries
};

}  // namespace plumb
