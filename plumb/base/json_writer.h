// JsonWriter builds a JSON text from calls in document order. The text is always valid JSON in valid UTF-8:
// numbers in shortest round-trip form, NaN and infinities as null, invalid bytes in strings as U+FFFD.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

// Appends text as a JSON string with its quotes.
void append_json_string(std::string& out, std::string_view text);

// Calls in an order that makes no document (a value without its key, an end without its begin) are bugs: they assert.
class JsonWriter {
 public:
  enum class Layout { compact, indented };  // indented: one value per line, 2 spaces a level

  explicit JsonWriter(Layout layout = Layout::compact) : layout_(layout) {}

  JsonWriter& begin_object() { return begin('{'); }
  JsonWriter& end_object() { return end('}'); }
  JsonWriter& begin_array() { return begin('['); }
  JsonWriter& end_array() { return end(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);
  JsonWriter& value(std::same_as<bool> auto truth) { return word(truth ? "true" : "false"); }
  JsonWriter& value(std::signed_integral auto number) { return integer(static_cast<std::int64_t>(number)); }
  JsonWriter& value(std::unsigned_integral auto number) requires(!std::same_as<decltype(number), bool>) {
    return integer(static_cast<std::uint64_t>(number));
  }
  JsonWriter& null() { return word("null"); }
  // A finished document as a value, inserted at the current place.
  JsonWriter& document(std::string_view json);

  template <class T>
  JsonWriter& member(std::string_view name, const T& content) {
    return key(name).value(content);
  }

  // The finished text; the writer is then empty and may be used again. Ends with a newline only in the indented layout.
  std::string take();

 private:
  struct Open {
    char closing;
    bool empty;
  };

  JsonWriter& begin(char bracket);
  JsonWriter& end(char bracket);
  JsonWriter& word(std::string_view literal);
  JsonWriter& integer(std::int64_t number);
  JsonWriter& integer(std::uint64_t number);
  void before_value();
  void before_entry();
  void new_line();

  Layout layout_;
  std::string text_;
  std::vector<Open> open_;
  bool after_key_ = false;
};

}  // namespace plumb
