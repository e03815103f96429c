#include "plumb/data/csv_record.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plumb/base/random.h"

namespace plumb::csv_record_test {
namespace {

using Records = std::vector<std::vector<std::string>>;

Records read(std::string_view text) {
  Records records;
  FieldReader reader(text);
  while (!reader.done()) {
    records.emplace_back();
    do records.back().emplace_back(reader.next());
    while (!reader.ends_record());
  }
  return records;
}

TextFault fault_of(std::string_view text) {
  try {
    read(text);
  } catch (const TextFault& fault) {
    return fault;
  }
  return {{0, 0}, "accepted", ""};
}

TEST(CsvRecord, FieldsEndAtCommasAndRecordsAtAnyLineEnd) {
  EXPECT_EQ(read("a,b\nc,d\r\ne,f\rg,"), (Records{{"a", "b"}, {"c", "d"}, {"e", "f"}, {"g", ""}}));
}

TEST(CsvRecord, QuotedFieldsHoldCommasLineEndsAndDoubledQuotes) {
  EXPECT_EQ(read("\"a,b\",\"c\r\nd\",\"say \"\"hi\"\"\"\n\"\",x"),
            (Records{{"a,b", "c\r\nd", "say \"hi\""}, {"", "x"}}));
}

TEST(CsvRecord, AQuoteInsideAPlainFieldIsAByteLikeAnyOther) {
  EXPECT_EQ(read("5\" pipe,3\n"), (Records{{"5\" pipe", "3"}}));
}

TEST(CsvRecord, FaultsPointAtTheirLineAndColumn) {
  const TextFault unclosed = fault_of("a,b\nc,\"d\ne,f\n");
  EXPECT_EQ(unclosed.place.line, 2u);
  EXPECT_EQ(unclosed.place.column, 3u);
  const TextFault after = fault_of("\"a\nb\"x,c\n");
  EXPECT_EQ(after.place.line, 2u);
  EXPECT_EQ(after.place.column, 3u);
}

TEST(CsvRecord, LinesAreCountedHoweverTheyEnd) {
  EXPECT_EQ(count_lines("a\nb\r\nc\rd"), 3u);
  EXPECT_EQ(count_lines(""), 0u);
  EXPECT_EQ(count_lines("\r\r\n\n"), 3u);
}

TEST(CsvRecord, ACarriageReturnAtTheEndWaitsForItsLineFeed) {
  EXPECT_EQ(next_record_end("a,b\r", 0, false), std::string_view::npos);
  EXPECT_EQ(next_record_end("a,b\r", 0, true), 4u);
  EXPECT_EQ(next_record_end("a,b\r\n", 0, false), 5u);
  EXPECT_EQ(next_record_end("\"a\"", 0, false), std::string_view::npos) << "the quote may be the first of two";
}

// Cutting a text at record ends and reading the pieces gives the records of the whole, for texts made of every awkward
// character.
TEST(CsvRecord, PiecesCutAtRecordEndsReadAsTheWhole) {
  const RandomKey random{7, 0};
  const std::string signs = "a,\"\n\r1 ";
  for (std::uint64_t round = 0; round < 20000; ++round) {
    std::string text;
    const std::uint64_t length = random.below(2 * round, 24);
    const RandomKey letters = random.with_stream(1000 + round);
    for (std::uint64_t i = 0; i < length; ++i) text += signs[letters.below(i, signs.size())];
    if (fault_of(text).message != "accepted") continue;
    const Records whole = read(text);
    for (std::size_t limit = 1; limit <= text.size(); ++limit) {
      Records pieces;
      std::size_t from = 0;
      while (from < text.size()) {
        std::size_t end = from + last_record_end(std::string_view(text).substr(from), limit, true);
        if (end == from) end = next_record_end(text, from, true);
        for (auto& record : read(std::string_view(text).substr(from, end - from))) pieces.push_back(std::move(record));
        from = end;
      }
      ASSERT_EQ(pieces, whole) << "text of length " << text.size() << " cut at " << limit << ", round " << round;
    }
  }
}

}  // namespace
}  // namespace plumb::csv_record_test
