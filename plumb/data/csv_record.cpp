#include "plumb/data/csv_record.h"

#include <algorithm>
#include <cstring>

#include "plumb/data/read_options.h"

namespace plumb {
namespace {

constexpr std::size_t kNoField = std::string_view::npos;

bool contains(std::string_view text, char c) {
  return !text.empty() && std::memchr(text.data(), c, text.size()) != nullptr;
}

// One past the line end at `i`, or kNone if a CR's LF may not have been read yet.
std::size_t past_line_end(std::string_view text, std::size_t i, bool at_end) {
  if (text[i] == '\n') return i + 1;
  if (i + 1 < text.size()) return text[i + 1] == '\n' ? i + 2 : i + 1;
  return at_end ? i + 1 : kNoField;
}

}  // namespace

std::size_t next_record_end(std::string_view text, std::size_t from, bool at_end, char delimiter) {
  const std::size_t n = text.size();
  bool field_start = true;
  for (std::size_t i = from; i < n; ++i) {
    const char c = text[i];
    if (c == '"' && field_start) {
      // To the closing quote; a doubled quote is two that close and open again, so it needs no case of its own here.
      const void* close = std::memchr(text.data() + i + 1, '"', n - i - 1);
      if (close == nullptr) return at_end ? n : kNoField;
      i = static_cast<std::size_t>(static_cast<const char*>(close) - text.data());
      field_start = i + 1 < n && text[i + 1] == '"';
      if (i + 1 == n) return at_end ? n : kNoField;
      continue;
    }
    if (c == '\n' || c == '\r') return past_line_end(text, i, at_end);
    field_start = c == delimiter;
  }
  return at_end && from < n ? n : kNoField;
}

std::size_t last_record_end(std::string_view text, std::size_t limit, bool at_end, char delimiter) {
  limit = std::min(limit, text.size());
  if (!contains(text.substr(0, limit), '"') && !contains(text.substr(0, limit), '\r')) {
    const std::size_t newline = text.substr(0, limit).rfind('\n');
    if (at_end && limit == text.size()) return limit;
    return newline == kNoField ? 0 : newline + 1;
  }
  std::size_t end = 0;
  while (end < limit) {
    const std::size_t next = next_record_end(text, end, at_end, delimiter);
    if (next == kNoField || next > limit) break;
    end = next;
  }
  return end;
}

// Consumes the delimiter or line end after a field.
void FieldReader::end_field() {
  ends_record_ = true;
  if (at_ == text_.size()) return;
  const char c = text_[at_++];
  if (c == dialect_.delimiter) {
    ends_record_ = false;
    return;
  }
  if (c == '\r' && at_ < text_.size() && text_[at_] == '\n') ++at_;
  new_line();
}

std::string_view FieldReader::next() {
  start_field(at_);
  if (dialect_.quotes && at_ < text_.size() && text_[at_] == '"') return quoted();
  const char* const start = text_.data() + at_;
  const char* const stop = field_end(start, text_.data() + text_.size(), dialect_.delimiter);
  const std::string_view field(start, static_cast<std::size_t>(stop - start));
  at_ += field.size();
  end_field();
  return field;
}

std::string_view FieldReader::quoted() {
  ++at_;
  const std::size_t start = at_;
  bool doubled = false;
  for (;; ++at_) {
    if (at_ == text_.size())
      throw TextFault{field_place(), "a quoted field opens here and is never closed",
                      "close it, or double a quote that is part of the text; --quote none takes quotes as they are",
                      true};
    const char c = text_[at_];
    if (c == '"') {
      if (at_ + 1 == text_.size() || text_[at_ + 1] != '"') break;
      doubled = true;
      ++at_;
    } else if (c == '\n' || (c == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] != '\n'))) {
      ++line_;
      line_start_ = at_ + 1;
    }
  }
  std::string_view field = text_.substr(start, at_ - start);
  ++at_;
  if (at_ < text_.size() && text_[at_] != dialect_.delimiter && text_[at_] != '\n' && text_[at_] != '\r')
    throw TextFault{{line_, at_ - line_start_ + 1},
                    "text follows a closing quote; a " + delimiter_name(dialect_.delimiter) +
                        " or the end of the line was expected",
                    "double a quote that is part of the text; --quote none takes quotes as they are"};
  if (doubled) {
    unescaped_.clear();
    for (std::size_t i = 0; i < field.size(); ++i) {
      unescaped_ += field[i];
      if (field[i] == '"') ++i;
    }
    field = unescaped_;
  }
  end_field();
  return field;
}

void FieldReader::skip_record(std::size_t start, LinePlace place) {
  const std::string_view rest = text_.substr(start);
  const std::size_t end =
      dialect_.quotes
          ? next_record_end(rest, 0, true, dialect_.delimiter)
          : static_cast<std::size_t>(
                std::find_if(rest.begin(), rest.end(), [](char c) { return c == '\n' || c == '\r'; }) - rest.begin());
  at_ = start + end;
  line_ = place.line + count_lines(rest.substr(0, end));
  line_start_ = at_;
  if (!dialect_.quotes) skip_blank_line();
}

bool FieldReader::skip_blank_line() {
  if (at_ == text_.size() || (text_[at_] != '\n' && text_[at_] != '\r')) return false;
  const bool crlf = text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n';
  at_ += crlf ? 2 : 1;
  new_line();
  return true;
}

}  // namespace plumb
