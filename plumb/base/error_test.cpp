#include "plumb/base/error.h"

#include <gtest/gtest.h>

namespace plumb::error_test {
namespace {

TEST(Error, SaysThePlaceAsFarAsItIsKnown) {
  EXPECT_STREQ(Error(ErrorCode::data, {"a.csv", 3, 7}, "bad", "fix it").what(), "a.csv:3:7: bad");
  EXPECT_STREQ(Error(ErrorCode::data, {"a.csv", 3, 0}, "bad").what(), "a.csv:3: bad");
  EXPECT_STREQ(Error(ErrorCode::data, {"a.csv"}, "bad").what(), "a.csv: bad");
  EXPECT_STREQ(Error(ErrorCode::usage, "bad").what(), "bad");
}

TEST(Error, APlaceInBracesIsNotTakenForTheMessage) {
  const std::string file = "a.csv";
  const Error error(ErrorCode::data, {file}, "is empty", "fill it");
  EXPECT_EQ(error.place().file, "a.csv");
  EXPECT_EQ(error.message(), "is empty");
  EXPECT_EQ(error.hint(), "fill it");
  EXPECT_EQ(Error(ErrorCode::usage, std::string("bad"), "hint").hint(), "hint");
}

}  // namespace
}  // namespace plumb::error_test
