// Describes a table in one pass without training: for each column its kind, empty fields, different values and range;
// how many rows there are, and how many are duplicates. Every number is exact and does not depend on threads or on
// where the input was cut.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/source.h"
#include "plumb/data/table.h"

namespace plumb {

struct SummaryOptions {
  std::uint64_t most_distinct = 1'000'000;  // different values that are counted in a column; fewer in wide tables
  std::uint64_t most_rows = 32'000'000;     // different rows that are compared
  std::uint64_t most_features = 8'000'000;  // different features that are counted in a column of entries
  std::size_t most_levels = 1000;           // the most common values of a column that are kept with their counts
};

struct ValueCount {
  std::string value;  // a text; one longer than 64 bytes is cut and ends in "..."; a number in its shortest form
  std::uint64_t rows = 0;
};

// What a column looks like beside its kind.
enum class Look {
  plain,
  empty,     // no value at all
  constant,  // one value
  date,      // every value is a date, or a date and a time
  key,       // a different name or number in each row
};
// "plain", "empty", ...
const char* look_name(Look look) noexcept;

// For a column of entries. An entry written as 0 means the same as a missing one, so zeros are counted separately.
struct EntriesSummary {
  enum class Values { none, ones, whole, real };  // all of them are 1; are whole numbers; or not

  std::uint64_t count = 0;   // that are not 0
  std::uint64_t zeros = 0;   // written as 0
  std::uint64_t least = 0;   // in a row
  std::uint64_t most = 0;    // in a row
  double mean = 0.0;         // in a row
  double density = 0.0;      // count / (rows * features); 0 if there were too many features to count
  std::uint64_t single = 0;  // features that occur in only one row
  Values values = Values::none;
  double smallest = 0.0;  // value; 0 if there is none
  double largest = 0.0;
};
// "none", "ones", ...
const char* values_name(EntriesSummary::Values values) noexcept;

struct ColumnSummary {
  struct Numbers {
    double min = 0.0;
    double mean = 0.0;  // the double nearest to the exact mean
    double max = 0.0;
  };
  // Values that are not numbers, in a column of numbers.
  struct Strays {
    std::uint64_t rows = 0;
    std::string first = {};
    Place place = {};
  };

  std::string name;
  Kind kind = Kind::number;
  std::uint64_t missing = 0;       // empty fields
  std::uint64_t distinct = 0;      // different values that are not empty; different numbers; different features
  bool more = false;               // than `distinct`, which is then the limit
  std::optional<Numbers> numbers;  // for a number column that has one
  Strays strays;
  std::vector<ValueCount> commonest;      // most rows first, equal ones by value; empty if there are `more`
  std::optional<EntriesSummary> entries;  // for a column of entries; `commonest` are then features
  Look look = Look::plain;
};

struct TableSummary {
  std::uint64_t rows = 0;
  std::optional<std::uint64_t> duplicates;  // rows equal to an earlier one, field by field; empty if not counted
  std::vector<ColumnSummary> columns;
};

// Reads the source to its end. It must not have been read or selected before.
TableSummary summarise(Source& source, const Run& run, const SummaryOptions& options = {});

}  // namespace plumb
