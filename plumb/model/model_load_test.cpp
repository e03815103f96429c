// The cost of loading: bytes read before a file is refused, and memory while one is read.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "plumb/base/error.h"
#include "plumb/base/file.h"
#include "plumb/model/memory_test.h"
#include "plumb/model/model_file.h"
#include "plumb/model/tensor_file.h"

namespace plumb::model_load_test {
namespace {

constexpr std::size_t kMebibyte = 1u << 20;

SavedModel line() {
  LinearModel::Parts parts;
  parts.map = FeatureMap({{{"x", Kind::number, {}}}, {ProductTerm{{{0, 1}}}}});
  parts.weights = Weights::dense(1, 1, {2});
  parts.bias = {1};
  return {LinearModel(std::move(parts)), Record{}};
}
std::string line_bytes() { return model_bytes(line().model, line().record); }

struct Cost {
  std::string refusal;  // empty: accepted
  std::size_t largest;  // block of memory
  std::size_t most;     // at one time
};
Cost cost_of(const std::function<void()>& load) {
  const std::size_t before = memory.live;
  memory.largest = 0;
  memory.most_live = before;
  std::string refusal;
  try {
    load();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::model);
    refusal = error.message();
  }
  return {refusal, memory.largest, memory.most_live - before};
}

// A file of this content that claims to be `size` bytes long: the rest is a hole.
class FileWithHole {
 public:
  FileWithHole(const std::string& content, std::uint64_t size) : path_(::testing::TempDir() + "plumb_hole.plumb") {
    std::ofstream(path_, std::ios::binary) << content;
    std::filesystem::resize_file(path_, size);
  }
  ~FileWithHole() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Reading a file takes as much memory, so this also counts bytes read.
void expect_cheap_refusal(const std::string& path, std::string_view part_of_message) {
  const Cost cost = cost_of([&] { load_model(path); });
  EXPECT_NE(cost.refusal.find(part_of_message), std::string::npos) << cost.refusal;
  EXPECT_LE(cost.most, kMebibyte) << cost.refusal;
}

TEST(LoadModel, RefusesAHugeFileByItsFirstBytes) {
  constexpr std::uint64_t huge = std::uint64_t{8} << 30;
  const std::string good = line_bytes();
  expect_cheap_refusal(FileWithHole("", huge).path(), "not a plumb model file");
  expect_cheap_refusal(FileWithHole("x,y\n1,2\n", huge).path(), "not a plumb model file");
  expect_cheap_refusal(FileWithHole(good, huge).path(), "holds 858993");
  std::string length = good;
  const std::uint64_t claimed = std::uint64_t{4} << 30;
  std::memcpy(length.data(), &claimed, sizeof claimed);
  expect_cheap_refusal(FileWithHole(length, huge).path(), "the header claims 4294967296 bytes");
  expect_cheap_refusal("/dev/zero", "not a plumb model file");
}

TEST(LoadModel, AFalseNumberOfRowsOrFeaturesCostsNothing) {
  LinearModel::Parts parts = line().model.parts();
  parts.weights = Weights::increments(1, 1, {{0, 1}, {0}, {2.0}});
  const TensorFile file = TensorFile::parse(model_bytes(LinearModel(parts), {}), {});
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"\"features\":1", "\"features\":4294967295"},
                                 {"\"rows\":1", "\"rows\":18446744073709551615"},
                                 {"\"rows\":1", "\"rows\":1099511627776"}}) {
    std::string json = file.plumb();
    json.replace(json.find(from), from.size(), to);
    const std::string forged = write_tensor_file(json, file.tensors());
    const Cost cost = cost_of([&] { parse_model(forged, "m.plumb"); });
    EXPECT_NE(cost.refusal.find("it claims"), std::string::npos) << cost.refusal;
    EXPECT_LE(cost.largest, 2 * forged.size());
  }
}

TEST(LoadModel, ReadsWhatComesThroughAPipe) {
  const auto through_pipe = [](const std::string& content) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    EXPECT_EQ(write(ends[1], content.data(), content.size()), static_cast<ssize_t>(content.size()));
    close(ends[1]);
    const Cost cost = cost_of([&] { load_model("/dev/fd/" + std::to_string(ends[0])); });
    close(ends[0]);
    return cost.refusal;
  };
  const std::string good = line_bytes();
  EXPECT_EQ(through_pipe(good), "");
  for (std::size_t size = 0; size < good.size(); size += 7) EXPECT_NE(through_pipe(good.substr(0, size)), "") << size;
  EXPECT_NE(through_pipe(good + "x").find("bytes of data, expected"), std::string::npos);
}

TEST(LoadModel, FindsWhatParsingFinds) {
  const std::string good = line_bytes();
  const std::string path = ::testing::TempDir() + "plumb_cut.plumb";
  for (std::size_t size = 0; size <= good.size() + 1; ++size) {
    const std::string content = size <= good.size() ? good.substr(0, size) : good + '\0';
    write_file_atomically(path, content);
    const std::string loaded = cost_of([&] { load_model(path); }).refusal;
    EXPECT_EQ(loaded, cost_of([&] { parse_model(content, path); }).refusal);
    EXPECT_EQ(loaded.empty(), size == good.size());
  }
  std::filesystem::remove(path);
}

