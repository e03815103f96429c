#include "plumb/base/memory.h"

#include <gtest/gtest.h>

#include "plumb/base/error.h"

namespace plumb::memory_test {
namespace {

std::uint64_t read(std::string_view text) { return OptionText<MemorySize>::read(text).bytes; }

TEST(MemoryBudget, HasNoLimitUnlessOneIsGiven) {
  EXPECT_TRUE(MemoryBudget().allows(MemoryBudget::kNoLimit));
  EXPECT_NO_THROW(MemoryBudget().expect(MemoryBudget::kNoLimit, "the data need", ""));
}

TEST(MemoryBudget, SaysWhatIsNeededAndWhatIsGranted) {
  const MemoryBudget budget(4'000'000'000);
  EXPECT_NO_THROW(budget.expect(4'000'000'000, "the data need", ""));
  try {
    budget.expect(12'000'000'000, "the data need", "--drop a column");
    FAIL() << "it was allowed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::resources);
    EXPECT_EQ(error.message(), "the data need about 12 GB; 4 GB are granted");
    EXPECT_EQ(error.hint(), "--drop a column, or --max-memory 14G if the machine has it");
  }
}

TEST(MemoryBudget, OffersNotMuchMoreThanIsNeeded) {
  try {
    MemoryBudget(50'000'000).expect(135'000'000, "the rows need", "--drop a column");
    FAIL() << "it was allowed";
  } catch (const Error& error) {
    EXPECT_EQ(error.hint(), "--drop a column, or --max-memory 149M if the machine has it");
  }
}

TEST(MemoryBudget, LeavesWhatIsNotHeld) {
  EXPECT_EQ(MemoryBudget(100).beside(30).limit(), 70u);
  EXPECT_EQ(MemoryBudget(100).beside(130).limit(), 0u);
  EXPECT_EQ(MemoryBudget().beside(130).limit(), MemoryBudget::kNoLimit);
}

TEST(MemoryBudget, OffersASizeThatWouldDo) {
  for (const std::uint64_t bytes : {1u, 999u, 1000u, 12'345u, 99'999'999u, 4'000'000'000u}) {
    try {
      MemoryBudget(0).expect(bytes, "", "");
      FAIL() << "it was allowed";
    } catch (const Error& error) {
      const std::string hint = error.hint().substr(error.hint().find("--max-memory ") + 13);
      EXPECT_TRUE(MemoryBudget(read(hint.substr(0, hint.find(' ')))).allows(bytes)) << hint;
    }
  }
}

TEST(MemorySize, IsReadInPowersOf1000AndWithAnIOf1024) {
  EXPECT_EQ(read("1"), 1u);
  EXPECT_EQ(read("1234567"), 1'234'567u);
  EXPECT_EQ(read("512B"), 512u);
  EXPECT_EQ(read("20k"), 20'000u);
  EXPECT_EQ(read("500M"), 500'000'000u);
  EXPECT_EQ(read("500mb"), 500'000'000u);
  EXPECT_EQ(read("1.5G"), 1'500'000'000u);
  EXPECT_EQ(read("4Gi"), std::uint64_t{4} << 30);
  EXPECT_EQ(read("4GiB"), std::uint64_t{4} << 30);
  EXPECT_EQ(read("2T"), 2'000'000'000'000u);
}

TEST(MemorySize, AnythingElseIsAFault) {
  for (const char* text : {"", "G", "B", "0", "0.4", "-1G", "4X", "4GG", "4iB", "4i", "inf", "1e30G", "4 Gx", "nan"})
    EXPECT_THROW(read(text), OptionFault) << text;
}

TEST(MemorySize, IsShownAsItCanBeRead) {
  for (const char* text : {"1", "500M", "1.5Gi", "3T"})
    EXPECT_EQ(read(OptionText<MemorySize>::text({read(text)})), read(text));
}

TEST(MemorySize, ThatIsGivenIsTheBudgetWhateverTheMachineHas) {
  EXPECT_EQ(MemorySize{std::uint64_t{1} << 60}.budget().limit(), std::uint64_t{1} << 60);
  EXPECT_GT(MemorySize{}.budget().limit(), 0u);
}

}  // namespace
}  // namespace plumb::memory_test
