// A copy of sparse rows whose values are small counts, for learners that read them many times in any order: 4 bytes an
// entry, so that twice as many rows fit in the cache, and columns ordered by how many rows have them, so that the most
// used weights are adjacent. Entries of a row keep their order, and so sums over them keep their bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "plumb/base/fetch.h"
#include "plumb/base/huge_pages.h"
#include "plumb/base/run.h"
#include "plumb/data/row_table.h"

namespace plumb {

// Entries of math::count_dot (sparse.h): 256 place + count. Padding to a multiple of eight has the count 0 and the
// place after those of all features.
struct CountRow {
  std::span<const std::uint32_t> entries;
  double* kept;  // buffer for as many weights, as dot() read them
};

class CountRows {
 public:
  static constexpr std::uint32_t kMostFeatures = (std::uint32_t{1} << 24) - 1;

  // Empty if the rows are not sparse, or a value is not a whole number of 1 to kMostCount.
  static std::optional<CountRows> of(const RowTable& rows, const Run& run);

  static std::uint64_t bytes(const Examples& examples) noexcept;  // maximum size of a copy

  std::uint64_t size() const noexcept { return heads_.size() - 1; }
  std::uint64_t entries() const noexcept { return heads_.back().begin; }
  // kept: buffer for the weights of longest() entries.
  CountRow row(std::uint64_t i, double* kept) const noexcept {
    return {{entries_.get() + heads_[i].begin, heads_[i + 1].begin - heads_[i].begin}, kept};
  }
  std::uint64_t longest() const noexcept { return longest_; }
  double target(std::uint64_t i) const noexcept { return heads_[i].target; }
  double weight(std::uint64_t i) const noexcept { return weights_.empty() ? 1.0 : weights_[i]; }

  // place[j] of feature j; weights by place need one number more than there are features, 0 for padding.
  std::span<const std::uint32_t> places() const noexcept { return places_; }

  // Prefetches the position of a row, and the row itself.
  void expect_place(std::uint64_t i) const noexcept { fetch(&heads_[i]); }
  void expect(std::uint64_t i) const noexcept {
    constexpr std::uint64_t kLine = 64 / sizeof(std::uint32_t), kMost = 64 * kLine;
    const std::uint64_t begin = heads_[i].begin, size = heads_[i + 1].begin - begin;
    for (std::uint64_t k = 0; k < (size < kMost ? size : kMost); k += kLine) fetch_near(entries_.get() + begin + k);
  }

 private:
  struct Head {
    std::uint64_t begin;
    double target;
  };

  struct Release {
    void operator()(std::uint32_t* entries) const noexcept { release_huge(entries); }
  };

  CountRows() = default;

  std::vector<Head> heads_;  // one more than rows
  std::uint64_t longest_ = 0;
  std::vector<double> weights_;
  std::vector<std::uint32_t> places_;
  std::unique_ptr<std::uint32_t[], Release> entries_;
};

}  // namespace plumb
