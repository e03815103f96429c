#include "plumb/base/folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "plumb/base/file.h"

namespace plumb::folder_test {
namespace {

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(root_);
    for (const char* const folder : {"/b", "/a/deep", "/.hidden"}) std::filesystem::create_directories(root_ + folder);
    for (const char* const file : {"/b/2", "/b/10", "/a/deep/x", "/a/.dot", "/top", "/.hidden/y"})
      write_file_atomically(root_ + file, std::string_view("abc"));
  }
  const std::string root_ = ::testing::TempDir() + "plumb_folder_test";
};

TEST_F(Folder, ListsFoldersAndFilesBytewiseWithoutHiddenOnes) {
  EXPECT_TRUE(is_folder(root_));
  EXPECT_FALSE(is_folder(root_ + "/top"));
  EXPECT_EQ(folders_in(root_), (std::vector<std::string>{"a", "b"}));
  std::vector<std::string> paths;
  for (const FoundFile& file : files_below(root_)) {
    paths.push_back(file.path.substr(root_.size()));
    EXPECT_EQ(file.bytes, 3u);
  }
  EXPECT_EQ(paths, (std::vector<std::string>{"/a/deep/x", "/b/10", "/b/2", "/top"}));
  EXPECT_EQ(files_directly_in(root_), 1u);
}

TEST_F(Folder, SaysWhichFolderCannotBeListed) {
  try {
    folders_in(root_ + "/none");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_EQ(error.place().file, root_ + "/none");
  }
}

TEST_F(Folder, ALinkThatLeadsBackIsNotFollowed) {
  std::filesystem::create_directory_symlink(root_, root_ + "/a/back");
  EXPECT_EQ(files_below(root_).size(), 4u);
}

}  // namespace
}  // namespace plumb::folder_test
