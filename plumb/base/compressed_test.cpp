#include "plumb/base/compressed.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "plumb/base/compressed_testing.h"
#include "plumb/base/random.h"
#include "plumb/base/testing.h"

namespace plumb::compressed_test {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

constexpr std::uint64_t kMebi = 1u << 20;

class ByteReaderTest : public testing::Test {
 protected:
  ByteReaderTest() {
    std::string pattern = (fs::temp_directory_path() / "plumb-compressed-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~ByteReaderTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  std::string put(const std::string& content, const std::string& name = "data") const {
    fs::remove(path(name));  // some file systems flush a file that was emptied and written again
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

 private:
  std::string folder_;
};

// The two formats, for properties that hold for both.
struct Format {
  const char* name;
  std::function<std::string(const std::string&)> packed;
  std::size_t magic_size;
};
const std::vector<Format>& formats() {
  static const std::vector<Format> list = {{"gzip", [](const std::string& text) { return gzip_of(text); }, 2},
                                           {"zstd", [](const std::string& text) { return zstd_of(text); }, 4}};
  return list;
}

// Everything, read with buffers of this size. A reader fills buffers until its end, and then returns nothing.
std::string rest_of(ByteReader& reader, std::size_t buffer_size) {
  std::string all, buffer(buffer_size, '\0');
  bool ended = false;
  while (const std::size_t count = reader.read(buffer)) {
    EXPECT_FALSE(ended) << "bytes came after a buffer that was not filled";
    ended = count < buffer_size;
    all.append(buffer, 0, count);
  }
  return all;
}

std::string content_of(const std::string& path, const ByteReaderOptions& options = {},
                       std::size_t buffer_size = 1u << 16) {
  ByteReader reader(path, options);
  return rest_of(reader, buffer_size);
}

// Rows of digits: text that compresses, but not to nothing.
std::string text_of(std::size_t size, std::uint64_t seed) {
  std::string text;
  for (std::uint64_t i = 0; text.size() < size; ++i)
    text += std::to_string(RandomKey{seed}.below(i, 100'000)) + (i % 8 == 7 ? "\n" : ",");
  text.resize(size);
  return text;
}

RC_GTEST_FIXTURE_PROP(ByteReaderTest, GivesWhatWasCompressedHoweverItIsCutIntoPartsAndReads, ()) {
  const Format& format = formats()[*rc::gen::inRange<std::size_t>(0, 2)];
  const auto size = [](int most_log) {
    return rc::gen::mapcat(rc::gen::inRange(0, most_log),
                           [](int log) { return rc::gen::inRange<std::size_t>(0, 2u << log); });
  };
  std::string text, file;
  for (const std::size_t part_size : *rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(size(18)))) {
    const std::string part = text_of(part_size, file.size());
    text += part;
    file += format.packed(part);
    if (format.name == "zstd"s && part_size % 2 == 0) file += skippable_frame(part.substr(0, 100));
  }
  put(file);
  ByteReader reader(path("data"), {.read_size = *size(18)});
  RC_ASSERT(reader.compression() == format.name);
  RC_ASSERT(rest_of(reader, *size(20) + 1) == text);
  RC_ASSERT(reader.compressed_bytes_read() == file.size());
  RC_ASSERT(reader.size_hint() == file.size());
}

TEST_F(ByteReaderTest, GivesPlainFilesAsTheyAreEvenIfTheyNearlyLookCompressed) {
  for (const std::string& start :
       {""s, "\x1f"s, "\x1f\x8c"s, "\x1e\x8b"s, "\x28"s, "\x28\xb5\x2f"s, "\x28\xb5\x2f\xfc"s, "\x50\x2a\x4d"s,
        "\x60\x2a\x4d\x18"s, "PK\x03\x04"s, "\0\0\0\0"s, "a,b\n"s}) {
    const std::string text = start.size() < 2 ? start : start + text_of(5000, 1);
    for (const std::string& content : {start, text}) {
      for (const std::size_t buffer_size : {1u, 3u, 4u, 5u, 4999u, 10'000u}) {
        ByteReader reader(put(content));
        EXPECT_EQ(reader.compression(), "");
        EXPECT_EQ(rest_of(reader, buffer_size), content);
        EXPECT_EQ(reader.compressed_bytes_read(), content.size());
      }
    }
  }
}

TEST_F(ByteReaderTest, KnowsTheFormatByTheBytesAndNotByTheName) {
  EXPECT_EQ(content_of(put("plain", "a.gz")), "plain");
  EXPECT_EQ(content_of(put(gzip_of("packed"), "a.csv")), "packed");
  EXPECT_EQ(content_of(put(zstd_of("packed"), "a.gz")), "packed");
}

TEST_F(ByteReaderTest, ReadsEmptyParts) {
  for (const Format& format : formats()) {
    const std::string empty = format.packed("");
    EXPECT_EQ(content_of(put(empty)), "");
    EXPECT_EQ(content_of(put(empty + empty)), "");
    EXPECT_EQ(content_of(put(empty + format.packed("a") + empty + format.packed("b") + empty), {}, 1), "ab");
  }
}

TEST_F(ByteReaderTest, PassesOverTheNamesAndNotesInAGzipHeader) {
  std::string name = "old.csv", comment(10'000, 'c'), extra(65'535, 'e');
  gz_header header{};
  header.name = reinterpret_cast<Bytef*>(name.data());
  header.comment = reinterpret_cast<Bytef*>(comment.data());
  header.extra = reinterpret_cast<Bytef*>(extra.data());
  header.extra_len = static_cast<uInt>(extra.size());
  header.hcrc = 1;
  EXPECT_EQ(content_of(put(gzip_of("text", &header)), {.read_size = 100}), "text");
}

TEST_F(ByteReaderTest, EveryCutIsAnErrorExceptBetweenParts) {
  for (const Format& format : formats()) {
    std::string text, file;
    std::vector<std::pair<std::size_t, std::string>> whole;  // cuts that leave whole parts, and their content
    for (const std::size_t size : {200u, 0u, 50u}) {
      const std::string part = text_of(size, size);
      text += part;
      file += format.packed(part);
      whole.emplace_back(file.size(), text);
    }
    for (std::size_t cut = format.magic_size; cut <= file.size(); ++cut) {
      put(file.substr(0, cut));
      const auto kept = std::ranges::find(whole, cut, &std::pair<std::size_t, std::string>::first);
      for (const std::size_t buffer_size : {1u, 200u, 1000u}) {
        if (kept != whole.end()) {
          EXPECT_EQ(content_of(path("data"), {}, buffer_size), kept->second);
          continue;
        }
        const Error error = error_of([&] { content_of(path("data"), {}, buffer_size); });
        EXPECT_EQ(error.code(), ErrorCode::data);
        EXPECT_EQ(error.place().file, path("data"));
        EXPECT_TRUE(error.message().starts_with("ends in the middle of the "s + format.name)) << error.message();
        EXPECT_EQ(error.hint(), format.name + " -t "s + path("data"));
      }
    }
  }
}

TEST_F(ByteReaderTest, EveryFlippedBitIsAnErrorOrChangesNothing) {
  for (const Format& format : formats()) {
    const std::string first = text_of(300, 1), second = text_of(40, 2);
    const std::string file = format.packed(first) + format.packed(second);
    for (std::size_t bit = 8 * format.magic_size; bit < 8 * file.size(); ++bit) {
      std::string flipped = file;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
      put(flipped);
      for (const std::size_t buffer_size : {7u, 1000u}) {
        std::string content;
        const auto error = failure_of([&] { content = content_of(path("data"), {}, buffer_size); });
        EXPECT_TRUE(error || content == first + second) << format.name << " bit " << bit;
      }
    }
  }
}

TEST_F(ByteReaderTest, ChecksumAndLengthOfEveryMemberAreChecked) {
  const std::string good = gzip_of("some text");
  const std::string start = "the gzip member that starts at byte " + std::to_string(good.size()) + " is damaged (";
  for (const auto& [from_end, why] : {std::pair(8u, "incorrect data check"), std::pair(4u, "incorrect length check")}) {
    std::string bad = good;
    ++bad[bad.size() - from_end];
    const Error error = error_of([&] { content_of(put(good + bad + good)); });
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_EQ(error.message(), start + why + "), expected one that passes its checks");
    EXPECT_EQ(error.hint(), "gzip -t " + path("data"));
  }
  std::string bad = zstd_of("some text");
  ++bad.back();
  const Error error = error_of([&] { content_of(put(bad)); });
  EXPECT_EQ(error.message(),
            "the zstd frame that starts at byte 0 is damaged (its checksum is that of other data), expected one "
            "that passes its checks");
}

TEST_F(ByteReaderTest, AFullBufferIsNotYetTheEnd) {
  for (const Format& format : formats()) {
    std::string bad = format.packed("12345");
    --bad.back();
    ByteReader reader(put(bad));
    std::string buffer(5, '\0');
    EXPECT_THROW(
        {
          reader.read(buffer);
          reader.read(buffer);
        },
        Error);
  }
}

TEST_F(ByteReaderTest, ZerosAfterGzipArePaddingAndAnythingElseIsAnError) {
  const std::string packed = gzip_of("text");
  for (const std::size_t zeros : {1u, 511u, 100'000u}) {
    const std::string padded = packed + std::string(zeros, '\0');
    for (const std::size_t read_size : {1u, 100u, 1u << 20}) {
      ByteReader reader(put(padded), {.read_size = read_size});
      EXPECT_EQ(rest_of(reader, 10), "text");
      EXPECT_EQ(reader.compressed_bytes_read(), padded.size());
    }
    for (const std::string& garbage : {"x"s, "\x1f"s, packed}) {
      const Error error = error_of([&] { content_of(put(padded + garbage)); });
      EXPECT_EQ(error.message(), "holds something else at byte " + std::to_string(padded.size()) +
                                     ", expected a gzip member or the end of the file");
      EXPECT_EQ(error.hint(), "head -c " + std::to_string(padded.size()) + " " + path("data") + " | plumb ... -");
    }
  }
}

TEST_F(ByteReaderTest, GarbageAfterTheDataIsAnErrorThatNamesItsByte) {
  const std::string old_format = "\x25\xb5\x2f\xfd"s + zstd_of("x").substr(4);  // a frame of zstd 0.5
  for (const Format& format : formats()) {
    const std::string packed = format.packed("text");
    for (const std::string& garbage : {"x"s, "\x1e\x8b"s, "\x28\xb5\x2f\xfc"s, "\n"s, old_format, "a,b\n1,2\n"s}) {
      const Error error = error_of([&] { content_of(put(packed + garbage)); });
      EXPECT_EQ(error.code(), ErrorCode::data);
      EXPECT_TRUE(error.message().starts_with("holds something else at byte " + std::to_string(packed.size()) + ","))
          << error.message();
    }
  }
  EXPECT_THROW(content_of(put(zstd_of("text") + '\0')), Error);
  EXPECT_THROW(content_of(put(zstd_of("text") + gzip_of("text"))), Error);
}

TEST_F(ByteReaderTest, ReadsFramesWithoutAChecksum) {
  const std::string text = text_of(300'000, 6);
  std::string file(ZSTD_compressBound(text.size()), '\0');
  file.resize(ZSTD_compress(file.data(), file.size(), text.data(), text.size(), 3));
  put(file);
  for (const std::size_t buffer_size : {1000u, 300'000u}) EXPECT_EQ(content_of(path("data"), {}, buffer_size), text);
}

TEST_F(ByteReaderTest, PassesOverSkippableFramesWhereverTheyAre) {
  const std::string a = zstd_of("a"), b = zstd_of("b");
  for (char number = 0; number < 16; ++number) {
    const std::string skip = skippable_frame(std::string(1000, '\x28'), number);
    for (const std::string& file :
         {skip + a + b, a + skip + b, a + b + skip, skip + skip + a + skippable_frame("") + b}) {
      ByteReader reader(put(file), {.read_size = 64});
      EXPECT_EQ(reader.compression(), "zstd");
      EXPECT_EQ(rest_of(reader, 100), "ab");
    }
    EXPECT_EQ(content_of(put(skip)), "");
    EXPECT_EQ(error_of([&] { content_of(put(a + skip.substr(0, 500))); }).message(),
              "ends in the middle of the zstd frame that starts at byte " + std::to_string(a.size()) +
                  ", expected all of it");
  }
}

// The first bytes of a frame: a window of (8 + eighths) * 2^(log - 3) bytes, or the size of a frame in one segment.
std::string windowed_frame(int log, int eighths = 0) {
  return "\x28\xb5\x2f\xfd\x04"s + static_cast<char>((log - 10) * 8 + eighths);
}
std::string frame_in_one_segment(std::uint64_t size) {
  std::string frame = "\x28\xb5\x2f\xfd\xe4"s;
  for (int i = 0; i < 8; ++i) frame += static_cast<char>(size >> (8 * i));
  return frame;
}

TEST_F(ByteReaderTest, AFrameThatAsksForAHugeWindowIsRefusedAsItIs) {
  const auto refusal = [&](const std::string& file, const ByteReaderOptions& options = {}) {
    const Error error = error_of([&] { content_of(put(file), options); });
    EXPECT_EQ(error.code(), ErrorCode::data);
    return error;
  };
  const Error error = refusal(windowed_frame(27, 1));
  EXPECT_EQ(error.message(),
            "the zstd frame that starts at byte 0 needs a window of 150994944 bytes, expected at most 134217728");
  EXPECT_EQ(error.hint(), "zstd -dc --long=28 " + path("data") + " | plumb ... -");
  EXPECT_EQ(refusal(windowed_frame(41, 7)).hint(), "");  // no program reads this
  refusal(frame_in_one_segment(128 * kMebi + 1));
  refusal(frame_in_one_segment(~std::uint64_t{0}));
  refusal(zstd_of("a") + frame_in_one_segment(~std::uint64_t{0}));
  refusal(windowed_frame(31, 1), {.most_window = ~std::uint64_t{0}});
  refusal(zstd_of(text_of(5000, 1), 20), {.most_window = kMebi - 1});
  EXPECT_EQ(content_of(put(zstd_of(text_of(5000, 1), 20)), {.most_window = kMebi}), text_of(5000, 1));
  // Allowed, but cut: an error of the data.
  EXPECT_EQ(error_of([&] { content_of(put(windowed_frame(27))); }).code(), ErrorCode::data);
  EXPECT_EQ(error_of([&] { content_of(put(frame_in_one_segment(128 * kMebi))); }).code(), ErrorCode::data);
}

TEST_F(ByteReaderTest, ReadsWindowsLargerThanTheUsualOnesWhereTheyAreAllowed) {
  const std::string text = text_of(5000, 2);
  put(zstd_of(text, 28));
  EXPECT_EQ(content_of(path("data"), {.most_window = 256 * kMebi}), text);
  EXPECT_EQ(error_of([&] { content_of(path("data")); }).code(), ErrorCode::data);
}

TEST_F(ByteReaderTest, AFrameThatNeedsADictionarySaysSo) {
  const Error error = error_of([&] { content_of(put("\x28\xb5\x2f\xfd\x02\x50\x39\x05"s + std::string(20, 'x'))); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_EQ(error.message(),
            "the zstd frame that starts at byte 0 needs dictionary 1337, expected one that needs none");
}

TEST_F(ByteReaderTest, GivesExactlyAsManyBytesAsAreAllowed) {
  const std::string text = text_of(10'000, 3);
  for (const std::string& file :
       {text, gzip_of(text), zstd_of(text), gzip_of(text.substr(0, 9999)) + gzip_of(text.substr(9999))}) {
    put(file);
    for (const std::size_t buffer_size : {1u, 1000u, 9999u, 10'000u, 10'001u, 1u << 20}) {
      EXPECT_EQ(content_of(path("data"), {.most_bytes = 10'000}, buffer_size), text);
      EXPECT_EQ(content_of(path("data"), {.most_bytes = ~std::uint64_t{0}}, buffer_size), text);
      const Error error = error_of([&] { content_of(path("data"), {.most_bytes = 9999}, buffer_size); });
      EXPECT_EQ(error.code(), ErrorCode::resources);
      EXPECT_TRUE(error.message().ends_with("more than 9999 bytes, expected at most that many")) << error.message();
      EXPECT_EQ(error.hint(), "unpack it by hand and look at what is in it");
    }
  }
}

TEST_F(ByteReaderTest, ABombCostsNoMoreMemoryThanAnyFile) {
  const std::string zeros(64 * kMebi, '\0');
  const std::string claim = windowed_frame(27);  // of a window of 128 MiB, and no more
  for (const std::string& file : {gzip_of(zeros), zstd_of(zeros, 17), claim}) {
    put(file);
    expect_in_child([&] {
      const auto most_memory = [] {
        rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        return static_cast<std::uint64_t>(usage.ru_maxrss) << 10;
      };
      std::string buffer(1u << 16, '\0');
      const std::uint64_t before = most_memory();
      std::uint64_t bytes = 0;
      try {
        ByteReader reader(path("data"));
        while (const std::size_t count = reader.read(buffer)) bytes += count;
      } catch (const Error&) {
      }
      // The address sanitizer needs an eighth of what is allocated, touched or not.
      return (bytes == zeros.size() || file == claim) && most_memory() - before < 24 * kMebi;
    });
  }
}

TEST_F(ByteReaderTest, EveryReadAfterAnErrorThrowsItAgain) {
  const std::string text = text_of(1000, 4);
  for (const Format& format : formats()) {
    std::string damaged = format.packed(text);
    damaged[damaged.size() / 2] = static_cast<char>(~damaged[damaged.size() / 2]);
    const std::string whole = format.packed(text);
    for (const std::string& file : {damaged + whole, whole + "garbage", whole.substr(0, 100), whole + whole}) {
      ByteReader reader(put(file), {.most_bytes = 1500});
      const Error first = error_of([&] { rest_of(reader, 3000); });
      for (int i = 0; i < 3; ++i) EXPECT_STREQ(error_of([&] { rest_of(reader, 1); }).what(), first.what());
    }
  }
}

TEST_F(ByteReaderTest, ReadsAPipeThatDeliversByteByByte) {
  const std::string text = text_of(3000, 5);
  for (const std::string& file : {text, gzip_of(text) + gzip_of(text), zstd_of(text) + zstd_of(text)}) {
    fs::remove(path("pipe"));
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    std::thread writer([&] {
      const int handle = open(path("pipe").c_str(), O_WRONLY);
      for (const char byte : file) EXPECT_EQ(write(handle, &byte, 1), 1);
      close(handle);
    });
    ByteReader reader(path("pipe"));
    EXPECT_EQ(reader.size_hint(), 0u);
    EXPECT_EQ(rest_of(reader, 1000), file == text ? text : text + text);
    EXPECT_EQ(reader.compressed_bytes_read(), file.size());
    writer.join();
  }
}

TEST_F(ByteReaderTest, ReadsStandardInputAsDash) {
  put(zstd_of("hello"));
  put(gzip_of("hello").substr(0, 12), "cut");
  expect_in_child([&] {
    dup2(open(path("data").c_str(), O_RDONLY), STDIN_FILENO);
    ByteReader reader("-");
    return reader.name() == "standard input" && rest_of(reader, 10) == "hello";
  });
  expect_in_child([&] {
    dup2(open(path("cut").c_str(), O_RDONLY), STDIN_FILENO);
    return error_of([] { content_of("-"); }).hint() == "... | gzip -t";
  });
}

TEST_F(ByteReaderTest, FailsAsAFileReaderDoesAndWithItsCode) {
  EXPECT_EQ(error_of([&] { ByteReader reader(path("none")); }).message(), "cannot open: No such file or directory");
  put("\x1f\x8b");
  const Error error = error_of([&] {
    ByteReader reader(path("data"), {}, ErrorCode::model);
    rest_of(reader, 10);
  });
  EXPECT_EQ(error.code(), ErrorCode::model);
}

TEST_F(ByteReaderTest, CanBeMovedInTheMiddleOfAFile) {
  for (const Format& format : formats()) {
    ByteReader first(put(format.packed("abcdef")));
    std::string buffer(3, '\0');
    EXPECT_EQ(first.read(buffer), 3u);
    ByteReader second(std::move(first));
    EXPECT_EQ(rest_of(second, 100), "def");
  }
}

}  // namespace
}  // namespace plumb::compressed_test
