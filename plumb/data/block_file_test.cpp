#include "plumb/data/block_file.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "plumb/base/digest.h"
#include "plumb/base/file.h"
#include "plumb/base/mapped_file.h"
#include "plumb/data/block_testing.h"

namespace plumb::block_file_test {
namespace {

constexpr double kGreatest = std::numeric_limits<double>::max();
const std::vector<std::string> kFiles = {"a.csv", "b.csv"};

rc::Gen<double> any_number() {
  return rc::gen::oneOf(rc::gen::element(0.0, -0.0, 1.0, 0.1, kGreatest, -kGreatest, 5e-324, 3.4028235677973366e38),
                        rc::gen::map(rc::gen::inRange(-1000, 1000), [](int n) { return n / 8.0; }),
                        rc::gen::arbitrary<double>());
}

rc::Gen<double> any_number_or_missing() {
  return rc::gen::weightedOneOf<double>(
      {{9, any_number()}, {1, rc::gen::just(std::numeric_limits<double>::quiet_NaN())}});
}

Values any_values(std::size_t count) {
  const int form = *rc::gen::inRange(0, 3);
  Values values;
  for (std::size_t i = 0; i < count; ++i) values.push(form == 0 ? 1.0 : form == 1 ? 0.5 * double(i) : *any_number());
  return values;
}

std::vector<std::string> any_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i)
    names.push_back(*rc::gen::element<std::string>("", "x", "Zo\xc3\xab", "a,b", "line\nend", std::string(100, 'y')) +
                    (i == 0 ? "" : std::to_string(i)));
  return names;
}

Entries any_entries(std::size_t rows) {
  Entries entries;
  const bool named = *rc::gen::arbitrary<bool>();
  std::uint32_t largest = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    std::uint32_t index = 0;
    for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
      index += *rc::gen::inRange<std::uint32_t>(1, named ? 3 : 1u << 28);
      entries.index.push_back(index);
      largest = std::max(largest, index);
    }
    entries.offsets.push_back(entries.index.size());
  }
  entries.value = any_values(entries.index.size());
  if (named) entries.names = any_names(largest + 1);
  return entries;
}

Column any_column(std::size_t rows) {
  Column column{.kind = *rc::gen::element(Kind::number, Kind::category, Kind::sparse, Kind::date, Kind::text)};
  if (column.kind == Kind::sparse) column.entries = any_entries(rows);
  if (column.kind == Kind::category) column.levels = any_names(*rc::gen::inRange<std::size_t>(1, 5));
  const bool whole = *rc::gen::arbitrary<bool>();
  for (std::size_t row = 0; row < rows; ++row) {
    if (holds_numbers(column.kind))
      column.numbers.push_back(whole ? double(*rc::gen::inRange(-9, 9)) : *any_number_or_missing());
    if (column.kind == Kind::text) column.documents.add(*rc::gen::element<std::string>("", "x", "Z\xC3\xBCrich a\nb"));
    if (column.kind == Kind::category)
      column.codes.push_back(*rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(column.levels.size())));
  }
  column.missing = static_cast<std::uint64_t>(
      std::count_if(column.numbers.begin(), column.numbers.end(), [](double x) { return std::isnan(x); }));
  return column;
}

Table any_piece() {
  Table piece{.rows = *rc::gen::inRange<std::uint64_t>(1, 20)};
  for (int c = *rc::gen::inRange(0, 4); c > 0; --c) piece.columns.push_back(any_column(piece.rows));
  piece.file = *rc::gen::elementOf(kFiles);
  for (std::uint64_t row = 0; row < piece.rows; row += *rc::gen::inRange<std::uint64_t>(1, 9))
    piece.lines.push_back({row, *rc::gen::inRange<std::uint64_t>(1, 1u << 30)});
  return piece;
}

