// JSON lines: a flat object a line, RFC 8259 exactly. Keys are columns. A number is a number; a string is text; true
// and false are the categories "true" and "false"; null, or no such key in a line, is an empty field. Objects and
// arrays inside an object are faults, and so is a key that a line has twice.
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

// A column of the file, as a first look at it finds it.
struct JsonlKey {
  std::string name;
  KindGuess guess = {};         // strings, true and false are no numbers, whatever they hold
  std::string first_text = {};  // the first of these, and where it stands
  LinePlace first_text_place = {};
};

struct JsonlRows {
  std::uint64_t rows = 0;
  std::vector<Column> columns;  // those wanted, in that order
  std::vector<Table::Lines> lines;
  std::uint64_t lines_ended = 0;
  Mended mended;  // keys that are not among those of the file: their values are passed over
  LeftOut left_out;
};

// What is known of a file, and what is wanted of it.
struct JsonlForm {
  std::span<const std::string> keys = {};  // the columns to choose from
  std::span<const Selected> wanted = {};
  MissingMarks missing = {};
  bool skip_bad_rows = false;
};

// The keys of a text of whole lines, in order of first appearance; `form` says what is missing and what is bad. Throws
// TextFault.
std::vector<JsonlKey> keys_of_jsonl(std::string_view text, const JsonlForm& form = {});

// Does the first line that is not empty begin with an object?
bool recognises_jsonl(std::string_view start);

// A text of whole lines. Throws TextFault.
JsonlRows parse_jsonl(std::string_view text, const JsonlForm& form);

// Columns: the keys of the first lines, in order of first appearance.
std::unique_ptr<Source> open_jsonl(TextFiles files, const ReadOptions& options);

}  // namespace plumb
