// Reading within a budget, on a source that only reports its progress: no test needs the memory.
#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/data/source.h"

namespace plumb::read_all_test {
namespace {

constexpr std::uint64_t kPieceBytes = 1 << 20;  // of the file
constexpr std::uint64_t kPieceRows = 1000;      // 8 kB of one column

// `pieces` pieces of the same size; an unknown size of the input is reported as 0.
class Counting final : public Source {
 public:
  Counting(std::uint64_t pieces, bool size_known) : pieces_(pieces), size_known_(size_known) {}

  const std::vector<ColumnInfo>& columns() const noexcept override { return columns_; }
  const std::vector<std::string>& notes() const noexcept override { return notes_; }
  const Skipped& skipped() const noexcept override { return skipped_; }
  const std::vector<std::string>& na() const noexcept override { return notes_; }
  void select(std::vector<Selected>) override {}
  bool next(Table& piece, const plumb::Run& run) override {
    run.report(Phase::reading, read * kPieceBytes, size_known_ ? pieces_ * kPieceBytes : 0);
    if (read == pieces_) return false;
    piece.rows = kPieceRows;
    piece.columns = {{Kind::number, std::vector<double>(kPieceRows), {}, {}, {}}};
    ++read;
    return true;
  }
  std::string_view form() const noexcept override { return "counting"; }
  std::string digest() const override { return ""; }
  const std::string& name() const noexcept override { return name_; }

  std::uint64_t read = 0;

 private:
  std::uint64_t pieces_;
  bool size_known_;
  std::vector<ColumnInfo> columns_;
  std::vector<std::string> notes_;
  Skipped skipped_;
  std::string name_ = "numbers.csv";
};

std::string refusal(Counting& source, std::uint64_t limit) {
  Executor executor;
  plumb::Run run{executor};
  run.memory = MemoryBudget(limit);
  try {
    const Tables tables = read_all(source, run);
    EXPECT_LE(tables.bytes(), limit);
    EXPECT_EQ(tables.bytes(), tables.rows * sizeof(double));
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::resources);
    return error.message();
  }
}

TEST(ReadAll, ReadsWhatFits) {
  Counting source(100, true);
  EXPECT_EQ(refusal(source, 800'000), "");
  EXPECT_EQ(source.read, 100u);
}

TEST(ReadAll, SaysFromTheFirstPartThatTheWholeCannotFit) {
  Counting source(100, true);
  EXPECT_EQ(refusal(source, 400'000), "numbers.csv: the rows need about 800 kB; 400 kB are granted");
  EXPECT_EQ(source.read, 8u);
}

TEST(ReadAll, CountsWhereTheForecastIsNotSureOrTheSizeNotKnown) {
  Counting close(100, true);
  EXPECT_EQ(refusal(close, 700'000), "numbers.csv: the rows need about 809 kB; 700 kB are granted");
  EXPECT_EQ(close.read, 88u);
  Counting pipe(100, false);
  EXPECT_EQ(refusal(pipe, 400'000), "numbers.csv: the rows need about 408 kB; 400 kB are granted");
}

TEST(ReadAll, CanStillBeWatchedAndStopped) {
  Counting source(100, true);
  Executor executor;
  std::uint64_t seen = 0;
  const plumb::Run run{executor, {}, [&](const Progress& progress) {
                         seen = progress.done;
                         return progress.done < 5 * kPieceBytes;
                       }};
  EXPECT_THROW(read_all(source, run), Error);
  EXPECT_EQ(seen, 5 * kPieceBytes);
}

TEST(Table, CountsTheBytesOfEveryKindOfColumn) {
  Table table;
  table.rows = 3;
  Entries entries;
  entries.offsets = {0, 1, 1, 3};
  entries.index = {5, 1, 7};
  entries.value = {0.1, 0.2, 0.3};
  const std::string long_text(100, 'x');
  table.columns = {{Kind::number, {1, 2, 3}, {}, {}, {}},
                   {Kind::category, {}, {0, 1, 0}, {"a", long_text}, {}},
                   {Kind::sparse, {}, {}, {}, entries}};
  EXPECT_EQ(table.bytes(), 3 * 8 + 3 * 4 + 2 * sizeof(std::string) + 101 + 4 * 8 + 3 * (4 + 8));
}

}  // namespace
}  // namespace plumb::read_all_test
