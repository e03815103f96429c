// The text of a wave of pieces is read into one buffer, cut at record ends, and the pieces are parsed side by side.
// Where the cuts fall changes nothing: a piece is a run of whole records, and rows keep their order.
#include "plumb/data/csv.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/data/csv_record.h"
#include "plumb/data/kind_guess.h"
#include "plumb/data/text_files.h"

namespace plumb {
namespace {

constexpr std::size_t kSampleRows = 4096;                      // rows that decide the kinds
constexpr std::size_t kSampleBytes = std::size_t{16} << 20;    // ... among those that begin in this many bytes
constexpr std::size_t kLongestRecord = std::size_t{64} << 20;  // more than this is a quote left open
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

// Names may stand in quotes with blanks and line ends around them.
std::string_view name_in(std::string_view field) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = field.find_first_not_of(blanks);
  return first == field.npos ? "" : field.substr(first, field.find_last_not_of(blanks) - first + 1);
}

// The levels of a category column in one piece.
class LevelCodes {
 public:
  std::uint32_t code(std::string_view level, Column& column) {
    const auto found = codes_.find(level);
    if (found != codes_.end()) return found->second;
    const auto code = static_cast<std::uint32_t>(column.levels.size());
    column.levels.emplace_back(level);
    names_.emplace_back(level);
    codes_.emplace(names_.back(), code);
    return code;
  }

 private:
  std::deque<std::string> names_;  // a deque, so that the keys below stay where they are
  std::unordered_map<std::string_view, std::uint32_t> codes_;
};

class CsvSource final : public Source {
 public:
  explicit CsvSource(TextFiles files);

  const std::vector<ColumnInfo>& columns() const noexcept override { return columns_; }
  const std::vector<std::string>& notes() const noexcept override { return notes_; }
  void select(std::vector<Selected> wanted) override;
  bool next(Table& piece, const Run& run) override;
  std::string digest() const override { return files_.digest(); }
  const std::string& name() const noexcept override { return files_.name(); }

 private:
  std::vector<std::string> read_header();
  std::size_t whole_record(std::size_t from);
  void take_header();
  void guess_kinds();
  bool parse_wave(const Run& run);
  Table parse_piece(std::string_view text, std::uint64_t& lines) const;
  void parse_field(std::string_view field, const FieldReader& reader, const Selected& wanted, Column& out,
                   LevelCodes& codes) const;
  TextFault not_a_number(std::string_view field, NumberFault fault, LinePlace place, const Selected& wanted) const;

  TextFiles files_;
  std::vector<ColumnInfo> columns_;
  std::vector<std::string> notes_;
  std::optional<std::vector<Selected>> selected_;
  std::vector<std::vector<std::size_t>> targets_;  // file column -> places in selected_
  std::deque<Table> ready_;
  std::uint64_t rows_ = 0;  // handed out
};

CsvSource::CsvSource(TextFiles files) : files_(std::move(files)) {
  take_header();
  guess_kinds();
}

// One past the end of the record that starts at `from` in the unread text, reading on as needed; npos at the end of the
// file.
std::size_t CsvSource::whole_record(std::size_t from) {
  while (true) {
    const std::string_view text = files_.unread();
    const std::size_t end = next_record_end(text, from, files_.ended());
    // Judged by the record's length alone, so that it does not matter how much was read at once.
    if (std::min(end, text.size()) - from > kLongestRecord)
      files_.fail(
          {{1, 1}, "a line of more than 64 MiB starts here", "look for a quote that is opened and never closed"},
          text.substr(0, from));
    if (end != std::string_view::npos || files_.ended()) return end;
    files_.fill(text.size() + std::max<std::size_t>(text.size() - from, 1));  // doubled, so the search stays linear
  }
}

std::vector<std::string> CsvSource::read_header() {
  files_.fill(4);
  files_.refuse_other_formats("comma-separated text");
  if (files_.unread().starts_with("\xEF\xBB\xBF")) files_.consume(3, 0);  // the mark is no part of line 1
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
  std::size_t at = 0;
  std::uint64_t lines = files_.lines();
  for (std::size_t row = 0; row < kSampleRows && at < kSampleBytes; ++row) {
    const std::size_t end = whole_record(at);
    if (end == std::string_view::npos) break;
    try {
      FieldReader reader(files_.unread().substr(at, end - at));
      for (std::size_t c = 0; !reader.done() && c < columns_.size(); ++c) {
        const std::string_view field = reader.next();
        ColumnInfo& column = columns_[c];
        if (guesses[c].see(field) || !column.first_text.empty()) continue;
        column.first_text = field;
        const LinePlace place = reader.field_place();
        column.first_text_place = {files_.file(), lines + place.line, place.column};
      }
      lines += reader.record_place().line - 1;
    } catch (const TextFault& fault) {
      files_.fail(fault, files_.unread().substr(0, at));
    }
    at = end;
  }
  if (at == 0) return;  // no rows, nothing to guess by
  for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c].kind = guesses[c].kind();
}

