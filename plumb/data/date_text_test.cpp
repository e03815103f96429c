#include "plumb/data/date_text.h"

#include <gtest/gtest.h>

namespace plumb::date_text_test {
namespace {

TEST(DateText, IsADayOfTheCalendarInAnyOfItsForms) {
  for (const char* text : {"2024-02-29", "2024/2/9", "1999.12.31", "29.02.2024", "2/29/2024", "29/2/2024", "20240229",
                           "2000-02-29", "1-1-0001"})
    EXPECT_TRUE(is_date(text)) << text;
}

TEST(DateText, MayHaveATime) {
  for (const char* text : {"2024-02-29 00:00", "2024-02-29T23:59:60", "2024-02-29T12:30:15.25Z",
                           "2024-02-29 12:30+01:00", "20240229T08:15:00-0500", "2024-02-29T08:15-05"})
    EXPECT_TRUE(is_date(text)) << text;
}

TEST(DateText, IsNoOtherText) {
  for (const char* text : {"",
                           "2024",
                           "2024-02",
                           "2024-02-30",
                           "2023-02-29",
                           "1900-02-29",
                           "2024-13-01",
                           "2024-00-01",
                           "2024-01-00",
                           "2024-01/01",
                           "24-01-01",
                           "2024-01-01x",
                           "2024-01-01T",
                           "2024-01-01 24:00",
                           "2024-01-01 12:60",
                           "2024-01-01 12:00+2500",
                           "2024-01-01 12:00+025",
                           "2024-01-01 12:3",
                           "2024-01-01 12:30:",
                           "2024-01-01 12:30:15.",
                           "1.5",
                           "1.2.3",
                           "18991231",
                           "21000101",
                           "20241301",
                           "202402291",
                           "-2024-01-01",
                           "2024--1-1",
                           "12345678901234567890-01-01"})
    EXPECT_FALSE(is_date(text)) << text;
}

TEST(DateText, FormatsSayWhereDayAndMonthStand) {
  EXPECT_EQ(date_days("31.12.1970", "%d.%m.%Y"), 364.0);
  EXPECT_EQ(date_days("12/31/1970", "%m/%d/%Y"), 364.0);
  EXPECT_EQ(date_days("1 Feb 1970", "%d %b %Y"), 31.0);
  EXPECT_EQ(date_days("february 1, 1970", "%B %d, %Y"), 31.0);
  EXPECT_EQ(date_days("01/02/70 06:00", "%d/%m/%y"), 31.25);
  EXPECT_EQ(date_days("02.01.1970 12h30", "%d.%m.%Y %Hh%M"), 1.0 + 12.5 / 24);
  for (const char* text : {"31.13.1970", "31/12/1970", "31.12.70", "31.12.1970x", ""})
    EXPECT_EQ(date_days(text, "%d.%m.%Y"), std::nullopt) << text;
  EXPECT_TRUE(is_date_format("%d.%m.%Y"));
  EXPECT_FALSE(is_date_format("%d.%m"));
  EXPECT_FALSE(is_date_format("%d.%m.%Q"));
  EXPECT_EQ(format_of(*date_order("31.12.2024")), "%d.%m.%Y");
  EXPECT_EQ(format_of(*date_order("12/31/2024")), "%m/%d/%Y");
  EXPECT_EQ(format_of(*date_order("03/04/2024")), "");
  EXPECT_EQ(format_of(*date_order("2024-04-03")), "");
}

}  // namespace
}  // namespace plumb::date_text_test
