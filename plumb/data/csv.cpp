// The text of a wave of pieces is read into one buffer, cut at record ends, and the pieces are parsed side by side. Where the cuts
// fall changes nothing: a piece is a run of whole records, and rows keep their order.
#include "plumb/data/csv.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "plumb/base/digest.h"
#include "plumb/base/error.h"
#include "plumb/base/file.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/data/csv_record.h"

namespace plumb {
namespace {

constexpr std::size_t kSampleRows = 4096;                          // rows that decide the kinds
constexpr std::size_t kSampleBytes = std::size_t{16} << 20;        // ... among those that begin in this many bytes
constexpr std::size_t kLongestRecord = std::size_t{64} << 20;      // more than this is a quote left open
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

// A column is a number if nine in ten of its values are, or if half are and they are too various to be codes: then the others are
// more likely marks for missing values, which the user should hear of.
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
  std::string digest() const override { return digest_.hex(); }
  const std::string& name() const noexcept override { return name_; }

 private:
  void open_file();
  bool fill(std::size_t bytes);
  std::string_view unread() const { return std::string_view(text_).substr(at_); }
  void consume(std::size_t bytes, std::uint64_t lines);
  void consume(std::size_t bytes) { consume(bytes, count_lines(unread().substr(0, bytes))); }
  void refuse_other_formats() const;
  std::string piped(std::string_view filter) const;
  std::vector<std::string> read_header();
  std::size_t whole_record(std::size_t from);
  void take_header();
  void guess_kinds();
  bool parse_wave(const Run& run);
  Table parse_piece(std::string_view text, std::uint64_t& lines) const;
  void parse_field(std::string_view field, const FieldReader& reader, std::size_t column, Column& out, LevelCodes& codes) const;
  [[noreturn]] void fail(const RecordFault& fault, std::string_view before) const;

  std::vector<std::string> paths_;
  ReadOptions options_;
  std::size_t next_path_ = 0;
  std::optional<FileReader> file_;
  bool file_done_ = true;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t bytes_total_ = 0;

  std::string text_;            // read and not yet parsed, from at_ on
  std::size_t at_ = 0;
  std::uint64_t lines_ = 0;     // line ends before at_ in this file

