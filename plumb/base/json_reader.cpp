#include "plumb/base/json_reader.h"

#include <algorithm>
#include <cassert>
#include <charconv>

#include "plumb/base/number.h"
#include "plumb/base/utf8.h"

namespace plumb {
namespace {

bool is_json_digit(char c) noexcept { return c >= '0' && c <= '9'; }

bool is_space(char c) noexcept { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

void append_utf8(std::string& out, unsigned code) {
  const auto add = [&](unsigned byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      add(0xE0 | code >> 12);
    } else {
      add(0xF0 | code >> 18);
      add(0x80 | (code >> 12 & 0x3F));
    }
    add(0x80 | (code >> 6 & 0x3F));
  }
  add(0x80 | (code & 0x3F));
}

template <class T>
bool whole(std::string_view literal, T& value) noexcept {
  const auto [end, error] = std::from_chars(literal.data(), literal.data() + literal.size(), value);
  return error == std::errc{} && end == literal.data() + literal.size();
}

}  // namespace

JsonFault::JsonFault(std::size_t offset, const std::string& message)
    : Error(ErrorCode::data, "byte " + std::to_string(offset) + ": " + message), offset_(offset) {}

std::string_view name_of(JsonKind kind) noexcept {
  switch (kind) {
    case JsonKind::null: return "null";
    case JsonKind::boolean: return "a boolean";
    case JsonKind::number: return "a number";
    case JsonKind::string: return "a string";
    case JsonKind::array: return "an array";
    case JsonKind::object: return "an object";
  }
  return "nothing";
}

JsonReader::JsonReader(std::string_view text, const JsonLimits& limits) : text_(text), limits_(limits) {
  if (text.size() > limits.bytes) {
    throw JsonFault(limits.bytes, "the text goes on to " + std::to_string(text.size()) + " bytes, expected at most " +
                                      std::to_string(limits.bytes));
  }
  if (const std::size_t bad = first_invalid_utf8(text); bad != std::string_view::npos) {
    throw JsonFault(bad, "found the byte " + escaped_for_terminal(text.substr(bad, 1)) + ", expected UTF-8");
  }
}

void JsonReader::refuse(std::string_view expected) const {
  std::string found = "the end";
  if (at_ < text_.size()) {
    std::size_t length = 1;  // of the character; the text is valid UTF-8
    while (at_ + length < text_.size() && (text_[at_ + length] & 0xC0) == 0x80) ++length;
    found = "'" + escaped_for_terminal(text_.substr(at_, length)) + "'";
  }
  throw JsonFault(at_, "found " + found + ", expected " + std::string(expected));
}

void JsonReader::skip_space() noexcept {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
}

JsonKind JsonReader::peek() {
  skip_space();
  const char c = at_ < text_.size() ? text_[at_] : '\0';
  if (c == '-' || is_json_digit(c)) return JsonKind::number;
  switch (c) {
    case 'n': return JsonKind::null;
    case 't':
    case 'f': return JsonKind::boolean;
    case '"': return JsonKind::string;
    case '[': return JsonKind::array;
    case '{': return JsonKind::object;
    default: refuse("a JSON value");
  }
}

void JsonReader::start(JsonKind kind) {
  if (const JsonKind found = peek(); found != kind) {
    throw JsonFault(at_, "found " + std::string(name_of(found)) + ", expected " + std::string(name_of(kind)));
  }
  if (++values_ > limits_.values) {
    throw JsonFault(at_, "found more than " + std::to_string(limits_.values) + " values, expected at most that many");
  }
}

void JsonReader::literal(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) refuse("null, true or false");
  at_ += word.size();
}

void JsonReader::read_null() {
  start(JsonKind::null);
  literal("null");
}

bool JsonReader::read_bool() {
  start(JsonKind::boolean);
  const bool truth = text_[at_] == 't';
  literal(truth ? "true" : "false");
  return truth;
}

void JsonReader::digits() {
  if (at_ == text_.size() || !is_json_digit(text_[at_])) refuse("a digit");
  while (at_ < text_.size() && is_json_digit(text_[at_])) ++at_;
}

