// What the codes and entries of a piece are among the levels that a map knows.
#include <algorithm>

#include "plumb/data/entry_names.h"
#include "plumb/feature/feature_map_content.h"

namespace plumb {
namespace {

// Rows of weight 0 are not there.
bool counts(const Column* weights, std::uint64_t row) { return weights == nullptr || weights->numbers[row] != 0.0; }

}  // namespace

std::vector<std::uint32_t> FeatureMap::Content::levels_of_codes(std::size_t input, const Table& table,
                                                                const Column& column, const Column* weights,
                                                                Unseen& unseen) const {
  std::vector<std::uint32_t> levels;
  bool all_seen = true;
  for (const std::string& level : column.levels) {
    const auto found = level_of[input].find(level);
    levels.push_back(found == level_of[input].end() ? kNoFeature : found->second);
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
  for (const std::string& name : entries.names) {
    const auto found = level_of[input].find(name);
    place_of_name.push_back(found == level_of[input].end() ? kNoFeature : found->second);
  }
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
  const std::vector<std::uint32_t>& numbers = entries.index;
  std::uint32_t least = run->first, most = run->last;
  std::uint64_t descents = 0, between_rows = 0;  // where a number is not above the one before
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    least = std::min(least, numbers[i]);
    most = std::max(most, numbers[i]);
    descents += i > 0 && numbers[i] <= numbers[i - 1] ? 1 : 0;
  }
  for (std::size_t r = 0; r < entries.rows(); ++r) {
    const std::uint64_t first = entries.offsets[r];
    if (first > 0 && first < entries.offsets[r + 1] && numbers[first] <= numbers[first - 1]) ++between_rows;
  }
  if (least < run->first || most > run->last || descents != between_rows) return false;
  for (std::uint32_t& number : entries.index) number -= run->first;
  return true;
}

}  // namespace plumb
