#include "plumb/data/block_cache.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "plumb/base/compressed_testing.h"
#include "plumb/base/file.h"
#include "plumb/base/options.h"
#include "plumb/base/testing.h"
#include "plumb/data/testing.h"

namespace plumb::block_cache_test {
namespace {

using Write = CachedSource::Write;

constexpr const char* kCsv = "city,height,weight\nRome,1.5,50\n\"a\nb\",0.1,51.25\n,-2,1e300\nRome,7,8\n";

// The rows of one run, and its messages about the cache.
struct Seen {
  std::string everything;
  bool used = false;
  std::vector<std::string> notes, warnings;
};

class BlockCacheTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }
  std::string cache() const { return path("blocks.cache"); }
  // As a new file, so that a reader with the old one open keeps it.
  std::string put(const std::string& name, std::string_view content) const {
    std::filesystem::remove(path(name));
    std::ofstream(path(name), std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
    return path(name);
  }
  std::string content_of(const std::string& file) const { return read_whole_file(file, 1 << 20); }

  std::unique_ptr<CachedSource> open(const std::vector<std::string>& paths, Write write = Write::allowed) const {
    return std::make_unique<CachedSource>(open_source(paths), paths, ReadOptions{}, cache(), write);
  }
  Seen seen_in(CachedSource& source, unsigned threads = 1) const {
    Executor executor(threads);
    const std::string everything = everything_in(source, plumb::Run{executor});
    return {everything, source.used(), source.cache_notes(), source.cache_warnings()};
  }
  Seen read(const std::vector<std::string>& paths, unsigned threads = 1, std::vector<Selected> wanted = {}) const {
    const std::unique_ptr<CachedSource> source = open(paths);
    if (!wanted.empty()) source->select(std::move(wanted));
    return seen_in(*source, threads);
  }
  std::string parsed(const std::vector<std::string>& paths) const {
    Executor executor(1);
    return everything_in(*open_source(paths), plumb::Run{executor});
  }
  // The Error(usage) from making the source.
  std::string refusal(const std::vector<std::string>& paths) const {
    try {
      open(paths);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_FALSE(error.message().empty());
      return error.message();
    }
    return "accepted";
  }
  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("plumb_block_cache_test_" + std::to_string(getpid()));
};

TEST_F(BlockCacheTest, RowsLinesNotesAndDigestAreTheSameWhetherItIsAbsentMadeOrUsed) {
  std::string many = "x,y,city\n";
  for (int i = 0; i < 200'000; ++i)
    many += std::to_string(i % 977) + "." + std::to_string(i % 10) + "," + std::to_string(i) + ",c" +
            std::to_string(i % 300) + "\n";
  const std::vector<std::vector<std::string>> inputs = {
      {put("a.csv", kCsv)},
      {put("a.jsonl", "{\"x\": 1, \"s\": \"q\"}\n{\"x\": 2.5}\n")},
      {put("a.svm", "1 3:0.5 7:1\n\n-1 7:2 3:4\n")},  // indices that do not ascend: a note at the end
      {put("a.vw", "1 |n a b:2\n-1 'tag |n a a c:0.1\n")},
      {put("a.csv.gz", gzip_of(kCsv))},
      {put("b.csv", kCsv), put("c.csv", "city,height,weight\nOslo,1,2\n")},
      {put("many.csv", many)},
  };
  for (const std::vector<std::string>& paths : inputs) {
    const std::string expected = parsed(paths);
    for (const unsigned threads : sweep_of({1u, 2u, 7u})) {
      std::filesystem::remove(cache());
      const Seen made = read(paths, threads);
      EXPECT_FALSE(made.used);
      EXPECT_TRUE(made.everything == expected) << paths[0];
      EXPECT_EQ(made.notes, std::vector<std::string>{cache() + " was made"});
      for (const unsigned again : sweep_of({1u, 2u, 7u})) {
        const Seen used = read(paths, again);
        EXPECT_TRUE(used.used) << paths[0];
        EXPECT_TRUE(used.everything == expected) << paths[0];
        EXPECT_TRUE(used.warnings.empty());
      }
    }
  }
}

TEST_F(BlockCacheTest, WhateverChangesThePiecesChangesTheKey) {
  const std::string a = put("a.csv", "x,y\n1,2\n3,4\n"), b = put("b.csv", "x,y\n5,6\n");
  const auto stale_after = [&](const auto& first, const auto& second) {
    std::filesystem::remove(cache());
    EXPECT_FALSE(first().used);
    EXPECT_TRUE(first().used);
    const Seen other = second();
    EXPECT_TRUE(other.used ||
                other.notes == std::vector<std::string>{cache() + " was of other data or options; it was rebuilt"});
    EXPECT_TRUE(other.used || second().used);
    return !other.used;
  };
  const Selected x{0, Kind::number}, y{1, Kind::number}, y_as_category{1, Kind::category};
  const auto both = [&] { return read({a, b}); };
  EXPECT_FALSE(stale_after(both, both));
  EXPECT_TRUE(stale_after(both, [&] { return read({b, a}); })) << "order of files";
  EXPECT_TRUE(stale_after(both, [&] { return read({a, b, b}); })) << "number of files";
  EXPECT_TRUE(stale_after(both, [&] { return read({a, b}, 1, {x}); })) << "selected columns";
  EXPECT_TRUE(stale_after(both, [&] { return read({a, b}, 1, {y, x}); })) << "their order";
  EXPECT_TRUE(stale_after(both, [&] { return read({a, b}, 1, {x, y_as_category}); })) << "their kinds";
  EXPECT_FALSE(stale_after(both, [&] { return read({a, b}, 1, {x, y}); })) << "the same as all";
  EXPECT_TRUE(stale_after(both, [&] { return read({a, put("b.csv", "x,y\n5,7\n")}); })) << "a byte";
  EXPECT_TRUE(stale_after(both, [&] {
    return read({put("a.csv", "x,z\n1,2\n3,4\n"), put("b.csv", "x,z\n5,7\n")});
  })) << "a name";
}

TEST_F(BlockCacheTest, EveryOptionOfReadingIsPartOfTheKey) {
  const std::string data = put("a.csv", kCsv);
  const auto used_with = [&](const ReadOptions& options) {
    CachedSource source(open_source({data}), {data}, options, cache(), Write::forbidden);
    return seen_in(source).used;
  };
  read({data});
  EXPECT_TRUE(used_with({}));
  ReadOptions sizes;
  sizes.read_size = 7;  // nothing depends on it
  EXPECT_TRUE(used_with(sizes));
  ReadOptions options;
  for (const OptionInfo& option : options_of("", options).options) {
    options = {};
    std::vector<std::string> values = option.choices;
    values.insert(values.end(), {"", ";", "x", "."});
    for (const std::string& value : values) {  // one that changes it
      try {
        if (option.text(&options) == option.text(&sizes)) option.set(&options, value);
      } catch (const OptionFault&) {
      }
    }
    EXPECT_NE(option.text(&options), option.text(&sizes)) << option.name;
    EXPECT_FALSE(used_with(options)) << option.name;
  }
}

TEST_F(BlockCacheTest, WhatBecomesOfMissingValuesIsPartOfTheKeyAndWhatIsMissingComesBack) {
  const std::string data = put("a.csv", "x,y\n1,2\n,4\n5,6\n");
  std::vector<std::string> seen;
  for (const IfMissing what : {IfMissing::keep, IfMissing::drop_row}) {
    const std::vector<Selected> wanted = {{0, Kind::number, false, what}, {1, Kind::number}};
    const Seen made = read({data}, 1, wanted), used = read({data}, 1, wanted);
    EXPECT_FALSE(made.used);
    EXPECT_TRUE(used.used);
    EXPECT_EQ(used.everything, made.everything);
    seen.push_back(used.everything);
  }
  EXPECT_NE(seen[0], seen[1]);
}

TEST_F(BlockCacheTest, RowsLeftOutAreReportedFromTheCacheToo) {
  const std::string data = put("a.csv", "x,y\n1,2\n3\n5,6\n7,8,9\n");
  ReadOptions options;
  options.bad_rows = BadRows::skip;
  const auto look = [&](const std::string& path) {
    CachedSource source(open_source({path}, options), {path}, options, cache());
    const Seen seen = seen_in(source);
    EXPECT_EQ(source.skipped().bad, 2u);
    return seen;
  };
  const Seen made = look(data), used = look(data);
  EXPECT_TRUE(used.used);
  EXPECT_EQ(used.everything, made.everything);
  std::filesystem::rename(data, path("b.csv"));
  EXPECT_FALSE(look(path("b.csv")).used);  // its rows are reported by another name
}

TEST_F(BlockCacheTest, AWindowThatTheReaderWasGrantedIsGrantedToTheSecondLookToo) {
  const std::string data = put("a.csv.zst", zstd_of(kCsv, 28));
  ReadOptions options;
  options.most_window = std::uint64_t{1} << 28;
  for (const bool used : {false, true}) {
    CachedSource source(open_source({data}, options), {data}, options, cache());
    const Seen seen = seen_in(source);
    EXPECT_EQ(seen.used, used);
    EXPECT_TRUE(seen.warnings.empty());
  }
}

TEST_F(BlockCacheTest, WhereOneFileEndsAndTheNextBeginsIsPartOfTheKey) {
  const std::string a = put("a.svm", "1 1:1\n"), b = put("b.svm", "2 2:2\n3 3:3\n");
  const std::string all = read({a, b}).everything;
  put("a.svm", "1 1:1\n2 2:2\n");
  put("b.svm", "3 3:3\n");
  const Seen moved = read({a, b});
  EXPECT_FALSE(moved.used);
  EXPECT_NE(moved.everything, all);  // lines are counted in each file
}

TEST_F(BlockCacheTest, TheEndOfANameIsPartOfTheKeyAsFormatsGoByIt) {
  read({put("a.csv", kCsv)});
  EXPECT_TRUE(read({put("other.csv", kCsv)}).used);
  EXPECT_FALSE(read({put("a.txt", kCsv)}).used);
}

TEST_F(BlockCacheTest, ARenamedFileIsCalledByItsNewName) {
  read({put("old.csv", kCsv)});
  std::filesystem::rename(path("old.csv"), path("new.csv"));
  const Seen used = read({path("new.csv")});
  EXPECT_TRUE(used.used);
  EXPECT_EQ(used.everything, parsed({path("new.csv")}));
}

TEST_F(BlockCacheTest, WithNotesThatMayNameItARenamedFileIsParsedAnew) {
  read({put("old.svm", "1 7:2 3:4\n")});
  EXPECT_TRUE(read({path("old.svm")}).used);
  std::filesystem::rename(path("old.svm"), path("new.svm"));
  const Seen anew = read({path("new.svm")});
  EXPECT_FALSE(anew.used);
  EXPECT_EQ(anew.everything, parsed({path("new.svm")}));
}

TEST_F(BlockCacheTest, AFlippedBitIsFoundWhereverItIs) {
  const std::string data = put("a.csv", "city,x\nRome,1\nOslo,0.1\n");
  const std::string expected = read({data}).everything;
  const std::string good = content_of(cache());
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string damaged = good;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << i % 8));
    put("blocks.cache", damaged);
    if (i < 8) {  // looks like a user's file
      EXPECT_EQ(refusal({data}), "is not a cache that plumb wrote, and would be overwritten");
      EXPECT_EQ(content_of(cache()), damaged);
      continue;
    }
    const bool anew = i % 50 == 8;  // flushing a file to disk takes long
    const Seen seen = seen_in(*open({data}, anew ? Write::allowed : Write::forbidden));
    EXPECT_FALSE(seen.used) << i;
    EXPECT_EQ(seen.everything, expected) << i;
    EXPECT_EQ(seen.warnings.size(), i < 64 ? 0u : 1u) << i;  // in the header it is another version
    EXPECT_EQ(content_of(cache()), anew ? good : damaged) << i;
  }
}

