// Detects the delimiter of a file from its first records.
#pragma once

#include <cstdint>
#include <string_view>

namespace plumb {

// The one of , ; tab and | that splits the most records into as many fields as the first record has, at least two. Ties
// are broken by the fewest quotes inside fields, then by the most fields, then in this order; if fields have no quotes
// the tab goes first, since running text does not contain it. The first of them if none splits half of the records so.
// With `fields`, the first record must have exactly that many, and one is enough. `text` consists of whole records.
char guess_delimiter(std::string_view text, bool quotes, std::uint64_t fields = 0);

}  // namespace plumb
