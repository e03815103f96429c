// What stands between the fields of a file that does not say: found from its first records.
#pragma once

#include <string_view>

namespace plumb {

// Of , ; tab and | the one that cuts the most of the records into as many fields as the first record has, at least two;
// among equals the one that leaves the fewest quotes inside fields, then the one that makes the most fields, then in
// this order. The comma where none cuts half of the records
// so. `text` is made of whole records.
char guess_delimiter(std::string_view text, bool quotes);

}  // namespace plumb
