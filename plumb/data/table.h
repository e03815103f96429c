// A Table is one piece of the input: named columns of numbers, categories, texts or sparse entries for some consecutive
// rows, the result of one reading step. Pieces may have any number of rows and are never merged; no result depends on
// where they were cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/text_list.h"
#include "plumb/data/entries.h"
#include "plumb/data/extract.h"
#include "plumb/data/number_style.h"
#include "plumb/data/numbers.h"

namespace plumb {

enum class Kind { number, category, sparse, date, text };

// "number", "category", "entries", "date", "text": the word that messages and model files use.
const char* kind_name(Kind kind) noexcept;

// Whether a column of this kind is read into Column::numbers.
constexpr bool holds_numbers(Kind kind) noexcept { return kind == Kind::number || kind == Kind::date; }

struct Column {
  Kind kind = Kind::number;
  // Kind::number: one per row, finite, or NaN where the value is missing. Kind::date: days since 1970-01-01.
  Numbers numbers = {};
  std::vector<std::uint32_t> codes = {};  // Kind::category: one per row, into `levels`
  std::vector<std::string> levels = {};   // in order of first appearance in this piece; an empty field is the level ""
  Entries entries = {};                   // Kind::sparse
  // Kind::text: one per row, UTF-8; an empty field is an empty text. Empty if an extract replaces the texts.
  TextList documents = {};
  std::shared_ptr<const Extract> extract = {};  // of Selected::extractor
  std::uint64_t missing = 0;                    // how many of the numbers are NaN
};

// Numbers as categories or texts, each in its shortest spelling; a missing one is empty.
Column numbers_as(Kind kind, const Numbers& numbers);

// Removes the levels, or names of entries, that no row has.
void drop_unused(Column& column);

struct Table {
  // Rows from `row` on are on consecutive lines, the first of them on `line`.
  struct Lines {
    std::uint64_t row = 0;
    std::uint64_t line = 1;
    bool operator==(const Lines&) const = default;
  };

  std::uint64_t rows = 0;
  std::vector<Column> columns = {};  // the selected ones, in the order selected
  std::uint64_t first_row = 0;       // its index in the whole input
  std::string file = {};             // empty if the rows do not come from a file
  std::vector<Lines> lines = {};     // ascending; a new entry if a row does not start on the line after the last row's

  std::uint64_t bytes() const noexcept;  // memory of its rows, without borrowed ones

  // The line of a row; 0 if not known.
  static std::uint64_t line_of(std::span<const Lines> lines, std::uint64_t row) noexcept;
  // The place of a row of this piece, as far as known.
  Place place(std::uint64_t row) const;
  // An Error(data) about a row, which is called by its number if it has no place. For rows that are not from a file,
  // lines are numbers of rows.
  Error row_error(std::uint64_t row, const std::string& message, std::string hint = {}) const;
};

// Of the numbers among the first rows: how many there are, and how many differ, as far as that was counted.
struct SampledNumbers {
  std::uint64_t count = 0;
  std::uint64_t different = 0;  // one more than was counted to, if there are more
  bool whole = true;

  // Counts up to so many different ones.
  static SampledNumbers of(std::span<const double> numbers, std::size_t most);
};

// What a Source knows about a column before any row is returned.
struct ColumnInfo {
  std::string name;
  Kind kind = Kind::number;     // as guessed from the first rows
  std::string first_text = {};  // the first value among them that is not a number, or empty; and its place
  Place first_text_place = {};
  NumberStyle style = {};        // how its numbers are written
  std::string date_format = {};  // of Kind::date: as --date-format has it; empty for dates that begin with the year
  SampledNumbers sampled = {};   // of Kind::number: what the first rows hold
};

// How a column of numbers treats an empty field, or a marker for a missing value. A category has a level for it, except
// that drop_row leaves out the row.
enum class IfMissing { error, keep, drop_row };

// What a column is for. Of a target of text and of columns that are handed on, only the empty field is missing.
enum class Role { feature, target, beside };

// A column to fill, and its kind.
struct Selected {
  std::size_t column = 0;  // into Source::columns()
  Kind kind = Kind::number;
  bool needed = false;  // no hint may offer to drop it or to read it as another kind: a target, or a model's column
  IfMissing if_missing = IfMissing::error;
  Extractor extractor = {};  // for Kind::text: replaces the texts
  Role role = Role::feature;
};

// Runs the extractors of the selected columns, except those that the parser already ran.
void extract_from(Table& piece, std::span<const Selected> selected);

// Rows that were left out.
struct Skipped {
  std::uint64_t bad = 0;          // rows that could not be read, if such rows are allowed
  std::vector<Error> first = {};  // the faults of the first five of them
  // Rows with a value missing, of columns selected with IfMissing::drop_row; and those that miss the target.
  std::uint64_t with_missing = 0;
  std::uint64_t without_target = 0;
};

// A whole input in memory: its pieces in row order.
struct Tables {
  std::vector<Table> pieces;
  std::uint64_t rows = 0;

  std::uint64_t bytes() const noexcept;
};

}  // namespace plumb
