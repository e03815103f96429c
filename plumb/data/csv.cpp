#include "plumb/data/csv.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/data/csv_dialect.h"
#include "plumb/data/csv_parser.h"
#include "plumb/data/csv_record.h"
#include "plumb/data/kind_guess.h"
#include "plumb/data/text_source.h"

namespace plumb {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kLongestName = std::size_t{16} << 10;  // as long as a model file holds

// Names may stand in quotes with blanks and line ends around them.
std::string_view name_in(std::string_view field) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = field.find_first_not_of(blanks);
  return first == field.npos ? "" : field.substr(first, field.find_last_not_of(blanks) - first + 1);
}

RecordEnds ends_of(Dialect dialect) {
  if (!dialect.quotes) return line_ends();
  const char delimiter = dialect.delimiter;
  return {[=](std::string_view text, std::size_t limit, bool at_end) {
            return last_record_end(text, limit, at_end, delimiter);
          },
          [=](std::string_view text, std::size_t from, bool at_end) {
            return next_record_end(text, from, at_end, delimiter);
          },
          "look for a quote that is opened and never closed; --quote none takes quotes as they are"};
}

class CsvSource final : public TextSource {
 public:
  // `preset` is 0 where the delimiter is to be found out.
  CsvSource(TextFiles files, const ReadOptions& options, char preset, bool quotes)
      : TextSource(std::move(files), options, {}), names_(options.columns), header_(options.header && names_.empty()) {
    dialect_.quotes = options.quote == Quotes::automatic ? quotes && names_.empty() : options.quote == Quotes::doubled;
    dialect_.delimiter = options.delimiter.sign != 0 ? options.delimiter.sign : preset != 0 ? preset : ',';
    set_ends(ends_of(dialect_));
    skip_to_first_record();
    if (options.delimiter.sign == 0 && preset == 0) {
      dialect_.delimiter = guess_delimiter(sample(kDialectRecords), dialect_.quotes, names_.size());
      set_ends(ends_of(dialect_));
    }
    form_ = delimiter_name(dialect_.delimiter) + (header_ ? ", header" : ", no header") +
            (!dialect_.quotes ? ", no quotes" : "");
    header_ ? take_header() : name_columns();
    guess_kinds();
  }

  std::string_view form() const noexcept override { return form_; }

 private:
  static constexpr std::size_t kDialectRecords = 100;

  void start_file() override {
    skip_to_first_record();
    if (header_) take_header();
  }
  Parsed parse(std::string_view text) const override {
    const CsvForm form{dialect_, header_, columns_, selected(), missing(), skip_bad_rows(), files_};
    CsvRows rows = parse_csv(text, form);
    return {{.rows = rows.rows, .columns = std::move(rows.columns), .lines = std::move(rows.lines)},
            rows.lines_ended,
            {},
            std::move(rows.left_out)};
  }

  void skip_to_first_record();
  std::vector<std::string> first_fields(bool as_names);
  void take_header();
  void name_columns();
  void guess_kinds();

  Dialect dialect_;
  std::vector<std::string> names_;  // given by the user
  bool header_;
  std::string form_;
};

// Past what starts a text and lines that are blank.
void CsvSource::skip_to_first_record() {
  start_text("delimited text");
  std::size_t end = whole_record(0);
  while (end != kNone && files_.unread().substr(0, end).find_first_not_of(" \t\r\n") == kNone) {
    files_.consume(end, count_lines(files_.unread().substr(0, end)));
    end = whole_record(0);
  }
  if (end != kNone) return;
  if (header_)
    throw Error(ErrorCode::data, {files_.file()}, "is empty; a header line with the names of the columns was expected",
                "the first line is like height,weight and the others like 1.47,52.21");
  if (columns_.empty()) throw Error(ErrorCode::data, {files_.file()}, "is empty; at least one row was expected");
}

// Those of the record that starts the unread text.
std::vector<std::string> CsvSource::first_fields(bool as_names) {
  std::vector<std::string> fields;
  try {
    FieldReader reader(files_.unread().substr(0, whole_record(0)), dialect_);
    do {
      const std::string_view field = as_names ? name_in(reader.next()) : reader.next();
      if (as_names) {
        if (auto fault = files_.fault_of_text(field, reader.field_place(), "the header")) throw std::move(*fault);
        if (field.size() > kLongestName)
          throw TextFault{reader.field_place(), "a name of more than 16 KiB starts here; names of columns are shorter",
                          "--no-header if the first line is a row"};
      }
      fields.emplace_back(field);
    } while (!reader.ends_record());
  } catch (const TextFault& fault) {
    files_.fail(fault, {});
  }
  return fields;
}

