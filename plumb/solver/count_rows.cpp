#include "plumb/solver/count_rows.h"

#include <algorithm>

#include "plumb/solver/stored_counts.h"

namespace plumb {
namespace {

constexpr std::uint64_t kBlock = 4096;  // rows that one thread copies at a time
constexpr std::uint64_t kEight = 8;

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
