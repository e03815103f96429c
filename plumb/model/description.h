// The JSON text of a model file, read in place and without a tree. Its members have a fixed order, so each is requested
// by its key at its turn. Only model_parse.cpp includes this.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "plumb/base/error.h"
#include "plumb/base/json_reader.h"
#include "plumb/base/option_types.h"
#include "plumb/base/text.h"

namespace plumb {

// One of the choices that shape a text.
template <class Choice>
Choice choice_named(const std::string& name) {
  for (std::size_t i = 0; i < std::size(EnumNames<Choice>::names); ++i)
    if (EnumNames<Choice>::names[i] == name) return static_cast<Choice>(i);
  throw Error(ErrorCode::model, "a text is made by " + in_quotes(name) + ", which this version does not know");
}

class Description {
 public:
  // Values that are not requested are not kept, so there may be as many as the text contains.
  explicit Description(std::string_view text) : reader_(text, {.values = text.size()}) { reader_.enter_object(); }

  JsonReader& at(std::string_view key) {
    const std::size_t here = reader_.offset();
    std::string found;
    if (waiting_)
      found = *std::exchange(waiting_, std::nullopt);
    else if (!reader_.next_key(found))
      throw JsonFault(here, "found the end of an object, expected " + in_quotes(key));
    if (found != key) throw JsonFault(here, "found the key " + in_quotes(found) + ", expected " + in_quotes(key));
    return reader_;
  }
  std::string text(std::string_view key) { return at(key).read_string(); }
  std::uint64_t whole(std::string_view key) { return at(key).read_u64(); }
  double number(std::string_view key) { return to_double(at(key).read_number()); }
  bool truth(std::string_view key) { return at(key).read_bool(); }
  std::uint32_t small(std::string_view key) { return narrowed(at(key)); }
  template <class Entry, std::size_t n>
  Entry one_of(std::string_view key, const std::array<Entry, n>& entries) {
    const std::string found = text(key);
    for (const Entry entry : entries)
      if (name_of(entry) == found) return entry;
    throw JsonFault(reader_.offset(), std::string(key) + " " + in_quotes(found) + " is not known to this version");
  }

  void enter(std::string_view key) { at(key).enter_object(); }
  void leave() {
    if (std::optional<std::string> found = next_key())
      throw JsonFault(reader_.offset(), "found the member " + in_quotes(*found) + ", which this version does not know");
  }
  std::optional<std::string> next_key() {
    std::string key;
    return reader_.next_key(key) ? std::optional(std::move(key)) : std::nullopt;
  }
  // Whether this member, which only some files have, comes next. If not, the next call of this or of `at`
  // sees what did.
  bool next_is(std::string_view key) {
    if (!waiting_) waiting_ = next_key();
    if (waiting_ != key) return false;
    waiting_.reset();
    return true;
  }
  // Skips a value.
  void pass_over() {
    std::string key;
    switch (reader_.peek()) {
      case JsonKind::null: return reader_.read_null();
      case JsonKind::boolean: return static_cast<void>(reader_.read_bool());
      case JsonKind::number: return static_cast<void>(reader_.read_number());
      case JsonKind::string: return static_cast<void>(reader_.read_string());
      case JsonKind::array:
        reader_.enter_array();
        while (reader_.next_item()) pass_over();
        return;
      case JsonKind::object:
        reader_.enter_object();
        while (reader_.next_key(key)) pass_over();
        return;
    }
  }
  JsonReader& reader() noexcept { return reader_; }

  static double to_double(const JsonNumber& number) {
    return std::visit([](auto value) { return static_cast<double>(value); }, number);
  }
  static std::uint32_t narrowed(JsonReader& reader) {
    const std::size_t here = reader.offset();
    const std::uint64_t number = reader.read_u64();
    if (number > std::numeric_limits<std::uint32_t>::max())
      throw JsonFault(here, "found " + std::to_string(number) + ", expected a number below 4294967296");
    return static_cast<std::uint32_t>(number);
  }

 private:
  JsonReader reader_;
  std::optional<std::string> waiting_ = {};  // a key that was read, and whose value is still to be read
};

}  // namespace plumb
