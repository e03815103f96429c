#include "plumb/data/writer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "plumb/base/choices.h"
#include "plumb/base/error.h"
#include "plumb/base/json_writer.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"

namespace plumb {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

void append_quoted(std::string& out, std::string_view field) {
  out += '"';
  for (const char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

// A header line is read without the blanks around its names, and an empty name is replaced.
void refuse_lost_names(const std::vector<ColumnInfo>& columns, std::string_view format) {
  constexpr std::string_view blanks = " \t\r\n";
  for (const ColumnInfo& column : columns)
    if (column.name.empty() || blanks.find(column.name.front()) != blanks.npos ||
        blanks.find(column.name.back()) != blanks.npos)
      throw Error(ErrorCode::data,
                  "a column is called " + in_quotes(column.name) + "; a header line of " + std::string(format) +
                      " keeps no empty name and no blanks around one",
                  "--drop " + as_typed_item(column.name) + " leaves it out; --to jsonl keeps any name");
}

class CsvWriter final : public Writer {
 public:
  explicit CsvWriter(const std::vector<ColumnInfo>& columns) {
    refuse_lost_names(columns, "csv");
    for (const ColumnInfo& column : columns) {
      if (!header_.empty()) header_ += ',';
      // At the start of a file it would be read as a byte order mark.
      if (header_.empty() && column.name.starts_with(kByteOrderMark)) {
        append_quoted(header_, column.name);
      } else {
        append_csv_field(header_, column.name);
      }
    }
    header_ += '\n';
    alone_ = columns.size() == 1;
  }

  std::string start() const override { return header_; }

  void append(std::string& out, std::span<const std::string_view> values, const Table&, std::uint64_t) const override {
    const std::size_t before = out.size();
    for (std::size_t c = 0; c < values.size(); ++c) {
      if (c > 0) out += ',';
      append_csv_field(out, values[c]);
    }
    if (alone_ && out.size() == before) out += "\"\"";  // many readers would skip an empty line
    out += '\n';
  }

 private:
  std::string header_;
  bool alone_ = false;
};

// Without quotes: the value is everything between two tabs.
class TsvWriter final : public Writer {
 public:
  explicit TsvWriter(const std::vector<ColumnInfo>& columns) {
    refuse_lost_names(columns, "tsv");
    for (const ColumnInfo& column : columns) {
      names_.push_back(column.name);
      if (has_break(column.name) || (header_.empty() && column.name.starts_with(kByteOrderMark)))
        throw Error(ErrorCode::data,
                    "a column is called " + in_quotes(column.name) + "; tsv has no quotes to put such a name in",
                    "--to csv");
      header_ += (header_.empty() ? "" : "\t") + column.name;
    }
    header_ += '\n';
  }

  std::string start() const override { return header_; }

  void append(std::string& out, std::span<const std::string_view> values, const Table& table,
              std::uint64_t row) const override {
    for (std::size_t c = 0; c < values.size(); ++c) {
      const std::string_view value = values[c];
      if (has_break(value))
        throw table.row_error(row,
                              "column " + in_quotes(names_[c]) + " holds " + in_quotes(value) +
                                  "; tsv has no quotes to put a tab or a line end in",
                              "--to csv, or --drop " + as_typed_item(names_[c]));
      if (c > 0) out += '\t';
      out += value;
    }
    out += '\n';
  }

 private:
  static bool has_break(std::string_view text) { return text.find_first_of("\t\r\n") != text.npos; }

  std::vector<std::string> names_;
  std::string header_;
};

// RFC 8259, section 6: -? (0 | [1-9][0-9]*) (.[0-9]+)? ([eE][+-]?[0-9]+)?
bool fits_json_number(std::string_view text) noexcept {
  const auto take = [&text](std::string_view any) {
    if (text.empty() || any.find(text.front()) == any.npos) return false;
    text.remove_prefix(1);
    return true;
  };
  const auto digits = [&text] {
    const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count;
  };
  take("-");
  if (!take("0") && digits() == 0) return false;
  if (take(".") && digits() == 0) return false;
  if (take("eE")) {
    take("+-");
    if (digits() == 0) return false;
  }
  return text.empty();
}

// A number as written if that is valid JSON, otherwise in its shortest form; text as a string; an empty field as null.
class JsonlWriter final : public Writer {
 public:
  explicit JsonlWriter(const std::vector<ColumnInfo>& columns) {
    for (const ColumnInfo& column : columns) {
      std::string key = keys_.empty() ? "{" : ",";
      append_json_string(key, column.name);
      keys_.push_back({key + ":", column.kind});
    }
  }

  void append(std::string& out, std::span<const std::string_view> values, const Table&, std::uint64_t) const override {
    for (std::size_t c = 0; c < keys_.size(); ++c) {
      out += keys_[c].text;
      const std::string_view value = values[c];
      if (value.empty()) {
        out += "null";
      } else if (keys_[c].kind == Kind::number) {
        append_as_number(out, value);
      } else {
        append_json_string(out, value);
      }
    }
    out += "}\n";
  }

  bool loses_zeros(std::string_view value, std::size_t column) const override {
    if (keys_[column].kind != Kind::number || parse_number(value).fault != NumberFault::none) return false;
    value = trimmed(value);
    if (value.front() == '-' || value.front() == '+') value.remove_prefix(1);
    return value.size() > 1 && value[0] == '0' && value[1] >= '0' && value[1] <= '9';
  }

 private:
  struct Key {
    std::string text;  // with the text before and after it: ,"name":
    Kind kind;
  };

  static void append_as_number(std::string& out, std::string_view value) {
    const ParsedNumber number = parse_number(value);
    if (number.fault == NumberFault::empty) {
      out += "null";
    } else if (number.fault != NumberFault::none) {
      append_json_string(out, value);
    } else if (fits_json_number(value)) {
      out += value;
    } else {
      append_number(out, number.value);
    }
  }

  std::vector<Key> keys_;
};

template <class Format>
std::unique_ptr<Writer> make(const std::vector<ColumnInfo>& columns) {
  return std::make_unique<Format>(columns);
}

}  // namespace

void append_csv_field(std::string& out, std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += field;
  } else {
    append_quoted(out, field);
  }
}

void row_values(const Table& table, std::uint64_t row, std::vector<std::string_view>& values) {
  values.clear();
  for (const Column& column : table.columns) values.push_back(column.levels[column.codes[row]]);
}

std::span<const WriterEntry> writer_list() {
  static const std::array list = {
      WriterEntry{"csv", "comma-separated values (RFC 4180) with a header line", {".csv"}, make<CsvWriter>},
      WriterEntry{"tsv", "tab-separated values with a header line, unquoted", {".tsv", ".tab"}, make<TsvWriter>},
      WriterEntry{"jsonl", "JSON lines: a flat object in each", {".jsonl", ".ndjson"}, make<JsonlWriter>},
      WriterEntry{"libsvm",
                  "LIBSVM (SVMlight) text: label index:value ...",
                  {".libsvm", ".svm", ".svmlight"},
                  nullptr,
                  make_libsvm_writer,
                  {"qid"}},
      WriterEntry{"vw",
                  "Vowpal Wabbit text: label | feature:value ...",
                  {".vw"},
                  nullptr,
                  make_vw_writer,
                  {"importance", "base", "tag"}},
  };
  return list;
}

const WriterEntry& choose_writer(std::string_view name, std::string_view path) {
  std::vector<std::string> names;
  for (const WriterEntry& entry : writer_list()) {
    if (entry.name == name) return entry;
    names.emplace_back(entry.name);
  }
  if (!name.empty()) throw unknown_choice("format", std::string(name), names, "--to ");
  for (const WriterEntry& entry : writer_list())
    for (const std::string_view suffix : entry.suffixes)
      if (has_suffix(path, suffix)) return entry;
  throw Error(ErrorCode::usage,
              (path == "-" ? "no format is given" : "the name " + in_quotes(path) + " ends as that of no format") +
                  "; one of " + listed(names) + " was expected",
              "--to csv");
}

}  // namespace plumb
