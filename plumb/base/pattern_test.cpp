#include "plumb/base/pattern.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace plumb::pattern_test {
namespace {

TEST(Pattern, StandsForItsFilesInTheOrderOfTheirBytes) {
  const std::filesystem::path folder = ::testing::TempDir() + "plumb_pattern";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (const char* name : {"b.csv", "a.csv", "B.csv", "c.txt", "x[1].csv", "x1.csv"})
    std::ofstream(folder / name) << "x";
  const auto matching = [&](const std::string& pattern) {
    std::string names;
    for (const std::string& file : files_matching(folder / pattern))
      names += std::filesystem::path(file).filename().string() + " ";
    return names;
  };
  EXPECT_EQ(matching("[ab].csv"), "a.csv b.csv ");
  EXPECT_EQ(matching("?.csv"), "B.csv a.csv b.csv ");
  EXPECT_EQ(matching("*.txt"), "c.txt ");
  EXPECT_EQ(matching("x[1].csv"), "x[1].csv ") << "a file of that very name";
  EXPECT_EQ(matching("none.csv"), "none.csv ") << "no pattern: whoever opens it says that it is not there";
  EXPECT_EQ(files_matching("-"), std::vector<std::string>{"-"});
  try {
    files_matching(folder / "*.tsv");
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_EQ(error.message(), "no file matches this pattern; at least one was expected");
  }
}

}  // namespace
}  // namespace plumb::pattern_test