TEST_F(BlockCacheTest, CutAtAnyLengthOrWithSomethingBehindItsEndItIsMadeAnew) {
  const std::string data = put("a.csv", "city,x\nRome,1\nOslo,0.1\n");
  const std::string expected = read({data}).everything;
  const std::string good = content_of(cache());
  std::vector<std::string> bad;
  for (std::size_t length = 0; length < good.size(); ++length) bad.push_back(good.substr(0, length));
  for (const std::size_t more : {1u, 7u, 8u, 16u, 64u, 4096u}) bad.push_back(good + std::string(more, '\0'));
  bad.push_back(good + good);
  for (const std::string& content : bad) {
    put("blocks.cache", content);
    const bool anew = content.size() % 50 == 0 || content.size() > good.size();  // flushing a file to disk takes long
    const Seen seen = seen_in(*open({data}, anew ? Write::allowed : Write::forbidden));
    EXPECT_FALSE(seen.used);
    EXPECT_EQ(seen.everything, expected);
    EXPECT_EQ(seen.warnings.empty(), content.empty()) << content.size();
    EXPECT_EQ(content_of(cache()), anew ? good : content);
  }
}

TEST_F(BlockCacheTest, OneOfAnotherVersionIsMadeAnew) {
  const std::string data = put("a.csv", kCsv);
  read({data});
  std::string old = content_of(cache());
  old[8] = '\x63';
  put("blocks.cache", old);
  EXPECT_EQ(read({data}).notes, std::vector<std::string>{cache() + " was of another version of plumb; it was rebuilt"});
  EXPECT_TRUE(read({data}).used);
}

