// Counts a column of entries, piece by piece: its features with their numbers of rows, entries in a row, values. Every
// number is exact and does not depend on where the input was cut.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "plumb/data/entries.h"
#include "plumb/data/summary.h"
#include "plumb/data/text_key.h"
#include "plumb/data/value_counts.h"

namespace plumb {

class EntryCounter {
 public:
  explicit EntryCounter(std::uint64_t limit) : limit_(limit), far_(limit), names_(limit) {}

  // Returns a hash for each row. Rows with the same entries have the same one, in whatever order the piece numbers
  // their names; an entry with value 0 is ignored.
  std::vector<Hash> add(const Entries& entries);

  // Writes the results into the summary of the column.
  void finish(std::uint64_t rows, std::size_t most_levels, ColumnSummary& found);

 private:
  void count_features(const Entries& entries);
  void count_value(double value);

  std::uint64_t limit_;
  std::vector<std::uint64_t> near_;  // number -> rows, for numbers below kNear; kUnseen if no row has it
  ValueCounts<std::uint32_t> far_;   // all other numbers
  ValueCounts<std::string> names_;   // of formats that have names
  EntriesSummary found_{.least = std::numeric_limits<std::uint64_t>::max(),
                        .smallest = std::numeric_limits<double>::infinity(),
                        .largest = -std::numeric_limits<double>::infinity()};
};

}  // namespace plumb
