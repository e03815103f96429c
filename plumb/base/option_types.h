// What a struct of options needs to know about option tables. It costs next to nothing to include, so that such structs
// can be part of light headers; the tables themselves are made with plumb/base/options.h, in a source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumb {

class OptionTable;

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

}  // namespace plumb