  std::vector<ColumnInfo> columns_;
  std::vector<std::string> notes_;
  std::vector<Selected> selected_;
  std::vector<std::vector<std::size_t>> targets_;  // file column -> places in selected_
  std::deque<Table> ready_;
  Digest128 digest_;
  std::string name_;
};

CsvSource::CsvSource(std::vector<std::string> paths, const ReadOptions& options) : paths_(std::move(paths)), options_(options) {
  options_.read_size = std::max<std::size_t>(options_.read_size, 1);
  name_ = paths_.front() == "-" ? "standard input" : paths_.front();
  if (paths_.size() > 1) name_ += " and " + std::to_string(paths_.size() - 1) + " more";
  if (std::count(paths_.begin(), paths_.end(), "-") > 1)
    throw Error(ErrorCode::usage, "standard input is given twice; it can be read only once");
  open_file();
  bytes_total_ = file_->size_hint();
  for (std::size_t i = 1; i < paths_.size(); ++i) {  // a missing file is said before any work; a pipe is opened only once
    if (std::filesystem::is_regular_file(paths_[i]) || !std::filesystem::exists(paths_[i])) bytes_total_ += FileReader(paths_[i]).size_hint();
  }
  guess_kinds();
}

void CsvSource::open_file() {
  file_.emplace(paths_[next_path_++]);
  file_done_ = false;
  text_.clear();
  at_ = 0;
  lines_ = 0;
  take_header();
}

// Reads until `bytes` are there to parse or the file ends; false when nothing more came.
bool CsvSource::fill(std::size_t bytes) {
  if (at_ > 0) {
    text_.erase(0, at_);
    at_ = 0;
  }
  const std::size_t before = text_.size();
  while (!file_done_ && text_.size() < bytes) {
    const std::size_t start = text_.size();
    text_.resize(start + options_.read_size);
    const std::size_t got = file_->read(std::span(text_).subspan(start));
    text_.resize(start + got);
    digest_.add(std::string_view(text_).substr(start));
    bytes_read_ += got;
    file_done_ = got < options_.read_size;
  }
  return text_.size() > before;
}

void CsvSource::consume(std::size_t bytes, std::uint64_t lines) {
  lines_ += lines;
  at_ += bytes;
}

void CsvSource::fail(const RecordFault& fault, std::string_view before) const {
  const Place place{file_->name(), lines_ + count_lines(before) + fault.place.line, fault.place.column};
  throw Error(ErrorCode::data, place, fault.message, fault.hint);
}

void CsvSource::refuse_other_formats() const {
  for (const Magic& magic : kNotText)
    if (unread().starts_with(magic.bytes))
      throw Error(ErrorCode::data, {file_->name()}, "is " + std::string(magic.what) + "; comma-separated text was expected",
                  magic.reader.empty() ? "" : piped(magic.reader));
}

// How to read this input through a filter.
std::string CsvSource::piped(std::string_view filter) const {
  const bool from_pipe = paths_[next_path_ - 1] == "-";
  return (from_pipe ? "... | " + std::string(filter) : std::string(filter) + " < " + file_->name()) + " | plumb ... -";
}

// One past the end of the record that starts at `from` in the unread text, reading on as needed; npos at the end of the file.
std::size_t CsvSource::whole_record(std::size_t from) {
  while (true) {
    const std::size_t end = next_record_end(unread(), from, file_done_);
    if (end != std::string_view::npos || file_done_) return end;
    if (unread().size() - from > kLongestRecord) {
      const RecordFault fault{{1, 1}, "a line of more than 64 MiB starts here", "look for a quote that is opened and never closed"};
      fail(fault, unread().substr(0, from));
    }
    fill(unread().size() + options_.read_size);
  }
}

std::vector<std::string> CsvSource::read_header() {
  fill(4);
  if (unread().starts_with("\xEF\xBB\xBF")) at_ += 3;  // the mark is no part of line 1
  refuse_other_formats();
  std::size_t end = whole_record(0);
  while (end != std::string_view::npos && trimmed(unread().substr(0, end)).find_first_not_of("\r\n") == std::string_view::npos) {
    consume(end);
    end = whole_record(0);
  }
  if (end == std::string_view::npos)
    throw Error(ErrorCode::data, {file_->name()}, "is empty; a header line with the names of the columns was expected");

  std::vector<std::string> names;
  try {
    FieldReader reader(unread().substr(0, end));
    do {
      const std::string_view name = trimmed(reader.next());
      if (!valid_utf8(name) || name.find('\0') != std::string_view::npos)
        throw RecordFault{reader.field_place(), "the column name " + in_quotes(name) + " is not valid UTF-8 text", "convert the file to UTF-8"};
      names.emplace_back(name);
    } while (!reader.ends_record());
  } catch (const RecordFault& fault) {
    fail(fault, {});
  }
  consume(end);
  return names;
}

void CsvSource::take_header() {
  const std::vector<std::string> names = read_header();
  const Place header{file_->name(), lines_, 0};
  if (!columns_.empty()) {  // a further file of the same table
    std::vector<std::string> expected;
    for (const ColumnInfo& column : columns_) expected.push_back(column.name);
    std::vector<std::string> found = names;
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i].empty()) found[i] = "column" + std::to_string(i + 1);
    if (found != expected)
      throw Error(ErrorCode::data, header, "the columns are " + listed(found) + "; those of " + paths_.front() + " were expected: " + listed(expected));
    return;
  }
  std::unordered_set<std::string> seen;
  for (const std::string& given : names) {
    ColumnInfo column;
    column.place = columns_.size() + 1;
    column.name = given.empty() ? "column" + std::to_string(column.place) : given;
    if (given.empty()) notes_.push_back("column " + std::to_string(column.place) + " has no name; it is called " + column.name);
    if (!seen.insert(column.name).second)
      throw Error(ErrorCode::data, header, "two columns are called " + in_quotes(column.name) + "; every column needs a name of its own");
    columns_.push_back(std::move(column));
  }
  if (std::all_of(names.begin(), names.end(), [](const std::string& n) { return parse_number(n).fault == NumberFault::none; }))
    notes_.push_back("the first line of " + file_->name() + " holds only numbers, and was taken as the names of the columns");
  for (const char other : {';', '\t', '|'})
    if (columns_.size() == 1 && names[0].find(other) != std::string::npos)
      throw Error(ErrorCode::data, header, "the header has no comma, but " + in_quotes(std::string(1, other)) + " between names; commas were expected",
                  piped("tr '" + (other == '\t' ? std::string("\\t") : std::string(1, other)) + "' ,"));
}