TEST_F(BlockCacheTest, AUsersFileIsNeverOverwritten) {
  const std::string data = put("a.csv", kCsv);
  put("blocks.cache", "x,y\n1,2\n");
  EXPECT_EQ(refusal({data}), "is not a cache that plumb wrote, and would be overwritten");
  EXPECT_EQ(content_of(cache()), "x,y\n1,2\n");
  std::filesystem::remove(cache());
  std::filesystem::create_directory(cache());
  EXPECT_EQ(refusal({data}), "is a folder, expected a file");
  std::filesystem::remove(cache());
  ASSERT_EQ(mkfifo(cache().c_str(), 0600), 0);
  EXPECT_EQ(refusal({data}), "is no regular file");
  std::filesystem::remove(cache());
  std::filesystem::create_symlink(data, cache());
  EXPECT_EQ(refusal({data}), "is also an input; inputs are never overwritten");
}

TEST_F(BlockCacheTest, WhatCannotBeReadIsNotOverwrittenEither) {
  if (geteuid() == 0) GTEST_SKIP() << "root reads everything";
  const std::string data = put("a.csv", kCsv);
  read({data});
  std::filesystem::permissions(cache(), std::filesystem::perms::none);
  EXPECT_EQ(refusal({data}), "cannot open: Permission denied");
}

