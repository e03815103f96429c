// What the codes and entries of a piece are among the levels that a map knows.
#include <algorithm>

#include "plumb/data/entry_names.h"
#include "plumb/feature/feature_map_content.h"

namespace plumb {
namespace {

// Rows of weight 0 are not there.
bool counts(const Column* weights, std::uint64_t row) { return weights == nullptr || weights->numbers[row] != 0.0; }

// Takes `first` from every number. How many of them were not above the one before; or more, if some are 2^31 or above.
std::uint64_t take_off(std::uint32_t first, std::vector<std::uint32_t>& numbers) {
  constexpr std::size_t kRun = 16;  // so that the compiler uses wide registers
  std::uint64_t descents = 0;
  std::uint32_t bits = 0;
  std::size_t end = numbers.size();
  for (; end > kRun; end -= kRun) {
    std::uint32_t* const some = numbers.data() + (end - kRun);
    const std::uint32_t* const before = some - 1;
    std::uint32_t count = 0;
    for (std::size_t k = 0; k < kRun; ++k) {
      count += (some[k] - before[k] - 1) >> 31;  // of numbers below 2^31 the sign of the difference
      bits |= some[k];
    }
    for (std::size_t k = 0; k < kRun; ++k) some[k] -= first;
    descents += count;
  }
  for (; end > 0; --end) {
    descents += end > 1 && numbers[end - 1] <= numbers[end - 2] ? 1 : 0;
    bits |= numbers[end - 1];
    numbers[end - 1] -= first;
  }
  return descents + (bits >> 31 != 0 ? numbers.size() + 1 : 0);
}

}  // namespace

std::uint32_t FeatureMap::Content::place_of(std::size_t input, std::string_view level) const {
  if (parts.inputs[input].kind == Kind::sparse && numbered[input].ascend()) {
    const std::optional<std::uint32_t> number = number_in_name(level);
    return number ? numbered[input].find(*number) : kNoFeature;
  }
  const auto found = level_of[input].find(level);
  return found == level_of[input].end() ? kNoFeature : found->second;
}

std::vector<std::uint32_t> FeatureMap::Content::levels_of_codes(std::size_t input, const Table& table,
                                                                const Column& column, const Column* weights,
                                                                Unseen& unseen) const {
  std::vector<std::uint32_t> levels;
  bool all_seen = true;
  for (const std::string& level : column.levels) {
    levels.push_back(place_of(input, level));
    all_seen = all_seen && levels.back() != kNoFeature;
  }
  for (std::uint64_t row = 0; row < table.rows && !all_seen; ++row) {
    const std::uint32_t code = column.codes[row];
    if (levels[code] != kNoFeature || !counts(weights, row) || ++unseen.values > 1) continue;
    unseen.first = parts.inputs[input].name + "=" + column.levels[code];
    unseen.row = table.first_row + row;
  }
  return levels;
}

std::vector<std::uint32_t> FeatureMap::Content::places_of_entries(std::size_t input, const Table& table,
                                                                  const Entries& entries, const Column* weights,
                                                                  Unseen& unseen) const {
  std::vector<std::uint32_t> place_of_name;
  for (const std::string& name : entries.names) place_of_name.push_back(place_of(input, name));
  std::vector<std::uint32_t> places(entries.index.size());
  bool all_seen = true;
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i] = entries.names.empty() ? numbered[input].find(entries.index[i]) : place_of_name[entries.index[i]];
    all_seen &= places[i] != kNoFeature;
  }
  for (std::uint64_t row = 0; row < table.rows && !all_seen; ++row)
    for (std::uint64_t i = entries.offsets[row]; i < entries.offsets[row + 1]; ++i) {
      if (places[i] != kNoFeature || !counts(weights, row) || ++unseen.values > 1) continue;
      unseen.first = entries.names.empty() ? numbered_name(entries.index[i]) : entries.names[entries.index[i]];
      unseen.row = table.first_row + row;
    }
  return places;
}

bool FeatureMap::Content::make_places(std::size_t input, Entries& entries) const {
  const std::optional<NumberedNames::Run>& run = numbered[input].run();
  if (!run || !entries.names.empty()) return false;
  // Rows whose numbers ascend begin with their least and end with their highest.
  std::vector<std::uint32_t>& numbers = entries.index;
  std::uint64_t between_rows = 0;
  for (std::size_t r = 0; r < entries.rows(); ++r) {
    const std::uint64_t begin = entries.offsets[r], end = entries.offsets[r + 1];
    if (begin == end) continue;
    if (numbers[begin] < run->first || numbers[end - 1] > run->last) return false;
    if (begin > 0 && numbers[begin] <= numbers[begin - 1]) ++between_rows;
  }
  // A number that is not above the one before may only begin a row. From the last to the first, as each is held against
  // the one before while that one is as it was.
  const std::uint64_t descents = take_off(run->first, numbers);
  if (descents == between_rows) return true;
  for (std::uint32_t& number : numbers) number += run->first;
  return false;
}

}  // namespace plumb