void CsvSource::guess_kinds() {
  std::vector<std::set<double>> distinct(columns_.size());
  std::size_t at = 0;
  for (std::size_t row = 0; row < kSampleRows && at < kSampleBytes; ++row) {
    const std::size_t end = whole_record(at);
    if (end == std::string_view::npos) break;
    try {
      FieldReader reader(unread().substr(at, end - at));
      for (std::size_t c = 0; !reader.done() && c < columns_.size(); ++c) {
        const std::string_view field = reader.next();
        const ParsedNumber number = parse_number(field);
        if (number.fault == NumberFault::empty) continue;
        ++columns_[c].seen;
        if (number.fault != NumberFault::none) continue;
        ++columns_[c].numbers;
        if (distinct[c].size() <= 20) distinct[c].insert(number.value);
      }
    } catch (const RecordFault& fault) {
      fail(fault, unread().substr(0, at));
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
    if (next_path_ == paths_.size()) return false;
    open_file();
  }
  piece = std::move(ready_.front());
  ready_.pop_front();
  return true;
}

bool CsvSource::parse_wave(const Run& run) {
  run.report(Phase::reading, bytes_read_, bytes_total_);
  fill(kPieceBytes * run.executor.threads());
  const std::string_view text = unread();
  if (text.empty()) return false;
  std::vector<std::string_view> pieces;
  std::size_t from = 0;
  while (from < text.size()) {
    std::size_t length = last_record_end(text.substr(from), kPieceBytes, file_done_);
    if (length == 0 && pieces.empty()) {  // one record longer than a piece
      const std::size_t end = whole_record(0);
      pieces.push_back(unread().substr(0, end));
      from = end;
      break;
    }
    if (length == 0) break;
    pieces.push_back(text.substr(from, length));
    from += length;
  }

  std::vector<Table> tables(pieces.size());
  std::vector<std::optional<RecordFault>> faults(pieces.size());
  std::vector<std::uint64_t> lines(pieces.size());
  run.executor.for_each(pieces.size(), [&](std::size_t i) {
    try {
      tables[i] = parse_piece(pieces[i], lines[i]);
    } catch (RecordFault& fault) {
      faults[i] = std::move(fault);
    }
  });
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (faults[i]) fail(*faults[i], {});
    consume(pieces[i].size(), lines[i]);
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
      throw RecordFault{start, "this row has " + counted(fields, "field") + ", the header has " + std::to_string(columns_.size()),
                        fields > columns_.size() ? "put a field that holds a comma in double quotes" : ""};
    ++table.rows;
  }
  lines = reader.record_place().line - 1;
  return table;
}

void CsvSource::parse_field(std::string_view field, const FieldReader& reader, std::size_t column, Column& out, LevelCodes& codes) const {
  const std::string& name = columns_[column].name;
  if (out.kind == Kind::number) {
    const ParsedNumber number = parse_number(field);
    if (number.fault == NumberFault::none) {
      out.numbers.push_back(number.value);
      return;
    }
    const std::string leave_out = options_.hints_at_options ? "--drop " + name + " leaves the column out" : "";
    if (number.fault == NumberFault::empty)
      throw RecordFault{reader.field_place(), "column " + in_quotes(name) + " is empty here; a number was expected", leave_out};
    throw RecordFault{reader.field_place(), "column " + in_quotes(name) + " holds " + in_quotes(field) + ", which " + std::string(describe(number.fault)),
                      leave_out.empty() ? "" : "--categorical " + name + " reads it as categories; " + leave_out};
  }
  const std::size_t levels = out.levels.size();
  out.codes.push_back(codes.code(field, out));
  if (out.levels.size() == levels) return;
  if (!valid_utf8(field) || field.find('\0') != std::string_view::npos)
    throw RecordFault{reader.field_place(), "column " + in_quotes(name) + " holds " + in_quotes(field) + ", which is not valid UTF-8 text",
                      piped("iconv -f latin1 -t utf8")};
}

}  // namespace

std::unique_ptr<Source> open_csv(std::vector<std::string> paths, const ReadOptions& options) {
  return std::make_unique<CsvSource>(std::move(paths), options);
}

}  // namespace plumb
