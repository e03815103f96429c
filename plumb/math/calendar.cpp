// Years are counted from March, so that the leap day is a year's last day and the months before it follow one line:
// month m of such a year begins on its day (153 m + 2) / 5. An era of 400 years has 146097 days.
#include "plumb/math/calendar.h"

#include <cmath>
#include <limits>

namespace plumb::math {
namespace {

constexpr std::int64_t kDaysOfEra = 146097;
constexpr std::int64_t kEpoch = 719468;  // days from 0000-03-01 to 1970-01-01

std::int64_t floor_divided(std::int64_t a, std::int64_t b) noexcept { return a / b - (a % b < 0 ? 1 : 0); }

bool in_range(double days) noexcept { return std::abs(days) < 0x1p31; }

template <class Part>
double part_of(double days, Part part) noexcept {
  if (!in_range(days)) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(part(static_cast<std::int64_t>(std::floor(days))));
}

}  // namespace

std::int64_t days_of(const Day& day) noexcept {
  const std::int64_t year = day.year - (day.month <= 2 ? 1 : 0);
  const std::int64_t era = floor_divided(year, 400), of_era = year - era * 400;
  const std::int64_t month = (day.month + 9) % 12;
  const std::int64_t of_year = (153 * month + 2) / 5 + day.day - 1;
  return era * kDaysOfEra + of_era * 365 + of_era / 4 - of_era / 100 + of_year - kEpoch;
}

Day day_of(std::int64_t days) noexcept {
  const std::int64_t shifted = days + kEpoch;
  const std::int64_t era = floor_divided(shifted, kDaysOfEra), of_era = shifted - era * kDaysOfEra;
  // The leap days before this day are removed, so that every year has 365.
  const std::int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const std::int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
  const std::int64_t month = (5 * of_year + 2) / 153;
  const auto calendar_month = static_cast<unsigned>(month < 10 ? month + 3 : month - 9);
  return {era * 400 + year + (calendar_month <= 2 ? 1 : 0), calendar_month,
          static_cast<unsigned>(of_year - (153 * month + 2) / 5 + 1)};
}

double year(double days) noexcept {
  return part_of(days, [](std::int64_t whole) { return day_of(whole).year; });
}
double month(double days) noexcept {
  return part_of(days, [](std::int64_t whole) { return day_of(whole).month; });
}
double day(double days) noexcept {
  return part_of(days, [](std::int64_t whole) { return day_of(whole).day; });
}
double weekday(double days) noexcept {
  // 1970-01-01 was a Thursday.
  return part_of(days, [](std::int64_t whole) { return whole + 3 - 7 * floor_divided(whole + 3, 7) + 1; });
}
double hour(double days) noexcept {
  if (!in_range(days)) return std::numeric_limits<double>::quiet_NaN();
  // A time of day was rounded when it became a fraction: 23:00 must not become 22.
  return std::fmin(std::floor((days - std::floor(days)) * 24.0 + 1e-5), 23.0);
}

}  // namespace plumb::math
