// A copy of sparse rows of small counts for a perceptron whose weights are whole numbers: the commonest features as
// bytes, the others by names of 16 bits (plumb/math/tally.h), so that a row is some 2 bytes an entry and its score a
// sum of weights of 2 bytes. Nothing is rounded, so the order of additions is free.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "plumb/base/fetch.h"
#include "plumb/base/huge_pages.h"
#include "plumb/base/run.h"
#include "plumb/data/row_table.h"
#include "plumb/math/tally.h"

namespace plumb {

class TallyRows {
 public:
  // The counts of a row add up to no more than this, so that 32 bits hold a score of any weights of 16.
  static constexpr std::uint32_t kMostTotal = 0xffff;

  // None where rows are not sparse, a value is not a whole number of 1 to kMostCount, a row counts too much, or rare
  // features count so much that naming them as often does not pay.
  static std::optional<TallyRows> of(const RowTable& rows, const Run& run);

  static std::uint64_t bytes(const Examples& examples) noexcept;  // that a copy takes, at most

  std::uint64_t size() const noexcept { return heads_.size(); }
  math::TallyRow row(std::uint64_t i) const noexcept {
    return {bytes_.get() + begin(i), heads_[i].near, heads_[i].far};
  }
  int sign(std::uint64_t i) const noexcept { return heads_[i].sign; }  // of the target: 1, or -1 where it is 0
  // The largest counts: of features that have a byte, and of those that are named.
  int most(std::uint64_t i) const noexcept { return heads_[i].most; }
  int most_named(std::uint64_t i) const noexcept { return heads_[i].most_named; }

  // place[j] of feature j among columns; its weight is at math::tally_place of that.
  std::span<const std::uint32_t> places() const noexcept { return places_; }

  // Asks for what says where a row is, and for the row itself.
  void expect_place(std::uint64_t i) const noexcept { fetch(&heads_[i]); }
  void expect(std::uint64_t i) const noexcept {
    const std::uint8_t* const from = bytes_.get() + begin(i);
    const std::uint64_t size = row_bytes(heads_[i].near, heads_[i].far);
    for (std::uint64_t k = 0; k < (size < kMostAsked ? size : kMostAsked); k += kLine) fetch_near(from + k);
  }

 private:
  static constexpr std::uint64_t kLine = 64, kMostAsked = 64 * kLine;

  struct Head {
    std::uint32_t line;  // where the row begins
    std::uint16_t near, far;
    std::uint8_t most, most_named;
    std::int8_t sign;
  };
  struct Release {
    void operator()(std::uint8_t* bytes) const noexcept { release_huge(bytes); }
  };
  class Writer;

  TallyRows() = default;
  std::uint64_t begin(std::uint64_t i) const noexcept { return kLine * heads_[i].line; }
  static constexpr std::uint64_t row_bytes(std::uint64_t near, std::uint64_t far) noexcept {
    return math::kTallied + math::filled_up(near, math::kNearStep) * sizeof(std::uint16_t) +
           math::filled_up(far, math::kFarStep) * sizeof(std::uint32_t);
  }
  static std::uint64_t most_lines(std::uint64_t rows, std::uint64_t entries) noexcept;

  std::vector<Head> heads_;
  std::vector<std::uint32_t> places_;
  std::unique_ptr<std::uint8_t[], Release> bytes_;
};

}  // namespace plumb
