#include "plumb/data/entry_names.h"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "plumb/base/number.h"

namespace plumb {
namespace {

// Distinct numbers; those of usual files in a bit each.
class NumberSet {
 public:
  void insert(std::uint32_t number) {
    if (number >= kNear) {
      far_.insert(number);
      return;
    }
    if (number >= near_.size()) near_.resize(std::max<std::size_t>(std::size_t{number} + 1, 2 * near_.size()));
    near_[number] = true;
  }
  std::vector<std::uint32_t> ascending() const {
    std::vector<std::uint32_t> all;
    for (std::uint32_t number = 0; number < near_.size(); ++number)
      if (near_[number]) all.push_back(number);
    all.insert(all.end(), far_.begin(), far_.end());
    return all;
  }

 private:
  static constexpr std::uint32_t kNear = std::uint32_t{1} << 26;
  std::vector<bool> near_;
  std::set<std::uint32_t> far_;
};

}  // namespace

std::string numbered_name(std::uint32_t number) { return "f" + std::to_string(number); }

std::optional<std::uint32_t> number_in_name(std::string_view name) noexcept {
  constexpr std::size_t most_digits = 10;
  if (!name.starts_with('f') || name.size() < 2 || name.size() > 1 + most_digits) return {};
  name.remove_prefix(1);
  if (name.find_first_not_of("0123456789") != name.npos || (name.size() > 1 && name.front() == '0')) return {};
  std::uint64_t number = 0;
  if (!parse_integer(name, number) || number > kLargestFeatureNumber) return {};
  return static_cast<std::uint32_t>(number);
}

EntryNames::EntryNames(const Tables& tables, std::size_t column) {
  NumberSet numbers;
  std::set<std::string_view> others;
  for (const Table& table : tables.pieces) {
    const Entries& entries = table.columns[column].entries;
    if (entries.names.empty())
      for (const std::uint32_t index : entries.index) numbers.insert(index + entries.first);
    for (const std::string& name : entries.names) {
      if (const auto number = number_in_name(name)) {
        numbers.insert(*number);
      } else {
        others.insert(name);
      }
    }
  }
  numbers_ = numbers.ascending();
  others_.assign(others.begin(), others.end());
  const std::size_t near = 4 * numbers_.size() + 1024;
  for (std::uint32_t place = 0; place < numbers_.size() && numbers_[place] < near; ++place) {
    near_.resize(std::size_t{numbers_[place]} + 1);
    near_.back() = place;
  }
}

std::vector<std::string> EntryNames::names() const {
  std::vector<std::string> all;
  all.reserve(size());
  for (const std::uint32_t number : numbers_) all.push_back(numbered_name(number));
  all.insert(all.end(), others_.begin(), others_.end());
  return all;
}

EntryNames::Places EntryNames::places(const Entries& entries) const {
  Places places;
  places.all_ = this;
  places.first_ = entries.first;
  places.of_name_.reserve(entries.names.size());
  for (const std::string& name : entries.names) places.of_name_.push_back(place_of(name));
  return places;
}

std::uint32_t EntryNames::place_of(std::uint32_t number) const noexcept {
  if (number < near_.size()) return near_[number];
  return static_cast<std::uint32_t>(std::lower_bound(numbers_.begin(), numbers_.end(), number) - numbers_.begin());
}

std::uint32_t EntryNames::place_of(std::string_view name) const {
  if (const auto number = number_in_name(name)) return place_of(*number);
  const auto place = std::lower_bound(others_.begin(), others_.end(), name) - others_.begin();
  return static_cast<std::uint32_t>(numbers_.size() + static_cast<std::size_t>(place));
}

std::vector<std::uint32_t> feature_numbers(std::span<const std::string> names) {
  std::unordered_set<std::uint32_t> taken;
  for (const std::string& name : names)
    if (const auto number = number_in_name(name)) taken.insert(*number);
  std::vector<std::uint32_t> numbers;
  numbers.reserve(names.size());
  std::uint32_t next = 1;
  for (const std::string& name : names) {
    const std::optional<std::uint32_t> own = number_in_name(name);
    if (!own)
      while (taken.contains(next)) ++next;
    numbers.push_back(own ? *own : next++);
  }
  return numbers;
}

}  // namespace plumb