std::vector<Selected> selection_of(const Table& piece) {
  std::vector<Selected> wanted;
  for (const Column& column : piece.columns) wanted.push_back({wanted.size(), column.kind});
  return wanted;
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

// The error of parse_block for the bytes; empty if it accepts them, and then the piece is valid.
std::string fault_in(const std::string& bytes, const std::vector<Selected>& wanted) {
  try {
    EXPECT_TRUE(keeps_promises(parse_block(bytes_of(bytes), kFiles, wanted), wanted));
    return "";
  } catch (const BlockFault& fault) {
    return fault.what;
  }
}

// A piece with a column of each kind, and names for its entries.
Table sample_piece() {
  Table piece{.rows = 3, .file = "b.csv", .lines = {{0, 2}, {2, 7}}};
  Column number{.numbers = {1.5, 0.1, -2.0}}, category{.kind = Kind::category, .codes = {0, 1, 0}, .levels = {"", "x"}};
  Column sparse{.kind = Kind::sparse};
  sparse.entries.offsets = {0, 2, 2, 3};
  sparse.entries.index = {0, 2, 1};
  for (const double value : {0.5, 1.0, 0.25}) sparse.entries.value.push(value);
  sparse.entries.names = {"a", "b", "c"};
  Column text{.kind = Kind::text};
  for (const char* const each : {"to be", "", "or not"}) text.documents.add(each);
  piece.columns = {number, category, sparse, text};
  return piece;
}

class BlockFileTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ / "blocks"; }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("plumb_block_file_test_" + std::to_string(getpid()));
};

RC_GTEST_PROP(Block, APieceComesBackToTheLastBit, ()) {
  const Table piece = any_piece();
  const std::string bytes = block_bytes(piece, piece.file == kFiles[0] ? 1 : 2);
  RC_ASSERT(bytes.size() % 64 == 0);
  const Table again = parse_block(bytes_of(bytes), kFiles, selection_of(piece));
  RC_ASSERT(same_piece(again, piece));
}

RC_GTEST_PROP(Block, WhateverIsTakenFromChangedBytesIsStillAGoodPiece, ()) {
  const Table piece = any_piece();
  std::string bytes = block_bytes(piece, 1);
  const std::size_t word = *rc::gen::inRange<std::size_t>(0, bytes.size() / 8);
  const std::uint64_t value =
      *rc::gen::oneOf(rc::gen::element<std::uint64_t>(0, 1, 2, 3, 1u << 31, UINT32_MAX, UINT64_MAX, UINT64_MAX / 8,
                                                      UINT64_MAX / 8 + 1, 0x7ff0000000000000, 0x7ff8000000000000),
                      rc::gen::arbitrary<std::uint64_t>());
  std::memcpy(bytes.data() + 8 * word, &value, sizeof value);
  try {
    RC_ASSERT(keeps_promises(parse_block(bytes_of(bytes), kFiles, selection_of(piece)), selection_of(piece)));
  } catch (const BlockFault& fault) {
    RC_ASSERT(!fault.what.empty());
  }
}

TEST(Block, NumbersThatAreFloatsTakeFourBytesEachAndOthersEight) {
  const auto bytes = [](double last) {
    Column column{.numbers = std::vector<double>(1024, 3.0)};
    column.numbers.own().back() = last;
    return block_bytes({.rows = 1024, .columns = {column}}, 0).size();
  };
  EXPECT_EQ(bytes(0.1) - bytes(0.5), 4096u);
}

