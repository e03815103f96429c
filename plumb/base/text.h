// Text for people: nearest names for hints, quoting, lists. No locale is ever consulted.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

// The number of single-character edits (insert, delete, replace, swap of neighbours) that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `name` (case ignored), or "" if none is close enough to be a typing error.
std::string nearest(std::string_view name, std::span<const std::string> candidates);

// "did you mean X?", or "" if nothing is close.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

// In double quotes, control bytes escaped, cut after `longest` bytes: how messages show a value from a file.
std::string in_quotes(std::string_view text, std::size_t longest = 60);

// "a, b, c", each cut after 60 bytes, and after `most` names "... (12 more)".
std::string listed(std::span<const std::string> names, std::size_t most = 12);

// "1 row", "2 rows".
std::string counted(std::size_t count, std::string_view noun);

// Cuts at commas outside double quotes and parentheses, and removes surrounding blanks. Quotes around a whole item are
// removed too, and "" inside them is a quote; other quotes stay, as those in "a b"^2.
std::vector<std::string> split_list(std::string_view text);

// The item as it must be written in a list for split_list to return it: in double quotes if it needs them.
std::string list_item(std::string_view item);

// Such items, separated by commas.
std::string list_of(std::span<const std::string> items);

// The text as one word for a shell, so that a hint can be typed: as it is, in single quotes, or as the output of printf
// if it contains bytes that a terminal would not show. (A shell cuts line ends at the end of the output of printf.)
std::string as_typed(std::string_view text);

// As a value of an option that takes a list.
std::string as_typed_item(std::string_view item);

// Whether a file name has the suffix, which is in lowercase, in any letter case. Something must precede it: ".csv" is a
// name without a suffix.
bool has_suffix(std::string_view path, std::string_view suffix) noexcept;

// Surrounding spaces and tabs removed.
std::string_view trimmed(std::string_view text);

// The text broken into lines of at most `width` columns, each but the first indented by `indent` blanks.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace plumb
