// Strict UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
// And the one way to show bytes of unknown origin on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumb {

bool valid_utf8(std::string_view text) noexcept;

// The offset of the first byte that does not begin or continue a valid character; std::string_view::npos if there is
// none. For a cut or broken character, the offset of its first byte.
std::size_t first_invalid_utf8(std::string_view text) noexcept;

// Every byte of ISO 8859-1 as the character with its number; ASCII bytes stay.
std::string utf8_from_latin1(std::string_view text);

// Replaces each byte that first_invalid_utf8 would find, searching on behind it, with U+FFFD; valid text stays.
std::string utf8_replaced(std::string_view text);

// Printable UTF-8 as it is; newline as \n, carriage return as \r, tab as \t; other controls (C0, DEL, C1) and bytes
// that are not UTF-8 as \xNN, byte by byte. The result cannot move a cursor or start an escape sequence. It is for
// reading: a backslash stays a backslash, so the result cannot always be turned back.
std::string escaped_for_terminal(std::string_view text);

}  // namespace plumb
