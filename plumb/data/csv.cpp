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
constexpr std::size_t kLongestName = std::size_t{16} << 10;  // the limit of model files

// Names may be in quotes, with blanks and line ends around them.
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

std::vector<std::string> distinct(const std::vector<std::string>& names) {
  std::unordered_set<std::string> taken(names.begin(), names.end()), seen;
  if (taken.size() == names.size()) return names;
  std::vector<std::string> distinct;
  for (const std::string& name : names) {
    std::string own = name;
    if (!seen.insert(name).second)
      for (std::size_t k = 1; !taken.insert(own = name + "." + std::to_string(k)).second;) ++k;
    distinct.push_back(own);
  }
  return distinct;
}

class CsvSource final : public TextSource {
 public:
  // `preset` is 0 if the delimiter must be detected.
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
    if (options.model_target && !names_.empty()) fit_names(options, quotes);
    form_ = delimiter_name(dialect_.delimiter) + (header_ ? ", header" : ", no header") +
            (!dialect_.quotes ? ", no quotes" : "");
    header_ ? take_header() : name_columns();
    guess_kinds();
    guess_forms(options);
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
  void fit_names(const ReadOptions& options, bool quotes);
  void take_header();
  void rename_repeated();
  void name_columns();
  struct SampledField {
    std::string_view text;
    LinePlace place;
  };
  void for_each_sampled(const std::function<void(std::span<const SampledField>)>& visit);
  void guess_kinds();
  void guess_forms(const ReadOptions& options);
  std::vector<StyleGuess> guess_styles(const ReadOptions& options);
  SampledNumbers sampled_as(std::size_t column, const NumberStyle& style);
  Error ambiguous(const ColumnInfo& column, const StyleGuess& guess) const;
  void set_date_formats(const ReadOptions& options);

  std::vector<KindGuess> guesses_;
  Dialect dialect_;
  std::vector<std::string> names_;  // given by the user
  bool header_;
  std::string form_;
};

// Skips the start of a text and blank lines.
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

// The fields of the first record of the unread text.
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

// Names that a model brings along, where the data have a header line of their own, or no target.
void CsvSource::fit_names(const ReadOptions& options, bool quotes) {
  const std::vector<std::string> fields = first_fields(false);
  const bool header = std::all_of(fields.begin(), fields.end(), [&](const std::string& field) {
    return std::find(names_.begin(), names_.end(), trimmed(field)) != names_.end();
  });
  if (header) {
    names_.clear();
    header_ = true;
    if (options.quote == Quotes::automatic) dialect_.quotes = quotes;
    set_ends(ends_of(dialect_));
  } else if (fields.size() + 1 == names_.size()) {
    std::erase(names_, *options.model_target);
  }
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
    if (distinct(names) != expected)
      throw Error(ErrorCode::data, header,
                  "the columns are " + listed(names) + "; those of " + files_.first_path() +
                      " were expected: " + listed(expected),
                  "files that are read as one table need the same header line");
    return;
  }
  for (const std::string& given : names) {
    const std::string place = std::to_string(columns_.size() + 1);
    ColumnInfo column{.name = given.empty() ? "column" + place : given};
    if (given.empty()) notes_.push_back("column " + place + " has no name; it is called " + column.name);
    columns_.push_back(std::move(column));
  }
  rename_repeated();
  const auto numbers = std::count_if(names.begin(), names.end(), [](const std::string& name) {
    return parse_number(name).fault == NumberFault::none;
  });
  if (2 * static_cast<std::size_t>(numbers) > names.size())
    notes_.push_back("the first line of " + files_.file() + " holds " +
                     (static_cast<std::size_t>(numbers) == names.size() ? "only" : "mostly") +
                     " numbers, and was taken as the names of the columns (--no-header reads it as a row)");
}

// Of columns that share a name, the first keeps it and the others get .1, .2, ... behind it.
void CsvSource::rename_repeated() {
  std::vector<std::string> names;
  for (const ColumnInfo& column : columns_) names.push_back(column.name);
  const std::vector<std::string> renamed = distinct(names);
  std::vector<std::string> now;
  std::size_t last = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (renamed[i] == names[i]) continue;
    columns_[i].name = renamed[i];
    now.push_back(in_quotes(renamed[i]));
    last = i;
  }
  if (now.size() == 1)
    notes_.push_back("column " + std::to_string(last + 1) + " is called " + in_quotes(names[last]) +
                     " like another; it is now " + now.front());
  if (now.size() > 1)
    notes_.push_back(counted(now.size(), "column") + " are called like others before them; they are now " +
                     listed(now));
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

