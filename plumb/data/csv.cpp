// The text of a wave of pieces is read into one buffer, cut at record ends, and the pieces are parsed side by side.
// Where the cuts fall changes nothing: a piece is a run of whole records, and rows keep their order.
#include "plumb/data/csv.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/data/csv_record.h"
#include "plumb/data/text_files.h"

namespace plumb {
namespace {

constexpr std::size_t kSampleRows = 4096;                      // rows that decide the kinds
constexpr std::size_t kSampleBytes = std::size_t{16} << 20;    // ... among those that begin in this many bytes
constexpr std::size_t kLongestRecord = std::size_t{64} << 20;  // more than this is a quote left open
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

struct Magic {
  std::string_view bytes;
  std::string_view what;
  std::string_view reader;
};
constexpr Magic kNotText[] = {{"\x1f\x8b", "gzip-compressed", "zcat"},
                              {"\x28\xb5\x2f\xfd", "zstd-compressed", "zstdcat"},
                              {"PK\x03\x04", "a zip archive", "funzip"},
                              {"PAR1", "a Parquet file", ""}};

// A column is a number if nine in ten of its values are, or if half are and they are too various to be codes: then the
// others are more likely marks for missing values, which the user should hear of.
Kind guess(const ColumnInfo& column, std::size_t distinct_numbers) {
  if (column.numbers == 0) return Kind::category;
  if (column.numbers * 10 >= column.seen * 9) return Kind::number;
  return column.numbers * 2 >= column.seen && distinct_numbers > 20 ? Kind::number : Kind::category;
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
  CsvSource(std::vector<std::string> paths, const ReadOptions& options);

  const std::vector<ColumnInfo>& columns() const noexcept override { return columns_; }
  const std::vector<std::string>& notes() const noexcept override { return notes_; }
  void select(std::vector<Selected> wanted) override;
  bool next(Table& piece, const Run& run) override;
  std::string digest() const override { return files_.digest(); }
  const std::string& name() const noexcept override { return files_.name(); }

 private:
  void refuse_other_formats() const;
  std::vector<std::string> read_header();
  std::size_t whole_record(std::size_t from);
  void take_header();
  void guess_kinds();
  bool parse_wave(const Run& run);
  Table parse_piece(std::string_view text, std::uint64_t& lines) const;
  void parse_field(std::string_view field, const FieldReader& reader, std::size_t column, Column& out,
                   LevelCodes& codes) const;

  TextFiles files_;
  bool hints_at_options_;
  std::vector<ColumnInfo> columns_;
  std::vector<std::string> notes_;
  std::vector<Selected> selected_;
  std::vector<std::vector<std::size_t>> targets_;  // file column -> places in selected_
  std::deque<Table> ready_;
};

CsvSource::CsvSource(std::vector<std::string> paths, const ReadOptions& options)
    : files_(std::move(paths), options.read_size), hints_at_options_(options.hints_at_options) {
  take_header();
  guess_kinds();
}

void CsvSource::refuse_other_formats() const {
  for (const Magic& magic : kNotText)
    if (files_.unread().starts_with(magic.bytes))
      throw Error(ErrorCode::data, {files_.file()},
                  "is " + std::string(magic.what) + "; comma-separated text was expected",
                  magic.reader.empty() ? "" : files_.piped(magic.reader));
}

// One past the end of the record that starts at `from` in the unread text, reading on as needed; npos at the end of the
// file.
std::size_t CsvSource::whole_record(std::size_t from) {
  while (true) {
    const std::size_t end = next_record_end(files_.unread(), from, files_.ended());
    if (end != std::string_view::npos || files_.ended()) return end;
    if (files_.unread().size() - from > kLongestRecord) {
      const TextFault fault{
          {1, 1}, "a line of more than 64 MiB starts here", "look for a quote that is opened and never closed"};
      files_.fail(fault, files_.unread().substr(0, from));
    }
    files_.fill(files_.unread().size() + 1);
  }
}

std::vector<std::string> CsvSource::read_header() {
  files_.fill(4);
  refuse_other_formats();
  if (files_.unread().starts_with("\xEF\xBB\xBF")) files_.consume(3, 0);  // the mark is no part of line 1
  std::size_t end = whole_record(0);
  while (end != std::string_view::npos &&
         trimmed(files_.unread().substr(0, end)).find_first_not_of("\r\n") == std::string_view::npos) {
    files_.consume(end, 1);
    end = whole_record(0);
  }
  if (end == std::string_view::npos)
    throw Error(ErrorCode::data, {files_.file()}, "is empty; a header line with the names of the columns was expected");

  std::vector<std::string> names;
  try {
    FieldReader reader(files_.unread().substr(0, end));
    do {
      const std::string_view name = trimmed(reader.next());
      if (!valid_utf8(name) || name.find('\0') != std::string_view::npos)
        throw TextFault{reader.field_place(), "the column name " + in_quotes(name) + " is not valid UTF-8 text",
                        "convert the file to UTF-8"};
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
                      " were expected: " + listed(expected));
    return;
  }
  std::unordered_set<std::string> seen;
  for (const std::string& given : names) {
    ColumnInfo column;
    column.place = columns_.size() + 1;
    column.name = given.empty() ? "column" + std::to_string(column.place) : given;
    if (given.empty())
      notes_.push_back("column " + std::to_string(column.place) + " has no name; it is called " + column.name);
    if (!seen.insert(column.name).second)
      throw Error(ErrorCode::data, header,
                  "two columns are called " + in_quotes(column.name) + "; every column needs a name of its own");
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
  std::vector<std::set<double>> distinct(columns_.size());
  std::size_t at = 0;
  for (std::size_t row = 0; row < kSampleRows && at < kSampleBytes; ++row) {
    const std::size_t end = whole_record(at);
    if (end == std::string_view::npos) break;
    try {
      FieldReader reader(files_.unread().substr(at, end - at));
      for (std::size_t c = 0; !reader.done() && c < columns_.size(); ++c) {
        const std::string_view field = reader.next();
        const ParsedNumber number = parse_number(field);
        if (number.fault == NumberFault::empty) continue;
        ++columns_[c].seen;
        if (number.fault == NumberFault::not_a_number) continue;
        ++columns_[c]
              .numbers;  // also "1,5", "0x10" and "nan": numbers that are written wrongly should be said, not coded
        if (distinct[c].size() <= 20 && number.fault == NumberFault::none) distinct[c].insert(number.value);
      }
    } catch (const TextFault& fault) {
      files_.fail(fault, files_.unread().substr(0, at));
    }
    at = end;
  }
  if (at == 0) return;  // no rows, nothing to guess by
  for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c].kind = guess(columns_[c], distinct[c].size());
}

void CsvSource::select(std::vector<Selected> wanted) {
  selected_ = std::move(wanted);
  targets_.assign(columns_.size(), {});
  for (std::size_t i = 0; i < selected_.size(); ++i) targets_[selected_[i].column].push_back(i);
}

bool CsvSource::next(Table& piece, const Run& run) {
  while (ready_.empty()) {
    if (parse_wave(run)) continue;
    if (!files_.next_file()) return false;
    take_header();
  }
  piece = std::move(ready_.front());
  ready_.pop_front();
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
    files_.consume(pieces[i].size(), lines[i]);
    if (tables[i].rows > 0) ready_.push_back(std::move(tables[i]));
  }
  return true;
}

Table CsvSource::parse_piece(std::string_view text, std::uint64_t& lines) const {
  Table table;
  table.columns.resize(selected_.size());
  for (std::size_t i = 0; i < selected_.size(); ++i) table.columns[i].kind = selected_[i].kind;
  std::vector<LevelCodes> codes(selected_.size());
  FieldReader reader(text);
  while (!reader.done()) {
    if (columns_.size() > 1 && reader.skip_blank_line()) continue;
    const LinePlace start = reader.record_place();
    std::size_t fields = 0;
    do {
      const std::string_view field = reader.next();
      if (fields < columns_.size())
        for (const std::size_t target : targets_[fields])
          parse_field(field, reader, fields, table.columns[target], codes[target]);
      ++fields;
    } while (!reader.ends_record());
    if (fields != columns_.size())
      throw TextFault{
          start, "this row has " + counted(fields, "field") + ", the header has " + std::to_string(columns_.size()),
          fields > columns_.size() ? "put a field that holds a comma in double quotes" : ""};
    ++table.rows;
  }
  lines = reader.record_place().line - 1;
  return table;
}

void CsvSource::parse_field(std::string_view field, const FieldReader& reader, std::size_t column, Column& out,
                            LevelCodes& codes) const {
  const std::string& name = columns_[column].name;
  if (out.kind == Kind::number) {
    const ParsedNumber number = parse_number(field);
    if (number.fault == NumberFault::none) {
      out.numbers.push_back(number.value);
      return;
    }
    const std::string leave_out = hints_at_options_ ? "--drop " + name + " leaves the column out" : "";
    if (number.fault == NumberFault::empty)
      throw TextFault{reader.field_place(), "column " + in_quotes(name) + " is empty here; a number was expected",
                      leave_out};
    throw TextFault{
        reader.field_place(),
        "column " + in_quotes(name) + " holds " + in_quotes(field) + ", which " + std::string(describe(number.fault)),
        leave_out.empty() ? "" : "--categorical " + name + " reads it as categories; " + leave_out};
  }
  const std::size_t levels = out.levels.size();
  out.codes.push_back(codes.code(field, out));
  if (out.levels.size() == levels) return;
  if (!valid_utf8(field) || field.find('\0') != std::string_view::npos)
    throw TextFault{reader.field_place(),
                    "column " + in_quotes(name) + " holds " + in_quotes(field) + ", which is not valid UTF-8 text",
                    files_.piped("iconv -f latin1 -t utf8")};
}

}  // namespace

std::unique_ptr<Source> open_csv(std::vector<std::string> paths, const ReadOptions& options) {
  return std::make_unique<CsvSource>(std::move(paths), options);
}

}  // namespace plumb
