// Dates in texts: whether a text is one, and which day it is.
#pragma once

#include <optional>
#include <string_view>

namespace plumb {

// Year, month, day or day, month, year (also month, day, year), between "-", "/" or ".", the year in four digits; or
// 20240229 from 1900 to 2099. A time may follow after a blank or a T: 12:30, 12:30:59.25, with Z, +01, +0100 or +01:00.
bool is_date(std::string_view text) noexcept;

// Days since 1970-01-01, with the time of day as a fraction and an offset from UTC taken off; for dates that begin with
// the year. Nothing for any other text: of 03/04/2024 nobody knows which is the month.
std::optional<double> date_days(std::string_view text) noexcept;

// Of a text for which date_days has nothing: the end of a sentence that begins with the text in quotes.
std::string_view why_no_days(std::string_view text) noexcept;

}  // namespace plumb