TEST_F(BlockCacheTest, WhatCanBeReadOnlyOnceHasNoCache) {
  const std::string data = put("a.csv", kCsv);
  EXPECT_THROW(CachedSource(open_source({data}), {"-"}, {}, cache()), Error);
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_THROW(CachedSource(open_source({data}), {path("fifo")}, {}, cache()), Error);
  EXPECT_THROW(CachedSource(open_source({data}), {data}, {}, "-"), Error);
  EXPECT_THROW(CachedSource(open_source({data}), {data}, {}, "/dev/stdout"), Error);
}

TEST_F(BlockCacheTest, ACacheThatCannotBeWrittenIsAWarningAndTheRowsAreThere) {
  const std::string data = put("a.csv", kCsv);
  CachedSource nowhere(open_source({data}), {data}, {}, path("no/blocks.cache"));
  const Seen seen = seen_in(nowhere);
  EXPECT_EQ(seen.everything, parsed({data}));
  ASSERT_EQ(seen.warnings.size(), 1u);
  EXPECT_NE(seen.warnings[0].find("there is no folder"), std::string::npos) << seen.warnings[0];
}

TEST_F(BlockCacheTest, AFullDiskIsAWarningAndTheOldCacheStays) {
  const std::string data = put("a.csv", kCsv);
  read({data});
  const std::string old = content_of(cache());
  put("a.csv", std::string(kCsv) + "Rome,1,2\n");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit little{200, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
  const Seen seen = read({data});
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(seen.everything, parsed({data}));
  EXPECT_EQ(seen.warnings.size(), 1u);
  EXPECT_TRUE(seen.notes.empty());
  EXPECT_EQ(content_of(cache()), old);
  EXPECT_EQ(files_in_folder(), 2u);
}

TEST_F(BlockCacheTest, RowsBeyondTheMemoryGrantedAreRefusedInTheSameWordsWithACache) {
  const std::string data = put("a.csv", kCsv);
  read({data});
  Executor executor(1);
  const auto refused = [&](Source& source) {
    try {
      read_all(source, plumb::Run{.executor = executor, .memory = MemoryBudget(100)});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::resources);
      return std::string(error.what()) + error.hint();
    }
    return std::string("read");
  };
  const std::unique_ptr<CachedSource> cached = open({data});
  EXPECT_EQ(refused(*cached), refused(*open_source({data})));
  EXPECT_FALSE(cached->used());
}

