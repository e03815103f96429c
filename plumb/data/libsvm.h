// LIBSVM (SVMlight) text: `label [qid:N] index:value index:value ... [# comment]`, a row a line, blanks or tabs
// between. Indices are whole numbers from 0 to 4294967294. An empty line, or one with only a comment, is not a row.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/data/entries.h"
#include "plumb/data/line_cursor.h"
#include "plumb/data/source.h"
#include "plumb/data/table.h"
#include "plumb/data/text_files.h"

namespace plumb {

// What every line of a file has in common.
struct LibsvmForm {
  // None: skipped. Category: as text, and numbers in one spelling, so that +1 and 1.0 are the label "1".
  std::optional<Kind> label = Kind::number;
  bool query = false;  // qid:N after the label
  bool skip_bad_rows = false;
};

struct LibsvmRows {
  std::uint64_t rows = 0;
  Column label;
  std::vector<double> query;  // one per row, or empty
  Entries entries;
  std::vector<Table::Lines> lines;
  std::uint64_t lines_ended = 0;
  Mended mended;  // indices that do not ascend
  LeftOut left_out;
};

struct LibsvmGuess {
  LibsvmForm form;
  std::string first_word = {};  // the first label that is not a number, and its place
  LinePlace first_word_place = {};
};

// Decided by a text of whole lines: labels are a category if one of them is neither a number nor meant as one.
LibsvmGuess guess_libsvm(std::string_view text);

// Does this look like a line of LIBSVM: a label, then pairs of a whole number and a number?
bool recognises_libsvm(std::string_view start);

// A text of whole lines. Throws TextFault.
LibsvmRows parse_libsvm(std::string_view text, const LibsvmForm& form);

// Columns: label, qid if the first row has one, and features.
std::unique_ptr<Source> open_libsvm(TextFiles files, const ReadOptions& options);

}  // namespace plumb
