// Shared by all text formats: a wave of pieces is read into one buffer, cut at record ends, and the pieces are parsed
// in parallel. The cuts change nothing: a piece is a run of whole records, and rows keep their order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/data/line_cursor.h"
#include "plumb/data/missing.h"
#include "plumb/data/source.h"
#include "plumb/data/text_files.h"

namespace plumb {

// Where records end in a format.
struct RecordEnds {
  // One past the last record end at or before `limit`, 0 if there is none, for a text that starts at a record's start.
  // With `at_end`, the end of the text ends a record too. A CR at the very end of the text does not count unless
  // `at_end`: its LF may not have been read yet.
  std::function<std::size_t(std::string_view text, std::size_t limit, bool at_end)> last;
  // One past the end of the record that starts at `from`; std::string_view::npos if it does not end in the text.
  std::function<std::size_t(std::string_view text, std::size_t from, bool at_end)> next;
  std::string_view too_long_hint;  // the hint for a record that does not end
};

// A record a line.
RecordEnds line_ends();

// Labels of formats of entries are whole numbers, and may be many.
inline constexpr std::size_t kMostEntryLabels = 1000;

class TextSource : public Source {
 public:
  const std::vector<ColumnInfo>& columns() const noexcept final { return columns_; }
  const std::vector<std::string>& notes() const noexcept final { return notes_; }
  const Skipped& skipped() const noexcept final { return skipped_; }
  const std::vector<std::string>& na() const noexcept final { return missing_.texts(); }
  void select(std::vector<Selected> wanted) final;
  bool next(Table& piece, const Run& run) final;
  std::string digest() const final { return files_.digest(); }
  const std::string& name() const noexcept final { return files_.name(); }

 protected:
  struct Parsed {
    Table table;
    std::uint64_t lines_ended = 0;
    Mended mended = {};
    LeftOut left_out = {};
  };

  TextSource(TextFiles files, const ReadOptions& options, RecordEnds ends)
      : files_(std::move(files)),
        ends_(std::move(ends)),
        missing_(options.na, options.default_na),
        skip_bad_rows_(options.bad_rows == BadRows::skip),
        piece_size_(std::max<std::size_t>(options.piece_size, 1)) {}
  void set_ends(RecordEnds ends) { ends_ = std::move(ends); }

  // Reads the header of a further file.
  virtual void start_file() = 0;
  // A run of whole records; for any thread. Throws TextFault.
  virtual Parsed parse(std::string_view text) const = 0;

  // For start_file: refuses files that are not text, and skips a byte order mark, which is not part of line 1.
  void start_text(std::string_view expected);
  // One past the end of the record that starts at `from` in the unread text, reading on as needed; npos at the end of
  // the file.
  std::size_t whole_record(std::size_t from);
  // The records that decide about columns and kinds: the first 4096, among those that begin in the first 16 MiB.
  std::string_view sample() { return sample(kSampleRecords); }
  std::string_view sample(std::size_t records);
  // For a format without missing values: a note if the user names markers for them.
  void note_marks(const ReadOptions& options);
  // The readable lines of a sample, if others are left out: those decide nothing. `parse` throws TextFault.
  std::string good_lines(std::string_view text, const std::function<void(std::string_view line)>& parse) const;
  const MissingMarks& missing() const noexcept { return missing_; }
  bool skip_bad_rows() const noexcept { return skip_bad_rows_; }
  const std::vector<Selected>& selected() const noexcept { return *selected_; }
  // Positions of a column of the file among those selected.
  const std::vector<std::size_t>& targets(std::size_t column) const noexcept { return targets_[column]; }

  // The selected columns, from all columns of the file, as the selected kinds. Throws TextFault for a text that is not
  // a number if one is wanted.
  std::vector<Column> pick(const std::vector<Column*>& columns, std::span<const Table::Lines> lines) const;

  TextFiles files_;
  std::vector<ColumnInfo> columns_;
  std::vector<std::string> notes_;

 private:
  static constexpr std::size_t kSampleRecords = 4096;

  Column read_as(const Selected& wanted, const Column& column, std::span<const Table::Lines> lines) const;
  bool parse_wave(const Run& run);
  std::vector<std::string_view> pieces_of_wave();
  void note_mended();

  RecordEnds ends_;
  std::optional<std::vector<Selected>> selected_;
  std::vector<std::vector<std::size_t>> targets_;
  std::deque<Table> ready_;
  std::optional<Error> pending_;  // after those that are ready
  std::uint64_t rows_ = 0;        // handed out
  MissingMarks missing_;
  bool skip_bad_rows_;
  std::size_t piece_size_;
  Skipped skipped_;
  Mended mended_;
  Place first_mended_;
};

}  // namespace plumb