void CsvSource::select(std::vector<Selected> wanted) {
  selected_ = std::move(wanted);
  targets_.assign(columns_.size(), {});
  for (std::size_t i = 0; i < selected_->size(); ++i) targets_[(*selected_)[i].column].push_back(i);
}

bool CsvSource::next(Table& piece, const Run& run) {
  if (!selected_) {
    std::vector<Selected> every;
    for (std::size_t c = 0; c < columns_.size(); ++c) every.push_back({c, columns_[c].kind});
    select(std::move(every));
  }
  while (ready_.empty()) {
    if (parse_wave(run)) continue;
    if (!files_.next_file()) return false;
    take_header();
  }
  piece = std::move(ready_.front());
  ready_.pop_front();
  piece.first_row = std::exchange(rows_, rows_ + piece.rows);
  return true;
}

bool CsvSource::parse_wave(const Run& run) {
  run.report(Phase::reading, files_.bytes_read(), files_.bytes_total());
  files_.fill(kPieceBytes * run.executor.threads());
  const std::string_view text = files_.unread();
  if (text.empty()) return false;
  std::vector<std::string_view> pieces;
  std::size_t from = 0;
  while (from < text.size()) {
    std::size_t length = last_record_end(text.substr(from), kPieceBytes, files_.ended());
    if (length == 0 && pieces.empty()) {  // one record longer than a piece
      const std::size_t end = whole_record(0);
      pieces.push_back(files_.unread().substr(0, end));
      break;
    }
    if (length == 0) break;
    pieces.push_back(text.substr(from, length));
    from += length;
  }

  std::vector<Table> tables(pieces.size());
  std::vector<std::optional<TextFault>> faults(pieces.size());
  std::vector<std::uint64_t> lines(pieces.size());
  run.executor.for_each(pieces.size(), [&](std::size_t i) {
    try {
      tables[i] = parse_piece(pieces[i], lines[i]);
    } catch (TextFault& fault) {
      faults[i] = std::move(fault);
    }
  });
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (faults[i]) files_.fail(*faults[i], {});
    for (Table::Lines& each : tables[i].lines) each.line += files_.lines();
    tables[i].file = files_.file();
    files_.consume(pieces[i].size(), lines[i]);
    if (tables[i].rows > 0) ready_.push_back(std::move(tables[i]));
  }
  return true;
}

Table CsvSource::parse_piece(std::string_view text, std::uint64_t& lines) const {
  const std::vector<Selected>& selected = *selected_;
  Table table;
  table.columns.resize(selected.size());
  for (std::size_t i = 0; i < selected.size(); ++i) table.columns[i].kind = selected[i].kind;
  std::vector<LevelCodes> codes(selected.size());
  std::uint64_t line_before = 0;  // where the last row starts
  FieldReader reader(text);
  while (!reader.done()) {
    if (columns_.size() > 1 && reader.skip_blank_line()) continue;
    const LinePlace start = reader.record_place();
    std::size_t fields = 0;
    do {
      const std::string_view field = reader.next();
      if (fields < columns_.size())
        for (const std::size_t target : targets_[fields])
          parse_field(field, reader, selected[target], table.columns[target], codes[target]);
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
  lines = reader.record_place().line - 1;
  return table;
}

void CsvSource::parse_field(std::string_view field, const FieldReader& reader, const Selected& wanted, Column& out,
                            LevelCodes& codes) const {
  if (out.kind == Kind::number) {
    const ParsedNumber number = parse_number(field);
    if (number.fault != NumberFault::none) throw not_a_number(field, number.fault, reader.field_place(), wanted);
    out.numbers.push_back(number.value);
    return;
  }
  const std::size_t levels = out.levels.size();
  out.codes.push_back(codes.code(field, out));
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
