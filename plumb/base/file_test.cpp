#include "plumb/base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "plumb/base/testing.h"

namespace plumb::file_test {
namespace {

namespace fs = std::filesystem;

// A folder of its own for each test.
class FileTest : public testing::Test {
 protected:
  FileTest() {
    std::string pattern = (fs::temp_directory_path() / "plumb-file-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~FileTest() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  std::string put(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

  std::vector<std::string> names() const { return names_in_folder_of(path("")); }

 private:
  std::string folder_;
};

using FileReaderTest = FileTest;
using OutputFileTest = FileTest;

std::string content_of(const std::string& path) { return read_whole_file(path, 1u << 30); }

mode_t mode_of(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

// Root may do everything; permissions are tested as another user.
void become_ordinary_user() {
  constexpr unsigned nobody = 65534;
  if (geteuid() == 0 && (setgid(nobody) != 0 || setuid(nobody) != 0)) throw std::runtime_error("cannot leave root");
}

TEST_F(FileReaderTest, ReadsInPiecesOfAnySize) {
  std::string content;
  for (int i = 0; i < 100'000; ++i) content += static_cast<char>(i * 31);
  const std::string file = put("data", content);
  for (const std::size_t piece : {1ul, 7ul, 4096ul, 99'999ul, 100'000ul, 100'001ul}) {
    FileReader reader(file);
    EXPECT_EQ(reader.size_hint(), content.size());
    EXPECT_EQ(reader.name(), file);
    std::string all, buffer(piece, '\0');
    while (const std::size_t count = reader.read(buffer)) {
      EXPECT_TRUE(count == piece || all.size() + count == content.size());
      all += buffer.substr(0, count);
    }
    EXPECT_EQ(all, content);
    EXPECT_EQ(reader.read(buffer), 0u);
  }
}

TEST_F(FileReaderTest, FillsTheBufferHoweverAPipeDelivers) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::thread writer([&] {
    const int handle = open(path("pipe").c_str(), O_WRONLY);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(write(handle, "abc", 3), 3);
    close(handle);
  });
  FileReader reader(path("pipe"));
  EXPECT_EQ(reader.size_hint(), 0u);
  std::string buffer(2000, '\0');
  EXPECT_EQ(reader.read(buffer), 2000u);
  EXPECT_EQ(reader.read(buffer), 1000u);
  EXPECT_EQ(reader.read(buffer), 0u);
  writer.join();
}

TEST_F(FileReaderTest, ReadsStandardInputAsDash) {
  const std::string file = put("data", "hello");
  expect_in_child([&] {
    dup2(open(file.c_str(), O_RDONLY), STDIN_FILENO);
    return read_whole_file("-", 10) == "hello" && FileReader("-").name() == "standard input";
  });
}

TEST_F(FileReaderTest, WaitsForANonBlockingStandardInput) {
  expect_in_child([] {
    int ends[2];
    if (pipe2(ends, O_NONBLOCK) != 0) return false;
    dup2(ends[0], STDIN_FILENO);
    std::thread late([&] {
      usleep(20'000);
      if (write(ends[1], "late", 4) == 4) close(ends[1]);
    });
    const std::string content = read_whole_file("-", 10);
    late.join();
    return content == "late";
  });
}

TEST_F(FileReaderTest, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(error_of([] { FileReader reader(""); }).message(),
            "the name of the file to read is empty, expected a path");
  const Error missing = error_of([&] { FileReader reader(path("none.csv")); });
  EXPECT_EQ(missing.code(), ErrorCode::data);
  EXPECT_EQ(missing.place().file, path("none.csv"));
  EXPECT_EQ(missing.message(), "cannot open: No such file or directory");
  const Error folder = error_of([&] { FileReader reader(path("."), ErrorCode::model); });
  EXPECT_EQ(folder.code(), ErrorCode::model);
  EXPECT_EQ(folder.message(), "is a folder, expected a file");
  const Error through = error_of([&] { FileReader reader(put("file", "") + "/inside"); });
  EXPECT_EQ(through.message(), "cannot open: Not a directory");
  fs::permissions(put("secret", "x"), fs::perms::none);
  fs::permissions(path("."), fs::perms(0711));
  expect_in_child([&] {
    become_ordinary_user();
    return error_of([&] { FileReader reader(path("secret")); }).message() == "cannot open: Permission denied";
  });
}

TEST_F(FileReaderTest, IsForetoldWithoutTouchingPipes) {
  EXPECT_EQ(expect_readable(put("data", "hello")), 5u);
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(expect_readable(path("pipe")), 0u);
  EXPECT_EQ(expect_readable("-"), 0u);
  EXPECT_EQ(error_of([&] { expect_readable(path("none"), ErrorCode::model); }).code(), ErrorCode::model);
  EXPECT_EQ(error_of([&] { expect_readable(path(".")); }).message(), "is a folder, expected a file");
}

TEST_F(FileReaderTest, CanBeMoved) {
  FileReader first(put("a", "aa"));
  FileReader second(std::move(first));
  FileReader third(put("b", "b"));
  third = std::move(second);
  std::string buffer(9, '\0');
  EXPECT_EQ(third.read(buffer), 2u);
  EXPECT_EQ(third.name(), path("a"));
}

TEST_F(FileReaderTest, WholeFileIsBoundedByWhatTheCallerAllows) {
  for (const std::size_t size : {0u, 1u, 65'535u, 65'536u, 65'537u, 1'000'000u}) {
    const std::string content(size, 'x');
    const std::string file = put("data", content);
    EXPECT_EQ(read_whole_file(file, size), content);
    EXPECT_EQ(read_whole_file(file, ~std::uint64_t{0}), content);
    if (size == 0) continue;
    const Error error = error_of([&] { read_whole_file(file, size - 1, ErrorCode::model); });
    EXPECT_EQ(error.code(), ErrorCode::model);
    EXPECT_EQ(error.place().file, file);
  }
}

TEST_F(FileReaderTest, WholeFileWithoutASizeIsBoundedWhileItArrives) {
  EXPECT_THROW(read_whole_file("/dev/zero", 1'000'000), Error);
  EXPECT_EQ(read_whole_file("/dev/null", 0), "");
  EXPECT_FALSE(read_whole_file("/proc/self/status", 1u << 20).empty());  // says its size is 0
}

TEST_F(FileReaderTest, AFalseSizeOfAFileDoesNotAllocate) {
  const std::string file = put("sparse", "x");
  fs::resize_file(file, std::uintmax_t{1} << 40);  // holes: no disk is used
  const Error error = error_of([&] { read_whole_file(file, 1000); });
  EXPECT_EQ(error.message(), "holds more than 1000 bytes, expected at most that many");
}

TEST_F(OutputFileTest, WritesNewFilesWithTheUsualMode) {
  const mode_t mask = umask(027);
  write_file_atomically(path("new"), "content");
  umask(mask);
  EXPECT_EQ(content_of(path("new")), "content");
  EXPECT_EQ(mode_of(path("new")), 0640u);
  EXPECT_EQ(names(), std::vector<std::string>{"new"});
}

TEST_F(OutputFileTest, ReplacesAFileAndKeepsItsMode) {
  for (const mode_t mode : {0600u, 0640u, 0755u, 0666u}) {
    const std::string file = put("model", "old");
    ASSERT_EQ(chmod(file.c_str(), mode), 0);
    write_file_atomically(file, std::as_bytes(std::span(std::string_view("new"))));
    EXPECT_EQ(content_of(file), "new");
    EXPECT_EQ(mode_of(file), mode);
  }
  EXPECT_EQ(names(), std::vector<std::string>{"model"});
}

TEST_F(OutputFileTest, KeepsTheOwnerWhereThatIsAllowed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const std::string file = put("model", "old");
  ASSERT_EQ(chown(file.c_str(), 1234, 5678), 0);
  ASSERT_EQ(chmod(file.c_str(), 0660), 0);
  write_file_atomically(file, "new");
  struct stat status;
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 1234u);
  EXPECT_EQ(status.st_gid, 5678u);
  EXPECT_EQ(status.st_mode & 07777u, 0660u);
}

TEST_F(OutputFileTest, ShowsNothingUntilCommitted) {
  const std::string file = put("model", "old");
  {
    OutputFile output(file);
    output.write(std::string(1'000'000, 'x'));
    output.flush();
    EXPECT_EQ(content_of(file), "old");
    EXPECT_EQ(names().size(), 2u);
    EXPECT_TRUE(names()[0].starts_with(".model.tmp-")) << names()[0];
  }
  EXPECT_EQ(content_of(file), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"model"});
}

TEST_F(OutputFileTest, WritesManyPiecesOfAnySize) {
  std::string all;
  OutputFile output(path("out"));
  for (std::size_t i = 0; i < 300; ++i) {
    const std::string piece(i * i * 7 % 5000, static_cast<char>('a' + i % 26));
    output.write(piece);
    all += piece;
  }
  output.write(std::string(600'000, 'z'));
  output.write("end");
  output.commit();
  EXPECT_EQ(content_of(path("out")), all + std::string(600'000, 'z') + "end");
}

TEST_F(OutputFileTest, FollowsSymbolicLinksAndLeavesThemLinks) {
  fs::create_directory(path("there"));
  fs::create_symlink("there/model", path("relative"));
  fs::create_symlink("relative", path("link"));
  write_file_atomically(path("link"), "first");  // the target does not exist yet
  EXPECT_EQ(content_of(path("there/model")), "first");
  write_file_atomically(path("link"), "second");
  EXPECT_EQ(content_of(path("there/model")), "second");
  EXPECT_TRUE(fs::is_symlink(path("link")) && fs::is_symlink(path("relative")));
  EXPECT_EQ(names_in_folder_of(path("there/")), std::vector<std::string>{"model"});
  EXPECT_EQ(names(), (std::vector<std::string>{"link", "relative", "there"}));
}

TEST_F(OutputFileTest, RefusesLinksThatLeadNowhere) {
  fs::create_symlink("b", path("a"));
  fs::create_symlink("a", path("b"));
  EXPECT_EQ(error_of([&] { write_file_atomically(path("a"), "x"); }).code(), ErrorCode::usage);
  EXPECT_TRUE(fs::is_symlink(path("a")) && fs::is_symlink(path("b")));
}

TEST_F(OutputFileTest, AcceptsTheLongestNames) {
  const std::string name(255, 'n');
  write_file_atomically(path(name), "x");
  EXPECT_EQ(names(), std::vector<std::string>{name});
}

TEST_F(OutputFileTest, WritesDirectlyToWhatIsNoRegularFile) {
  write_file_atomically("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = read_whole_file(path("pipe"), 100); });
  write_file_atomically(path("pipe"), "through");
  reader.join();
  EXPECT_EQ(got, "through");
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
  EXPECT_EQ(names(), std::vector<std::string>{"pipe"});
}

TEST_F(OutputFileTest, WritesToStandardOutputAsDash) {
  for (const char* name : {"-", "/dev/stdout"}) {
    expect_in_child([&] {
      dup2(open(path("out").c_str(), O_CREAT | O_WRONLY | O_APPEND, 0666), STDOUT_FILENO);
      write_file_atomically(name, "to the handle ");
      return fcntl(STDOUT_FILENO, F_GETFD) != -1;  // still open
    });
  }
  EXPECT_EQ(content_of(path("out")), "to the handle to the handle ");
}

TEST_F(OutputFileTest, ReportsAFullDisk) {
  OutputFile output("/dev/full");
  output.write("x");
  const Error error = error_of([&] { output.commit(); });
  EXPECT_EQ(error.code(), ErrorCode::resources);
  EXPECT_EQ(error.place().file, "/dev/full");
  EXPECT_EQ(error.message(), "cannot write: No space left on device");
}

TEST_F(OutputFileTest, ReportsAFullDiskBehindStandardOutput) {
  expect_in_child([] {
    dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO);
    try {
      write_file_atomically("-", "x");
    } catch (const Error& error) {
      return error.code() == ErrorCode::resources && error.place().file == "standard output";
    }
    return false;
  });
}

TEST_F(OutputFileTest, ReportsAClosedPipe) {
  expect_in_child([] {
    std::signal(SIGPIPE, SIG_IGN);
    int ends[2];
    if (pipe(ends) != 0) return false;
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    try {
      write_file_atomically("-", "x");
    } catch (const Error& error) {
      return error.code() == ErrorCode::resources && error.message() == "cannot write: Broken pipe";
    }
    return false;
  });
}

TEST_F(OutputFileTest, AtEverySizeLimitTheOldFileStaysAndNothingIsLeft) {
  const std::string file = put("model", "old"), content(10'000, 'x');
  expect_in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    for (rlim_t limit = 0; limit < content.size(); limit += 997) {
      const rlimit bound{.rlim_cur = limit, .rlim_max = RLIM_INFINITY};
      if (setrlimit(RLIMIT_FSIZE, &bound) != 0) return false;
      try {
        write_file_atomically(file, content);
        return false;
      } catch (const Error& error) {
        if (error.code() != ErrorCode::resources || error.message() != "cannot write: File too large") return false;
      }
      if (content_of(file) != "old" || names().size() != 1) return false;
    }
    return true;
  });
}

TEST_F(OutputFileTest, RefusesAPlaceWhereNothingCanBeWritten) {
  const Error folder = error_of([&] { write_file_atomically(path("none/model"), "x"); });
  EXPECT_EQ(folder.code(), ErrorCode::usage);
  EXPECT_EQ(folder.place().file, path("none/model"));
  EXPECT_EQ(folder.message(), "cannot write: there is no folder \"" + path("none") + "\"");
  EXPECT_EQ(folder.hint(), "mkdir -p " + path("none"));
  EXPECT_STREQ(error_of([&] { expect_writable(path("none/model")); }).what(), folder.what());
  EXPECT_EQ(error_of([&] { write_file_atomically(path("none/model"), "x", ErrorCode::model); }).code(),
            ErrorCode::model);
  EXPECT_EQ(error_of([&] { write_file_atomically(path("."), "x"); }).message(), "is a folder, expected a file");
  EXPECT_EQ(error_of([&] { write_file_atomically("", "x"); }).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([&] { write_file_atomically(put("file", "") + "/model", "x"); }).message(),
            "cannot write: Not a directory");
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
}

TEST_F(OutputFileTest, RefusesAFileThatMayNotBeWritten) {
  const std::string file = put("model", "old");
  fs::permissions(file, fs::perms(0444));
  fs::permissions(path("."), fs::perms(0777));
  expect_in_child([&] {
    become_ordinary_user();
    const Error error = error_of([&] { write_file_atomically(file, "new"); });
    if (std::string(error.what()) != error_of([&] { expect_writable(file); }).what()) return false;
    return error.code() == ErrorCode::usage && error.message() == "cannot write: Permission denied";
  });
  EXPECT_EQ(content_of(file), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"model"});
}

TEST_F(OutputFileTest, RefusesAFolderThatMayNotBeWritten) {
  const std::string file = put("model", "old");
  fs::permissions(file, fs::perms(0666));
  fs::permissions(path("."), fs::perms(0555));
  expect_in_child([&] {
    become_ordinary_user();
    return error_of([&] { write_file_atomically(file, "new"); }).message() == "cannot write: Permission denied" &&
           error_of([&] { write_file_atomically(path("new"), "new"); }).code() == ErrorCode::usage &&
           error_of([&] { expect_writable(path("new")); }).message() == "cannot write: Permission denied";
  });
  EXPECT_EQ(content_of(file), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"model"});
}

TEST_F(OutputFileTest, KilledAtAnyTimeLeavesTheOldFileOrTheNew) {
  const std::string file = path("model");
  write_file_atomically(file, std::string(300'000, 'a'));
  for (useconds_t delay = 0; delay < 4000; delay += 100) {
    const pid_t child = fork();
    if (child == 0) {
      for (char c = 'a';; c = c == 'z' ? 'a' : static_cast<char>(c + 1)) {
        write_file_atomically(file, std::string(300'000, c));
      }
    }
    usleep(delay);
    kill(child, SIGKILL);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    const std::string content = content_of(file);
    ASSERT_EQ(content, std::string(300'000, content[0]));
  }
}

TEST_F(OutputFileTest, WritersAtOnceLeaveOneWholeFile) {
  std::vector<std::thread> writers;
  for (char c = 'a'; c < 'e'; ++c) {
    writers.emplace_back([&, c] {
      for (int i = 0; i < 10; ++i) write_file_atomically(path("model"), std::string(100'000, c));
    });
  }
  for (std::thread& writer : writers) writer.join();
  const std::string content = content_of(path("model"));
  EXPECT_EQ(content, std::string(100'000, content[0]));
  EXPECT_EQ(names(), std::vector<std::string>{"model"});
}

TEST_F(FileTest, OverwritingIsSeenThroughLinksAndSpelling) {
  const std::string a = put("a", "x"), b = put("b", "x");
  fs::create_symlink("a", path("soft"));
  fs::create_hard_link(a, path("hard"));
  EXPECT_TRUE(would_overwrite(a, a));
  EXPECT_TRUE(would_overwrite(a, path("./a")));
  EXPECT_TRUE(would_overwrite(path("soft"), path("hard")));
  EXPECT_FALSE(would_overwrite(a, b));
  EXPECT_FALSE(would_overwrite(a, path("none")));
  EXPECT_FALSE(would_overwrite(path("none"), path("none")));
  EXPECT_FALSE(would_overwrite("/dev/null", "/dev/null"));
}

TEST_F(FileTest, OverwritingIsSeenThroughStandardHandles) {
  const std::string a = put("a", "x"), b = put("b", "x");
  expect_in_child([&] {
    dup2(open(a.c_str(), O_RDONLY), STDIN_FILENO);
    dup2(open(b.c_str(), O_WRONLY), STDOUT_FILENO);
    return would_overwrite(a, "-") && !would_overwrite(b, "-") && would_overwrite("-", b) && !would_overwrite("-", a) &&
           !would_overwrite("-", "-") && dup2(STDIN_FILENO, STDOUT_FILENO) >= 0 && would_overwrite("-", "-");
  });
}

TEST_F(FileTest, StandardOutputIsKnownByAllItsNames) {
  const std::string a = put("a", "x"), b = put("b", "x");
  expect_in_child([&] {
    dup2(open(a.c_str(), O_WRONLY), STDOUT_FILENO);
    const bool known = is_standard_output("-") && is_standard_output("/dev/stdout") && is_standard_output(a);
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    return known && !is_standard_output(b) && !is_standard_output(path("none")) && !is_standard_output("/dev/null");
  });
}

TEST_F(FileTest, ALoopOfLinksIsAnErrorAndNoCrash) {
  fs::create_symlink("loop", path("loop"));
  EXPECT_THROW(expect_readable(path("loop")), Error);
  EXPECT_THROW(expect_writable(path("loop")), Error);
}

TEST_F(FileTest, NamesInTheFolderAreSorted) {
  for (const char* name : {"b", "a", ".hidden"}) put(name, "");
  EXPECT_EQ(names_in_folder_of(path("missing")), (std::vector<std::string>{".hidden", "a", "b"}));
  EXPECT_TRUE(names_in_folder_of(path("none/missing")).empty());
  EXPECT_FALSE(names_in_folder_of("missing").empty() && fs::directory_iterator(".") != fs::directory_iterator());
}

}  // namespace
}  // namespace plumb::file_test