// docs/model_file.md states this bound. Each file is made to need as much as a file of its size can.
TEST(LoadModel, MemoryIsBoundedByTheSizeOfTheFile) {
  if (!memory_is_counted) GTEST_SKIP() << "memory is not counted under sanitizers";
  const auto repeated = [](std::size_t count, const std::function<std::string(std::size_t)>& item) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + item(i);
    return text;
  };
  // The description of one row with these members, and matching tensors.
  const auto file_with = [](const std::string& features, const std::string& inputs, const std::string& terms,
                            const std::string& options, const std::vector<std::uint64_t>& ends,
                            const std::string& levels) {
    std::string json = TensorFile::parse(line_bytes(), {}).plumb();
    const auto set = [&](const std::string& from, const std::string& to) {
      const std::size_t at = json.find(from);
      EXPECT_NE(at, std::string::npos) << from;
      json.replace(at, from.size(), to);
    };
    set("\"features\":1", "\"features\":" + features);
    set("\"weights\":\"dense\"", "\"weights\":\"sparse\"");
    set(R"("inputs":[{"name":"x","kind":"number"}])", "\"inputs\":[" + inputs + "]");
    set(R"("terms":[{"product":[[0,1]]}])", "\"terms\":[" + terms + "]");
    set("\"options\":{}", "\"options\":{" + options + "}");
    static const std::uint64_t offsets[] = {0, 0};
    static const double bias[] = {1.0};
    return write_tensor_file(
        json, std::vector<Tensor>{{"weights.offsets", TensorType::u64, {2}, std::as_bytes(std::span(offsets))},
                                  {"weights.values", TensorType::f64, {0}, {}},
                                  {"bias", TensorType::f64, {1}, std::as_bytes(std::span(bias))},
                                  {"labels.ends", TensorType::u64, {0}, {}},
                                  {"levels.ends", TensorType::u64, {ends.size()}, std::as_bytes(std::span(ends))},
                                  {"weights.index", TensorType::u32, {0}, {}},
                                  {"labels.bytes", TensorType::u8, {0}, {}},
                                  {"levels.bytes", TensorType::u8, {levels.size()}, std::as_bytes(std::span(levels))}});
  };
  const std::string x = R"({"name":"x","kind":"number"})", one_term = R"({"product":[[0,1]]})";
  std::vector<std::uint64_t> ends, empty_ends(300'000);
  std::string levels;
  for (std::uint32_t i = 0; i < 300'000; ++i) {
    for (std::uint32_t rest = i; rest > 0; rest /= 64) levels += static_cast<char>('0' + rest % 64);
    ends.push_back(levels.size());
  }
  std::vector<std::pair<const char*, std::string>> files;
  files.emplace_back("levels", file_with("300000", R"({"name":"c","kind":"category","levels":300000})",
                                         R"({"category":0})", "", ends, levels));
  files.emplace_back("equal levels", file_with("300000", R"({"name":"c","kind":"category","levels":300000})",
                                               R"({"category":0})", "", empty_ends, ""));
  files.emplace_back(
      "columns",
      file_with(
          "150000",
          repeated(150'000, [](std::size_t i) { return R"({"name":")" + std::to_string(i) + R"(","kind":"number"})"; }),
          repeated(150'000, [](std::size_t i) { return "{\"product\":[[" + std::to_string(i) + ",1]]}"; }), "", {},
          ""));
  files.emplace_back("equal columns",
                     file_with("0", repeated(300'000, [&](std::size_t) { return x; }), "", "", {}, ""));
  // One more than a power of two, where a vector has just doubled.
  files.emplace_back("terms",
                     file_with("524289", x, repeated(524'289, [&](std::size_t) { return one_term; }), "", {}, ""));
  files.emplace_back(
      "factors", file_with("1", x, "{\"product\":[" + repeated(2'000'000, [](std::size_t) { return "[0,1]"; }) + "]}",
                           "", {}, ""));
  files.emplace_back("options",
                     file_with("1", x, one_term, repeated(1'000'000, [](std::size_t) { return R"("":"")"; }), {}, ""));
  files.emplace_back("nested", file_with("1", x, std::string(5'000'000, '['), "", {}, ""));
  SavedModel wide = line();
  wide.record.statistics = {{"s", {1'000'000}, std::vector<double>(1'000'000)}};
  files.emplace_back("numbers", model_bytes(wide.model, wide.record));
  for (const auto& [what, bytes] : files) {
    std::string copy = bytes;
    const Cost cost = cost_of([&] { parse_model(std::move(copy), "m.plumb"); });
    EXPECT_LE(cost.largest, 6 * bytes.size() + kMebibyte) << what << ": " << cost.refusal;
    EXPECT_LE(cost.most, 16 * bytes.size() + kMebibyte) << what << ": " << cost.refusal;
  }
}

}  // namespace
}  // namespace plumb::model_load_test
