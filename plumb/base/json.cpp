#include "plumb/base/json.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "plumb/base/utf8.h"

namespace plumb {

JsonKind JsonValue::kind() const noexcept { return static_cast<JsonKind>(content_.index()); }

template <class T>
const T& JsonValue::content(JsonKind expected) const {
  if (const T* found = std::get_if<T>(&content_)) return *found;
  throw JsonFault(offset_, "found " + std::string(name_of(kind())) + ", expected " + std::string(name_of(expected)));
}

bool JsonValue::as_bool() const { return content<bool>(JsonKind::boolean); }

const std::string& JsonValue::as_string() const { return content<std::string>(JsonKind::string); }

const std::vector<JsonValue>& JsonValue::items() const { return content<std::vector<JsonValue>>(JsonKind::array); }

const std::vector<JsonMember>& JsonValue::members() const { return content<Object>(JsonKind::object).members; }

std::uint64_t JsonValue::as_u64() const {
  const JsonNumber& number = content<JsonNumber>(JsonKind::number);
  if (const auto* whole = std::get_if<std::uint64_t>(&number)) return *whole;
  throw JsonFault(offset_, "found another number, expected a whole number from 0 to 18446744073709551615");
}

std::int64_t JsonValue::as_i64() const {
  const JsonNumber& number = content<JsonNumber>(JsonKind::number);
  if (const auto* negative = std::get_if<std::int64_t>(&number)) return *negative;
  const auto* whole = std::get_if<std::uint64_t>(&number);
  if (whole != nullptr && std::in_range<std::int64_t>(*whole)) return static_cast<std::int64_t>(*whole);
  throw JsonFault(offset_,
                  "found another number, expected a whole number from -9223372036854775808 to 9223372036854775807");
}

double JsonValue::as_double() const {
  return std::visit([](auto number) { return static_cast<double>(number); }, content<JsonNumber>(JsonKind::number));
}

const JsonValue* JsonValue::find(std::string_view key) const {
  const Object& object = content<Object>(JsonKind::object);
  const auto key_of = [&](std::uint32_t i) -> std::string_view { return object.members[i].key; };
  const auto found = std::ranges::lower_bound(object.by_key, key, {}, key_of);
  return found != object.by_key.end() && key_of(*found) == key ? &object.members[*found].value : nullptr;
}

const JsonValue& JsonValue::at(std::string_view key) const {
  if (const JsonValue* value = find(key)) return *value;
  throw JsonFault(offset_, "found an object without \"" + escaped_for_terminal(key) + "\", expected it to be there");
}

// Recursion is as deep as the reader's limit allows.
JsonValue JsonValue::read(JsonReader& reader) {
  JsonValue value;
  const JsonKind kind = reader.peek();
  value.offset_ = reader.offset();
  switch (kind) {
    case JsonKind::null: reader.read_null(); break;
    case JsonKind::boolean: value.content_ = reader.read_bool(); break;
    case JsonKind::number: value.content_ = reader.read_number(); break;
    case JsonKind::string: value.content_ = reader.read_string(); break;
    case JsonKind::array: {
      std::vector<JsonValue> items;
      reader.enter_array();
      while (reader.next_item()) items.push_back(read(reader));
      value.content_ = std::move(items);
      break;
    }
    case JsonKind::object: value.content_ = read_object(reader); break;
  }
  return value;
}

JsonValue::Object JsonValue::read_object(JsonReader& reader) {
  Object object;
  std::string key;
  reader.enter_object();
  while (reader.next_key(key)) object.members.push_back({std::move(key), read(reader)});

  const auto key_of = [&](std::uint32_t i) -> const std::string& { return object.members[i].key; };
  object.by_key.resize(object.members.size());
  std::iota(object.by_key.begin(), object.by_key.end(), 0u);
  std::ranges::sort(object.by_key, {}, key_of);
  const auto twice = std::ranges::adjacent_find(object.by_key, {}, key_of);
  if (twice != object.by_key.end()) {
    const JsonMember& second = object.members[std::max(twice[0], twice[1])];
    throw JsonFault(second.value.offset(), "found the key \"" + escaped_for_terminal(second.key) +
                                               "\" for the second time, expected distinct keys");
  }
  return object;
}

JsonValue parse_json(std::string_view text, const JsonLimits& limits) {
  JsonReader reader(text, limits);
  JsonValue value = JsonValue::read(reader);
  reader.finish();
  return value;
}

}  // namespace plumb
