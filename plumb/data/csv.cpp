#include "plumb/data/csv.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/data/csv_record.h"
#include "plumb/data/kind_guess.h"
#include "plumb/data/name_codes.h"
#include "plumb/data/text_source.h"

namespace plumb {
namespace {

// Names may stand in quotes with blanks and line ends around them.
std::string_view name_in(std::string_view field) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = field.find_first_not_of(blanks);
  return first == field.npos ? "" : field.substr(first, field.find_last_not_of(blanks) - first + 1);
}

class CsvSource final : public TextSource {
 public:
  explicit CsvSource(TextFiles files);
  std::string_view form() const noexcept override { return "comma, header"; }

 private:
  void start_file() override { take_header(); }
  Parsed parse(std::string_view text) const override;
  std::vector<std::string> read_header();
  void take_header();
  void guess_kinds();
  void parse_field(std::string_view field, const FieldReader& reader, const Selected& wanted, Column& out,
                   NameCodes& codes) const;
  TextFault not_a_number(std::string_view field, NumberFault fault, LinePlace place, const Selected& wanted) const;
};

CsvSource::CsvSource(TextFiles files)
    : TextSource(std::move(files),
                 {last_record_end, next_record_end, "look for a quote that is opened and never closed"}) {
  take_header();
  guess_kinds();
}

std::vector<std::string> CsvSource::read_header() {
  start_text("comma-separated text");
  std::size_t end = whole_record(0);
  while (end != std::string_view::npos &&
         files_.unread().substr(0, end).find_first_not_of(" \t\r\n") == std::string_view::npos) {
    files_.consume(end, 1);
    end = whole_record(0);
  }
  if (end == std::string_view::npos)
    throw Error(ErrorCode::data, {files_.file()}, "is empty; a header line with the names of the columns was expected",
                "the first line is like height,weight and the others like 1.47,52.21");

  std::vector<std::string> names;
  try {
    FieldReader reader(files_.unread().substr(0, end));
    do {
      const std::string_view name = name_in(reader.next());
      if (auto fault = files_.fault_of_text(name, reader.field_place(), "the header")) throw std::move(*fault);
      names.emplace_back(name);
    } while (!reader.ends_record());
  } catch (const TextFault& fault) {
    files_.fail(fault, {});
  }
  files_.consume(end, count_lines(files_.unread().substr(0, end)));
  return names;
}

void CsvSource::take_header() {
  const std::vector<std::string> names = read_header();
  const Place header{files_.file(), files_.lines(), 0};
  if (!columns_.empty()) {  // a further file of the same table
    std::vector<std::string> expected;
    for (const ColumnInfo& column : columns_) expected.push_back(column.name);
    std::vector<std::string> found = names;
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i].empty()) found[i] = "column" + std::to_string(i + 1);
    if (found != expected)
      throw Error(ErrorCode::data, header,
                  "the columns are " + listed(found) + "; those of " + files_.first_path() +
                      " were expected: " + listed(expected),
                  "files that are read as one table need the same header line");
    return;
  }
  std::unordered_set<std::string> seen;
  for (const std::string& given : names) {
    const std::string place = std::to_string(columns_.size() + 1);
    ColumnInfo column{.name = given.empty() ? "column" + place : given};
    if (given.empty()) notes_.push_back("column " + place + " has no name; it is called " + column.name);
    if (!seen.insert(column.name).second)
      throw Error(ErrorCode::data, header,
                  "two columns are called " + in_quotes(column.name) + "; every column needs a name of its own",
                  "rename column " + place + " in this line");
    columns_.push_back(std::move(column));
  }
  if (std::all_of(names.begin(), names.end(),
                  [](const std::string& n) { return parse_number(n).fault == NumberFault::none; }))
    notes_.push_back("the first line of " + files_.file() +
                     " holds only numbers, and was taken as the names of the columns");
  for (const char other : {';', '\t', '|'})
    if (columns_.size() == 1 && names[0].find(other) != std::string::npos)
      throw Error(
          ErrorCode::data, header,
          "the header has no comma, but " + in_quotes(std::string(1, other)) + " between names; commas were expected",
          files_.piped("tr '" + (other == '\t' ? std::string("\\t") : std::string(1, other)) + "' ,"));
}

