// JSON lines: a flat object a line, RFC 8259 exactly. Keys are columns. A number is a number; a string is text; true
// and false are the categories "true" and "false"; null, or a missing key, is an empty field. Objects and arrays inside
// an object are faults, and so is a key that a line has twice.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/data/kind_guess.h"
#include "plumb/data/line_cursor.h"
#include "plumb/data/missing.h"
#include "plumb/data/source.h"
#include "plumb/data/table.h"
#include "plumb/data/text_files.h"

namespace plumb {

// A column of the file, as the first lines show it.
struct JsonlKey {
  std::string name;
  KindGuess guess = {};         // strings, true and false are not numbers, whatever they contain
  std::string first_text = {};  // the first of these, and its place
  LinePlace first_text_place = {};
};

struct JsonlRows {
  std::uint64_t rows = 0;
  std::vector<Column> columns;  // the wanted columns, in that order
  std::vector<Table::Lines> lines;
  std::uint64_t lines_ended = 0;
  Mended mended;  // unknown keys, whose values are ignored
  LeftOut left_out;
};

// The known columns of a file, and the wanted ones.
struct JsonlForm {
  std::span<const std::string> keys = {};  // the columns to choose from
  std::span<const Selected> wanted = {};
  MissingMarks missing = {};
  bool skip_bad_rows = false;
};

// The keys of a text of whole lines, in order of first appearance; `form` says which values are missing or bad. Throws
// TextFault.
std::vector<JsonlKey> keys_of_jsonl(std::string_view text, const JsonlForm& form = {});

// Does the first line that is not empty begin with an object?
bool recognises_jsonl(std::string_view start);

// A text of whole lines. Throws TextFault.
JsonlRows parse_jsonl(std::string_view text, const JsonlForm& form);

// Columns: the keys of the first lines, in order of first appearance.
std::unique_ptr<Source> open_jsonl(TextFiles files, const ReadOptions& options);

}  // namespace plumb
