#include "plumb/data/writer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "plumb/base/file.h"
#include "plumb/base/json.h"
#include "plumb/base/number.h"
#include "plumb/data/source.h"

namespace plumb::writer_test {
namespace {

using Cells = std::vector<std::vector<std::string>>;  // the names of the columns, then rows

struct Written {
  std::vector<ColumnInfo> columns;
  Table table;
};

Written table_of(const Cells& cells, Kind kind = Kind::category) {
  Written made;
  for (const std::string& name : cells[0]) made.columns.push_back({name, kind});
  made.table.columns.resize(cells[0].size());
  made.table.rows = cells.size() - 1;
  for (std::size_t c = 0; c < cells[0].size(); ++c) {
    Column& column = made.table.columns[c];
    column.kind = Kind::category;
    for (std::size_t r = 1; r < cells.size(); ++r) {
      column.codes.push_back(static_cast<std::uint32_t>(r - 1));
      column.levels.push_back(cells[r][c]);
    }
  }
  return made;
}

void append(std::string& text, const Writer& writer, const Table& table, std::uint64_t row) {
  std::vector<std::string_view> values;
  row_values(table, row, values);
  writer.append(text, values, table, row);
}

std::string written(const std::string& format, const Cells& cells, Kind kind = Kind::category) {
  const Written made = table_of(cells, kind);
  const auto writer = choose_writer(format, "").make(made.columns);
  std::string text = writer->start();
  for (std::uint64_t r = 0; r < made.table.rows; ++r) append(text, *writer, made.table, r);
  return text;
}

// What the source of the format reads, every column as text.
Cells read_back(const std::string& format, const std::string& text) {
  const std::string path = ::testing::TempDir() + "plumb_writer." + format;
  write_file_atomically(path, std::string_view(text));
  Executor executor(1);
  const auto source = open_source({path});
  Cells cells(1);
  std::vector<Selected> every;
  for (const ColumnInfo& column : source->columns()) {
    every.push_back({cells[0].size(), Kind::category});
    cells[0].push_back(column.name);
  }
  source->select(std::move(every));
  for (const Table& piece : read_all(*source, plumb::Run{executor}).pieces)
    for (std::uint64_t r = 0; r < piece.rows; ++r) {
      cells.emplace_back();
      for (const Column& column : piece.columns) cells.back().push_back(column.levels[column.codes[r]]);
    }
  return cells;
}

// Tables of fields that a careless writer would get wrong.
rc::Gen<Cells> nasty_tables(bool breaks) {
  std::vector<std::string> pieces = {"",   "a", ",", "\"", "\"\"", " ",    ";",    "'",        "\\",   "1.50",
                                     "-0", "#", "|", ":",  "{",    "null", "\x7f", "\xC3\xA4", "\x01", "\xEF\xBB\xBF"};
  if (breaks) pieces.insert(pieces.end(), {"\n", "\r", "\r\n", "\t"});
  const auto field = rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(pieces)),
                                  [](const std::vector<std::string>& parts) {
                                    std::string text;
                                    for (const std::string& part : parts) text += part;
                                    return text;
                                  });
  return rc::gen::exec([field] {
    const auto columns = *rc::gen::inRange<std::size_t>(1, 5);
    const auto rows = *rc::gen::inRange<std::size_t>(0, 6);
    Cells cells(1);
    for (std::size_t c = 0; c < columns; ++c) {
      std::string name = "n" + *field + std::to_string(c);
      if (*rc::gen::arbitrary<bool>()) name = "\"" + name;
      // A lone column with such a name looks like a file with another delimiter.
      if (columns == 1) std::erase_if(name, [](char each) { return each == ';' || each == '|' || each == '\t'; });
      cells[0].push_back(name);
    }
    for (std::size_t r = 0; r < rows; ++r) {
      cells.emplace_back();
      for (std::size_t c = 0; c < columns; ++c) cells.back().push_back(*field);
    }
    return cells;
  });
}

RC_GTEST_PROP(CsvWriter, WritesAnyTableSoThatItIsReadBack, ()) {
  const Cells cells = *nasty_tables(true);
  RC_ASSERT(read_back("csv", written("csv", cells)) == cells);
}

RC_GTEST_PROP(TsvWriter, WritesFieldsBetweenTabsAndRowsBetweenLineEnds, ()) {
  const Cells cells = *nasty_tables(false);
  const std::string text = written("tsv", cells);
  Cells found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    found.emplace_back();
    for (std::size_t field = at; field <= end;) {
      const std::size_t stop = std::min(text.find('\t', field), end);
      found.back().push_back(text.substr(field, stop - field));
      field = stop + 1;
    }
    at = end + 1;
  }
  RC_ASSERT(found == cells);
}

