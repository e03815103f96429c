// Whether a text is a date. For a word to the user, not for computing with dates.
#pragma once

#include <string_view>

namespace plumb {

// Year, month, day or day, month, year (also month, day, year), between "-", "/" or ".", the year in four digits; or
// 20240229 from 1900 to 2099. A time may follow after a blank or a T: 12:30, 12:30:59.25, with Z, +01, +0100 or +01:00.
bool is_date(std::string_view text) noexcept;

}  // namespace plumb
