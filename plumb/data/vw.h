// Vowpal Wabbit text: `[label [importance [base]]] ['tag]|namespace[:scale] feature[:value] ... |namespace ...`, a row
// a line, blanks or tabs between. A feature is called namespace^feature, or feature alone in the namespace without a
// name, so that `|a b` and `| a^b` are one. A value that is not given is 1; it is multiplied by the scale of its
// namespace. A feature that a row names again is added to, as Vowpal Wabbit does.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "plumb/data/entries.h"
#include "plumb/data/line_cursor.h"
#include "plumb/data/source.h"
#include "plumb/data/table.h"
#include "plumb/data/text_files.h"

namespace plumb {

// The fields of the lines of a file before the first bar. A line with more fields is a fault, and so is one without a
// label if others have one.
struct VwForm {
  bool label = true;
  bool importance = false;
  bool base = false;
  bool tag = false;
  bool passed_over = false;  // nothing before the first bar is read or checked
  bool skip_bad_rows = false;
};

struct VwRows {
  std::uint64_t rows = 0;
  std::vector<double> label;       // these four: one per row, or empty if the form lacks them
  std::vector<double> importance;  // 1 if a line has none
  std::vector<double> base;        // 0 if a line has none
  Column tag;                      // "" if a line has none
  Entries entries;
  std::vector<Table::Lines> lines;
  std::uint64_t lines_ended = 0;
  Mended mended;  // features that a row names again
  LeftOut left_out;
};

// All fields that any line has, for a text of whole lines.
VwForm guess_vw(std::string_view text);

// Does the first line that is not empty have numbers and perhaps a tag, then a bar?
bool recognises_vw(std::string_view start);

// A text of whole lines. Throws TextFault.
VwRows parse_vw(std::string_view text, const VwForm& form);

// Columns: label, importance, base and tag, if the first lines have them, and features.
std::unique_ptr<Source> open_vw(TextFiles files, const ReadOptions& options);

}  // namespace plumb
