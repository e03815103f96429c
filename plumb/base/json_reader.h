// JsonReader walks through untrusted JSON text one value at a time, and keeps nothing: values that the caller does not
// store cost no memory. RFC 8259 exactly, in linear time. parse_json (json.h) builds a tree with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "plumb/base/error.h"

namespace plumb {

struct JsonLimits {
  std::size_t depth = 32;          // levels of nested objects and arrays; also the depth of recursion
  std::size_t values = 1'000'000;  // values of every kind, keys not counted; a tree takes about 64 bytes for each
  std::size_t bytes = 64u << 20;   // length of the text
};

// A fault of a JSON text, and its place. The message already contains "byte OFFSET"; callers that know the file catch
// it and throw an Error with their own code and place.
class JsonFault : public Error {
 public:
  JsonFault(std::size_t offset, const std::string& message);
  std::size_t offset() const noexcept { return offset_; }

 private:
  std::size_t offset_;
};

enum class JsonKind { null, boolean, number, string, array, object };
std::string_view name_of(JsonKind kind) noexcept;  // with its article: "a string", "an object"; null is "null"

// A number as written: whole numbers that fit are exact, all others are the nearest double. A negative whole number is
// the int64_t, any other whole number the uint64_t; -0 is the double -0.0.
using JsonNumber = std::variant<std::uint64_t, std::int64_t, double>;

class JsonReader {
 public:
  // Checks length and UTF-8 of the whole text. The text must outlive the reader.
  explicit JsonReader(std::string_view text, const JsonLimits& limits = {});

  JsonKind peek();                            // the kind of the next value, by its first byte
  std::size_t offset() const { return at_; }  // after peek: the first byte of that value

  void read_null();
  bool read_bool();
  JsonNumber read_number();   // refuses a number too large for a double
  std::uint64_t read_u64();   // a whole number, written without fraction and exponent
  std::string read_string();  // decoded

  // enter_...(); while (next_...()) read the value. The caller must refuse duplicate keys.
  void enter_object() { enter(JsonKind::object); }
  bool next_key(std::string& key);
  void enter_array() { enter(JsonKind::array); }
  bool next_item();

  void finish();  // nothing but white space may follow the document

 private:
  [[noreturn]] void refuse(std::string_view expected) const;
  void skip_space() noexcept;
  void start(JsonKind kind);
  void literal(std::string_view word);
  void enter(JsonKind kind);
  bool next(char closing, std::string_view expected);
  void string_into(std::string& out);
  void escape_into(std::string& out);
  unsigned hex4();
  void digits();

  std::string_view text_;
  JsonLimits limits_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t values_ = 0;
  bool first_ = false;  // no value of the container entered last has been read yet
};

}  // namespace plumb
