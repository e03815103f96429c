// Shared by the tests and the fuzz targets of the data formats: everything visible of a table or of a parsed text as
// one string, so that two ways to read the same bytes can be compared.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/data/jsonl.h"
#include "plumb/data/libsvm.h"
#include "plumb/data/source.h"
#include "plumb/data/text_source.h"
#include "plumb/data/vw.h"

namespace plumb {

// "index:value" or "name:value" for each entry of a row. Names are sorted, because the order of their indices depends
// on the rows before in the same piece.
inline std::string row_text(const Entries& entries, std::size_t row) {
  std::vector<std::string> texts;
  for (std::size_t i = entries.offsets[row]; i < entries.offsets[row + 1]; ++i) {
    const std::uint32_t index = entries.index[i];
    texts.push_back((entries.names.empty() ? std::to_string(index + entries.first) : entries.names[index]) + ":" +
                    number_text(entries.value[i]));
  }
  if (!entries.names.empty()) std::sort(texts.begin(), texts.end());
  std::string text;
  for (const std::string& each : texts) text += (text.empty() ? "" : " ") + each;
  return text;
}

inline std::string text_of(const Entries& entries) {
  std::string text;
  for (std::size_t r = 0; r < entries.rows(); ++r) text += row_text(entries, r) + "\n";
  return text;
}

inline std::string value_text(const Column& column, std::size_t row) {
  switch (column.kind) {
    case Kind::number:
    case Kind::date: return number_text(column.numbers[row]);
    case Kind::category: return column.levels[column.codes[row]];
    case Kind::sparse: return row_text(column.entries, row);
    case Kind::text: return std::string(column.documents[row]);
  }
  return "";
}

// Everything visible to a reader of a source, including an Error(data).
inline std::string everything_in(Source& source, const Run& run) {
  std::string text;
  for (const ColumnInfo& column : source.columns())
    text += column.name + " " + kind_name(column.kind) + column.first_text + column.first_text_place.text() + "\n";
  Table piece;
  std::uint64_t rows = 0;
  while (source.next(piece, run)) {
    if (piece.first_row != rows || piece.rows == 0) return "the rows of a piece are numbered wrongly";
    rows += piece.rows;
    for (std::uint64_t row = 0; row < piece.rows; ++row) {
      text += piece.place(row).text();
      for (const Column& column : piece.columns) text += "|" + value_text(column, row);
      text += "\n";
    }
  }
  for (const std::string& note : source.notes()) text += note + "\n";
  for (const Error& error : source.skipped().first) text += error.what() + std::string("\n");
  text += std::to_string(source.skipped().bad) + " " + std::to_string(source.skipped().with_missing) + "\n";
  return text + source.digest();
}

inline std::string everything_in(const SourceEntry& entry, const std::string& path, std::size_t read_size,
                                 Executor& executor, const ReadOptions& options = {}) {
  try {
    return everything_in(*entry.open(TextFiles({path}, read_size), options), Run{executor});
  } catch (const Error& error) {
    const bool expected = error.code() == ErrorCode::data || error.code() == ErrorCode::resources;  // a zstd window
    if (!expected || error.message().empty()) throw;
    return "error: " + std::string(error.what()) + "\nhint: " + error.hint();
  }
}

// The fault that is thrown; line 0 if none is.
template <class Action>
TextFault fault_in(const Action& action) {
  try {
    action();
  } catch (const TextFault& fault) {
    return fault;
  }
  return {{0, 0}, "accepted", ""};
}

// The columns of parsed rows.
inline std::vector<Column> columns_of(LibsvmRows rows) {
  return {std::move(rows.label), {.kind = Kind::sparse, .entries = std::move(rows.entries)}, {.numbers = rows.query}};
}
inline std::vector<Column> columns_of(VwRows rows) {
  return {{.numbers = rows.label},
          {.numbers = rows.importance},
          {.numbers = rows.base},
          std::move(rows.tag),
          {.kind = Kind::sparse, .entries = std::move(rows.entries)}};
}
inline std::vector<Column> columns_of(JsonlRows rows) { return std::move(rows.columns); }

// Everything visible of a parsed text whose first line is number `before` + 1.
struct ParsedText {
  std::string rows;
  std::uint64_t lines_ended = 0;
  TextFault fault = {{0, 0}, "", ""};  // line 0 if there is none
};

template <class Parse>
ParsedText parsed_text(std::string_view text, std::uint64_t before, const Parse& parse) {
  ParsedText seen;
  seen.fault = fault_in([&] {
    auto parsed = parse(text);
    const std::vector<Table::Lines> lines = parsed.lines;
    const std::uint64_t rows = parsed.rows;
    seen.lines_ended = parsed.lines_ended;
    const std::vector<Column> columns = columns_of(std::move(parsed));
    for (std::uint64_t row = 0; row < rows; ++row) {
      seen.rows += "\n" + std::to_string(before + Table::line_of(lines, row));
      for (const Column& column : columns)
        if (column.kind == Kind::sparse || !column.numbers.empty() || !column.codes.empty() ||
            column.documents.size() > 0)
          seen.rows += "|" + value_text(column, row);
    }
  });
  if (seen.fault.place.line != 0) seen.fault.place.line += before;
  return seen;
}

// Whether a text gives the same rows, lines and faults if it is cut after `first` bytes, at a line's end, and the two
// parts are parsed separately.
template <class Parse>
bool same_if_cut(std::string_view text, std::size_t first, const Parse& parse) {
  const ParsedText whole = parsed_text(text, 0, parse), head = parsed_text(text.substr(0, first), 0, parse);
  const auto same = [](const TextFault& a, const TextFault& b) {
    return a.place.line == b.place.line && a.place.column == b.place.column && a.message == b.message &&
           a.hint == b.hint;
  };
  if (head.fault.place.line != 0) return same(whole.fault, head.fault);
  const ParsedText tail = parsed_text(text.substr(first), head.lines_ended, parse);
  if (tail.fault.place.line != 0) return same(whole.fault, tail.fault);
  return whole.fault.place.line == 0 && whole.rows == head.rows + tail.rows &&
         whole.lines_ended == head.lines_ended + tail.lines_ended;
}

// The places where a text of lines may be cut, its ends among them.
inline std::vector<std::size_t> cuts_of(std::string_view text) {
  std::vector<std::size_t> cuts = {0};
  while (cuts.back() < text.size()) cuts.push_back(line_ends().next(text, cuts.back(), true));
  return cuts;
}

}  // namespace plumb