TEST_F(BlockCacheTest, ForbiddenToWriteItUsesWhatIsThereAndMakesNothing) {
  const std::string data = put("a.csv", kCsv);
  const auto look = [&] { return seen_in(*open({data}, Write::forbidden)); };
  EXPECT_FALSE(look().used);
  EXPECT_FALSE(std::filesystem::exists(cache()));
  read({data});
  EXPECT_TRUE(look().used);
  put("a.csv", std::string(kCsv) + "Rome,1,2\n");
  const std::string old = content_of(cache());
  EXPECT_FALSE(look().used);
  EXPECT_EQ(content_of(cache()), old);
}

// The source has the old file open, while the path leads to the new one: the key would be that of one, the rows those
// of the other.
TEST_F(BlockCacheTest, DataThatChangeBetweenOpeningAndHashingAreNotCached) {
  for (const bool compressed : {false, true}) {
    const auto content = [&](const std::string& text) { return compressed ? gzip_of(text) : text; };
    const std::string name = compressed ? "a.csv.gz" : "a.csv";
    const std::string data = put(name, content("x,y\n1,2\n"));
    const std::unique_ptr<CachedSource> source = open({data});
    put(name, content("x,y\n3,4\n"));
    const Seen old = seen_in(*source);
    EXPECT_NE(old.everything, parsed({data}));
    EXPECT_EQ(old.warnings.size(), 1u);
    EXPECT_FALSE(std::filesystem::exists(cache()));
    EXPECT_EQ(read({data}).everything, parsed({data}));
    EXPECT_EQ(read({data}).everything, parsed({data}));
    std::filesystem::remove(cache());
  }
}

TEST_F(BlockCacheTest, AReadThatFailsOrIsStoppedLeavesTheOldCacheAndNothingElse) {
  const std::string data = put("a.csv", kCsv);
  read({data});
  const std::string old = content_of(cache());
  put("a.csv", "city,height,weight\nRome,1,x\nRome,1,2\nRome,2,3\n");
  Executor executor(1);
  const std::unique_ptr<CachedSource> bad = open({data});
  bad->select({{2, Kind::number}});
  Table piece;
  EXPECT_THROW(bad->next(piece, plumb::Run{executor}), Error);
  put("a.csv", std::string(kCsv) + "Rome,1,2\n");
  int calls = 0;
  const plumb::Run stopped{executor, {}, [&](const Progress&) { return ++calls < 4; }};
  const std::unique_ptr<CachedSource> source = open({data});
  EXPECT_THROW(while (source->next(piece, stopped)){}, Error);
  EXPECT_EQ(content_of(cache()), old);
}

TEST_F(BlockCacheTest, TheTemporaryFileIsKnownWhileItExists) {
  const std::string data = put("a.csv", kCsv);
  const std::unique_ptr<CachedSource> source = open({data});
  Executor executor(1);
  source->prepare(plumb::Run{executor});
  EXPECT_TRUE(std::filesystem::exists(source->temporary()));
  seen_in(*source);
  EXPECT_EQ(source->temporary(), "");
  EXPECT_EQ(files_in_folder(), 2u);
}

TEST_F(BlockCacheTest, TwoThatWriteAtOnceDoNotDisturbEachOther) {
  const std::string data = put("a.csv", kCsv);
  const std::unique_ptr<CachedSource> first = open({data}), second = open({data});
  Executor executor(1);
  first->prepare(plumb::Run{executor});
  second->prepare(plumb::Run{executor});
  EXPECT_EQ(seen_in(*first).everything, parsed({data}));
  EXPECT_EQ(seen_in(*second).everything, parsed({data}));
  EXPECT_TRUE(read({data}).used);
  EXPECT_EQ(files_in_folder(), 2u);
}

}  // namespace
}  // namespace plumb::block_cache_test
