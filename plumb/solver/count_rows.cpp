#include "plumb/solver/count_rows.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace plumb {
namespace {

constexpr std::uint64_t kBlock = 4096;  // rows that one thread copies at a time
constexpr std::uint64_t kEight = 8;

constexpr std::uint32_t kMostCount = 255;

// The count of a value; outside 1 to kMostCount if it is not one. A float of 2^23 and more has no fractional digits,
// and its lowest bits are the number.
std::uint32_t count_of(float value) noexcept {
  constexpr float kWhole = 0x1p23F;
  const float moved = value + kWhole;
  const std::uint32_t count = std::bit_cast<std::uint32_t>(moved) - std::bit_cast<std::uint32_t>(kWhole);
  return moved - kWhole == value ? count : 0;
}
bool is_count(std::uint32_t count) noexcept { return count - 1 < kMostCount; }

struct StoredCounts {
  std::span<const std::uint32_t> index;
  const float* value;          // or bytes
  const std::uint8_t* counts;  // or empty: all are 1

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

// Whether rows are sparse and the first of them contain counts: most other data differ already there.
bool may_be_counts(const RowTable& rows) noexcept {
  constexpr std::uint64_t kFirst = 16;
  bool fits = rows.floats();
  for (std::uint64_t i = 0; fits && i < std::min(rows.size(), kFirst); ++i)
    StoredCounts(rows[i]).for_each([&](std::uint32_t, std::uint32_t count) { fits &= is_count(count); });
  return fits;
}

// place[j] of feature j: the most common first, so that the most used weights are adjacent. With many rows one in
// kCounted shows well enough which features are common.
std::vector<std::uint32_t> places_by_use(const RowTable& rows) {
  constexpr std::uint64_t kFew = 4096, kCounted = 8;
  const std::uint64_t step = rows.size() > kFew ? kCounted : 1;
  std::vector<std::uint32_t> found(rows.examples().features());
  for (std::uint64_t i = 0; i < rows.size(); i += step)
    for (const std::uint32_t j : StoredCounts(rows[i]).index) ++found[j];
  // Sorted by counts, which are small numbers: first[c] is the place of the next feature with c rows.
  std::vector<std::uint32_t> first(rows.size() / step + 2);
  for (const std::uint32_t each : found) ++first[each];
  std::uint32_t before = 0;
  for (std::size_t c = first.size(); c-- > 0;) before += std::exchange(first[c], before);
  std::vector<std::uint32_t> places(found.size());
  for (std::size_t j = 0; j < found.size(); ++j) places[j] = first[found[j]]++;
  return places;
}

std::uint64_t filled_up(std::uint64_t entries) noexcept { return (entries + kEight - 1) / kEight * kEight; }

}  // namespace

std::uint64_t CountRows::bytes(const Examples& examples) noexcept {
  return (examples.entries() + (kEight - 1) * examples.rows()) * sizeof(std::uint32_t) +
         examples.rows() * (sizeof(Head) + sizeof(double)) +
         3 * sizeof(std::uint32_t) * std::uint64_t{examples.features()};
}

std::optional<CountRows> CountRows::of(const RowTable& rows, const Run& run) {
  const std::uint32_t features = rows.examples().features();
  if (rows.size() == 0 || features > kMostFeatures || !may_be_counts(rows)) return std::nullopt;
  CountRows copy;
  copy.heads_.reserve(rows.size() + 1);
  std::uint64_t entries = 0;
  for (std::uint64_t i = 0; i < rows.size(); ++i) {
    copy.heads_.push_back({entries, rows.target(i)});
    const std::uint64_t size = filled_up(StoredCounts(rows[i]).index.size());
    copy.longest_ = std::max(copy.longest_, size);
    entries += size;
  }
  copy.heads_.push_back({entries, 0.0});
  if (rows.examples().weighted())
    for (std::uint64_t i = 0; i < rows.size(); ++i) copy.weights_.push_back(rows.weight(i));
  copy.places_ = places_by_use(rows);
  copy.entries_.reset(static_cast<std::uint32_t*>(allocate_huge(entries * sizeof(std::uint32_t))));

  const std::uint64_t blocks = (rows.size() + kBlock - 1) / kBlock;
  std::vector<std::uint8_t> others(blocks);  // whether a block has other values
  run.for_each(Phase::fitting, blocks, [&](std::size_t b) {
    bool fits = true;
    for (std::uint64_t i = b * kBlock, end = std::min(i + kBlock, rows.size()); i < end && fits; ++i) {
      std::uint32_t* const to = copy.entries_.get() + copy.heads_[i].begin;
      const StoredCounts row(rows[i]);
      const std::size_t size = row.index.size();
      fits = row.with_counts([&, index = row.index.data(), places = copy.places_.data()](auto count) {
        bool counts = true;
        for (std::size_t k = 0; k < size; ++k) {
          counts &= is_count(count(k));
          to[k] = places[index[k]] << 8 | count(k);
        }
        return counts;
      });
      std::fill(to + size, to + filled_up(size), features << 8);
    }
    others[b] = fits ? 0 : 1;
  });
  if (std::find(others.begin(), others.end(), 1) != others.end()) return std::nullopt;
  return copy;
}

}  // namespace plumb