// The fields of each record of the sample that has as many as there are columns; a record decides nothing before it is
// known to be right.
void CsvSource::for_each_sampled(const std::function<void(std::span<const SampledField>)>& visit) {
  const std::string_view text = sample();
  FieldReader reader(text, dialect_);
  bool seen_good = false;
  std::optional<TextFault> miscounted;
  std::vector<SampledField> fields;
  std::deque<std::string> rewritten;  // those whose text differs from the file's
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
    if (fields.size() != columns_.size()) {  // the parser will report it; nothing can be guessed
      if (!seen_good && !miscounted) miscounted = wrong_count(fields.size(), columns_.size(), start, dialect_, header_);
      reader.skip_record(at, start);
      continue;
    }
    seen_good = true;
    visit(fields);
  }
  if (!seen_good && miscounted && !skip_bad_rows()) files_.fail(*miscounted);
}

void CsvSource::guess_kinds() {
  guesses_.resize(columns_.size());
  if (sample().empty()) return;  // no rows, so no guess
  for_each_sampled([&](std::span<const SampledField> fields) {
    for (std::size_t c = 0; c < fields.size(); ++c) {
      ColumnInfo& column = columns_[c];
      const auto& [field, place] = fields[c];
      if (missing().has(field, Marks::numbers) || guesses_[c].see(field) || !column.first_text.empty()) continue;
      column.first_text = field;
      column.first_text_place = {files_.file(), files_.lines() + place.line, place.column};
    }
  });
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    columns_[c].kind = guesses_[c].kind(columns_[c].name);
    columns_[c].sampled = guesses_[c].sampled();
  }
}

// How numbers and dates are written, where it is not plain; the user says, or a model knows, or one reading fits.
void CsvSource::guess_forms(const ReadOptions& options) {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    ColumnInfo& column = columns_[c];
    if (column.kind == Kind::date && !(column.date_format = guesses_[c].date_format()).empty())
      notes_.push_back("column " + in_quotes(column.name) + " holds dates like " + column.date_format +
                       " (--date-format says otherwise)");
    if (column.kind == Kind::category && !guesses_[c].first_padded().empty())
      notes_.push_back("column " + in_quotes(column.name) + " has leading zeros, as in " +
                       in_quotes(guesses_[c].first_padded()) + "; it is read as a category (--numeric " +
                       as_typed_item(column.name) + " reads numbers)");
  }
  set_date_formats(options);
  std::vector<StyleGuess> styles = guess_styles(options);
  const auto odd = [&](std::size_t c) { return !styles[c].first().empty() && styles[c].fits(); };
  // What columns with one reading only have before their decimals.
  bool points = false, commas = false;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (!odd(c)) continue;
    points = points || (styles[c].fits('.') && !styles[c].fits(','));
    commas = commas || (styles[c].fits(',') && !styles[c].fits('.'));
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    ColumnInfo& column = columns_[c];
    const StyleGuess& guess = styles[c];
    const auto known = std::find_if(options.known.begin(), options.known.end(),
                                    [&](const ReadOptions::KnownColumn& each) { return each.name == column.name; });
    if (known != options.known.end()) {
      if (!known->date_format.empty()) column.date_format = known->date_format;
      column.style = known->style;
    }
    if (!guess.fits() || (known != options.known.end() && !known->style.plain())) continue;
    const bool asked = options.decimal.sign != 0 || options.thousands.sign != 0;
    if (!odd(c) && !(asked && column.kind == Kind::number) && !(commas && !points && guess.ambiguous())) continue;
    if (guess.ambiguous() && (points == commas || !odd(c))) {
      if (known != options.known.end()) continue;
      throw ambiguous(column, guess);
    }
    const bool comma = guess.fits(',') && (!guess.fits('.') || (guess.ambiguous() && commas));
    const NumberStyle style = guess.style(comma ? ',' : '.');
    if (style.plain()) continue;
    column.kind = Kind::number;
    column.style = style;
    column.sampled = sampled_as(c, style);
    if (!odd(c)) continue;
    notes_.push_back("column " + in_quotes(column.name) + " is read as numbers: " + style.text() + " (" +
                     in_quotes(guess.first()) + " is " + number_text(parse_number(guess.first(), style).value) + ")");
  }
}

