#include "plumb/solver/tally_rows.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "plumb/solver/stored_counts.h"

namespace plumb {

// Writes rows behind each other.
class TallyRows::Writer {
 public:
  Writer(const std::vector<std::uint32_t>& places, std::uint32_t nothing) : places_(places), nothing_(nothing) {}

  // The row, from `to` on and not beyond `end`; none where a value is no count, they add up to more than kMostTotal, or
  // there is no room.
  std::optional<Head> write(const StoredCounts& row, std::uint8_t* to, const std::uint8_t* end) {
    if (row.index.size() > kMostTotal || room_for(row.index.size()) > static_cast<std::size_t>(end - to))
      return std::nullopt;
    std::memset(to, 0, math::kTallied);
    far_.clear();
    Found found;
    row.with_counts([&](auto count) { found = write(row.index, count, to, end); });
    if (!found.fits || found.total > kMostTotal) return std::nullopt;
    const std::size_t near = static_cast<std::size_t>(found.at - to - math::kTallied) / sizeof(std::uint16_t);
    const std::size_t far = far_.size(), filled = math::filled_up(near, math::kNearStep);
    std::memset(found.at, 0xff, (filled - near) * sizeof(std::uint16_t));  // kNear
    far_.resize(math::filled_up(far, math::kFarStep), nothing_);
    if (row_bytes(near, far) > static_cast<std::size_t>(end - to)) return std::nullopt;
    std::memcpy(to + math::kTallied + filled * sizeof(std::uint16_t), far_.data(), far_.size() * sizeof(std::uint32_t));
    return Head{0,
                static_cast<std::uint16_t>(near),
                static_cast<std::uint16_t>(far),
                static_cast<std::uint8_t>(found.most),
                static_cast<std::uint8_t>(found.most_named),
                0};
  }

 private:
  struct Found {
    std::uint8_t* at = nullptr;  // where near names end
    std::uint64_t total = 0;
    std::uint32_t most = 0, most_named = 0;
    bool fits = true;
  };

  // What a row of n entries that are named at most twice takes, with what fills it up.
  static std::size_t room_for(std::size_t n) noexcept { return row_bytes(2 * n, 0) + kLine; }

  // Bytes and near names. Its variables have no address, as any byte that is written might otherwise be one of theirs.
  // Choices that depend on the word are made without a branch, which would often be guessed wrong.
  template <class Count>
  Found write(std::span<const std::uint32_t> index, Count count_at, std::uint8_t* const to, const std::uint8_t* end) {
    const std::uint32_t* const places = places_.data();
    std::uint8_t* at = to + math::kTallied;
    std::uint64_t total = 0;
    std::uint32_t most = 0, most_named = 0;
    bool fits = true;
    std::uint8_t aside = 0;
    for (std::size_t k = 0, n = index.size(); k < n; ++k) {
      const std::uint32_t place = places[index[k]], count = count_at(k);
      fits &= is_count(count);
      total += count;
      const bool tallied = place < math::kTallied;
      const std::uint32_t names = tallied ? 0 : count;
      most = std::max(most, count - names);
      most_named = std::max(most_named, names);
      if (place >= math::kFarPlaces - 1 || names > 2) {
        if (fits && total <= kMostTotal) at = name(place, names, n - k, at, end);
        fits &= at != nullptr;
        if (!fits || total > kMostTotal) break;
        continue;
      }
      *(tallied ? to + place : &aside) = static_cast<std::uint8_t>(count);
      const std::uint32_t twice = (place - static_cast<std::uint32_t>(math::kTallied)) * 0x10001U;
      std::memcpy(at, &twice, sizeof twice);  // in case it counts 2
      at += names * sizeof(std::uint16_t);
    }
    return {at, total, most, most_named, fits};
  }
  // A far one, or one that counts more than 2; `rest` entries, with it, are still to come. Where near names end then;
  // null if there is no room.
  std::uint8_t* name(std::uint32_t place, std::uint32_t names, std::size_t rest, std::uint8_t* at,
                     const std::uint8_t* end) {
    if (place >= math::kFarPlaces - 1) {
      far_.insert(far_.end(), names, static_cast<std::uint32_t>(math::tally_place(place) - math::kFarPlaces));
      return at;
    }
    if (names * sizeof(std::uint16_t) + room_for(rest) > static_cast<std::size_t>(end - at)) return nullptr;
    const auto name = static_cast<std::uint16_t>(place - math::kTallied);
    for (std::uint32_t c = 0; c < names; ++c, at += sizeof name) std::memcpy(at, &name, sizeof name);
    return at;
  }

