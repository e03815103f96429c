#include "plumb/base/json_writer.h"

#include <cassert>
#include <cmath>
#include <utility>

#include "plumb/base/number.h"
#include "plumb/base/utf8.h"

namespace plumb {
namespace {

constexpr std::string_view replacement_character = "\xEF\xBF\xBD";  // U+FFFD

void append_escape(std::string& out, char c) {
  constexpr std::string_view hex_digits = "0123456789abcdef";
  switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\b': out += "\\b"; break;
    case '\f': out += "\\f"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default:
      out += "\\u00";
      out += hex_digits[static_cast<unsigned char>(c) >> 4];
      out += hex_digits[static_cast<unsigned char>(c) & 15];
  }
}

void append_escaped(std::string& out, std::string_view valid) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const char c = valid[i];
    if (static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\') continue;
    out += valid.substr(kept, i - kept);
    append_escape(out, c);
    kept = i + 1;
  }
  out += valid.substr(kept);
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (true) {
    const std::size_t bad = first_invalid_utf8(text);
    append_escaped(out, text.substr(0, bad));
    if (bad == std::string_view::npos) break;
    out += replacement_character;
    text.remove_prefix(bad + 1);
  }
  out += '"';
}

JsonWriter& JsonWriter::document(std::string_view json) {
  while (json.ends_with('\n')) json.remove_suffix(1);
  std::string moved;
  for (const char c : json) {
    moved += c;
    if (c == '\n') moved.append(2 * open_.size(), ' ');
  }
  return word(moved);
}

JsonWriter& JsonWriter::key(std::string_view name) {
  assert(!open_.empty() && open_.back().closing == '}' && !after_key_);
  before_entry();
  append_json_string(text_, name);
  text_ += layout_ == Layout::indented ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  before_value();
  append_json_string(text_, text);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  before_value();
  append_number(text_, number);
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t number) { return word(std::to_string(number)); }

JsonWriter& JsonWriter::integer(std::uint64_t number) { return word(std::to_string(number)); }

JsonWriter& JsonWriter::word(std::string_view literal) {
  before_value();
  text_ += literal;
  return *this;
}

JsonWriter& JsonWriter::begin(char bracket) {
  before_value();
  text_ += bracket;
  open_.push_back({.closing = bracket == '{' ? '}' : ']', .empty = true});
  return *this;
}

JsonWriter& JsonWriter::end(char bracket) {
  assert(!open_.empty() && open_.back().closing == bracket && !after_key_);
  const bool empty = open_.back().empty;
  open_.pop_back();
  if (!empty) new_line();
  text_ += bracket;
  return *this;
}

std::string JsonWriter::take() {
  assert(!text_.empty() && open_.empty());
  if (layout_ == Layout::indented) text_ += '\n';
  return std::exchange(text_, {});
}

void JsonWriter::before_value() {
  if (std::exchange(after_key_, false)) return;
  assert(open_.empty() ? text_.empty() : open_.back().closing == ']');
  if (!open_.empty()) before_entry();
}

void JsonWriter::before_entry() {
  if (!std::exchange(open_.back().empty, false)) text_ += ',';
  new_line();
}

void JsonWriter::new_line() {
  if (layout_ == Layout::compact) return;
  text_ += '\n';
  text_.append(2 * open_.size(), ' ');
}

}  // namespace plumb
