// Chooses the held-out rows and the folds. Both depend only on the seed and on the rows themselves (their number, --id
// or --group), never on threads or reading: every model of a comparison has the same.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plumb/base/random.h"
#include "plumb/data/row_set.h"
#include "plumb/select/split.h"
#include "plumb/select/split_keys.h"
#include "plumb/train/refitter.h"

namespace plumb {

class Splitter {
 public:
  static constexpr std::uint32_t kNoFold = plumb::kNoFold;

  // Rows of each class are spread evenly: row i is of class class_of_row[i]. Empty for a numeric target.
  explicit Splitter(std::uint64_t rows, SplitKeys keys = {}, std::vector<std::uint32_t> class_of_row = {});

  const SplitKeys& keys() const noexcept { return keys_; }
  // The maximum number of folds of these rows: the folds given, or the groups, or the rows.
  std::uint64_t most_folds(const RowSet& among) const;

  // The rows of the set with the smallest draws, so a larger choice contains a smaller one of the same seed; with
  // classes a share of each to within a row, and a row of each remains while there are others to hold out. With
  // identifiers a fraction is met only on average, because each is drawn by itself. Groups are taken in the order of
  // their draws if that brings their rows nearer to the number requested. In order: the last rows.
  RowSet hold_out(const RowSet& among, const TestChoice& choice, RandomKey key,
                  const std::string& option = "test") const;

  // That many rows by the same draws; a larger number contains a smaller one also with groups: the first groups.
  RowSet first_drawn(const RowSet& among, std::uint64_t count, RandomKey key) const;

  // The fold of each row, kNoFold for rows that are not in the set: as given, or at random. Sizes differ by at most one
  // row, in total and in each class; with groups by what a greedy choice, the largest first, gives. In order: runs of
  // rows. Throws Error(data) if there are more folds than rows or groups.
  std::vector<std::uint32_t> folds(const RowSet& among, std::uint64_t count, RandomKey key) const;

 private:
  struct Group {
    std::uint64_t draw = 0;
    std::uint32_t code = 0;
    std::vector<std::uint64_t> rows = {};
  };
  std::vector<std::uint64_t> listed(const RowSet& among) const;
  RowSet whole_groups(const std::vector<std::uint64_t>& rows, std::uint64_t count, RandomKey draws, bool nested) const;
  std::vector<Group> groups_of(const std::vector<std::uint64_t>& rows, RandomKey draws) const;
  std::uint64_t draw(std::uint64_t row, RandomKey draws) const {
    return draws.bits(keys_.draw.empty() ? row : keys_.draw[row]);
  }
  std::uint32_t class_of(std::uint64_t row) const { return class_of_row_.empty() ? 0 : class_of_row_[row]; }
  std::vector<std::uint32_t> folds_of_groups(std::vector<Group> groups, std::uint64_t count) const;

  std::uint64_t rows_;
  SplitKeys keys_;
  std::vector<std::uint32_t> class_of_row_;
};

}  // namespace plumb
