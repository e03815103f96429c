// The position of a parser in a text of whole lines, and the lines of its rows. LF, CRLF and lone CR end a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/data/table.h"
#include "plumb/data/text_files.h"

namespace plumb {

// Irregular rows that could be read all the same: the user is told.
struct Mended {
  std::uint64_t rows = 0;
  std::uint64_t first_line = 0;
  std::string what = {};  // how the first was corrected

  void add(const Mended& later) {
    if (rows == 0) {
      *this = later;
    } else {
      rows += later.rows;
    }
  }
};

// Rows of a piece that are left out.
struct LeftOut {
  static constexpr std::size_t kShown = 5;

  std::uint64_t bad = 0;
  std::vector<TextFault> first = {};  // at most kShown of them
  std::uint64_t with_missing = 0;
  std::uint64_t without_target = 0;

  // Throws the fault instead if rows may not be left out, or not this one alone.
  void add(TextFault fault, bool allowed) {
    if (!allowed || fault.to_the_end) throw fault;
    ++bad;
    if (first.size() < kShown) first.push_back(std::move(fault));
  }
};

class LineCursor {
 public:
  explicit LineCursor(std::string_view text) noexcept
      : start_(text.data()), end_(text.data() + text.size()), newline_(text.data()) {}

  const char* end() const noexcept { return end_; }
  const char* line_start() const noexcept { return start_; }
  bool at_line_end(const char* p) const noexcept { return p == end_ || *p == '\n' || *p == '\r'; }
  // From a line's end (or the text's) to the start of the next line.
  const char* next_line(const char* p) noexcept {
    if (p == end_) return p;
    p += *p == '\r' && end_ - p > 1 && p[1] == '\n' ? 2 : 1;
    start_ = p;
    ++ended_;
    return p;
  }
  // The rest of this line from p on; p must not decrease.
  std::string_view rest(const char* p) noexcept {
    const auto find = [p](char c, const char* stop) {
      const void* const at = p == stop ? nullptr : std::memchr(p, c, static_cast<std::size_t>(stop - p));
      return at == nullptr ? stop : static_cast<const char*>(at);
    };
    if (newline_ <= p) newline_ = find('\n', end_);  // kept, so that text with CR line ends is searched only once
    return {p, static_cast<std::size_t>(find('\r', newline_) - p)};
  }
  // A row starts on this line.
  void add_row() {
    if (ended_ != last_row_ + 1) lines_.push_back({rows_, ended_ + 1});
    last_row_ = ended_;
    ++rows_;
  }
  // Removes the row that was added last.
  void drop_row() noexcept {
    --rows_;
    if (!lines_.empty() && lines_.back().row == rows_) lines_.pop_back();
    last_row_ = no_line_;
  }

  std::uint64_t rows() const noexcept { return rows_; }
  std::uint64_t line() const noexcept { return ended_ + 1; }
  std::uint64_t lines_ended() const noexcept { return ended_; }
  std::vector<Table::Lines> take_lines() noexcept { return std::move(lines_); }

  LinePlace place(const char* at) const noexcept { return {ended_ + 1, static_cast<std::uint64_t>(at - start_) + 1}; }
  TextFault fault(const char* at, std::string message, std::string hint) const {
    return {place(at), std::move(message), std::move(hint)};
  }

 private:
  const char* start_;    // of the line
  const char* end_;      // of the text
  const char* newline_;  // the first LF from where rest() last was, if p is before it
  std::uint64_t ended_ = 0;
  std::uint64_t rows_ = 0;
  static constexpr std::uint64_t no_line_ = static_cast<std::uint64_t>(-2);
  std::uint64_t last_row_ = no_line_;  // the line of the last row
  std::vector<Table::Lines> lines_;    // a new entry if a row is not on the line after the last row's
};

}  // namespace plumb
