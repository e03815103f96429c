// The positions of a piece's codes and entries among the levels that a map knows.
#include <algorithm>
#include <span>

#include "plumb/data/entry_names.h"
#include "plumb/feature/feature_map_content.h"

namespace plumb {
namespace {

// Rows of weight 0 are ignored.
bool counts(const Column* weights, std::uint64_t row) { return weights == nullptr || weights->numbers[row] != 0.0; }

constexpr std::size_t kRun = 16;  // numbers at a time, so that the compiler uses wide registers

// How many of the numbers begin to end are not above the one before, the first being compared with `before`; or more
// than there are, if some are 2^31 or above.
std::uint64_t descents_of(std::span<const std::uint32_t> numbers, std::uint32_t before) {
  if (numbers.empty()) return 0;
  std::uint64_t descents = numbers[0] <= before ? 1 : 0;
  std::uint32_t bits = before | numbers[0];
  std::size_t i = 1;
  for (; i + kRun <= numbers.size(); i += kRun) {
    const std::uint32_t* const some = numbers.data() + i;
    std::uint32_t count = 0;
    for (std::size_t k = 0; k < kRun; ++k) {
      count += (some[k] - some[k - 1] - 1) >> 31;  // of numbers below 2^31 the sign of the difference
      bits |= some[k];
    }
    descents += count;
  }
  for (; i < numbers.size(); ++i) {
    descents += numbers[i] <= numbers[i - 1] ? 1 : 0;
    bits |= numbers[i];
  }
  return descents + (bits >> 31 != 0 ? numbers.size() + 1 : 0);
}

void take_off(std::uint32_t first, std::span<std::uint32_t> numbers) {
  std::size_t i = 0;
  for (; i + kRun <= numbers.size(); i += kRun)
    for (std::size_t k = 0; k < kRun; ++k) numbers[i + k] -= first;
  for (; i < numbers.size(); ++i) numbers[i] -= first;
}

// Whether all are then positions up to `last`; if not, numbers stay as they are.
bool take_off_up_to(std::uint32_t first, std::uint32_t last, std::span<std::uint32_t> numbers) {
  if (last >> 31 != 0) return false;
  std::uint32_t beyond = 0;
  const auto take_off = [&](std::uint32_t& number) {
    number -= first;
    beyond |= (last - number) | number;  // the upper bit, which valid ones do not have
  };
  std::size_t i = 0;
  for (; i + kRun <= numbers.size(); i += kRun)
    for (std::size_t k = 0; k < kRun; ++k) take_off(numbers[i + k]);
  for (; i < numbers.size(); ++i) take_off(numbers[i]);
  if (beyond >> 31 == 0) return true;
  for (std::uint32_t& number : numbers) number += first;
  return false;
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
    places[i] = entries.names.empty() ? numbered[input].find(entries.index[i] + entries.first)
                                      : place_of_name[entries.index[i]];
    all_seen &= places[i] != kNoFeature;
  }
  for (std::uint64_t row = 0; row < table.rows && !all_seen; ++row)
    for (std::uint64_t i = entries.offsets[row]; i < entries.offsets[row + 1]; ++i) {
      if (places[i] != kNoFeature || !counts(weights, row) || ++unseen.values > 1) continue;
      unseen.first =
          entries.names.empty() ? numbered_name(entries.index[i] + entries.first) : entries.names[entries.index[i]];
      unseen.row = table.first_row + row;
    }
  return places;
}

bool FeatureMap::Content::make_places(std::size_t input, Entries& entries) const {
  const std::optional<NumberedNames::Run>& run = numbered[input].run();
  const Entries::Order* const order = entries.order();
  if (!entries.names.empty()) {  // they are positions if every name is that of the feature
    for (std::uint32_t i = 0; i < entries.names.size() && order != nullptr; ++i)
      if (place_of(input, entries.names[i]) != i) return false;
    return order != nullptr;
  }
  if (!run || (order == nullptr && entries.first != 0)) return false;
  // The reader's flags save checking every row; whether positions are features is checked all the same.
  if (order != nullptr) {
    if (order->least + entries.first < run->first || order->most + entries.first > run->last) return false;
    if (entries.first == run->first && entries.index.borrowed()) return true;  // the source checked them
    if (take_off_up_to(run->first - entries.first, run->last - run->first, entries.index.own())) return true;
    if (entries.first != 0) return false;
  }
  // Rows with ascending numbers begin with the smallest and end with the largest. A number that is not above the one
  // before may only begin a row. Some rows at a time, so that their numbers are loaded once.
  constexpr std::size_t kRows = 128;
  const std::span<std::uint32_t> numbers(entries.index.own());
  std::uint64_t done = 0;
  std::uint32_t before = 0;  // the last number that was processed, unchanged
  bool good = true;
  for (std::size_t row = 0; row < entries.rows(); row += kRows) {
    const std::size_t last = std::min(entries.rows(), row + kRows);
    std::uint64_t between_rows = 0, begin = done;
    for (std::size_t r = row; r < last; ++r) {
      const std::uint64_t end = entries.offsets[r + 1];
      if (begin == end) continue;
      good = good && numbers[begin] >= run->first && numbers[end - 1] <= run->last;
      between_rows += numbers[begin] <= (begin == done ? before : numbers[begin - 1]) ? 1 : 0;
      begin = end;
    }
    const std::span<std::uint32_t> some = numbers.subspan(done, begin - done);
    good = good && descents_of(some, before) == between_rows;
    if (!good) break;
    if (!some.empty()) before = some.back();
    take_off(run->first, some);
    done = begin;
  }
  if (good) return true;
  for (std::uint32_t& number : numbers.first(done)) number += run->first;
  return false;
}

}  // namespace plumb
