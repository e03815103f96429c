// The grammar of delimited text, twice: next_record_end finds where a record ends without looking at its fields,
// FieldReader splits records. If fields may be quoted, a quote opens a quoted field only as the field's first byte;
// anywhere else it is an ordinary byte.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "plumb/data/text_files.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace plumb {

struct Dialect {
  char delimiter = ',';
  bool quotes = true;
  bool operator==(const Dialect&) const = default;
};

// The two functions of RecordEnds (text_source.h), for a dialect with quotes; without, a record is a line.
std::size_t last_record_end(std::string_view text, std::size_t limit, bool at_end, char delimiter = ',');
std::size_t next_record_end(std::string_view text, std::size_t from, bool at_end, char delimiter = ',');

// The first delimiter or line end in [p, end), otherwise end: 16 bytes at a time, or eight.
inline const char* field_end(const char* p, const char* end, char delimiter) noexcept {
#ifdef __SSE2__
  const __m128i delimiters16 = _mm_set1_epi8(delimiter), lf = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r');
  for (; end - p >= 16; p += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i found = _mm_or_si128(_mm_cmpeq_epi8(bytes, delimiters16),
                                       _mm_or_si128(_mm_cmpeq_epi8(bytes, lf), _mm_cmpeq_epi8(bytes, cr)));
    if (const int mask = _mm_movemask_epi8(found); mask != 0) return p + std::countr_zero(static_cast<unsigned>(mask));
  }
#endif
  constexpr std::uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
  // The top bit of a byte of the result says that it was 0; bytes after the first may be wrong.
  const auto zeros = [](std::uint64_t word) { return (word - ones) & ~word & tops; };
  const std::uint64_t delimiters = ones * static_cast<unsigned char>(delimiter);
  for (; end - p >= 8; p += 8) {
    std::uint64_t word;
    std::memcpy(&word, p, sizeof word);
    const std::uint64_t found = zeros(word ^ delimiters) | zeros(word ^ (ones * '\n')) | zeros(word ^ (ones * '\r'));
    if (found != 0) return p + (std::countr_zero(found) >> 3);
  }
  while (p != end && *p != delimiter && *p != '\n' && *p != '\r') ++p;
  return p;
}

class FieldReader {
 public:
  explicit FieldReader(std::string_view text, Dialect dialect = {}) noexcept : text_(text), dialect_(dialect) {}

  bool done() const noexcept { return at_ == text_.size(); }
  // The next field of the record; `ends_record` then says whether it was the record's last. The view lives until the
  // next call. Throws TextFault for an unclosed quote or for text after a closing quote.
  std::string_view next();
  bool ends_record() const noexcept { return ends_record_; }
  // True, and skips the line, if an empty line starts here.
  bool skip_blank_line();
  // To the end of the record that starts at `start`, wherever in it the reader is; `lines` is the line it starts on.
  void skip_record(std::size_t start, LinePlace place);

  // For a parser that reads simple fields by itself: the position of the reader, and how to tell it how far the parser
  // came, in the same line or at the start of the next one.
  std::size_t at() const noexcept { return at_; }
  void move_to(std::size_t at) noexcept { at_ = at; }
  void start_field(std::size_t at) noexcept {
    at_ = field_start_ = at;
    field_line_ = line_;
    field_line_start_ = line_start_;
  }
  void move_to_next_line(std::size_t at) noexcept {
    at_ = at;
    new_line();
  }

  LinePlace field_place() const noexcept { return {field_line_, field_start_ - field_line_start_ + 1}; }
  LinePlace record_place() const noexcept { return {line_, at_ - line_start_ + 1}; }

 private:
  std::string_view quoted();
  void end_field();
  void new_line() noexcept {
    ++line_;
    line_start_ = at_;
  }

  std::string_view text_;
  Dialect dialect_;
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
