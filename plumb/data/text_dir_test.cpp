#include "plumb/data/text_dir.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "plumb/base/file.h"
#include "plumb/base/testing.h"
#include "plumb/data/testing.h"

namespace plumb::text_dir_test {
namespace {

class TextDir : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(root_);
    put("sport/2.txt", "they won the cup");
    put("sport/10.txt", "a draw");
    put("art/old/x", "an exhibition");
  }
  void put(const std::string& path, std::string_view text) const {
    std::filesystem::create_directories(std::filesystem::path(root_ + "/" + path).parent_path());
    write_file_atomically(root_ + "/" + path, text);
  }
  std::string rows(const ReadOptions& options = {}, unsigned threads = 1) const {
    Executor executor(threads);
    const plumb::Run run{executor};
    const auto source = open_source({root_}, options);
    std::string text;
    Table piece;
    while (source->next(piece, run))
      for (std::uint64_t r = 0; r < piece.rows; ++r)
        text += value_text(piece.columns[0], r) + "=" + value_text(piece.columns[1], r) + "\n";
    for (const std::string& note : source->notes()) text += note + "\n";
    return text;
  }
  std::string fault(const ReadOptions& options = {}) const {
    try {
      return rows(options);
    } catch (const Error& error) {
      return error.what();
    }
  }
  const std::string root_ = ::testing::TempDir() + "plumb_text_dir_test";
};

TEST_F(TextDir, IsAFolderPerClassAndAFilePerTextInBytewiseOrder) {
  EXPECT_EQ(rows(), "art=an exhibition\nsport=a draw\nsport=they won the cup\n");
}

TEST_F(TextDir, GivesTheSameForAnyThreadsAndPieces) {
  for (int i = 0; i < 200; ++i) put("many/" + std::to_string(i), std::string(static_cast<std::size_t>(i), 'a'));
  const std::string expected = rows();
  for (const unsigned threads : sweep_of({1u, 2u, 3u, 7u}))
    for (const std::size_t piece : {std::size_t{1}, std::size_t{1000}}) {
      ReadOptions options;
      options.piece_size = piece;
      EXPECT_EQ(rows(options, threads), expected);
    }
}

TEST_F(TextDir, SaysWhatIsInNoClassAndWhichClassIsEmpty) {
  std::filesystem::create_directories(root_ + "/politics");
  put("README", "about");
  const std::string text = rows();
  EXPECT_NE(text.find("class \"politics\" has no texts in " + root_), text.npos) << text;
  EXPECT_NE(text.find("1 file in " + root_ + " itself is in no class, and not read"), text.npos) << text;
}

TEST_F(TextDir, NamesTheFileAndTheByteThatIsNoText) {
  put("art/z", "caf\xe9");
  EXPECT_EQ(fault(), root_ + "/art/z: byte 4 is not valid UTF-8");
  ReadOptions options;
  options.encoding = Encoding::latin1;
  EXPECT_EQ(fault(options).substr(0, 40), rows(options).substr(0, 40));
  EXPECT_NE(rows(options).find("caf\xC3\xA9"), std::string::npos);
  options.encoding = Encoding::utf8;
  options.bad_rows = BadRows::skip;
  EXPECT_EQ(rows(options), "art=an exhibition\nsport=a draw\nsport=they won the cup\n");
  put("art/z", std::string_view("a\0b", 3));
  EXPECT_EQ(fault(), root_ + "/art/z: byte 2 is NUL; text was expected");
}

TEST_F(TextDir, AFolderWithoutTextsIsAnError) {
  std::filesystem::remove_all(root_);
  std::filesystem::create_directories(root_ + "/empty");
  EXPECT_EQ(fault(),
            root_ + ": is a folder that holds no folder of texts; a file, or a folder for each class, was expected");
}

TEST_F(TextDir, TextsWithoutAFolderHaveNoLabel) {
  std::filesystem::remove_all(root_);
  put("b", "second");
  put("a", "first");
  EXPECT_EQ(rows(), "=first\n=second\n" + root_ +
                        " has no folder for a class: its texts have no label, and are in the order of their names\n");
  put("table.csv", "x,y\n1,2\n");
  EXPECT_EQ(fault().substr(root_.size()),
            ": is a folder that holds no folder of texts; a file, or a folder for each class, was expected");
}

TEST_F(TextDir, FoldersNamedByNumbersAreNumbers) {
  std::filesystem::remove_all(root_);
  for (const char* const stars : {"1", "2", "5"}) put(std::string(stars) + "/a", "some words");
  EXPECT_EQ(open_source({root_})->columns()[0].kind, Kind::number);
  EXPECT_EQ(rows(), "1=some words\n2=some words\n5=some words\n");
}

TEST_F(TextDir, RefusesATextOfMoreThan64MiB) {
  put("art/large", "x");
  std::filesystem::resize_file(root_ + "/art/large", (std::uintmax_t{64} << 20) + 1);
  EXPECT_NE(fault().find("art/large: holds more than 64 MiB"), std::string::npos) << fault();
}

}  // namespace
}  // namespace plumb::text_dir_test