void CsvSource::guess_kinds() {
  std::vector<KindGuess> guesses(columns_.size());
  const std::string_view text = sample();
  if (text.empty()) return;  // no rows, nothing to guess by
  try {
    for (FieldReader reader(text); !reader.done();) {
      std::size_t c = 0;
      do {
        const std::string_view field = reader.next();
        if (c == columns_.size()) continue;  // too many fields: the parser will say so
        ColumnInfo& column = columns_[c];
        if (guesses[c++].see(field) || !column.first_text.empty()) continue;
        column.first_text = field;
        const LinePlace place = reader.field_place();
        column.first_text_place = {files_.file(), files_.lines() + place.line, place.column};
      } while (!reader.ends_record());
    }
  } catch (const TextFault& fault) {
    files_.fail(fault);
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c].kind = guesses[c].kind();
}

TextSource::Parsed CsvSource::parse(std::string_view text) const {
  const std::vector<Selected>& wanted = selected();
  Table table;
  table.columns.resize(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) table.columns[i].kind = wanted[i].kind;
  std::vector<NameCodes> codes(wanted.size());
  std::uint64_t line_before = 0;  // where the last row starts
  FieldReader reader(text);
  while (!reader.done()) {
    if (columns_.size() > 1 && reader.skip_blank_line()) continue;
    const LinePlace start = reader.record_place();
    std::size_t fields = 0;
    do {
      const std::string_view field = reader.next();
      if (fields < columns_.size())
        for (const std::size_t target : targets(fields))
          parse_field(field, reader, wanted[target], table.columns[target], codes[target]);
      ++fields;
    } while (!reader.ends_record());
    if (fields != columns_.size())
      throw TextFault{
          start, "this row has " + counted(fields, "field") + ", the header has " + std::to_string(columns_.size()),
          fields > columns_.size() ? "put a field that holds a comma in double quotes"
                                   : "a field that is empty needs its comma all the same, as in 1,,3"};
    if (table.rows == 0 || start.line != line_before + 1) table.lines.push_back({table.rows, start.line});
    line_before = start.line;
    ++table.rows;
  }
  return {std::move(table), reader.record_place().line - 1};
}

void CsvSource::parse_field(std::string_view field, const FieldReader& reader, const Selected& wanted, Column& out,
                            NameCodes& codes) const {
  if (out.kind == Kind::number) {
    const ParsedNumber number = parse_number(field);
    if (number.fault != NumberFault::none) throw not_a_number(field, number.fault, reader.field_place(), wanted);
    out.numbers.push_back(number.value);
    return;
  }
  const std::size_t levels = out.levels.size();
  out.codes.push_back(codes.code(field, out.levels));
  if (out.levels.size() == levels) return;
  const std::string called = "column " + in_quotes(columns_[wanted.column].name);
  if (auto fault = files_.fault_of_text(field, reader.field_place(), called)) throw std::move(*fault);
}

TextFault CsvSource::not_a_number(std::string_view field, NumberFault fault, LinePlace place,
                                  const Selected& wanted) const {
  const std::string& name = columns_[wanted.column].name;
  const std::string called = "column " + in_quotes(name), typed = as_typed_item(name);
  if (auto bad_text = files_.fault_of_text(field, place, called)) return std::move(*bad_text);
  std::string hint = "correct the value, or remove the row";
  if (!wanted.needed) {
    hint = "--drop " + typed + " leaves the column out";
    if (fault != NumberFault::empty) hint = "--categorical " + typed + " reads it as categories; " + hint;
  }
  if (fault == NumberFault::empty) return {place, called + " is empty here; a number was expected", hint};
  return {place, called + " holds " + in_quotes(field) + ", which " + std::string(describe(fault)), hint};
}

}  // namespace

std::unique_ptr<Source> open_csv(TextFiles files) { return std::make_unique<CsvSource>(std::move(files)); }

}  // namespace plumb
