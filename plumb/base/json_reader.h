// JsonReader walks through JSON text from outside, one value at a time, and keeps nothing: what the caller does not
// store costs no memory. RFC 8259 exactly, in linear time. parse_json (json.h) builds a tree with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "plumb/base/error.h"

namespace plumb {

struct JsonLimits {
  std::size_t depth = 32;          // objects and arrays inside one another; reading recurses this deep at most
  std::size_t values = 1'000'000;  // values of every kind, keys not counted; a tree takes about 64 bytes for each
  std::size_t bytes = 64u << 20;   // length of the text
};

// What is wrong with a JSON text, and where. The message holds "byte OFFSET" already; callers that know the file
// catch it and throw an Error with their own code and place.
class JsonFault : public Error {
 public:
  JsonFault(std::size_t offset, const std::string& message);
  std::size_t offset() const noexcept { return offset_; }

 private:
  std::size_t offset_;
};

enum class JsonKind { null, boolean, number, string, array, object };
std::string_view name_of(JsonKind kind) noexcept;  // with its article: "a string", "an object"; null is "null"

// A number keeps what was written: whole numbers that fit are exact, everything else is the nearest double.
// A negative whole number is the int64_t, any other whole number the uint64_t; -0 is the double -0.0.
using JsonNumber = std::variant<std::uint64_t, std::int64_t, double>;

class JsonReader {
 public:
  // Checks length and UTF-8 of the whole text. The text must outlive the reader.
  explicit JsonReader(std::string_view text, const JsonLimits& limits = {});

  JsonKind peek();                            // the kind of the value that comes next, judged by its first byte
  std::size_t offset() const { return at_; }  // after peek: the first byte of that value

  void read_null();
  bool read_bool();
  JsonNumber read_number();   // a number too large for a double is refused
  std::uint64_t read_u64();   // a whole number, written without fraction and exponent
  std::string read_string();  // decoded

  // enter_...(); while (next_...()) read the value. Duplicate keys are the caller's to refuse.
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
  bool first_ = false;  // the container entered last has given nothing yet
};

}  // namespace plumb
