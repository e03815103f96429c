// A copy of a matrix for passes that go over its rows in random order, one after the other: columns by how many rows
// have them, so that what is used most lies together in the first cache, and entries of 8 bytes where floats will do.
// Rows are laid down in random order once; a pass then draws the order of groups of them, so that it reads memory in
// runs and not a row here and a row there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "plumb/base/random.h"
#include "plumb/base/run.h"
#include "plumb/base/unset.h"
#include "plumb/math/sparse.h"
#include "plumb/objective/design_matrix.h"

namespace plumb {

// Columns are multiplied by their share; that of a bias is left out where it is 0.
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
      : source_(run.random.with_stream(Stream::order, kLayout).shuffled(x.rows())),
        place_(x.columns()),
        norm_(x.rows()),
        group_(x.entries() > kCheap ? kGroup : 1) {
    std::vector<std::uint32_t> rows(x.columns());
    for (std::size_t i = 0; i < x.rows(); ++i) {
      const Row row = x.row(i);
      for (std::size_t k = 0; k < row.value.size(); ++k) ++rows[row.index.empty() ? k : row.index[k]];
    }
    std::vector<std::uint32_t> order(x.columns());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return rows[a] > rows[b]; });
    for (std::uint32_t k = 0; k < order.size(); ++k) place_[order[k]] = k;
    begin_.reserve(x.rows() + 1);
    begin_.push_back(0);
    const std::size_t left_out = x.bias() && share[x.columns() - 1] == 0.0 ? 1 : 0;  // the last of every row
    for (const std::uint64_t i : source_) begin_.push_back(begin_.back() + x.row(i).value.size() - left_out);
    entries_.resize(begin_.back());
    run.for_each(Phase::fitting, x.blocks(), [&](std::size_t b) {
      for (std::size_t r = x.block_begin(b), end = r + x.block_size(b); r < end; ++r) {
        if (r + kAhead < end) {
          const Row next = x.row(source_[r + kAhead]);
          for (std::size_t k = 0; k < next.value.size(); k += 8) __builtin_prefetch(next.value.data() + k);
          for (std::size_t k = 0; k < next.index.size(); k += 16) __builtin_prefetch(next.index.data() + k);
        }
        const Row row = x.row(source_[r]);
        double sum = 0.0;
        for (std::size_t k = 0; k < row.value.size() - left_out; ++k) {
          const std::size_t j = row.index.empty() ? k : row.index[k];
          const auto value = static_cast<Value>(row.value[k] * share[j]);
          entries_[begin_[r] + k] = {place_[j], value};
          sum += static_cast<double>(value) * value;
        }
        norm_[r] = sum;
      }
    });
  }

  std::size_t size() const noexcept { return source_.size(); }
  std::span<const Entry> row(std::size_t r) const {
    return std::span(entries_).subspan(begin_[r], begin_[r + 1] - begin_[r]);
  }
  double norm(std::size_t r) const { return norm_[r]; }                     // the square of its length
  std::uint64_t source(std::size_t r) const { return source_[r]; }          // which row of the matrix it is
  std::uint32_t place(std::size_t column) const { return place_[column]; }  // of a column of the matrix
  double mean_norm() const { return std::accumulate(norm_.begin(), norm_.end(), 0.0) / static_cast<double>(size()); }

  // The order of groups in a pass.
  std::vector<std::uint64_t> order(const Run& run, std::uint64_t pass) const {
    return run.random.with_stream(Stream::order, pass).shuffled((size() + group_ - 1) / group_);
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
  static constexpr std::size_t kAhead = 3;   // rows that are asked for before they are needed
  static constexpr std::size_t kGroup = 16;  // rows of a large matrix that stay together: some pages of memory
  static constexpr std::uint64_t kLayout = std::uint64_t{1} << 40;  // the draw of Stream::order that no pass comes to

  // Its first lines; those behind them follow by themselves.
  void expect(std::size_t r) const {
    constexpr std::size_t kLines = 40;
    const char* const from = reinterpret_cast<const char*>(entries_.data() + begin_[r]);
    const std::size_t bytes = std::min((begin_[r + 1] - begin_[r]) * sizeof(Entry), 64 * kLines);
    for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(from + at);
  }

  UnsetVector<Entry> entries_;
  std::vector<std::size_t> begin_;
  std::vector<std::uint64_t> source_;
  std::vector<std::uint32_t> place_;
  std::vector<double> norm_;
  std::size_t group_;
};

}  // namespace plumb
