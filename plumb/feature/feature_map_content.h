// The data of a FeatureMap beside its parts; only for feature_map.cpp and apply.cpp.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "plumb/data/entry_names.h"
#include "plumb/feature/feature_map.h"
#include "plumb/feature/text_coder.h"

namespace plumb {

inline constexpr std::uint32_t kNoFeature = std::numeric_limits<std::uint32_t>::max();

// The features called f0, f1, f2, ... among the names of an input of entries: number -> place.
class NumberedNames {
 public:
  explicit NumberedNames(const std::vector<std::string>& names);
  std::uint32_t find(std::uint32_t number) const {
    if (number < dense_.size()) return dense_[number];
    const auto found = sparse_.find(number);
    return found == sparse_.end() ? kNoFeature : found->second;
  }
  // Consecutive numbers from the first to the last: the place of number n is n - first.
  struct Run {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };
  const std::optional<Run>& run() const { return run_; }
  // Whether every name is such a number, and each number higher than the one before: then all names are distinct, and
  // are found by number.
  bool ascend() const noexcept { return ascend_; }

 private:
  std::vector<std::uint32_t> dense_;  // for numbers not much above the count of names
  std::unordered_map<std::uint32_t, std::uint32_t> sparse_;
  std::optional<Run> run_;
  bool ascend_ = true;
};

struct FeatureMap::Content {
  Parts parts;
  std::vector<std::uint32_t> first;  // first feature of each term, and one past the last
  // For each input; views of parts.inputs. Empty if the numbers of names suffice: there may be millions of them.
  std::vector<std::unordered_map<std::string_view, std::uint32_t>> level_of;
  std::vector<NumberedNames> numbered;                  // of each input of entries
  std::vector<std::unique_ptr<const TextCoder>> texts;  // of each term; null if it is not a text

  std::uint32_t place_of(std::size_t input, std::string_view level) const;  // kNoFeature: it is not one of the levels

  // The positions of the codes, or entries, of a column of this piece among the levels of the input; counts unknown
  // ones, except in rows of weight 0.
  std::vector<std::uint32_t> levels_of_codes(std::size_t input, const Table& table, const Column& column,
                                             const Column* weights, Unseen& unseen) const;
  std::vector<std::uint32_t> places_of_entries(std::size_t input, const Table& table, const Entries& entries,
                                               const Column* weights, Unseen& unseen) const;
  // If each position is the number minus the first one, converts numbers to positions in place. Otherwise false.
  bool make_places(std::size_t input, Entries& entries) const;
};

// Features of a category, or of one side of a cross: its levels without the base, or 1 for a number.
inline std::uint64_t side_features(const CategoryTerm& term, const FeatureMap::Input& input) {
  return holds_numbers(input.kind) ? 1 : input.levels.size() - (term.base ? 1 : 0);
}

}  // namespace plumb