  const std::vector<std::uint32_t>& places_;
  std::uint32_t nothing_;  // the far name of no feature
  std::vector<std::uint32_t> far_;
};

// Room for each entry to be named by 32 bits, or twice by 16, in lines of its own row.
std::uint64_t TallyRows::most_lines(std::uint64_t rows, std::uint64_t entries) noexcept {
  return rows * ((row_bytes(1, 1) + kLine) / kLine + 2) + entries * sizeof(std::uint32_t) / kLine;
}

std::uint64_t TallyRows::bytes(const Examples& examples) noexcept {
  return kLine * most_lines(examples.rows(), examples.entries()) + examples.rows() * sizeof(Head) +
         3 * sizeof(std::uint32_t) * std::uint64_t{examples.features()} +
         sizeof(std::int16_t) * math::tally_places(examples.features());
}

std::optional<TallyRows> TallyRows::of(const RowTable& rows, const Run& run) {
  const std::uint32_t features = rows.examples().features();
  if (rows.size() == 0 || !may_be_counts(rows)) return std::nullopt;
  TallyRows copy;
  // A part for each thread, as few as can be: each has more room than it needs, and leaves it untouched.
  const std::uint64_t parts = std::min<std::uint64_t>(run.executor.threads(), rows.size());
  const auto begin_of = [&](std::uint64_t part) { return rows.size() * part / parts; };
  std::vector<std::uint64_t> first(parts + 1);  // line of each part
  for (std::uint64_t p = 0; p < parts; ++p) {
    std::uint64_t entries = 0;
    for (std::uint64_t i = begin_of(p); i < begin_of(p + 1); ++i) entries += StoredCounts(rows[i]).index.size();
    first[p + 1] = first[p] + most_lines(begin_of(p + 1) - begin_of(p), entries);
  }
  if (first.back() > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  copy.places_ = places_by_use(rows);
  copy.heads_.resize(rows.size());
  copy.bytes_.reset(static_cast<std::uint8_t*>(allocate_huge(first.back() * kLine)));

  const auto nothing = static_cast<std::uint32_t>(math::tally_places(features) - 1 - math::kFarPlaces);
  std::vector<std::uint8_t> others(parts);  // whether a part has rows that cannot be copied
  run.for_each(Phase::fitting, parts, [&](std::size_t p) {
    Writer writer(copy.places_, nothing);
    std::uint64_t line = first[p];
    for (std::uint64_t i = begin_of(p); i < begin_of(p + 1); ++i) {
      const std::optional<Head> written = writer.write(StoredCounts(rows[i]), copy.bytes_.get() + line * kLine,
                                                       copy.bytes_.get() + first[p + 1] * kLine);
      if (!written) {
        others[p] = 1;
        return;
      }
      Head& head = copy.heads_[i] = *written;
      head.line = static_cast<std::uint32_t>(line);
      head.sign = static_cast<std::int8_t>(rows.target(i) == 0.0 ? -1 : 1);
      line += (row_bytes(head.near, head.far) + kLine - 1) / kLine;
    }
  });
  if (std::find(others.begin(), others.end(), 1) != others.end()) return std::nullopt;
  return copy;
}

}  // namespace plumb
