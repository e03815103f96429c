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

}  // namespace
}  // namespace plumb::date_text_test
