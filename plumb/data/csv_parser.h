// Rows from delimited text. Most fields are short decimals, short words or not wanted: they are parsed in place, and
// the grammar of csv_record.h handles only the others.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/data/csv_record.h"
#include "plumb/data/line_cursor.h"
#include "plumb/data/missing.h"
#include "plumb/data/table.h"
#include "plumb/data/text_files.h"

namespace plumb {

// What all records of a file have in common, and which columns are wanted.
struct CsvForm {
  Dialect dialect = {};
  bool header = true;  // for messages: what defines the number of fields of a row
  std::span<const ColumnInfo> columns;
  std::span<const Selected> wanted;
  const MissingMarks& missing;
  bool skip_bad_rows = false;
  const TextFiles& files;  // for hints
};

struct CsvRows {
  std::uint64_t rows = 0;
  std::vector<Column> columns;  // the wanted columns, in that order
  std::vector<Table::Lines> lines;
  std::uint64_t lines_ended = 0;
  LeftOut left_out;
};

// The fault of a row with that many fields instead of `expected`.
TextFault wrong_count(std::size_t fields, std::size_t expected, LinePlace place, Dialect dialect, bool header);

// A text of whole records. Throws TextFault.
CsvRows parse_csv(std::string_view text, const CsvForm& form);

}  // namespace plumb
