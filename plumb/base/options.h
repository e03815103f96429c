// A setting is described once, in a typed table beside the struct it belongs to. The command line, range checks, help,
// manual page, shell completion and docs/reference are all made from these tables.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "plumb/base/text.h"

namespace plumb {

// A closed range; an end that is missing is open.
template <class T>
struct Range {
  std::optional<T> low{};
  std::optional<T> high{};
};
template <class T>
constexpr Range<T> at_least(T low) {
  return {low, std::nullopt};
}
template <class T>
constexpr Range<T> between(T low, T high) {
  return {low, high};
}

// Names of an enumeration's values: specialise with `static constexpr std::string_view names[]`, in the order of the
// values.
template <class E>
struct EnumNames;

// A type that is read from and shown as text in its own way: specialise with
//   static T read(std::string_view text)         throws OptionFault{what was expected}
//   static std::string text(const T& value)      what `read` would accept
template <class T>
struct OptionText;

// Of an option that may be given several times: each text as it is typed, commas and all.
struct Texts {
  std::vector<std::string> each;
};

// Thrown while a value is read; the caller knows the option's name and makes the Error.
struct OptionFault {
  std::string expected;
};

// Of an option whose value names a file. A type that names one only sometimes has
//   static std::string file(const T& value)      the path, or nothing
// in its OptionText; else the value is the path.
enum class FileUse { none, read, written };

template <class Owner, class T>
struct Option {
  std::string_view name;
  T Owner::*field;
  std::string_view meaning;          // one sentence, lower case, no full stop
  std::string_view value_name = "";  // what stands for the value in help: N, FILE, COL
  char letter = 0;                   // the one-letter form, if any
  Range<T> range{};
  bool turns_off = false;          // a flag such as --no-bias, which makes a field that is true false
  std::string_view fallback = "";  // how help shows the default, where the value itself would not explain it
  bool recorded = true;            // part of what a model's Record says of how it was made
  FileUse file_use = FileUse::none;

  constexpr Option value(std::string_view word) const {
    return with([&](Option& o) { o.value_name = word; });
  }
  constexpr Option short_as(char c) const {
    return with([&](Option& o) { o.letter = c; });
  }
  constexpr Option in(Range<T> r) const {
    return with([&](Option& o) { o.range = r; });
  }
  constexpr Option off() const {
    return with([&](Option& o) { o.turns_off = true; });
  }
  constexpr Option otherwise(std::string_view text) const {
    return with([&](Option& o) { o.fallback = text; });
  }
  // For what does not shape the model: where it is saved, how it is run.
  constexpr Option unrecorded() const {
    return with([&](Option& o) { o.recorded = false; });
  }
  constexpr Option reads_file() const {
    return with([&](Option& o) { o.file_use = FileUse::read; });
  }
  constexpr Option writes_file() const {
    return with([&](Option& o) { o.file_use = FileUse::written; });
  }

 private:
  template <class Change>
  constexpr Option with(Change change) const {
    Option copy = *this;
    change(copy);
    return copy;
  }
};

template <class Owner, class T>
constexpr Option<Owner, T> option(std::string_view name, T Owner::*field, std::string_view meaning) {
  return {name, field, meaning};
}

// One option with its types erased: all that a parser or a page of help needs.
struct OptionInfo {
  std::string name;
  std::string meaning;
  std::string value_name;  // empty for a flag
  char letter = 0;
  std::string fallback;              // the default as text; empty if there is nothing to say
  std::string range;                 // "at least 1"; empty if any value will do
  std::vector<std::string> choices;  // for an enumeration
  bool repeats = false;              // a list: may be given several times
  bool recorded = true;              // false: does not shape the model
  FileUse file_use = FileUse::none;

