// LIBSVM (SVMlight) text: `label [qid:N] index:value index:value ... [# comment]`, a row a line, blanks or tabs
// between. Indices are whole numbers from 0 to 4294967294. A line of nothing, or of a comment alone, is no row.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "plumb/data/entries.h"
#include "plumb/data/line_cursor.h"
#include "plumb/data/table.h"

namespace plumb {

// What every line of a file has in common.
struct LibsvmForm {
  Kind label = Kind::number;  // category: as text, and numbers in one spelling, so that +1 and 1.0 are the label "1"
  bool query = false;         // qid:N after the label
};

struct LibsvmRows {
  std::uint64_t rows = 0;
  Column label;
  std::vector<double> query;  // one per row, or none at all
  Entries entries;
  std::vector<RowLine> lines;
  std::uint64_t lines_ended = 0;
  std::uint64_t sorted_rows = 0;  // whose indices did not ascend
};

// Judged by the lines of `start`; the last of them may be cut.
LibsvmForm guess_libsvm(std::string_view start);

// Does this look like a line of LIBSVM: a label, then pairs of a whole number and a number?
bool recognises_libsvm(std::string_view start);

// A text of whole lines. Throws TextFault.
LibsvmRows parse_libsvm(std::string_view text, const LibsvmForm& form);

}  // namespace plumb
