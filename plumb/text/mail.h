// The text of an e-mail as it is stored: header lines, an empty line, and a body that may be encoded and in parts.
#pragma once

#include <string>
#include <string_view>

#include "plumb/base/option_types.h"

namespace plumb {

// none: a text is no e-mail. strip: its subject and its text; keep: every header too.
enum class Mail { none, strip, keep };

template <>
struct EnumNames<Mail> {
  static constexpr std::string_view names[] = {"none", "strip", "keep"};
};

// RFC 5322 and MIME (RFC 2045 to 2047), as far as text needs them; it never fails. Quoted-printable and base64 are
// decoded, texts in another charset than UTF-8 are read as ISO 8859-1, HTML loses its tags, and parts that are no text
// are left out. Of alternative parts the plain text is taken, otherwise the last text. A text that begins with no
// header line stays as it is.
std::string mail_text(std::string_view message, Mail mail);

}  // namespace plumb
