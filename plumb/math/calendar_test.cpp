#include "plumb/math/calendar.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plumb::math::calendar_test {
namespace {

// Day by day from 1600 to 2400, by the rule for leap years.
TEST(Calendar, FollowsTheRuleDayByDay) {
  Day day{1600, 1, 1};
  std::int64_t days = -135140;
  unsigned weekday_of_day = 6;  // 1600-01-01 was a Saturday
  while (day.year < 2400) {
    ASSERT_EQ(days_of(day), days) << day.year << "-" << day.month << "-" << day.day;
    const Day back = day_of(days);
    ASSERT_TRUE(back.year == day.year && back.month == day.month && back.day == day.day) << days;
    const double noon = static_cast<double>(days) + 0.5;
    ASSERT_EQ(weekday(noon), weekday_of_day);
    ASSERT_EQ(year(noon), static_cast<double>(day.year));
    const bool leap = day.year % 4 == 0 && (day.year % 100 != 0 || day.year % 400 == 0);
    const unsigned lengths[] = {31, leap ? 29u : 28u, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (++day.day > lengths[day.month - 1]) {
      day.day = 1;
      if (++day.month > 12) {
        day.month = 1;
        ++day.year;
      }
    }
    weekday_of_day = weekday_of_day % 7 + 1;
    ++days;
  }
}

TEST(Calendar, KnowsTheDayItCountsFrom) {
  EXPECT_EQ(days_of({1970, 1, 1}), 0);
  EXPECT_EQ(days_of({2000, 2, 29}), 11016);
  EXPECT_EQ(weekday(0), 4);
  EXPECT_EQ(month(11016), 2);
  EXPECT_EQ(day(11016), 29);
}

TEST(Calendar, HoursAreThoseOfTheClock) {
  for (int days = -3; days <= 20000; days += 977)
    for (int hours = 0; hours < 24; ++hours) {
      EXPECT_EQ(hour(days + hours / 24.0), hours);
      EXPECT_EQ(hour(days + (hours * 3600 + 3599) / 86400.0), hours);
    }
}

TEST(Calendar, EndsFarBeyondAnyDate) {
  EXPECT_TRUE(std::isnan(year(1e10)));
  EXPECT_TRUE(std::isnan(hour(-1e10)));
  EXPECT_EQ(year(2e9), 5477784);
  EXPECT_EQ(day_of(-1'000'000'000).year, -2735938);
}

}  // namespace
}  // namespace plumb::math::calendar_test
