#include "plumb/base/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "plumb/base/file.h"

namespace plumb::mapped_file_test {
namespace {

class MappedFileTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ / name; }

  static std::string text_of(const MappedFile& file) {
    return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
  }
  std::string refusal(const std::string& name) const {
    try {
      const MappedFile file(path(name), ErrorCode::usage);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_EQ(error.place().file, path(name));
      return error.message();
    }
    return "mapped";
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("plumb_mapped_file_test_" + std::to_string(getpid()));
};

TEST_F(MappedFileTest, ItsBytesAreThoseOfTheFileWhateverItsSize) {
  for (const std::size_t size : {0u, 1u, 4095u, 4096u, 4097u, 1u << 20}) {
    std::string content(size, 'a');
    for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * 131 >> 3);
    write_file_atomically(path("file"), content);
    EXPECT_EQ(text_of(MappedFile(path("file"))), content) << size;
  }
}

TEST_F(MappedFileTest, AFileThatIsReplacedMeanwhileStaysAsItWas) {
  write_file_atomically(path("file"), "old content");
  const MappedFile file(path("file"));
  write_file_atomically(path("file"), "new");
  EXPECT_EQ(text_of(file), "old content");
  std::filesystem::remove(path("file"));
  EXPECT_EQ(text_of(file), "old content");
}

TEST_F(MappedFileTest, OnlyARegularFileIsMappedAndAFifoIsNotWaitedFor) {
  std::filesystem::create_directory(path("folder"));
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(refusal("folder"), "is a folder, expected a file");
  EXPECT_EQ(refusal("fifo"), "is no regular file");
  EXPECT_EQ(refusal("nothing"), "cannot open: No such file or directory");
}

}  // namespace
}  // namespace plumb::mapped_file_test
