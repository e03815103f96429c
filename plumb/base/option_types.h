// What a struct of options needs to know about option tables. Cheap to include, so that such structs can be part of
// light headers; plumb/base/options.h makes the tables themselves, in a source file.
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

// A type with its own text form: specialise with
//   static T read(std::string_view text)         throws OptionFault{what was expected}
//   static std::string text(const T& value)      what `read` would accept
template <class T>
struct OptionText;

// For an option that may be given several times: each text as it is typed, commas included.
struct Texts {
  std::vector<std::string> each;
};

// Thrown while reading a value; the caller knows the option's name and makes the Error.
struct OptionFault {
  std::string expected;
};

}  // namespace plumb
