// A Table is one piece of the input: named columns of numbers, categories or sparse entries for some consecutive rows,
// as one reading step made it. Pieces may have any number of rows and are never merged; nothing that follows depends on
// where they were cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/data/entries.h"

namespace plumb {

enum class Kind { number, category, sparse };

// "number", "category", "entries": the word that messages and model files use.
const char* kind_name(Kind kind) noexcept;

struct Column {
  Kind kind = Kind::number;
  std::vector<double> numbers = {};       // Kind::number: one per row, always finite
  std::vector<std::uint32_t> codes = {};  // Kind::category: one per row, into `levels`
  std::vector<std::string> levels = {};   // in order of first appearance in this piece; an empty field is the level ""
  Entries entries = {};                   // Kind::sparse
};

struct Table {
  // Rows from `row` on stand on one line each, the first of them on `line`.
  struct Lines {
    std::uint64_t row = 0;
    std::uint64_t line = 1;
    bool operator==(const Lines&) const = default;
  };

  std::uint64_t rows = 0;
  std::vector<Column> columns = {};  // those selected, in the order selected
  std::uint64_t first_row = 0;       // its index in the whole input
  std::string file = {};             // empty if the rows are of no file
  std::vector<Lines> lines = {};  // ascending; a new entry where a row does not start on the line after the last row's

  std::uint64_t bytes() const noexcept;  // that its rows take

  // The line of a row; 0 if the lines do not say.
  static std::uint64_t line_of(std::span<const Lines> lines, std::uint64_t row) noexcept;
  // Where a row of this piece stands, as far as known.
  Place place(std::uint64_t row) const;
  // An Error(data) about a row; it is called by its number where it has no place.
  Error row_error(std::uint64_t row, const std::string& message, std::string hint = {}) const;
};

// What a Source says about a column before any row is handed out.
struct ColumnInfo {
  std::string name;
  Kind kind = Kind::number;     // as guessed from the first rows
  std::string first_text = {};  // the first value among them that is no number, or empty; and where it stands
  Place first_text_place = {};
};

// A column to fill, and as what.
struct Selected {
  std::size_t column = 0;  // into Source::columns()
  Kind kind = Kind::number;
  bool needed = false;  // no hint may offer to drop it or to read it as another kind: a target, or a model's column
};

// A whole input in memory: its pieces in row order.
struct Tables {
  std::vector<Table> pieces;
  std::uint64_t rows = 0;

  std::uint64_t bytes() const noexcept;
};

}  // namespace plumb
