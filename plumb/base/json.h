// JSON in and out. JsonValue is a document as a tree; parse_json makes one from untrusted text. JsonWriter
// (json_writer.h) writes; JsonReader (json_reader.h) reads without a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plumb/base/json_reader.h"  // IWYU pragma: export
#include "plumb/base/json_writer.h"  // IWYU pragma: export

namespace plumb {

struct JsonMember;

// Immutable once parsed. The as_... accessors return a value of that kind or throw a JsonFault with the place of the
// value in the text, what it is and what was expected.
class JsonValue {
 public:
  JsonKind kind() const noexcept;
  std::size_t offset() const noexcept { return offset_; }  // of its first byte in the text
  bool is_null() const noexcept { return kind() == JsonKind::null; }

  bool as_bool() const;
  std::uint64_t as_u64() const;          // exact; only for numbers written without fraction and exponent
  std::int64_t as_i64() const;           // likewise
  double as_double() const;              // any number, rounded to nearest
  const std::string& as_string() const;  // valid UTF-8, may contain NUL
  const std::vector<JsonValue>& items() const;
  const std::vector<JsonMember>& members() const;  // in the order of the text; keys are distinct

  const JsonValue* find(std::string_view key) const;  // nullptr without such a member; logarithmic time
  const JsonValue& at(std::string_view key) const;    // throws without such a member

 private:
  friend JsonValue parse_json(std::string_view text, const JsonLimits& limits);
  struct Object {
    std::vector<JsonMember> members;
    std::vector<std::uint32_t> by_key;  // indices of members, ascending by key
  };
  using Content = std::variant<std::monostate, bool, JsonNumber, std::string, std::vector<JsonValue>, Object>;

  static JsonValue read(JsonReader& reader);
  static Object read_object(JsonReader& reader);
  template <class T>
  const T& content(JsonKind expected) const;

  Content content_;
  std::size_t offset_ = 0;
};

struct JsonMember {
  std::string key;
  JsonValue value;
};

// RFC 8259 without exceptions: no comments, no trailing commas, no leading zeros, no NaN, no byte order mark; the text
// and all strings valid UTF-8; no key twice in an object. Throws JsonFault (an Error with code data) at the first byte
// that is wrong.
JsonValue parse_json(std::string_view text, const JsonLimits& limits = {});

}  // namespace plumb
