// The grammar of CSV text, twice: next_record_end finds where a record ends without looking at its fields, FieldReader
// takes records apart. A quote opens a quoted field only as the field's first byte; anywhere else it is a byte like any
// other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plumb/data/text_files.h"

namespace plumb {

// The two functions of RecordEnds (text_source.h).
std::size_t last_record_end(std::string_view text, std::size_t limit, bool at_end);
std::size_t next_record_end(std::string_view text, std::size_t from, bool at_end);

class FieldReader {
 public:
  explicit FieldReader(std::string_view text) noexcept : text_(text) {}

  bool done() const noexcept { return at_ == text_.size(); }
  // The next field of the record; `ends_record` then says whether it was the record's last. The view lives until the
  // next call. Throws TextFault for an unclosed quote or for text after a closing quote.
  std::string_view next();
  bool ends_record() const noexcept { return ends_record_; }
  // True, and the line passed over, if an empty line starts here.
  bool skip_blank_line();

  LinePlace field_place() const noexcept { return {field_line_, field_start_ - field_line_start_ + 1}; }
  LinePlace record_place() const noexcept { return {line_, at_ - line_start_ + 1}; }

 private:
  std::string_view quoted();
  void end_field();
  void new_line() noexcept;

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
  std::size_t line_start_ = 0;
  std::uint64_t field_line_ = 1;
  std::size_t field_start_ = 0;
  std::size_t field_line_start_ = 0;
  bool ends_record_ = true;
  std::string unescaped_;
};

}  // namespace plumb
