// The Gregorian calendar over days counted from 1970-01-01, with fractions for the time of day; also for dates before
// its introduction, and for years below 1, as in ISO 8601.
#pragma once

#include <cstdint>

namespace plumb::math {

struct Day {
  std::int64_t year = 1970;
  unsigned month = 1;  // from 1
  unsigned day = 1;    // from 1
};

std::int64_t days_of(const Day& day) noexcept;
// Years are within 2^31 of 0.
Day day_of(std::int64_t days) noexcept;

// For a time in days: the year, the month (1 to 12), the day (1 to 31), the day of the week (1 for Monday to 7), the
// hour (0 to 23). NaN beyond 2^31 days.
double year(double days) noexcept;
double month(double days) noexcept;
double day(double days) noexcept;
double weekday(double days) noexcept;
double hour(double days) noexcept;

}  // namespace plumb::math
