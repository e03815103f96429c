#include "plumb/data/sparse_writer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "plumb/base/number.h"

namespace plumb::sparse_writer_test {
namespace {

const std::vector<double> kValues = {0.5, 0.0, -2.0, -0.0};

std::string line(const SparseWriter& writer, const RowHead& head, const Row& row) {
  std::string text;
  writer.append(text, head, row);
  return text;
}
std::string line(const SparseWriter& writer, double label, const Row& row) {
  return line(writer, RowHead{.label = label}, row);
}

TEST(LibsvmWriter, WritesWhatIsNotZeroUnderItsNumber) {
  const auto writer = make_libsvm_writer({.numbers = {1, 2, 7, 4294967294}});
  EXPECT_EQ(line(*writer, 1, {{}, kValues}), "1 1:0.5 7:-2\n");
  const std::vector<std::uint32_t> index = {0, 1, 3};
  const std::vector<double> values = {0.5, 0.0, 1e-300};
  EXPECT_EQ(line(*writer, -1, {index, values}), "-1 1:0.5 4294967294:1e-300\n");
  EXPECT_EQ(line(*writer, 0.25, {}), "0.25\n");
}

TEST(LibsvmWriter, WritesAscendingIndicesInWhateverOrderTheFeaturesAre) {
  const auto writer = make_libsvm_writer({.numbers = {9, 3, 12}});
  EXPECT_EQ(line(*writer, 1, {{}, std::vector<double>{1, 2, 3}}), "1 3:2 9:1 12:3\n");
}

TEST(LibsvmWriter, HasAPlaceForQueriesAndALabelInEveryRow) {
  const auto writer = make_libsvm_writer({.numbers = {1}});
  const std::vector<double> one = {1.0};
  EXPECT_EQ(line(*writer, {.label = 2, .query = 7, .importance = 3, .base = 1, .tag = "x"}, {{}, one}),
            "2 qid:7 1:1\n");
  EXPECT_EQ(line(*writer, RowHead{}, {{}, one}), "0 1:1\n");
  // The number of a query is read digit by digit.
  EXPECT_EQ(line(*writer, {.label = 1, .query = 1'000'000'000'000'000}, {}), "1 qid:1000000000000000\n");
}

TEST(VwWriter, HasAPlaceForImportanceBaseAndTag) {
  const auto writer = make_vw_writer({.names = {"a"}});
  const std::vector<double> one = {1.0};
  EXPECT_EQ(line(*writer, {.label = 2, .query = 7, .importance = 3, .base = 0.5, .tag = "x"}, {{}, one}),
            "2 3 0.5 'x| a:1\n");
  EXPECT_EQ(line(*writer, {.label = 2, .importance = 3}, {{}, one}), "2 3 | a:1\n");
  EXPECT_EQ(line(*writer, {.label = 2, .base = 3}, {{}, one}), "2 1 3 | a:1\n");
  EXPECT_EQ(line(*writer, {.tag = "x"}, {{}, one}), "'x| a:1\n");
  EXPECT_EQ(line(*writer, RowHead{}, {{}, one}), "| a:1\n");
}

TEST(VwWriter, LeavesNamesFromVwTextAsTheyAre) {
  const std::vector<double> one = {1.0};
  EXPECT_EQ(line(*make_vw_writer({.names = {"n^a%20b"}, .as_written = true}), 1, {{}, one}), "1 | n^a%20b:1\n");
  EXPECT_EQ(line(*make_vw_writer({.names = {"n^a%20b"}}), 1, {{}, one}), "1 | n^a%2520b:1\n");
}

TEST(VwWriter, WritesWhatIsNotZeroUnderItsName) {
  const auto writer = make_vw_writer({.names = {"height", "b", "Sex=I", "d"}});
  EXPECT_EQ(line(*writer, 1.5, {{}, kValues}), "1.5 | height:0.5 Sex=I:-2\n");
  EXPECT_EQ(line(*writer, 1.5, {}), "1.5 |\n");
}

// Decodes the text between a blank and a colon.
std::string decoded(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      name += text[i];
      continue;
    }
    const auto digit = [&](char c) { return c <= '9' ? c - '0' : c - 'A' + 10; };
    name += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
    i += 2;
  }
  return name;
}

RC_GTEST_PROP(VwWriter, KeepsAnyNameInsideItsPlace, (const std::string& seed)) {
  const std::string name =
      "n" + seed + *rc::gen::element<std::string>(" ", ":", "|", "%", "\n", "\t", "\r", "\xC3\xA4");
  const std::vector<double> value = {0.5};
  const std::string text = line(*make_vw_writer({.names = {name}}), 1, {{}, value});
  RC_ASSERT(text.starts_with("1 | "));
  RC_ASSERT(text.ends_with(":0.5\n"));
  const std::string place = text.substr(4, text.size() - 9);
  RC_ASSERT(place.find_first_of(" :|\n\t\r") == std::string::npos);
  RC_ASSERT(decoded(place) == name);
}

RC_GTEST_PROP(LibsvmWriter, WritesNumbersThatAreReadAsTheSameBits, (double value, double label)) {
  RC_PRE(std::isfinite(value) && std::isfinite(label) && value != 0);
  const std::vector<double> values = {value};
  const std::string text = line(*make_libsvm_writer({.numbers = {1}}), label, {{}, values});
  const std::size_t blank = text.find(" 1:");
  RC_ASSERT(parse_number(text.substr(0, blank)).value == label);
  RC_ASSERT(parse_number(text.substr(blank + 3, text.size() - blank - 4)).value == value);
}

}  // namespace
}  // namespace plumb::sparse_writer_test