  bool flag() const { return value_name.empty(); }
  std::function<void(void* owner, std::string_view text)> set;  // throws OptionFault
  std::function<std::string(const void* owner)> text;           // the value now, in the form `set` reads
  std::function<std::string(const void* owner)> file;           // the file it names now; empty if it names none
};

// The options of one struct, bound to an instance. Does not own it.
struct OptionGroup {
  std::string title;
  std::vector<OptionInfo> options;
  void* owner = nullptr;
};

namespace option_detail {

// A whole number from least to most, the limits of the field's type, and within the option's own range.
template <class Wide>  // std::int64_t or std::uint64_t
Wide read_whole(std::string_view text, std::optional<Wide> low, std::optional<Wide> high, Wide least, Wide most);
double read_real(std::string_view text, std::optional<double> low, std::optional<double> high);
std::size_t read_choice(std::string_view text, const std::vector<std::string>& choices);
std::string real_text(double value);
std::string range_text(const std::string& low, const std::string& high);
void add_items(std::vector<std::string>& list, std::string_view text);

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
std::string value_text(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    return list_of(value);
  } else if constexpr (std::is_same_v<T, Texts>) {
    return list_of(value.each);
  } else if constexpr (std::is_floating_point_v<T>) {
    return real_text(value);
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_enum_v<T>) {
    return std::string(EnumNames<T>::names[static_cast<std::size_t>(value)]);
  } else {
    return OptionText<T>::text(value);
  }
}

template <class T>
std::string value_file(const T& value) {
  if constexpr (HasOptionFile<T>) {
    return OptionText<T>::file(value);
  } else {
    return value_text(value);
  }
}

template <class T>
std::vector<std::string> choices_of() {
  std::vector<std::string> choices;
  if constexpr (std::is_enum_v<T>) {
    for (const std::string_view name : EnumNames<T>::names) choices.emplace_back(name);
  }
  return choices;
}

template <class Owner, class T>
void set_value(Owner& owner, const Option<Owner, T>& option, std::string_view text) {
  T& field = owner.*option.field;
  if constexpr (std::is_same_v<T, bool>) {
    field = !option.turns_off;
  } else if constexpr (std::is_same_v<T, std::string>) {
    field = std::string(text);
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    add_items(field, text);
  } else if constexpr (std::is_same_v<T, Texts>) {
    field.each.emplace_back(text);
  } else if constexpr (std::is_floating_point_v<T>) {
    field = read_real(text, option.range.low, option.range.high);
  } else if constexpr (std::is_integral_v<T>) {
    using Wide = std::conditional_t<std::is_unsigned_v<T>, std::uint64_t, std::int64_t>;
    const auto wide = [](const std::optional<T>& end) { return end ? std::optional<Wide>(*end) : std::nullopt; };
    using Limits = std::numeric_limits<T>;
    field = static_cast<T>(
        read_whole<Wide>(text, wide(option.range.low), wide(option.range.high), Limits::min(), Limits::max()));
  } else if constexpr (std::is_enum_v<T>) {
    field = static_cast<T>(read_choice(text, choices_of<T>()));
  } else {
    static_assert(HasOptionText<T>, "specialise OptionText for this type");
    field = OptionText<T>::read(text);
  }
}

template <class Owner, class T>
OptionInfo erase(const Option<Owner, T>& option) {
  OptionInfo info;
  info.name = option.name;
  info.meaning = option.meaning;
  info.letter = option.letter;
  info.choices = choices_of<T>();
  info.repeats = std::is_same_v<T, std::vector<std::string>> || std::is_same_v<T, Texts>;
  info.recorded = option.recorded;
  info.file_use = option.file_use;
  if constexpr (!std::is_same_v<T, bool>) {
    info.value_name = option.value_name.empty() ? "VALUE" : std::string(option.value_name);
    const Owner defaults{};
    info.fallback = option.fallback.empty() ? value_text(defaults.*option.field) : std::string(option.fallback);
  }
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    info.range = range_text(option.range.low ? value_text(*option.range.low) : "",
                            option.range.high ? value_text(*option.range.high) : "");
  }
  info.set = [option](void* owner, std::string_view text) { set_value(*static_cast<Owner*>(owner), option, text); };
  info.text = [option](const void* owner) { return value_text(static_cast<const Owner*>(owner)->*option.field); };
  info.file = [option](const void* owner) {
    const T& value = static_cast<const Owner*>(owner)->*option.field;
    return option.file_use == FileUse::none ? std::string() : value_file(value);
  };
  return info;
}

}  // namespace option_detail

// The erased table of a struct that has `static constexpr auto table()`, bound to an instance of it.
template <class Owner>
OptionGroup options_of(std::string title, Owner& owner) {
  OptionGroup group;
  group.title = std::move(title);
  group.owner = &owner;
  std::apply([&](const auto&... each) { (group.options.push_back(option_detail::erase(each)), ...); }, Owner::table());
  return group;
}

}  // namespace plumb
