#include "plumb/feature/learn_entries.h"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "plumb/data/entry_names.h"
#include "plumb/feature/feature_map.h"
#include "plumb/math/sparse.h"

namespace plumb {
namespace {

// For all entries; empty if there are none, if they have names, or if there are more than can be features.
std::optional<math::IndexRange> numbers_of_entries(const Tables& tables, std::size_t column, const Run& run) {
  for (const Table& table : tables.pieces)
    if (!table.columns[column].entries.names.empty()) return {};
  std::vector<math::IndexRange> of_piece(tables.pieces.size());
  run.executor.for_each(of_piece.size(), [&](std::size_t i) {
    const Entries& entries = tables.pieces[i].columns[column].entries;
    const Entries::Order* const order = entries.order();
    math::IndexRange& range = of_piece[i];
    range = order != nullptr ? math::IndexRange{order->least, order->most} : math::index_range(entries.index);
    if (range.least > range.most) return;
    range.least += entries.first;
    range.most += entries.first;
  });
  math::IndexRange all;
  for (const math::IndexRange& each : of_piece) {
    all.least = std::min(all.least, each.least);
    all.most = std::max(all.most, each.most);
  }
  if (all.least > all.most || all.most >= Wishes::kMostNumbers) return {};
  return all;
}

// The content of a column of entries in some pieces.
struct SeenEntries {
  static constexpr std::uint32_t kNear = std::uint32_t{1} << 26;

  std::vector<std::uint8_t> near;  // numbers below kNear: whether they occur
  std::set<std::uint32_t> far;     // all other numbers
  std::set<std::string_view> names;

  void add(const Table& table, std::size_t column, const RowSet& rows, bool every_row) {
    const Entries& entries = table.columns[column].entries;
    if (entries.names.empty()) {
      if (every_row) return mark(entries.index, entries.first);
      for (std::uint64_t row = 0; row < table.rows; ++row)
        if (rows.has(table.first_row + row)) mark(entries.row(row), entries.first);
      return;
    }
    std::vector<bool> used(entries.names.size());
    for (std::uint64_t row = 0; row < table.rows; ++row)
      if (rows.has(table.first_row + row))
        for (const std::uint32_t index : entries.row(row)) used[index] = true;
    for (std::size_t i = 0; i < used.size(); ++i)
      if (used[i]) names.insert(entries.names[i]);
  }
  void add(SeenEntries other) {
    if (near.size() < other.near.size()) near.swap(other.near);
    for (std::size_t i = 0; i < other.near.size(); ++i) near[i] |= other.near[i];
    far.merge(other.far);
    names.merge(other.names);
  }

 private:
  void mark(std::span<const std::uint32_t> indices, std::uint32_t first) {
    std::uint8_t* marks = near.data();
    std::size_t room = near.size();
    for (const std::uint32_t index : indices) {
      const std::uint32_t number = index + first;
      if (number < room) {
        marks[number] = 1;
        continue;
      }
      if (number >= kNear) {
        far.insert(number);
        continue;
      }
      near.resize(std::clamp<std::size_t>(2 * room, std::size_t{number} + 1, kNear));
      near[number] = 1;
      marks = near.data();
      room = near.size();
    }
  }
};

}  // namespace

std::vector<std::string> names_of_entries(const Tables& tables, std::size_t column, const RowSet& rows,
                                          std::optional<std::uint32_t> every, const Run& run) {
  const bool every_row = rows.count() == tables.rows;
  if (every && *every <= Wishes::kMostNumbers && every_row)
    if (const std::optional<math::IndexRange> range = numbers_of_entries(tables, column, run)) {
      std::vector<std::string> all;
      for (std::uint32_t number = range->least == 0 ? 0 : 1; number <= std::max(range->most, *every); ++number)
        all.push_back(numbered_name(number));
      return all;
    }
  // A part of the pieces for each thread; the result is a set, so the cuts do not matter. Each may take kNear bytes, so
  // there are few.
  constexpr std::size_t kMostParts = 8;
  const std::size_t threads = std::min<std::size_t>(run.executor.threads(), kMostParts);
  std::vector<SeenEntries> parts(std::clamp<std::size_t>(tables.pieces.size(), 1, threads));
  run.executor.for_each(parts.size(), [&](std::size_t part) {
    const std::size_t begin = part * tables.pieces.size() / parts.size();
    const std::size_t end = (part + 1) * tables.pieces.size() / parts.size();
    for (std::size_t i = begin; i < end; ++i) parts[part].add(tables.pieces[i], column, rows, every_row);
  });
  SeenEntries seen = std::move(parts.front());
  for (std::size_t part = 1; part < parts.size(); ++part) seen.add(std::move(parts[part]));
  std::vector<std::uint8_t>& near = seen.near;
  while (!near.empty() && near.back() == 0) near.pop_back();
  if (every && seen.names.empty() && seen.far.empty() &&
      std::max<std::size_t>(near.size(), *every) <= Wishes::kMostNumbers) {
    const std::uint8_t zero = near.empty() ? 0 : near[0];
    near.assign(std::max(near.size(), std::size_t{*every} + 1), 1);
    near[0] = zero;
  }
  std::vector<std::string> all(seen.names.begin(), seen.names.end());
  for (std::uint32_t number = 0; number < near.size(); ++number)
    if (near[number] != 0) all.push_back(numbered_name(number));
  for (const std::uint32_t number : seen.far) all.push_back(numbered_name(number));
  return all;
}

}  // namespace plumb
