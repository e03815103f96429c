// Rows out of delimited text. Most fields are short decimals, short words or not wanted: they are read where they
// stand, and the grammar of csv_record.h is asked only about the others.
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

// What every record of a file has in common, and what is wanted of it.
struct CsvForm {
  Dialect dialect = {};
  bool header = true;  // for messages: what says how many fields a row has
  std::span<const ColumnInfo> columns;
  std::span<const Selected> wanted;
  const MissingMarks& missing;
  bool skip_bad_rows = false;
  const TextFiles& files;  // for hints
};

struct CsvRows {
  std::uint64_t rows = 0;
  std::vector<Column> columns;  // those wanted, in that order
  std::vector<Table::Lines> lines;
  std::uint64_t lines_ended = 0;
  LeftOut left_out;
};

// What to say of a row with so many fields where `expected` should be.
TextFault wrong_count(std::size_t fields, std::size_t expected, LinePlace place, Dialect dialect, bool header);

// A text of whole records. Throws TextFault.
CsvRows parse_csv(std::string_view text, const CsvForm& form);

}  // namespace plumb