JsonNumber JsonReader::read_number() {
  start(JsonKind::number);
  const auto here = [&](char a, char b) { return at_ < text_.size() && (text_[at_] == a || text_[at_] == b); };
  const std::size_t begin = at_;
  if (here('-', '-')) ++at_;
  if (here('0', '0')) {
    ++at_;
    if (at_ < text_.size() && is_json_digit(text_[at_])) refuse("no digit after a leading 0");
  } else {
    digits();
  }
  bool integer = true;
  if (here('.', '.')) {
    integer = false;
    ++at_;
    digits();
  }
  if (here('e', 'E')) {
    integer = false;
    ++at_;
    if (here('+', '-')) ++at_;
    digits();
  }
  const std::string_view number = text_.substr(begin, at_ - begin);
  if (integer) {
    std::uint64_t magnitude;
    std::int64_t negative;
    if (number[0] != '-' && whole(number, magnitude)) return magnitude;
    if (number[0] == '-' && whole(number, negative) && negative != 0) return negative;
  }
  const ParsedNumber parsed = parse_number(number);
  if (parsed.fault != NumberFault::none) {
    throw JsonFault(begin, "found a number that " + std::string(describe(parsed.fault)));
  }
  return parsed.value;
}

std::uint64_t JsonReader::read_u64() {
  peek();
  const std::size_t begin = at_;
  const JsonNumber number = read_number();
  if (const auto* magnitude = std::get_if<std::uint64_t>(&number)) return *magnitude;
  throw JsonFault(begin, "found " + std::string(text_.substr(begin, std::min<std::size_t>(at_ - begin, 40))) +
                             ", expected a whole number from 0 to 18446744073709551615");
}

std::string JsonReader::read_string() {
  start(JsonKind::string);
  std::string out;
  string_into(out);
  return out;
}

void JsonReader::string_into(std::string& out) {
  out.clear();
  ++at_;
  while (true) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) >= 0x20 && text_[at_] != '"' &&
           text_[at_] != '\\') {
      ++at_;
    }
    out += text_.substr(begin, at_ - begin);
    if (at_ == text_.size()) refuse("the closing \" of a string");
    if (text_[at_] == '"') break;
    if (text_[at_] != '\\') refuse("no control character inside a string (\\n, \\t and \\u00XX stand for them)");
    ++at_;
    escape_into(out);
  }
  ++at_;
}

void JsonReader::escape_into(std::string& out) {
  constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
  const char c = at_ < text_.size() ? text_[at_] : '\0';
  if (const std::size_t i = letters.find(c); i != std::string_view::npos) {
    ++at_;
    out += meanings[i];
    return;
  }
  if (c != 'u') refuse("one of \" \\ / b f n r t u after a backslash");
  const std::size_t begin = at_ - 1;
  ++at_;
  unsigned code = hex4();
  if (code >= 0xD800 && code <= 0xDFFF) {
    // A character above U+FFFF is two escapes: a high surrogate and a low one (RFC 8259, section 7).
    const bool low_follows = code < 0xDC00 && text_.substr(at_, 2) == "\\u";
    if (low_follows) at_ += 2;
    const unsigned low = low_follows ? hex4() : 0;
    if (low < 0xDC00 || low > 0xDFFF) throw JsonFault(begin, "found half of a surrogate pair, expected both halves");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  append_utf8(out, code);
}

unsigned JsonReader::hex4() {
  unsigned code = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    const char lower = static_cast<char>(c | 0x20);
    if (is_json_digit(c)) {
      code = code << 4 | static_cast<unsigned>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      code = code << 4 | static_cast<unsigned>(lower - 'a' + 10);
    } else {
      refuse("four hexadecimal digits after \\u");
    }
  }
  return code;
}

void JsonReader::enter(JsonKind kind) {
  start(kind);
  if (depth_ == limits_.depth) {
    throw JsonFault(at_, "found more than " + std::to_string(limits_.depth) +
                             " objects and arrays inside one another, expected at most that many");
  }
  ++depth_;
  ++at_;
  first_ = true;
}

bool JsonReader::next(char closing, std::string_view expected) {
  assert(depth_ > 0);
  skip_space();
  const char c = at_ < text_.size() ? text_[at_] : '\0';
  if (c == closing) {
    ++at_;
    --depth_;
    first_ = false;
    return false;
  }
  if (!first_) {
    if (c != ',') refuse(expected);
    ++at_;
  }
  first_ = false;
  return true;
}

bool JsonReader::next_item() { return next(']', "',' or ']'"); }

bool JsonReader::next_key(std::string& key) {
  if (!next('}', "',' or '}'")) return false;
  skip_space();
  if (at_ == text_.size() || text_[at_] != '"') refuse("a key in double quotes");
  string_into(key);
  skip_space();
  if (at_ == text_.size() || text_[at_] != ':') refuse("':'");
  ++at_;
  return true;
}

void JsonReader::finish() {
  assert(depth_ == 0);
  skip_space();
  if (at_ != text_.size()) refuse("the end");
}

}  // namespace plumb
