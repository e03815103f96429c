// Rows that the caller keeps in memory. They are read in place, so they must not change or go away while a Source, its
// tables or its examples are in use; `owner` can keep them alive.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace plumb {

// A matrix of numbers. NaN is a missing value.
struct DenseRows {
  std::variant<const double*, const float*> values = {};
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  bool row_major = true;
  std::uint64_t stride = 0;             // numbers from one row (column-major: column) to the next; 0 for no gap
  std::vector<std::string> names = {};  // names of the columns; x1, x2, ... if empty
};

// A sparse matrix by rows (CSR): row r has the values offsets[r] to offsets[r + 1], each with the index of its column,
// which counts from 0. Values that are not stored are 0; none may be NaN.
struct CsrRows {
  std::variant<const double*, const float*> values = {};
  std::variant<const std::uint32_t*, const std::int32_t*, const std::int64_t*> indices = {};
  std::variant<const std::uint64_t*, const std::int64_t*, const std::int32_t*> offsets = {};  // rows + 1 of them
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::vector<std::string> names = {};  // names of the columns; f1, f2, ... if empty
};

// Numbers, or texts in UTF-8 (categories, dates or long texts; the kind is guessed as for a file). NaN and the empty
// text are missing values.
struct MemoryColumn {
  std::string name = {};
  std::variant<std::span<const double>, std::span<const float>, std::span<const std::string_view>,
               std::span<const std::string>>
      values = {};
};

struct MemoryRows {
  std::variant<DenseRows, CsrRows, std::vector<MemoryColumn>> values = {};
  std::optional<MemoryColumn> target = {};  // numbers or labels; called "y" if it has no name
  std::optional<MemoryColumn> weight = {};  // called "weight" if it has no name
  std::shared_ptr<const void> owner = {};   // released when nothing uses the rows any more
};

}  // namespace plumb
