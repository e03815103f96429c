#include "plumb/data/entry_counter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "plumb/data/entry_names.h"

namespace plumb {
namespace {

constexpr std::uint32_t kNear = std::uint32_t{1} << 23;  // 64 MiB of counts at most
constexpr std::uint64_t kUnseen = std::numeric_limits<std::uint64_t>::max();

Hash hash_of(const Hash& feature, double value) {
  const std::array<std::uint64_t, 3> parts = {feature[0], feature[1], std::bit_cast<std::uint64_t>(value)};
  return digest128({reinterpret_cast<const char*>(parts.data()), sizeof parts});
}

template <class Entry, class Name>
void settle(std::vector<Entry> features, std::size_t most_levels, ColumnSummary& found, const Name& name) {
  found.distinct = features.size();
  found.entries->single = static_cast<std::uint64_t>(
      std::count_if(features.begin(), features.end(), [](const Entry& each) { return each.count == 1; }));
  keep_commonest(features, most_levels);
  for (Entry& each : features) found.commonest.push_back({name(std::move(each.key)), each.count});
}

}  // namespace

std::vector<Hash> EntryCounter::add(const Entries& entries) {
  count_features(entries);
  std::vector<Hash> names;
  names.reserve(entries.names.size());
  for (const std::string& name : entries.names) names.push_back(digest128(name));
  std::vector<Hash> rows(entries.rows());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::uint64_t count = 0;
    for (std::uint64_t i = entries.offsets[r]; i < entries.offsets[r + 1]; ++i) {
      const double value = entries.value[i];
      if (value == 0.0) continue;
      ++count;
      count_value(value);
      const std::uint32_t index = entries.index[i];
      const Hash hash = hash_of(names.empty() ? Hash{index + entries.first, 0} : names[index], value);
      // A sum, because pieces number the names of VW, and so the entries of a row, in order of appearance.
      rows[r][0] += hash[0];
      rows[r][1] += hash[1];
    }
    found_.zeros += entries.row(r).size() - count;
    found_.count += count;
    found_.least = std::min(found_.least, count);
    found_.most = std::max(found_.most, count);
  }
  return rows;
}

void EntryCounter::count_features(const Entries& entries) {
  if (!entries.names.empty()) {
    std::vector<std::uint64_t> rows(entries.names.size());
    for (std::size_t i = 0; i < entries.index.size(); ++i)
      if (entries.value[i] != 0.0) ++rows[entries.index[i]];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string& name = entries.names[i];
      names_.add(text_key(name, name.size() > kLongestText ? digest128(name) : Hash{}), rows[i]);
    }
    return;
  }
  for (std::size_t i = 0; i < entries.index.size(); ++i) {
    const std::uint32_t number = entries.index[i] + entries.first;
    const std::uint64_t held = entries.value[i] != 0.0 ? 1 : 0;
    if (number >= kNear) {
      far_.add(number, held);
      continue;
    }
    if (number >= near_.size())
      near_.resize(std::min<std::size_t>(kNear, std::max<std::size_t>(number + 1, 2 * near_.size())), kUnseen);
    near_[number] = (near_[number] == kUnseen ? 0 : near_[number]) + held;
  }
}

void EntryCounter::count_value(double value) {
  using Values = EntriesSummary::Values;
  found_.smallest = std::min(found_.smallest, value);
  found_.largest = std::max(found_.largest, value);
  found_.values = std::max(found_.values, value == 1.0                 ? Values::ones
                                          : std::trunc(value) == value ? Values::whole
                                                                       : Values::real);
}

void EntryCounter::finish(std::uint64_t rows, std::size_t most_levels, ColumnSummary& found) {
  if (rows == 0) found_.least = 0;
  if (found_.count == 0) found_.smallest = found_.largest = 0.0;
  if (rows > 0) found_.mean = static_cast<double>(found_.count) / static_cast<double>(rows);
  found.entries = found_;

  auto [far, more_numbers] = far_.take();
  auto [names, more_names] = names_.take();
  decltype(far) numbers;
  for (std::uint32_t number = 0; number < near_.size(); ++number)
    if (near_[number] != kUnseen) numbers.push_back({number, near_[number]});
  numbers.insert(numbers.end(), far.begin(), far.end());
  found.more = more_numbers || more_names || numbers.size() > limit_;
  if (found.more) {
    found.distinct = limit_;
    return;
  }
  if (names.empty()) {
    settle(std::move(numbers), most_levels, found, numbered_name);
  } else {
    settle(std::move(names), most_levels, found, shown_key);
  }
  if (found_.count > 0)
    found.entries->density =
        static_cast<double>(found_.count) / (static_cast<double>(rows) * static_cast<double>(found.distinct));
  found.look = found_.count == 0 ? Look::empty : Look::plain;
}

}  // namespace plumb
