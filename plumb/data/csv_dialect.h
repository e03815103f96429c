// What stands between the fields of a file that does not say: found from its first records.
#pragma once

#include <cstdint>
#include <string_view>

namespace plumb {

// Of , ; tab and | the one that cuts the most of the records into as many fields as the first record has, at least two;
// among equals the one that leaves the fewest quotes inside fields, then the one that makes the most fields, then in
// this order; where fields have no quotes the tab goes first, which running text does not hold. The first of them where
// none cuts half of the records so. With `fields`, the first record must have just so many, and one will do. `text` is
// made of whole records.
char guess_delimiter(std::string_view text, bool quotes, std::uint64_t fields = 0);

}  // namespace plumb
