#include "plumb/data/text_source.h"

#include <algorithm>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/data/csv_record.h"

namespace plumb {
namespace {

constexpr std::size_t kSampleBytes = std::size_t{16} << 20;
constexpr std::size_t kLongestRecord = std::size_t{64} << 20;
constexpr std::size_t kNoRecord = std::string_view::npos;

// Whether a line ends before `i`: not between CR and LF, nor at a CR whose LF may still come.
bool ends_before(std::string_view text, std::size_t i, bool at_end) noexcept {
  if (text[i - 1] == '\n') return true;
  return text[i - 1] == '\r' && (i < text.size() ? text[i] != '\n' : at_end);
}

std::size_t last_line_end(std::string_view text, std::size_t limit, bool at_end) {
  limit = std::min(limit, text.size());
  if (at_end && limit == text.size()) return limit;
  while (limit > 0 && !ends_before(text, limit, at_end)) --limit;
  return limit;
}

std::size_t next_line_end(std::string_view text, std::size_t from, bool at_end) {
  const char* const end = text.data() + text.size();
  for (const char* p = text.data() + from; (p = field_end(p, end, '\n')) != end;) {
    ++p;
    if (const auto i = static_cast<std::size_t>(p - text.data()); ends_before(text, i, at_end)) return i;
  }
  return at_end && from < text.size() ? text.size() : kNoRecord;
}

}  // namespace

RecordEnds line_ends() { return {last_line_end, next_line_end, "break the line where a row ends"}; }

void TextSource::start_text(std::string_view expected) {
  files_.fill(4);
  files_.refuse_other_formats(expected);
  if (files_.unread().starts_with("\xEF\xBB\xBF")) files_.consume(3, 0);
}

std::size_t TextSource::whole_record(std::size_t from) {
  while (true) {
    const std::string_view text = files_.unread();
    const std::size_t end = ends_.next(text, from, files_.ended());
    // Decided by the record's length alone, so that it does not matter how much was read at once.
    if (std::min(end, text.size()) - from > kLongestRecord)
      files_.fail({{1, 1}, "a line of more than 64 MiB starts here", std::string(ends_.too_long_hint)},
                  text.substr(0, from));
    if (end != kNoRecord || files_.ended()) return end;
    files_.fill(text.size() + std::max<std::size_t>(text.size() - from, 1));  // doubled, so the search stays linear
  }
}

std::string_view TextSource::sample(std::size_t most) {
  std::size_t at = 0;
  for (std::size_t records = 0; records < most && at < kSampleBytes; ++records) {
    const std::size_t end = whole_record(at);
    if (end == kNoRecord) break;
    at = end;
  }
  return files_.unread().substr(0, at);
}

void TextSource::note_marks(const ReadOptions& options) {
  if (!options.na.empty())
    notes_.push_back("--na says nothing about " + std::string(form()) + ": what a row does not name is 0, not missing");
}

std::string TextSource::good_lines(std::string_view text,
                                   const std::function<void(std::string_view line)>& parse) const {
  if (!skip_bad_rows_) return std::string(text);
  std::string good;
  LineCursor cursor(text);
  for (const char* p = text.data(); p != cursor.end();) {
    const std::string_view line = cursor.rest(p);
    try {
      parse(line);
      good += line;
    } catch (const TextFault&) {
      // An empty line replaces it, so that places stay right.
    }
    good += '\n';
    p = cursor.next_line(p + line.size());
  }
  return good;
}

void TextSource::select(std::vector<Selected> wanted) {
  for (const Selected& each : wanted) {
    const ColumnInfo& column = columns_[each.column];
    if ((each.kind == Kind::sparse) != (column.kind == Kind::sparse))
      throw Error(ErrorCode::data, {files_.name()},
                  "column " + in_quotes(column.name) + " is of kind " + kind_name(column.kind) + "; " +
                      kind_name(each.kind) + " was expected",
                  each.needed ? "give a file of the format that the model was trained on"
                              : "--drop " + as_typed_item(column.name) + " leaves the column out");
  }
  selected_ = std::move(wanted);
  targets_.assign(columns_.size(), {});
  for (std::size_t i = 0; i < selected_->size(); ++i) targets_[(*selected_)[i].column].push_back(i);
}

// The same values as the other kind.
Column TextSource::read_as(const Selected& wanted, const Column& column, std::span<const Table::Lines> lines) const {
  Column out{.kind = wanted.kind};
  if (!column.numbers.empty()) return numbers_as(wanted.kind, column.numbers);
  if (wanted.kind == Kind::text) {
    for (const std::uint32_t code : column.codes) out.documents.add(column.levels[code]);
    return out;
  }
  for (std::size_t row = 0; row < column.codes.size(); ++row) {
    const std::string& text = column.levels[column.codes[row]];
    const ParsedNumber number = parse_number(text);
    if (number.fault != NumberFault::none)
      throw TextFault{{Table::line_of(lines, row), 1},
                      "column " + in_quotes(columns_[wanted.column].name) + " holds " + in_quotes(text) + ", which " +
                          std::string(describe(number.fault)),
                      "correct the value, or read the column as categories"};
    out.numbers.push_back(number.value);
  }
  return out;
}

std::vector<Column> TextSource::pick(const std::vector<Column*>& columns, std::span<const Table::Lines> lines) const {
  std::vector<Column> picked;
  picked.reserve(selected_->size());
  for (std::size_t i = 0; i < selected_->size(); ++i) {
    const std::size_t c = (*selected_)[i].column;
    const bool again = targets_[c].back() != i;  // a later position takes the column itself
    picked.push_back(again ? *columns[c] : std::move(*columns[c]));
    if ((*selected_)[i].kind != picked.back().kind) picked.back() = read_as((*selected_)[i], picked.back(), lines);
  }
  return picked;
}

bool TextSource::next(Table& piece, const Run& run) {
  if (!selected_) {
    std::vector<Selected> every;
    for (std::size_t c = 0; c < columns_.size(); ++c) every.push_back({c, columns_[c].kind});
    select(std::move(every));
  }
  while (ready_.empty()) {
    if (pending_) throw *pending_;
    if (parse_wave(run)) continue;
    if (!files_.next_file()) {
      note_mended();
      files_.release_text();
      return false;
    }
    start_file();
  }
  piece = std::move(ready_.front());
  ready_.pop_front();
  piece.first_row = std::exchange(rows_, rows_ + piece.rows);
  return true;
}

// Where a piece ends depends only on the text, never on how much of it was read: it is cut when piece_size_ bytes and
// one more are available, or the rest of the file.
std::vector<std::string_view> TextSource::pieces_of_wave() {
  std::vector<std::string_view> pieces;
  const std::string_view text = files_.unread();
  for (std::size_t from = 0; from < text.size() && (text.size() - from > piece_size_ || files_.ended());) {
    const std::size_t length = ends_.last(text.substr(from), piece_size_, files_.ended());
    if (length == 0 && pieces.empty()) {  // one record longer than a piece
      const std::size_t end = whole_record(0);
      return {files_.unread().substr(0, end)};
    }
    if (length == 0) break;
    pieces.push_back(text.substr(from, length));
    from += length;
  }
  return pieces;
}

bool TextSource::parse_wave(const Run& run) {
  run.report(Phase::reading, files_.bytes_read(), files_.bytes_total());
  // Three tasks a thread, one of which reads the next wave, and takes about as long as a piece if there are few
  // threads; a single thread is faster with text that is still in its cache.
  const unsigned threads = run.executor.threads();
  const std::size_t wave = piece_size_ * (threads > 1 ? 3 * threads - 1 : 1);
  files_.fill(wave + 1);
  const std::vector<std::string_view> pieces = pieces_of_wave();
  std::vector<Parsed> parsed(pieces.size());
  std::vector<std::optional<TextFault>> faults(pieces.size());
  run.executor.for_each(pieces.size() + 1, [&](std::size_t task) {
    if (task == 0) {
      if (threads > 1) files_.read_ahead(wave);
      return;
    }
    const std::size_t i = task - 1;
    try {
      parsed[i] = parse(pieces[i]);
      extract_from(parsed[i].table, *selected_);
    } catch (TextFault& fault) {
      faults[i] = std::move(fault);
    }
  });
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (faults[i]) {  // thrown after the pieces before it have been returned
      pending_ = files_.error_of(*faults[i]);
      break;
    }
    Table& table = parsed[i].table;
    for (Table::Lines& each : table.lines) each.line += files_.lines();
    table.file = files_.file();
    const LeftOut& left_out = parsed[i].left_out;
    if (left_out.bad + left_out.with_missing + left_out.without_target > 0)
      for (Column& column : table.columns) drop_unused(column);
    const Mended& mended = parsed[i].mended;
    if (mended.rows > 0 && mended_.rows == 0) first_mended_ = {files_.file(), files_.lines() + mended.first_line};
    mended_.add(mended);
    for (const TextFault& fault : left_out.first)
      if (skipped_.first.size() < LeftOut::kShown) skipped_.first.push_back(files_.error_of(fault));
    skipped_.bad += left_out.bad;
    skipped_.with_missing += left_out.with_missing;
    skipped_.without_target += left_out.without_target;
    files_.consume(pieces[i].size(), parsed[i].lines_ended);
    if (table.rows > 0) ready_.push_back(std::move(table));
  }
  return !pieces.empty();
}

void TextSource::note_mended() {
  if (mended_.rows > 0)
    notes_.push_back(mended_.what + " in " + counted(mended_.rows, "row") + ", first at " + first_mended_.text());
  mended_ = {};
}

}  // namespace plumb
