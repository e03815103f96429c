// A copy of a matrix for passes over its rows in random order: columns ordered by how many rows have them, so that the
// most used ones are adjacent in the first-level cache, and entries of 8 bytes if floats are precise enough. Rows of a
// large matrix are stored in groups; a pass then draws the order of the groups, so that it reads runs of memory and not
// single rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "plumb/base/fetch.h"
#include "plumb/base/random.h"
#include "plumb/base/run.h"
#include "plumb/base/unset.h"
#include "plumb/math/sparse.h"
#include "plumb/objective/design_matrix.h"

namespace plumb {

// Columns are multiplied by their share; that of a bias is left out if it is 0.
template <class Value>
class PackedRows {
 public:
  struct Wide {
    std::uint32_t column;
    double value;
  };
  using Entry = std::conditional_t<std::is_same_v<Value, float>, math::SparseEntry, Wide>;

  static constexpr std::size_t kCheap = 1'000'000;  // entries of a matrix whose passes cost next to nothing

  PackedRows(const DesignMatrix& x, In share, const Run& run)
      : group_(x.entries() > kCheap ? kGroup : 1),
        source_(group_ > 1 ? dealt(x.rows()) : run.random.with_stream(Stream::order, kLayout).shuffled(x.rows())),
        place_(x.columns()),
        norm_(x.rows()) {
    place_columns(x);
    begin_.reserve(x.rows() + 1);
    begin_.push_back(0);
    const std::size_t left_out = x.bias() && share[x.columns() - 1] == 0.0 ? 1 : 0;  // the last of every row
    for (const std::uint64_t i : source_)
      begin_.push_back(begin_.back() + x.row_begin(i + 1) - x.row_begin(i) - left_out);
    entries_.resize(begin_.back());
    std::vector<Column> columns(x.columns());
    const bool in_place = x.sparse_in_place();
    for (std::size_t j = 0; j < columns.size(); ++j)
      columns[j] = {static_cast<Value>(share[j] * (in_place ? x.unit(j) : 1.0)), place_[j]};
    run.for_each(Phase::fitting, x.blocks(), [&](std::size_t b) {
      for (std::size_t r = x.block_begin(b), end = r + x.block_size(b); r < end; ++r) {
        if (in_place) {
          if (r + kAhead < end)
            x.with_place(source_[r + kAhead], [](const std::uint32_t* index, const auto* value, std::size_t count) {
              for (std::size_t k = 0; k < count; k += 64 / sizeof *value) fetch(value + k);
              for (std::size_t k = 0; k < count; k += 16) fetch(index + k);
            });
          x.with_place(source_[r], [&](const std::uint32_t* index, const auto* value, std::size_t count) {
            norm_[r] = pack(index, value, count, columns.data(), entries_.data() + begin_[r]);
          });
          if (x.bias() && left_out == 0) {
            const Column bias = columns.back();
            entries_[begin_[r + 1] - 1] = {bias.place, bias.share};
            norm_[r] += static_cast<double>(bias.share) * static_cast<double>(bias.share);
          }
          continue;
        }
        if (r + kAhead < end) {
          const Row next = x.row(source_[r + kAhead]);
          for (std::size_t k = 0; k < next.value.size(); k += 8) fetch(next.value.data() + k);
          for (std::size_t k = 0; k < next.index.size(); k += 16) fetch(next.index.data() + k);
        }
        const Row row = x.row(source_[r]);
        norm_[r] = pack(row.index.empty() ? nullptr : row.index.data(), row.value.data(), row.value.size() - left_out,
                        columns.data(), entries_.data() + begin_[r]);
      }
    });
  }

  std::size_t size() const noexcept { return source_.size(); }
  std::span<const Entry> row(std::size_t r) const {
    return std::span(entries_).subspan(begin_[r], begin_[r + 1] - begin_[r]);
  }
  double norm(std::size_t r) const { return norm_[r]; }                     // the square of its length
  std::uint64_t source(std::size_t r) const { return source_[r]; }          // the row of the matrix
  std::uint32_t place(std::size_t column) const { return place_[column]; }  // of a column of the matrix
  double mean_norm() const { return std::accumulate(norm_.begin(), norm_.end(), 0.0) / static_cast<double>(size()); }

