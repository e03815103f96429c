// A Table is one piece of the input: named columns of numbers or categories for some consecutive rows, as one reading
// step made it. Pieces may have any number of rows and are never merged; nothing that follows depends on where they
// were cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace plumb {

enum class Kind { number, category };

// "number", "category": the word that messages and model files use.
const char* kind_name(Kind kind) noexcept;

struct Column {
  Kind kind = Kind::number;
  std::vector<double> numbers;       // Kind::number: one per row, always finite
  std::vector<std::uint32_t> codes;  // Kind::category: one per row, into `levels`
  std::vector<std::string> levels;   // in order of first appearance in this piece; an empty field is the level ""
};

struct Table {
  std::uint64_t rows = 0;
  std::vector<Column> columns;  // those selected, in the order selected
};

// What a Source says about a column before any row is handed out.
struct ColumnInfo {
  std::string name;
  Kind kind = Kind::number;   // as guessed from the first rows
  std::uint64_t seen = 0;     // values that are not empty, among the rows looked at
  std::uint64_t numbers = 0;  // those of them that are numbers
  std::uint64_t place = 0;    // which column of the file, from 1
};

// A column to fill, and as what.
struct Selected {
  std::size_t column = 0;  // into Source::columns()
  Kind kind = Kind::number;
};

// A whole input in memory: its pieces in row order.
struct Tables {
  std::vector<Table> pieces;
  std::uint64_t rows = 0;
};

}  // namespace plumb
