// The names of features of sparse rows: LIBSVM numbers them, VW names them, and the feature f3 of one is the feature 3
// of the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/data/entries.h"
#include "plumb/data/table.h"

namespace plumb {

inline constexpr std::uint32_t kLargestFeatureNumber = 4294967294;  // so that a count of features fits 32 bits

// "f3"
std::string numbered_name(std::uint32_t number);
// 3, for "f3" and for no other spelling.
std::optional<std::uint32_t> number_in_name(std::string_view name) noexcept;

// The features of a column of entries, over all pieces of an input: those called f0, f1, ... by number, then all others
// bytewise. The order does not depend on where the input was cut.
class EntryNames {
 public:
  EntryNames(const Tables& tables, std::size_t column);

  std::size_t size() const noexcept { return numbers_.size() + others_.size(); }
  std::vector<std::string> names() const;
  // For index i of these entries, which are among those of the tables.
  class Places;
  Places places(const Entries& entries) const;

 private:
  std::uint32_t place_of(std::uint32_t number) const noexcept;
  std::uint32_t place_of(std::string_view name) const;

  std::vector<std::uint32_t> numbers_;  // ascending
  std::vector<std::uint32_t> near_;     // number -> place, for numbers not much above their count
  std::vector<std::string> others_;     // ascending
};

// The positions of the features of one piece among all.
class EntryNames::Places {
 public:
  std::uint32_t operator[](std::uint32_t index) const noexcept {
    return of_name_.empty() ? all_->place_of(index + first_) : of_name_[index];
  }

 private:
  friend class EntryNames;
  const EntryNames* all_ = nullptr;
  std::uint32_t first_ = 0;
  std::vector<std::uint32_t> of_name_;  // empty if the index itself is the name
};

// A number for each feature, for a format without names. A feature f3 keeps its 3; the others get the free numbers from
// 1 on, in the order given.
std::vector<std::uint32_t> feature_numbers(std::span<const std::string> names);

}  // namespace plumb
