// How the bytes of a file become UTF-8 text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "plumb/base/option_types.h"

namespace plumb {

// utf8: the bytes are UTF-8; latin1: each byte is the character of its number; replace: invalid UTF-8 becomes U+FFFD.
enum class Encoding { utf8, latin1, replace };
template <>
struct EnumNames<Encoding> {
  static constexpr std::string_view names[] = {"utf8", "latin1", "replace"};
};

std::string latin1_to_utf8(std::string_view bytes);

// Each longest part that begins no character, or begins one and does not end it, becomes one U+FFFD, as the Unicode
// Standard (section 3.9) recommends and as Python and web browsers do.
std::string with_replacements(std::string_view bytes);

// One text in parts: the result does not depend on where they were cut.
class Recoder {
 public:
  explicit Recoder(Encoding encoding = Encoding::utf8) : encoding_(encoding) {}

  bool changes() const noexcept { return encoding_ != Encoding::utf8; }
  // `last`: no further part of this text follows, and the next call begins another.
  std::string recode(std::string_view part, bool last);

 private:
  Encoding encoding_;
  std::string held_;  // the start of a character whose end is in the next part
};

}  // namespace plumb
