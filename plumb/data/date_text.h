// Dates in texts: whether a text is a date, and which day it is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plumb {

// Year, month, day or day, month, year (also month, day, year), between "-", "/" or ".", the year in four digits; or
// 20240229 from 1900 to 2099. A time may follow after a blank or a T: 12:30, 12:30:59.25, with Z, +01, +0100 or +01:00.
bool is_date(std::string_view text) noexcept;

// Days since 1970-01-01, with the time of day as a fraction, converted to UTC; for dates that begin with the year.
// Nothing for any other text: the month of 03/04/2024 is ambiguous.
std::optional<double> date_days(std::string_view text) noexcept;

// In which order a date has its parts, as far as it says: 31.12.2024 has the day first, 03/04/2024 may have either.
struct DateOrder {
  bool year_first = false;
  bool day_first = false;
  bool month_first = false;
  char separator = 0;
};
std::optional<DateOrder> date_order(std::string_view text) noexcept;
// "%d.%m.%Y", or "" for years first.
std::string format_of(const DateOrder& order);

// Days since 1970-01-01 of a date in a format of %d, %m, %Y, %y (1969 to 2068), %b, %B (English), %H, %M, %S and what
// stands between them; a time as above may follow. Without a format those of date_days.
std::optional<double> date_days(std::string_view text, std::string_view format) noexcept;
// Whether a format says year, month and day.
bool is_date_format(std::string_view format) noexcept;

// For a text that date_days cannot read: the end of a sentence that begins with the text in quotes.
std::string_view why_no_days(std::string_view text) noexcept;

}  // namespace plumb