TEST(Block, EveryPromiseOfATableIsHeldAgainstTheBytes) {
  const Table good = sample_piece();
  const auto fault = [&](const auto& change, std::uint64_t file = 2) {
    Table piece = good;
    change(piece);
    return fault_in(block_bytes(piece, file), selection_of(good));
  };
  EXPECT_EQ(fault([](Table&) {}), "");
  EXPECT_EQ(fault([](Table&) {}, 3), "a piece is of an unknown file");
  EXPECT_EQ(fault([](Table& t) { t.rows = 0; }), "a piece has no rows");
  EXPECT_EQ(fault([](Table& t) { t.lines[1].row = 3; }), "lines are not in order");
  EXPECT_EQ(fault([](Table& t) { t.lines[1].row = 0; }), "lines are not in order");
  EXPECT_EQ(fault([](Table& t) { t.lines[0].line = 0; }), "lines are not in order");
  EXPECT_EQ(fault([](Table& t) { t.columns[0].numbers.own()[1] = HUGE_VAL; }), "a number is not finite");
  EXPECT_EQ(fault([](Table& t) { t.columns[0].numbers.own()[1] = NAN; }), "a number is not finite");
  EXPECT_EQ(fault([](Table& t) { t.columns[0].missing = 1; }), "a number is not finite");
  EXPECT_EQ(fault([](Table& t) {
              t.columns[0].numbers.own()[1] = NAN;
              t.columns[0].missing = 1;
            }),
            "");
  EXPECT_EQ(fault([](Table& t) { t.columns[1].codes[2] = 2; }), "a code has no level");
  EXPECT_EQ(fault([](Table& t) { t.columns[1].levels[1] = "\xff"; }), "a text is not valid UTF-8");
  EXPECT_EQ(fault([](Table& t) { t.columns[2].entries.names[2] = "\xc3"; }), "a text is not valid UTF-8");
  EXPECT_EQ(fault([](Table& t) { t.columns[2].entries.names.pop_back(); }), "an entry has no name");
  EXPECT_EQ(fault([](Table& t) { t.columns[2].entries.index.own()[1] = 0; }), "the indices of a row do not ascend");
  EXPECT_EQ(fault([](Table& t) { t.columns[2].entries.offsets = {0, 2, 1, 3}; }), "rows of entries are not in order");
  EXPECT_EQ(fault([](Table& t) { t.columns[2].entries.offsets = {1, 2, 2, 3}; }), "rows of entries are not in order");
  EXPECT_EQ(fault([](Table& t) { std::swap(t.columns[0], t.columns[1]); }),
            "a column is of another kind than was selected");
  EXPECT_EQ(fault([](Table& t) { t.columns.push_back(t.columns[2]); }), "a piece holds more than its columns");
}

TEST(Block, AnAbsurdSizeAsksForNoRoom) {
  const Table piece = sample_piece();
  const std::string good = block_bytes(piece, 1);
  for (std::size_t word = 0; word < good.size() / 8; ++word)
    for (const std::uint64_t size : {std::uint64_t{1} << 40, UINT64_MAX - 1, UINT64_MAX / 16 + 1}) {
      std::string bytes = good;
      std::memcpy(bytes.data() + 8 * word, &size, sizeof size);
      fault_in(bytes, selection_of(piece));  // std::bad_alloc would end the test
    }
}

TEST_F(BlockFileTest, WhatWasWrittenIsReadBack) {
  const Table first = sample_piece();
  Table second = sample_piece();
  second.file = "elsewhere";
  BlockWriter writer(path(), kFiles);
  writer.add(first);
  writer.add(second);
  const std::string digest = hex16(7) + hex16(9);
  const Skipped skipped{
      .bad = 7, .first = {Error(ErrorCode::data, {"a.csv", 3, 4}, "a message", "a hint")}, .with_missing = 2};
  const std::uint64_t size = writer.commit({{1, 2}, digest, {}, {"a note"}, skipped});
  EXPECT_EQ(size, std::filesystem::file_size(path()));

  const MappedFile mapped(path());
  EXPECT_TRUE(BlockFile::recognises(mapped.bytes()));
  EXPECT_TRUE(BlockFile::of_this_version(mapped.bytes()));
  const BlockFile file(mapped.bytes());
  EXPECT_EQ(file.summary().key, (BlockKey{1, 2}));
  EXPECT_EQ(file.summary().digest, digest);
  EXPECT_EQ(file.summary().files, kFiles);
  EXPECT_EQ(file.summary().notes, std::vector<std::string>{"a note"});
  EXPECT_EQ(file.summary().skipped.bad, 7u);
  EXPECT_EQ(file.summary().skipped.with_missing, 2u);
  ASSERT_EQ(file.summary().skipped.first.size(), 1u);
  EXPECT_EQ(file.summary().skipped.first[0].what(), std::string("a.csv:3:4: a message"));
  EXPECT_EQ(file.summary().skipped.first[0].hint(), "a hint");
  ASSERT_EQ(file.pieces(), 2u);
  EXPECT_EQ(file.memory(), first.bytes() + second.bytes());
  EXPECT_TRUE(same_piece(file.piece(0, kFiles, selection_of(first)), first));
  second.file = "";  // it is none of the files
  EXPECT_TRUE(same_piece(file.piece(1, kFiles, selection_of(second)), second));
  const std::vector<std::string> renamed = {"c.csv", "d.csv"};
  EXPECT_EQ(file.piece(0, renamed, selection_of(first)).file, "d.csv");
}

