// Sparse rows whose values may be small whole numbers, as they are stored: what the copies of such rows are made from
// (count_rows.h, tally_rows.h).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plumb/data/row_table.h"

namespace plumb {

constexpr std::uint32_t kMostCount = 255;

// The count that a value is; not from 1 to kMostCount where it is none. A float of 2^23 and more has no digits behind
// the point, and its lowest bits are the number.
inline std::uint32_t count_of(float value) noexcept {
  constexpr float kWhole = 0x1p23F;
  const float moved = value + kWhole;
  const std::uint32_t count = std::bit_cast<std::uint32_t>(moved) - std::bit_cast<std::uint32_t>(kWhole);
  return moved - kWhole == value ? count : 0;
}
inline bool is_count(std::uint32_t count) noexcept { return count - 1 < kMostCount; }

struct StoredCounts {
  std::span<const std::uint32_t> index;
  const float* value;          // or bytes
  const std::uint8_t* counts;  // or none: all are 1

  explicit StoredCounts(const RowTable::Place& place) noexcept {
    const Piece& piece = *place.piece;
    const std::uint64_t begin = piece.offsets[place.row], size = piece.offsets[place.row + 1] - begin;
    const std::span<const float> floats = piece.values.floats();
    const std::span<const std::uint8_t> bytes = piece.values.counts();
    index = std::span(piece.index).subspan(begin, size);
    value = floats.empty() ? nullptr : floats.data() + begin;
    counts = bytes.empty() ? nullptr : bytes.data() + begin;
  }

  // use(count), where count(k) is that of entry k.
  template <class Use>
  auto with_counts(Use use) const {
    if (value != nullptr) return use([from = value](std::size_t k) { return count_of(from[k]); });
    if (counts != nullptr) return use([from = counts](std::size_t k) { return std::uint32_t{from[k]}; });
    return use([](std::size_t) { return std::uint32_t{1}; });
  }
  // use(j, count) for each entry, in order.
  template <class Use>
  void for_each(Use use) const {
    with_counts([&](auto count) {
      for (std::size_t k = 0; k < index.size(); ++k) use(index[k], count(k));
    });
  }
};

// Whether rows are sparse and the first of them of counts: most data that are not, say so there.
bool may_be_counts(const RowTable& rows) noexcept;

// place[j] of feature j: those of most rows come first, so that weights that are used most lie together.
std::vector<std::uint32_t> places_by_use(const RowTable& rows);

}  // namespace plumb
