// Small files made of every awkward character of a format, tens of thousands of them: cut into pieces of a few bytes,
// read a few bytes at a time and parsed by several threads they give the result of a plain serial parse.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plumb/base/random.h"
#include "plumb/base/testing.h"
#include "plumb/data/source.h"
#include "plumb/data/testing.h"

namespace plumb::nasty_files_test {
namespace {

// The fragments of files of a format, drawn at random; and their possible beginnings, so that most are well formed.
struct Signs {
  std::vector<std::string> starts;
  std::vector<std::string> parts;
};
const std::map<std::string_view, Signs> kSigns = {
    {"csv",
     {{"a,b\n", "a,b\r\n", "\"a\",\"b\nc\"\r", "a;b\n", "\xEF\xBB\xBFx,y\n", ""},
      {",", ",", "\n", "\n", "\r\n", "\r", "\"", "\"\"", "1", "-2.5", "x", " ", ";", "1,2\n", "3,\"q\n\"\"r\"\n",
       "\"4\",5\r\n", "\xC3\xA9", "1e400", "NA,7\n"}}},
    {"tsv",
     {{"a\tb\n", "a\tb\r\n", "a\tb\r", ""},
      {"\t", "\t", "\n", "\r\n", "\r", "\"", "1", "x", " ", "1\t2\n", "3\t\"q\n", ",", "\"\t\"\r\n"}}},
    {"jsonl",
     {{"{\"a\": 1, \"b\": \"x\"}\n", "{\"a\":1,\"b\":\"\"}\r\n", "\n", ""},
      {"{\"a\": 2, \"b\": \"y\"}\n", "{\"b\": \"\\u00e9\\n\", \"a\": -1.5e3}\r\n", "{}", "\n", "\r", "\r\n", "{", "}",
       "\"a\"", ":", "3", ",", "null", "\"", "\\", "{\"a\": null}\n", "{\"c\": true, \"a\": 4}\n", " "}}},
    {"vw",
     {{"1 | a b:2\n", "-1 2 'tag|n x y:0.5\r\n", ""},
      {"1 | a:1 b\n", "2 |n a a:3\r\n", "|", "a", ":", "1", " ", "\n", "\r\n", "\r", "'t", "-1 |m:2 c:0.25 |o d\n",
       "1 | \xff\n"}}},
    {"libsvm",
     {{"+1 1:1 3:0.5\n", "-1 qid:3 2:1\r\n", "word 1:1\n", "# note\n", ""},
      {"1 2:1 5:0.25\n", "-1 3:1 1:1\r\n", "1 1:1 1:2\n", "1", "2", ":", " ", "\t", "\n", "\r", "\r\n", "#", "qid:1",
       "0.5", "1 4294967295:1\n", "1:x"}}},
};

std::string nasty(const Signs& signs, const RandomKey& random) {
  std::uint64_t draws = 0;
  std::string text = signs.starts[random.below(draws++, signs.starts.size())];
  for (std::uint64_t left = random.below(draws++, 24); left > 0; --left)
    text += signs.parts[random.below(draws++, signs.parts.size())];
  return text;
}

// Without the precautions for a user's file, and a hundred times faster.
void write_file_in_place(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}

// Random fragments for a kind of test.
std::uint64_t files_to_try() {
  return sweep_size<std::uint64_t>(std::getenv("PLUMB_FULL") != nullptr ? 200'000 : 10'000);
}

class NastyFiles : public ::testing::TestWithParam<SourceEntry> {};

TEST_P(NastyFiles, AreReadAsBySerialParseHoweverTheyAreCut) {
  ASSERT_TRUE(kSigns.contains(GetParam().name)) << "kSigns has no " << GetParam().name;
  const std::string path = ::testing::TempDir() + "plumb_nasty" + std::string(GetParam().suffixes[0]);
  Executor one(1), three(3);
  const std::uint64_t files = files_to_try();
  std::uint64_t good = 0;
  for (std::uint64_t round = 0; round < files; ++round) {
    const RandomKey random = RandomKey{31, 0}.with_stream(round);
    const std::string text = nasty(kSigns.at(GetParam().name), random.with_stream(1));
    write_file_in_place(path, text);
    ReadOptions options{.na = {"NA"}, .bad_rows = random.below(0, 2) == 0 ? BadRows::error : BadRows::skip};
    const std::string serial = everything_in(GetParam(), path, 1 << 20, one, options);
    good += !serial.starts_with("error");
    options.piece_size = 1 + random.below(1, 40);
    const std::size_t read_size = 1 + random.below(2, 16);
    ASSERT_EQ(everything_in(GetParam(), path, read_size, random.below(3, 2) == 0 ? one : three, options), serial)
        << "file " << round << ", pieces of " << options.piece_size << ", reads of " << read_size << ": " << text;
  }
  EXPECT_GT(good, files / 10) << "most files are refused, so little was tested";
}

INSTANTIATE_TEST_SUITE_P(Sources, NastyFiles, ::testing::ValuesIn(source_list().begin(), source_list().end()),
                         [](const auto& each) { return std::string(each.param.name); });

using Records = std::vector<std::vector<std::string>>;

// RFC 4180 character by character, in the plainest way; empty if a quote is never closed or is followed by text.
std::optional<Records> plain_csv(std::string_view text) {
  Records records;
  enum { start, plain, quoted, closing } state = start;
  std::vector<std::string> record;
  std::string field;
  const auto end_field = [&] {
    record.push_back(field);
    field.clear();
    state = start;
  };
  const auto end_record = [&] {
    end_field();
    if (record.size() > 1 || !record[0].empty()) records.push_back(record);  // a blank line is not a row
    record.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (state == quoted) {
      if (c == '"')
        state = closing;
      else
        field += c;
    } else if (state == closing && c == '"') {
      field += c;
      state = quoted;
    } else if (c == ',') {
      end_field();
    } else if (c == '\n' || c == '\r') {
      if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') ++i;
      const bool empty_quotes = state == closing && record.empty() && field.empty();
      end_record();
      if (empty_quotes) records.push_back({""});
    } else if (state == closing) {
      return {};
    } else if (state == start && c == '"') {
      state = quoted;
    } else {
      field += c;
      state = plain;
    }
  }
  if (state == quoted) return {};
  if (state != start || !record.empty()) end_record();
  return records;
}

TEST(NastyCsv, HoldsTheFieldsThatThePlainestParseFinds) {
  const std::string path = ::testing::TempDir() + "plumb_nasty_plain.csv";
  const std::vector<std::string> parts = {"1,2\n", "x,y\r\n", "\"a,b\",c\r",   "\"d\n\",\"e\"\"\"\n",
                                          "\n",    ",",       "\"f\r\n\",g\n", "h\"i,j\n"};
  Executor executor(2);
  std::uint64_t compared = 0;
  for (std::uint64_t round = 0; round < 2 * files_to_try(); ++round) {
    const RandomKey random = RandomKey{32, 0}.with_stream(round);
    std::string text = "p,q\n";
    for (std::uint64_t i = 1 + random.below(0, 12); i > 0; --i) text += parts[random.below(i, parts.size())];
    const std::optional<Records> expected = plain_csv(text);
    bool even = expected.has_value();
    for (std::size_t r = 0; even && r < expected->size(); ++r) even = (*expected)[r].size() == 2;
    write_file_in_place(path, text);
    Records found;
    std::string error;
    try {
      const auto source = open_source(
          {path}, {.delimiter = {','}, .read_size = 1 + random.below(20, 9), .piece_size = 1 + random.below(21, 30)});
      source->select({{0, Kind::category}, {1, Kind::category}});
      found.push_back({source->columns()[0].name, source->columns()[1].name});
      for (const Table& table : read_all(*source, plumb::Run{executor}).pieces)
        for (std::uint64_t row = 0; row < table.rows; ++row)
          found.push_back({value_text(table.columns[0], row), value_text(table.columns[1], row)});
    } catch (const Error& caught) {
      error = caught.what();
    }
    ASSERT_EQ(error.empty(), even) << text << error;
    if (!even) continue;
    ASSERT_EQ(found, *expected) << text;
    ++compared;
  }
  EXPECT_GT(compared, files_to_try() / 5);
}

}  // namespace
}  // namespace plumb::nasty_files_test
