// A setting is described once, in a table beside its struct. The command line, range checks, help, manual page, shell
// completion and docs/reference all come from these tables. An option does not depend on its struct's type: it keeps
// the offset of the field and how to read fields of its type, so a table compiles as fast as a list of strings.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "plumb/base/option_types.h"
#include "plumb/base/text.h"

namespace plumb {

// A closed range; a missing end is open. Whole numbers up to 2^53 are exact.
struct Range {
  std::optional<double> low{};
  std::optional<double> high{};
};
constexpr Range at_least(double low) { return {low, std::nullopt}; }
constexpr Range between(double low, double high) { return {low, high}; }

// For an option whose value names a file. A type that names one only sometimes has
//   static std::string file(const T& value)      the path, or nothing
// in its OptionText; otherwise the value is the path.
enum class FileUse { none, read, written };

struct FieldType;

struct Option {
  std::string_view name;
  std::string_view meaning;  // one sentence, lower case, no full stop
  const FieldType* type;
  std::size_t place;                 // of the field, in bytes from the start of its struct
  std::string_view value_name = "";  // the placeholder for the value in help: N, FILE, COL
  char letter = 0;                   // the one-letter form, if any
  Range range{};                     // of a number
  bool turns_off = false;            // a flag such as --no-bias, which sets a true field to false
  std::string_view fallback = "";    // how help shows the default, if the value alone does not explain it
  bool recorded = true;              // part of how a model was made, in its Record
  FileUse file_use = FileUse::none;

  Option& value(std::string_view word) { return value_name = word, *this; }
  Option& short_as(char c) { return letter = c, *this; }
  Option& in(Range r) { return range = r, *this; }
  Option& off() { return turns_off = true, *this; }
  Option& otherwise(std::string_view text) { return fallback = text, *this; }
  // For options that do not shape the model: where it is saved, how it is run.
  Option& unrecorded() { return recorded = false, *this; }
  Option& reads_file() { return file_use = FileUse::read, *this; }
  Option& writes_file() { return file_use = FileUse::written, *this; }
};

// How to read and show fields of one type: one for each type, for all structs with such fields.
struct FieldType {
  void (*set)(void* field, std::string_view text, const Option& option);  // throws OptionFault
  std::string (*text)(const void* field);                                 // the value, in the form `set` reads
  std::string (*file)(const void* field);                                 // the file it names; empty if none
  std::span<const std::string_view> choices = {};                         // of an enumeration
  bool flag = false;
  bool repeats = false;
};

// The options of a struct: `static OptionTable table();`, declared in its header and defined in its source.
class OptionTable {
 public:
  OptionTable(std::initializer_list<Option> options);
  OptionTable& add(const Option& option);
  const std::vector<Option>& options() const noexcept { return options_; }

 private:
  std::vector<Option> options_;
};

// One option as a parser or a page of help needs it.
struct OptionInfo {
  std::string name;
  std::string meaning;
  std::string value_name;  // empty for a flag
  char letter = 0;
  std::string fallback;              // the default as text; empty if help need not show it
  std::string range;                 // "at least 1"; empty if any value is allowed
  std::vector<std::string> choices;  // for an enumeration
  bool repeats = false;              // a list: may be given several times
  bool recorded = true;              // false: does not shape the model
  FileUse file_use = FileUse::none;

  bool flag() const { return value_name.empty(); }
  std::function<void(void* owner, std::string_view text)> set;  // throws OptionFault
  std::function<std::string(const void* owner)> text;           // the current value, in the form `set` reads
  std::function<std::string(const void* owner)> file;           // the file it currently names; empty if none
};

// The options of one struct, bound to an instance. Does not own it.
struct OptionGroup {
  std::string title;
  std::vector<OptionInfo> options;
  void* owner = nullptr;
};

namespace option_detail {

std::size_t read_choice(std::string_view text, std::span<const std::string_view> choices);
OptionGroup bound(std::string title, const OptionTable& table, void* owner, const void* defaults);

template <class T>
concept HasOptionText = requires(std::string_view text, const T& value) {
  { OptionText<T>::read(text) } -> std::same_as<T>;
  { OptionText<T>::text(value) } -> std::same_as<std::string>;
};

template <class T>
concept HasOptionFile = requires(const T& value) {
  { OptionText<T>::file(value) } -> std::same_as<std::string>;
};

template <class T>
struct Field {
  static void set(void* field, std::string_view text, const Option&) {
    T& value = *static_cast<T*>(field);
    if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(read_choice(text, EnumNames<T>::names));
    } else {
      static_assert(HasOptionText<T>, "specialise OptionText for this type");
      value = OptionText<T>::read(text);
    }
  }
  static std::string text(const void* field) {
    const T& value = *static_cast<const T*>(field);
    if constexpr (std::is_enum_v<T>) {
      return std::string(EnumNames<T>::names[static_cast<std::size_t>(value)]);
    } else {
      return OptionText<T>::text(value);
    }
  }
  static std::string file(const void* field) {
    if constexpr (HasOptionFile<T>) {
      return OptionText<T>::file(*static_cast<const T*>(field));
    } else {
      return text(field);
    }
  }
  static constexpr std::span<const std::string_view> choices() {
    if constexpr (std::is_enum_v<T>) {
      return EnumNames<T>::names;
    } else {
      return {};
    }
  }
};

template <class T>
inline constexpr FieldType kField = {Field<T>::set, Field<T>::text, Field<T>::file, Field<T>::choices()};
template <class T>
const FieldType* field_type() {
  return &kField<T>;
}
template <>
const FieldType* field_type<bool>();
template <>
const FieldType* field_type<std::string>();
template <>
const FieldType* field_type<std::vector<std::string>>();
template <>
const FieldType* field_type<Texts>();
template <>
const FieldType* field_type<double>();
template <>
const FieldType* field_type<int>();
template <>
const FieldType* field_type<std::uint32_t>();
template <>
const FieldType* field_type<std::uint64_t>();

// Makes no Owner: only forms the address of a member.
template <class Owner, class T>
std::size_t place_of(T Owner::*field) {
  alignas(Owner) std::byte room[sizeof(Owner)];
  const auto* const owner = reinterpret_cast<const Owner*>(room);
  return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(std::addressof(owner->*field)) - room);
}

}  // namespace option_detail

template <class Owner, class T>
Option option(std::string_view name, T Owner::*field, std::string_view meaning) {
  return {name, meaning, option_detail::field_type<T>(), option_detail::place_of(field)};
}

// The table of a struct, bound to an instance of it. Help shows the defaults of the struct.
template <class Owner>
OptionGroup options_of(std::string title, Owner& owner, const OptionTable& table = Owner::table()) {
  const Owner defaults{};
  return option_detail::bound(std::move(title), table, &owner, &defaults);
}

}  // namespace plumb
