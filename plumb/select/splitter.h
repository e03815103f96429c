// Which rows are held out, and which fold a row is in. Both depend on the seed and on the rows themselves (their
// number, --id or --group) alone, never on threads or reading: every model of a comparison has the same.
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

  // Rows of each class are spread evenly: row i is of class class_of_row[i]. No classes for a target of numbers.
  explicit Splitter(std::uint64_t rows, SplitKeys keys = {}, std::vector<std::uint32_t> class_of_row = {});

  const SplitKeys& keys() const noexcept { return keys_; }
  // How many folds there can be of these rows: the folds given, or the groups, or the rows.
  std::uint64_t most_folds(const RowSet& among) const;

  // The rows of the set with the smallest draws, so a larger choice contains a smaller one of the same seed; of classes
  // a share of each to within a row, and a row of each is left while there are others to hold out. A fraction of rows
  // with names is met on average only, as each is drawn by itself. Groups are taken in the order of their draws where
  // that brings their rows nearer to the number asked for. In order: the last rows.
  RowSet hold_out(const RowSet& among, const TestChoice& choice, RandomKey key,
                  const std::string& option = "test") const;

  // So many rows by the same draws, where a larger number contains a smaller one of groups too: the first groups.
  RowSet first_drawn(const RowSet& among, std::uint64_t count, RandomKey key) const;

  // The fold of each row, kNoFold for rows that are not in the set: as given, or by chance. Sizes differ by at most one
  // row, in all and of each class; with groups by as little as a greedy choice, the largest first, gives. In order:
  // runs of rows. Throws Error(data) if there are more folds than rows or groups.
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