TEST_F(BlockFileTest, AnInputWithoutRowsIsAFileWithoutPieces) {
  BlockWriter(path(), kFiles).commit({.digest = hex16(0) + hex16(0)});
  const MappedFile mapped(path());
  EXPECT_EQ(BlockFile(mapped.bytes()).pieces(), 0u);
}

TEST_F(BlockFileTest, NothingIsThereUntilItIsCommitted) {
  {
    BlockWriter writer(path(), kFiles);
    writer.add(sample_piece());
    EXPECT_FALSE(std::filesystem::exists(path()));
    EXPECT_TRUE(std::filesystem::exists(writer.temporary()));
  }
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(path()).parent_path()));
}

// The index with its checksum corrected, so that only the checks of its content apply.
TEST_F(BlockFileTest, AForgedIndexIsRefusedOrNamesPiecesThatAreThere) {
  BlockWriter writer(path(), kFiles);
  writer.add(sample_piece());
  const Skipped skipped{.bad = 1, .first = {Error(ErrorCode::data, {"a.csv", 3, 4}, "a message")}};
  writer.commit({{1, 2}, hex16(7) + hex16(9), {}, {"a note"}, skipped});
  const std::string good = read_whole_file(path(), 1 << 20);
  std::uint64_t index_bytes = 0;
  std::memcpy(&index_bytes, good.data() + good.size() - 16, 8);
  for (std::size_t at = good.size() - 16 - index_bytes; at < good.size() - 8; at += 8)
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{64}, std::uint64_t{128},
                                      std::uint64_t{1} << 40, UINT64_MAX / 3 + 1, UINT64_MAX}) {
      std::string forged = good;
      std::memcpy(forged.data() + at, &value, 8);
      const std::string_view checked = std::string_view(forged).substr(good.size() - 16 - index_bytes, index_bytes + 8);
      const std::uint64_t checksum = digest64(checked);
      std::memcpy(forged.data() + good.size() - 8, &checksum, 8);
      try {
        const BlockFile file(bytes_of(forged));
        for (std::size_t i = 0; i < file.pieces(); ++i)
          EXPECT_TRUE(same_piece(file.piece(i, kFiles, selection_of(sample_piece())), sample_piece()));
      } catch (const BlockFault& fault) {
        EXPECT_FALSE(fault.what.empty());
      }
    }
}

TEST(BlockFile, TheStartOfItsMagicIsRecognisedAndAUsersFileIsNot) {
  const std::string magic = "plumb\x1a\r\n";
  for (std::size_t length = 0; length <= magic.size(); ++length)
    EXPECT_TRUE(BlockFile::recognises(bytes_of(magic.substr(0, length))));
  for (const std::string text : {"a,b\n1,2\n", "plumb,b\n", "p,q\n", "plumb\x1a\n"})
    EXPECT_FALSE(BlockFile::recognises(bytes_of(text))) << text;
}

}  // namespace
}  // namespace plumb::block_file_test
