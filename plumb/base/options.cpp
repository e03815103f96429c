#include "plumb/base/options.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/base/choices.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"

namespace plumb {
namespace {

std::string range_text(const std::string& low, const std::string& high) {
  if (!low.empty() && !high.empty()) return "from " + low + " to " + high;
  if (!low.empty()) return "at least " + low;
  return high.empty() ? "" : "at most " + high;
}

// A whole number within the limits of the field's type, and within the option's own range.
template <class T>
T read_whole(std::string_view text, const Range& range) {
  using Wide = std::conditional_t<std::is_unsigned_v<T>, std::uint64_t, std::int64_t>;
  const Wide least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  const auto end = [](const std::optional<double>& x) {
    return x ? std::optional(static_cast<Wide>(*x)) : std::nullopt;
  };
  std::optional<Wide> low = end(range.low), high = end(range.high);
  Wide value = 0;
  const bool read = parse_integer(text, value);
  const bool fits = read && value >= least && value <= most;
  if (fits && (!low || value >= *low) && (!high || value <= *high)) return static_cast<T>(value);
  // For too many digits the message names the largest number, a limit that users otherwise need not know.
  const std::string_view digits = text.starts_with('-') && std::is_signed_v<Wide> ? text.substr(1) : text;
  if (!fits && !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos) {
    low = low.value_or(least);
    high = high.value_or(most);
  }
  if (std::is_unsigned_v<Wide> && !low) low = 0;
  const std::string ends = range_text(low ? std::to_string(*low) : "", high ? std::to_string(*high) : "");
  throw OptionFault{"a whole number" + (ends.empty() ? "" : ", " + ends)};
}

// All digits of a whole number, as the user would type it.
std::string end_text(const std::optional<double>& end) {
  if (!end) return "";
  const bool whole = std::abs(*end) < 0x1p53 && *end == std::floor(*end);
  return whole ? std::to_string(static_cast<std::int64_t>(*end)) : number_text(*end);
}

std::string range_text(const Range& range) { return range_text(end_text(range.low), end_text(range.high)); }

double read_real(std::string_view text, const Range& range) {
  const ParsedNumber number = parse_number(text);
  if (number.fault != NumberFault::none || (range.low && number.value < *range.low) ||
      (range.high && number.value > *range.high)) {
    const std::string ends = range_text(range);
    throw OptionFault{"a number" + (ends.empty() ? "" : ", " + ends)};
  }
  return number.value;
}

void add_items(std::vector<std::string>& list, std::string_view text) {
  for (std::string& item : split_list(text)) {
    if (item.empty()) throw OptionFault{"names separated by commas, none of them empty"};
    list.push_back(std::move(item));
  }
}

// The value in a field of type T, for writing or reading.
template <class T>
T& value_in(void* field) {
  return *static_cast<T*>(field);
}
template <class T>
const T& value_in(const void* field) {
  return *static_cast<const T*>(field);
}

constexpr auto no_file = [](const void*) { return std::string(); };

template <class T>
constexpr FieldType kWholeNumber = {.set = [](void* field, std::string_view text,
                                              const Option& o) { value_in<T>(field) = read_whole<T>(text, o.range); },
                                    .text = [](const void* field) { return std::to_string(value_in<T>(field)); },
                                    .file = no_file};

constexpr FieldType kFlag = {
    .set = [](void* field, std::string_view, const Option& o) { value_in<bool>(field) = !o.turns_off; },
    .text = [](const void* field) { return std::string(value_in<bool>(field) ? "true" : "false"); },
    .file = no_file,
    .flag = true};

constexpr FieldType kReal = {.set = [](void* field, std::string_view text,
                                       const Option& o) { value_in<double>(field) = read_real(text, o.range); },
                             .text = [](const void* field) { return number_text(value_in<double>(field)); },
                             .file = no_file};

constexpr auto text_in = [](const void* field) { return value_in<std::string>(field); };
constexpr FieldType kText = {
    .set = [](void* field, std::string_view text, const Option&) { value_in<std::string>(field) = text; },
    .text = text_in,
    .file = text_in};

using List = std::vector<std::string>;
constexpr auto items_of = [](const void* field) { return list_of(value_in<List>(field)); };
constexpr FieldType kList = {
    .set = [](void* field, std::string_view text, const Option&) { add_items(value_in<List>(field), text); },
    .text = items_of,
    .file = items_of,
    .repeats = true};

constexpr auto texts_of = [](const void* field) { return list_of(value_in<Texts>(field).each); };
constexpr FieldType kTexts = {
    .set = [](void* field, std::string_view text, const Option&) { value_in<Texts>(field).each.emplace_back(text); },
    .text = texts_of,
    .file = texts_of,
    .repeats = true};

OptionInfo info_of(const Option& option, const void* defaults) {
  const auto at = [place = option.place](const void* owner) { return static_cast<const std::byte*>(owner) + place; };
  OptionInfo info;
  info.name = option.name;
  info.meaning = option.meaning;
  info.letter = option.letter;
  info.choices.assign(option.type->choices.begin(), option.type->choices.end());
  info.repeats = option.type->repeats;
  info.recorded = option.recorded;
  info.file_use = option.file_use;
  if (!option.type->flag) {
    info.value_name = option.value_name.empty() ? "VALUE" : option.value_name;
    info.fallback = option.fallback.empty() ? option.type->text(at(defaults)) : std::string(option.fallback);
  }
  info.range = range_text(option.range);
  info.set = [option](void* owner, std::string_view text) {
    option.type->set(static_cast<std::byte*>(owner) + option.place, text, option);
  };
  info.text = [at, type = option.type](const void* owner) { return type->text(at(owner)); };
  if (option.file_use == FileUse::none)
    info.file = no_file;
  else
    info.file = [at, type = option.type](const void* owner) { return type->file(at(owner)); };
  return info;
}

}  // namespace

OptionTable::OptionTable(std::initializer_list<Option> options) : options_(options) {}

OptionTable& OptionTable::add(const Option& option) {
  options_.push_back(option);
  return *this;
}

namespace option_detail {

template <>
const FieldType* field_type<bool>() {
  return &kFlag;
}
template <>
const FieldType* field_type<std::string>() {
  return &kText;
}
template <>
const FieldType* field_type<std::vector<std::string>>() {
  return &kList;
}
template <>
const FieldType* field_type<Texts>() {
  return &kTexts;
}
template <>
const FieldType* field_type<double>() {
  return &kReal;
}
template <>
const FieldType* field_type<int>() {
  return &kWholeNumber<int>;
}
template <>
const FieldType* field_type<std::uint32_t>() {
  return &kWholeNumber<std::uint32_t>;
}
template <>
const FieldType* field_type<std::uint64_t>() {
  return &kWholeNumber<std::uint64_t>;
}

std::size_t read_choice(std::string_view text, std::span<const std::string_view> choices) {
  const auto found = std::find(choices.begin(), choices.end(), text);
  if (found == choices.end()) throw OptionFault{one_of(std::vector<std::string>(choices.begin(), choices.end()))};
  return static_cast<std::size_t>(found - choices.begin());
}

OptionGroup bound(std::string title, const OptionTable& table, void* owner, const void* defaults) {
  OptionGroup group{std::move(title), {}, owner};
  group.options.reserve(table.options().size());
  for (const Option& option : table.options()) group.options.push_back(info_of(option, defaults));
  return group;
}

}  // namespace option_detail
}  // namespace plumb