void CsvSource::take_header() {
  std::vector<std::string> names = first_fields(true);
  const std::size_t end = whole_record(0);
  files_.consume(end, count_lines(files_.unread().substr(0, end)));
  const Place header{files_.file(), files_.lines(), 0};
  if (!columns_.empty()) {  // a further file of the same table
    std::vector<std::string> expected;
    for (const ColumnInfo& column : columns_) expected.push_back(column.name);
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i].empty()) names[i] = "column" + std::to_string(i + 1);
    if (names != expected)
      throw Error(ErrorCode::data, header,
                  "the columns are " + listed(names) + "; those of " + files_.first_path() +
                      " were expected: " + listed(expected),
                  "files that are read as one table need the same header line");
    return;
  }
  std::unordered_set<std::string> seen;
  for (const std::string& given : names) {
    const std::string place = std::to_string(columns_.size() + 1);
    ColumnInfo column{.name = given.empty() ? "column" + place : given};
    if (given.empty()) notes_.push_back("column " + place + " has no name; it is called " + column.name);
    if (!seen.insert(column.name).second)
      throw Error(ErrorCode::data, header,
                  "two columns are called " + in_quotes(column.name) + "; every column needs a name of its own",
                  "rename column " + place + " in this line");
    columns_.push_back(std::move(column));
  }
  if (std::all_of(names.begin(), names.end(),
                  [](const std::string& n) { return parse_number(n).fault == NumberFault::none; }))
    notes_.push_back("the first line of " + files_.file() +
                     " holds only numbers, and was taken as the names of the columns (--no-header reads it as a row)");
}

void CsvSource::name_columns() {
  const std::size_t fields = first_fields(false).size();
  if (!names_.empty() && names_.size() != fields)
    throw Error(ErrorCode::data, {files_.file(), files_.lines() + 1, 0},
                "the first row has " + counted(fields, "field") + " between signs of " +
                    delimiter_name(dialect_.delimiter) + ", --columns names " + std::to_string(names_.size()),
                "--columns needs a name for each field; --delimiter says what stands between them");
  std::unordered_set<std::string> seen;
  for (std::size_t i = 0; i < fields; ++i) {
    ColumnInfo column{.name = names_.empty() ? "column" + std::to_string(i + 1) : names_[i]};
    if (column.name.empty() || !seen.insert(column.name).second)
      throw Error(ErrorCode::usage, column.name.empty()
                                        ? "--columns holds an empty name; every column needs a name"
                                        : "--columns names " + in_quotes(column.name) + " twice; once was expected");
    columns_.push_back(std::move(column));
  }
}

void CsvSource::guess_kinds() {
  std::vector<KindGuess> guesses(columns_.size());
  const std::string_view text = sample();
  if (text.empty()) return;  // no rows, nothing to guess by
  FieldReader reader(text, dialect_);
  bool seen_good = false;
  std::optional<TextFault> miscounted;
  struct Field {
    std::string_view text;
    LinePlace place;
  };
  std::vector<Field> fields;          // of a record, which decides nothing before it is known to be right
  std::deque<std::string> rewritten;  // those whose text is not as it stands in the file
  while (!reader.done()) {
    if (columns_.size() > 1 && reader.skip_blank_line()) continue;
    const LinePlace start = reader.record_place();
    const std::size_t at = reader.at();
    fields.clear();
    rewritten.clear();
    try {
      do {
        const std::string_view field = reader.next();
        const bool stands = field.empty() || (std::less_equal<>()(text.data(), field.data()) &&
                                              std::less<>()(field.data(), text.data() + text.size()));
        fields.push_back({stands ? field : rewritten.emplace_back(field), reader.field_place()});
      } while (!reader.ends_record());
    } catch (const TextFault& fault) {
      if (!skip_bad_rows() || fault.to_the_end) files_.fail(fault);
      reader.skip_record(at, start);
      continue;
    }
    if (fields.size() != columns_.size()) {  // the parser will say so, but where no row is right nothing can be guessed
      if (!seen_good && !miscounted) miscounted = wrong_count(fields.size(), columns_.size(), start, dialect_, header_);
      reader.skip_record(at, start);
      continue;
    }
    seen_good = true;
    for (std::size_t c = 0; c < fields.size(); ++c) {
      ColumnInfo& column = columns_[c];
      const auto& [field, place] = fields[c];
      if (missing().has(field) || guesses[c].see(field) || !column.first_text.empty()) continue;
      column.first_text = field;
      column.first_text_place = {files_.file(), files_.lines() + place.line, place.column};
    }
  }
  if (!seen_good && miscounted && !skip_bad_rows()) files_.fail(*miscounted);
  for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c].kind = guesses[c].kind(columns_[c].name);
}

}  // namespace

std::unique_ptr<Source> open_csv(TextFiles files, const ReadOptions& options) {
  return std::make_unique<CsvSource>(std::move(files), options, 0, true);
}
std::unique_ptr<Source> open_tsv(TextFiles files, const ReadOptions& options) {
  return std::make_unique<CsvSource>(std::move(files), options, '\t', false);
}

}  // namespace plumb