RC_GTEST_PROP(JsonlWriter, WritesEveryTextAsAStringAndNothingAsNull, ()) {
  const Cells cells = *nasty_tables(true);
  const std::string text = written("jsonl", cells);
  std::size_t at = 0;
  for (std::size_t r = 1; r < cells.size(); ++r) {
    const std::size_t end = text.find('\n', at);
    const JsonValue object = parse_json(text.substr(at, end - at));
    RC_ASSERT(object.members().size() == cells[0].size());
    for (std::size_t c = 0; c < cells[0].size(); ++c) {
      RC_ASSERT(object.members()[c].key == cells[0][c]);
      const JsonValue& value = object.members()[c].value;
      RC_ASSERT((value.is_null() ? "" : value.as_string()) == cells[r][c]);
      RC_ASSERT(value.is_null() == cells[r][c].empty());
    }
    at = end + 1;
  }
  RC_ASSERT(at == text.size());
}

TEST(CsvWriter, QuotesOnlyWhereItMust) {
  EXPECT_EQ(written("csv", {{"a", "b c"}, {"1.50", " x "}, {"", "a,b"}, {"say \"hi\"", "two\nlines"}}),
            "a,b c\n1.50, x \n,\"a,b\"\n\"say \"\"hi\"\"\",\"two\nlines\"\n");
}

TEST(CsvWriter, WritesALoneEmptyFieldSoThatItIsARow) {
  EXPECT_EQ(written("csv", {{"a"}, {""}, {"x"}}), "a\n\"\"\nx\n");
}

TEST(JsonlWriter, KeepsANumberAsItIsWrittenWhereJsonMayAndItsBitsElsewhere) {
  const std::pair<const char*, const char*> cases[] = {{"1.50", "1.50"},     {"-0", "-0"},           {"1e5", "1e5"},
                                                       {"1E+05", "1E+05"},   {"0.1", "0.1"},         {"10", "10"},
                                                       {"+5", "5"},          {".5", "0.5"},          {"5.", "5"},
                                                       {"007", "7"},         {" 5 ", "5"},           {"-.5e1", "-5"},
                                                       {"", "null"},         {"  ", "null"},         {"n/a", "\"n/a\""},
                                                       {"nan", "\"nan\""},   {"1e400", "\"1e400\""}, {"1,5", "\"1,5\""},
                                                       {"0x10", "\"0x10\""}, {"00.5", "0.5"}};
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(written("jsonl", {{"x"}, {text}}, Kind::number), "{\"x\":" + std::string(expected) + "}\n") << text;
    if (const ParsedNumber number = parse_number(text); number.fault == NumberFault::none) {
      EXPECT_EQ(parse_json(expected).as_double(), number.value) << text;
    }
  }
  EXPECT_EQ(written("jsonl", {{"x"}, {"007"}}, Kind::category), "{\"x\":\"007\"}\n");
}

TEST(JsonlWriter, SaysWhichNumbersLoseZerosThatMayMeanSomething) {
  const auto loses = [](const char* value, Kind kind) {
    return choose_writer("jsonl", "").make({{"x", kind}})->loses_zeros(value, 0);
  };
  for (const char* value : {"007", "-01", "00", " 01"}) EXPECT_TRUE(loses(value, Kind::number)) << value;
  for (const char* value : {"0", "-0", "0.5", "10", "", "+7", "0e5", "n/a", "0n", "00n"})
    EXPECT_FALSE(loses(value, Kind::number)) << value;
  EXPECT_FALSE(loses("007", Kind::category));
}

TEST(TsvWriter, SaysTheRowThatHoldsATabOrALineEnd) {
  for (const char* value : {"a\tb", "a\nb", "a\r"}) {
    Written made = table_of({{"x", "y"}, {"1", "ok"}, {"2", value}});
    made.table.file = "in.csv";
    made.table.lines = {{0, 2}};
    const auto writer = choose_writer("tsv", "").make(made.columns);
    std::string text;
    append(text, *writer, made.table, 0);
    EXPECT_EQ(text, "1\tok\n");
    try {
      append(text, *writer, made.table, 1);
      ADD_FAILURE() << value;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::data);
      EXPECT_EQ(error.place().text(), "in.csv:3");
    }
  }
}

TEST(EveryWriter, RefusesNamesThatItsFormatWouldLose) {
  for (const char* name : {"", " a", "a ", "a\n"})
    for (const char* format : {"csv", "tsv"}) EXPECT_THROW(written(format, {{name}}), Error) << format << name;
  for (const char* name : {"a\tb", "a\nb",
                           "\xEF\xBB\xBF"
                           "a"})
    EXPECT_THROW(written("tsv", {{name}}), Error) << name;
  EXPECT_EQ(written("jsonl", {{" a\t"}, {"x"}}), "{\" a\\t\":\"x\"}\n");
}

TEST(EveryWriter, IsChosenByItsNameOrBySuffix) {
  for (const WriterEntry& entry : writer_list()) {
    EXPECT_EQ(&choose_writer(entry.name, "x.csv"), &entry);
    for (const std::string_view suffix : entry.suffixes) {
      EXPECT_EQ(&choose_writer("", "a/b" + std::string(suffix)), &entry);
    }
  }
  EXPECT_EQ(choose_writer("", "X.CSV").name, "csv");
  for (const char* path : {"-", "x", "x.txt", ".csv", "csv"}) EXPECT_THROW(choose_writer("", path), Error) << path;
  EXPECT_THROW(choose_writer("cvs", "x.csv"), Error);
}

}  // namespace
}  // namespace plumb::writer_test