// Looks at columns that hold values which are no plain numbers, and where there are such at numbers with decimals.
std::vector<StyleGuess> CsvSource::guess_styles(const ReadOptions& options) {
  const bool asked = options.decimal.sign != 0 || options.thousands.sign != 0;
  const StyleGuess fresh(options.decimal.sign, options.thousands.sign), none;
  std::vector<StyleGuess> styles(columns_.size(), fresh);
  std::vector<std::size_t> looked_at, decimals;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    StyleGuess first = fresh;
    if (!guesses_[c].first_odd().empty()) first.see(guesses_[c].first_odd());
    if (columns_[c].kind == Kind::date || columns_[c].kind == Kind::text || !first.fits()) continue;
    if (!guesses_[c].first_odd().empty())
      looked_at.push_back(c);
    else if (columns_[c].kind == Kind::number && !columns_[c].sampled.whole)
      decimals.push_back(c);
  }
  if (!looked_at.empty() || asked) looked_at.insert(looked_at.end(), decimals.begin(), decimals.end());
  std::vector<bool> seen(columns_.size());
  if (!looked_at.empty())
    for_each_sampled([&](std::span<const SampledField> fields) {
      for (const std::size_t c : looked_at)
        if (!missing().has(fields[c].text, Marks::numbers)) {
          styles[c].see(fields[c].text);
          seen[c] = true;
        }
    });
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (!seen[c]) styles[c] = StyleGuess::impossible();
  return styles;
}

SampledNumbers CsvSource::sampled_as(std::size_t column, const NumberStyle& style) {
  KindGuess guess;
  for_each_sampled([&](std::span<const SampledField> fields) {
    const ParsedNumber number = parse_number(fields[column].text, style);
    if (number.fault == NumberFault::none) guess.see(number_text(number.value));
  });
  return guess.sampled();
}

Error CsvSource::ambiguous(const ColumnInfo& column, const StyleGuess& guess) const {
  const std::string& text = guess.telling();
  const NumberStyle comma = guess.style(','), point = guess.style('.');
  const std::string mark(1, text.find(',') != std::string::npos ? ',' : '.');
  const auto value = [&](const NumberStyle& style) { return number_text(parse_number(text, style).value); };
  return Error(ErrorCode::data, {files_.file()},
               "column " + in_quotes(column.name) + " holds " + in_quotes(text) + ", which may be " + value(comma) +
                   " or " + value(point) + "; one reading was expected",
               "--decimal " + mark + " or --thousands " + mark + " says which");
}

void CsvSource::set_date_formats(const ReadOptions& options) {
  for (const std::string& item : options.date_format) {
    const auto found = std::find_if(columns_.begin(), columns_.end(), [&](const ColumnInfo& column) {
      return item.size() > column.name.size() && item.starts_with(column.name) && item[column.name.size()] == '=';
    });
    std::vector<std::string> names;
    for (const ColumnInfo& column : columns_) names.push_back(column.name);
    if (found == columns_.end())
      throw Error(ErrorCode::usage, {files_.file()},
                  "--date-format is " + in_quotes(item) + "; a column, = and a format were expected; the columns are " +
                      listed(names),
                  "--date-format day=%m/%d/%Y");
    const std::string format = item.substr(found->name.size() + 1);
    if (!is_date_format(format))
      throw Error(ErrorCode::usage,
                  "--date-format of " + in_quotes(found->name) + " is " + in_quotes(format) +
                      "; a format with %Y or %y, %m or %b, and %d was expected",
                  "--date-format " + as_typed_item(found->name + "=%m/%d/%Y"));
    found->kind = Kind::date;
    found->date_format = format;
  }
}

}  // namespace

std::unique_ptr<Source> open_csv(TextFiles files, const ReadOptions& options) {
  return std::make_unique<CsvSource>(std::move(files), options, 0, true);
}
std::unique_ptr<Source> open_tsv(TextFiles files, const ReadOptions& options) {
  return std::make_unique<CsvSource>(std::move(files), options, '\t', false);
}

}  // namespace plumb