  std::size_t groups() const noexcept { return (size() + group_ - 1) / group_; }
  // The order of groups in a pass.
  std::vector<std::uint64_t> order(const Run& run, std::uint64_t pass) const {
    return run.random.with_stream(Stream::order, pass).shuffled(groups());
  }
  // meet(r) for the rows of every `step`-th of the groups from `first` on.
  template <class Meet>
  void visit(std::span<const std::uint64_t> groups, std::size_t first, std::size_t step, Meet&& meet) const {
    for (std::size_t t = first; t < groups.size(); t += step) {
      const std::size_t begin = groups[t] * group_, end = std::min(begin + group_, size());
      const std::size_t next = t + step < groups.size() ? groups[t + step] * group_ : begin;
      for (std::size_t r = begin; r < end; ++r) {
        expect(r + kAhead < end ? r + kAhead : std::min(next + (r + kAhead - end), size() - 1));
        meet(r);
      }
    }
  }

 private:
  // The data of a column that an entry needs, in one place.
  struct Column {
    Value share;
    std::uint32_t place;
  };

  // The square of its length.
  template <class From>
  static double pack(const std::uint32_t* index, const From* from, std::size_t size, const Column* columns,
                     Entry* out) {
    const auto put = [&](std::size_t k) {
      const Column column = columns[index == nullptr ? k : index[k]];
      const Value value = static_cast<Value>(from[k]) * column.share;
      out[k] = {column.place, value};
      return static_cast<double>(value) * static_cast<double>(value);
    };
    double even = 0.0, odd = 0.0;
    std::size_t k = 0;
    for (; k + 2 <= size; k += 2) {
      even += put(k);
      odd += put(k + 1);
    }
    if (k < size) even += put(k);
    return even + odd;
  }

  static constexpr std::size_t kAhead = 3;  // rows that are prefetched
  static constexpr std::size_t kCounted = 8;
  static constexpr std::size_t kGroup = 16;  // rows of a large matrix that stay together: some pages of memory
  static constexpr std::uint64_t kLayout = std::uint64_t{1} << 40;  // the draw of Stream::order that no pass uses

  // The rows as if dealt from kGroup stacks in turn: those of a group come from all over the matrix, which is read in
  // as many runs.
  static std::vector<std::uint64_t> dealt(std::uint64_t rows) {
    std::vector<std::uint64_t> order;
    order.reserve(rows);
    for (std::uint64_t t = 0; order.size() < rows; ++t)
      for (std::uint64_t stack = 0; stack < kGroup; ++stack)
        if (const std::uint64_t i = rows * stack / kGroup + t; i < rows * (stack + 1) / kGroup) order.push_back(i);
    return order;
  }

  // The most common first; in a large matrix one row in kCounted is enough to find these.
  void place_columns(const DesignMatrix& x) {
    const std::size_t step = x.entries() > kCheap ? kCounted : 1;
    std::vector<std::uint32_t> rows(x.columns());
    for (std::size_t i = 0; i < x.rows(); i += step) {
      if (x.sparse_in_place()) {
        x.with_place(i, [&](const std::uint32_t* index, const auto*, std::size_t count) {
          for (std::size_t k = 0; k < count; ++k) ++rows[index[k]];
        });
        if (x.bias()) ++rows[x.columns() - 1];
        continue;
      }
      const Row row = x.row(i);
      for (std::size_t k = 0; k < row.value.size(); ++k) ++rows[row.index.empty() ? k : row.index[k]];
    }
    // Sorted by counts, which are small numbers: first[c] is the place of the next column with c rows.
    std::vector<std::uint32_t> first(x.rows() / step + 2);
    for (const std::uint32_t each : rows) ++first[each];
    std::uint32_t before = 0;
    for (std::size_t c = first.size(); c-- > 0;) before += std::exchange(first[c], before);
    for (std::size_t j = 0; j < rows.size(); ++j) place_[j] = first[rows[j]]++;
  }

  // Its first lines; the machine prefetches those behind them.
  void expect(std::size_t r) const {
    constexpr std::size_t kLines = 40;
    const char* const from = reinterpret_cast<const char*>(entries_.data() + begin_[r]);
    const std::size_t bytes = std::min((begin_[r + 1] - begin_[r]) * sizeof(Entry), 64 * kLines);
    for (std::size_t at = 0; at < bytes; at += 64) fetch(from + at);
  }

  std::size_t group_;
  UnsetVector<Entry> entries_;
  std::vector<std::size_t> begin_;
  std::vector<std::uint64_t> source_;
  std::vector<std::uint32_t> place_;
  std::vector<double> norm_;
};

}  // namespace plumb
