#include "plumb/data/csv_parser.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/data/date_text.h"
#include "plumb/data/decimal.h"
#include "plumb/data/name_codes.h"
#include "plumb/data/read_options.h"

namespace plumb {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// A tile of rows on their way to the columns, written column by column: a vector grows by one too slowly, and a bad row
// need not be removed again.
template <class T>
class Tile {
 public:
  Tile(std::size_t columns, std::size_t rows) : stride_(rows + 1), values_(columns * stride_) {}
  T& at(std::size_t column, std::size_t row) noexcept { return values_[column * stride_ + row]; }
  void append_to(std::vector<T>& out, std::size_t column, std::size_t rows) const {
    const T* const from = values_.data() + column * stride_;
    out.insert(out.end(), from, from + rows);
  }

 private:
  std::size_t stride_;  // odd for most counts of rows, so that neighbours do not share a cache set
  std::vector<T> values_;
};

class CsvParser {
 public:
  CsvParser(std::string_view text, const CsvForm& form)
      : form_(form),
        text_(text),
        end_(text.data() + text.size()),
        reader_(text, form.dialect),
        fields_(form.columns.size()),
        tile_rows_(std::clamp<std::size_t>(kTileBytes / (sizeof(double) * (form.wanted.size() + 1)), 1, 64)),
        numbers_(form.wanted.size(), tile_rows_),
        codes_(form.wanted.size(), tile_rows_),
        level_codes_(form.wanted.size()),
        texts_(form.wanted.size()) {
    out_.columns.resize(form.wanted.size());
    for (std::size_t i = 0; i < form.wanted.size(); ++i) {
      const Selected& wanted = form.wanted[i];
      out_.columns[i].kind = wanted.kind;
      Field& field = fields_[wanted.column];
      marks_.push_back(marks_of(wanted));
      const bool first = field.targets.empty();
      field.targets.push_back(i);
      field.way = !first                          ? Way::other
                  : wanted.kind == Kind::number   ? plain_way(wanted)
                  : wanted.kind == Kind::category ? Way::category
                                                  : Way::other;
    }
  }

  CsvRows take() {
    while (!reader_.done()) {
      if (fields_.size() > 1 && reader_.skip_blank_line()) continue;
      const LinePlace place = reader_.record_place();
      const std::size_t start = reader_.at();
      drop_ = without_target_ = false;
      try {
        row(place);
      } catch (TextFault& fault) {
        // A row with a wrong number of fields is an error as such; the content of its fields hardly matters then.
        std::optional<TextFault> miscounted = fault.to_the_end ? std::nullopt : miscounted_fields(start, place);
        out_.left_out.add(std::move(miscounted ? *miscounted : fault), form_.skip_bad_rows);
        reader_.skip_record(start, place);
        forget_row();
        continue;
      }
      if (drop_) {
        ++(without_target_ ? out_.left_out.without_target : out_.left_out.with_missing);
        forget_row();
      } else {
        end_row(place);
      }
    }
    flush();
    for (std::size_t i = 0; i < texts_.size(); ++i)
      if (only_extracted(i)) out_.columns[i].extract = form_.wanted[i].extractor.make(texts_[i]);
    out_.lines_ended = reader_.record_place().line - 1;
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kTileBytes = std::size_t{1} << 15;
  enum class Way : unsigned char { skip, number, category, other };
  struct Field {
    Way way = Way::skip;
    std::vector<std::size_t> targets;  // positions in out_
  };

  Way plain_way(const Selected& wanted) const {
    return form_.columns[wanted.column].style.plain() ? Way::number : Way::other;
  }
  void row(LinePlace place);
  // Reads fields from `p` on as long as they are simple; `c` is the field's number and counts up. Returns where the
  // first that is not starts, or where the next record does if c is past the last field.
  const char* simple_fields(const char* p, std::size_t& c);
  void put(std::string_view field, std::size_t target);
  void put_date(std::string_view field, std::size_t target);
  void put_text(std::string_view field, std::size_t target);
  // Texts are not part of the tile: those of a row that is left out are removed again.
  void forget_row() {
    for (Column& column : out_.columns)
      if (column.documents.size() > out_.rows) column.documents.truncate(out_.rows);
    for (std::vector<std::string_view>& texts : texts_)
      if (texts.size() > out_.rows) texts.resize(out_.rows);
  }
  // Texts that are not kept are not copied either.
  bool only_extracted(std::size_t target) const {
    const Selected& wanted = form_.wanted[target];
    return wanted.kind == Kind::text && wanted.extractor.make && !wanted.extractor.keep_documents;
  }
  bool stands_in_text(std::string_view field) const {
    const auto at = reinterpret_cast<std::uintptr_t>(field.data()) - reinterpret_cast<std::uintptr_t>(text_.data());
    return at < text_.size();
  }
  std::uint32_t code(std::string_view field, std::size_t target);
  Marks marks_of(const Selected& wanted) const;
  void drop_for(std::size_t target) {
    drop_ = true;
    without_target_ = without_target_ || form_.wanted[target].role == Role::target;
  }
  bool is_number_mark(std::string_view field, std::size_t target) const;
  void put_missing(std::string_view field, std::size_t target);
  void end_row(LinePlace place);
  void flush();
  std::optional<TextFault> miscounted_fields(std::size_t start, LinePlace place) const;
  TextFault wrong(std::size_t fields, LinePlace place) const {
    return wrong_count(fields, fields_.size(), place, form_.dialect, form_.header);
  }
  TextFault not_a_number(std::string_view field, NumberFault fault, const Selected& wanted) const;
  std::optional<TextFault> fault_of_text(std::string_view field, std::size_t target) const {
    if (TextFiles::is_text(field)) return {};  // before a message is written
    return form_.files.fault_of_text(field, reader_.field_place(), called(target));
  }
  std::string called(std::size_t target) const {
    return "column " + in_quotes(form_.columns[form_.wanted[target].column].name);
  }

  const CsvForm& form_;
  std::string_view text_;
  const char* end_;
  FieldReader reader_;
  std::vector<Field> fields_;
  std::vector<Marks> marks_;  // of those wanted
  std::size_t tile_rows_;
  Tile<double> numbers_;
  Tile<std::uint32_t> codes_;
  std::vector<NameCodes> level_codes_;
  std::vector<std::vector<std::string_view>> texts_;  // their places, for columns that are only extracted from
  std::deque<std::string> unescaped_;                 // those of texts_ that are not in the buffer
  std::size_t tile_row_ = 0;
  bool drop_ = false;            // the row lacks a required value
  bool without_target_ = false;  // which is its target
  std::uint64_t next_line_ = 0;
  CsvRows out_;
};

const char* CsvParser::simple_fields(const char* p, std::size_t& c) {
  const char delimiter = form_.dialect.delimiter, quote = form_.dialect.quotes ? '"' : delimiter;
  const bool number_marks = form_.missing.any_numbers();
  const std::size_t last = fields_.size() - 1;
  for (; c <= last && end_ - p > kDecimalRoom; ++c) {
    const Field& field = fields_[c];
    const char* stop;
    if (field.way == Way::number) {
      double value;
      stop = read_decimal(p, value);
      if (stop == nullptr || (number_marks && form_.missing.has(value))) return p;
      numbers_.at(field.targets.front(), tile_row_) = value;
    } else {
      if (*p == quote || field.way == Way::other) return p;
      stop = field_end(p, end_, delimiter);
    }
    if (stop == end_ || *stop != (c < last ? delimiter : '\n')) {
      const bool crlf = c == last && end_ - stop > 1 && *stop == '\r' && stop[1] == '\n';
      if (!crlf) return p;
    }
    if (field.way == Way::category) {
      reader_.start_field(static_cast<std::size_t>(p - text_.data()));
      codes_.at(field.targets.front(), tile_row_) =
          code({p, static_cast<std::size_t>(stop - p)}, field.targets.front());
    }
    p = stop + (*stop == '\r' ? 2 : 1);
  }
  return p;
}

void CsvParser::row(LinePlace place) {
  std::size_t c = 0;
  const char* p = text_.data() + reader_.at();
  while (true) {
    p = simple_fields(p, c);
    const auto at = static_cast<std::size_t>(p - text_.data());
    if (c == fields_.size()) return reader_.move_to_next_line(at);
    reader_.move_to(at);
    const std::string_view field = reader_.next();
    for (const std::size_t target : fields_[c].targets) put(field, target);
    ++c;
    p = text_.data() + reader_.at();
    if (reader_.ends_record() != (c == fields_.size())) {
      while (!reader_.ends_record()) {
        reader_.next();
        ++c;
      }
      throw wrong(c, place);
    }
    if (reader_.ends_record()) return;
  }
}

void CsvParser::put(std::string_view field, std::size_t target) {
  if (form_.wanted[target].kind == Kind::category) {
    codes_.at(target, tile_row_) = code(field, target);
    return;
  }
  if (form_.wanted[target].kind == Kind::date) return put_date(field, target);
  if (form_.wanted[target].kind == Kind::text) return put_text(field, target);
  const ParsedNumber number = parse_number(field, form_.columns[form_.wanted[target].column].style);
  if (number.fault == NumberFault::none && !form_.missing.has(number.value)) {
    numbers_.at(target, tile_row_) = number.value;
  } else if (number.fault == NumberFault::none || number.fault == NumberFault::empty ||
             form_.missing.has(field, marks_[target])) {
    put_missing(field, target);
  } else {
    throw not_a_number(field, number.fault, form_.wanted[target]);
  }
}

void CsvParser::put_date(std::string_view field, std::size_t target) {
  if (form_.missing.has(trimmed(field), marks_[target])) return put_missing(field, target);
  const ColumnInfo& column = form_.columns[form_.wanted[target].column];
  const std::optional<double> days = date_days(trimmed(field), column.date_format);
  if (!days) {
    const std::string hint = column.date_format.empty() && is_date(trimmed(field))
                                 ? "--date-format " + as_typed_item(column.name + "=%d/%m/%Y") +
                                       " puts the day first, " + as_typed_item(column.name + "=%m/%d/%Y") + " the month"
                                 : "correct the value, or leave out such rows with --bad-rows skip";
    if (auto bad_text = fault_of_text(field, target)) throw std::move(*bad_text);
    throw TextFault{reader_.field_place(),
                    called(target) + " holds " + in_quotes(field) + ", " +
                        (column.date_format.empty() ? std::string(why_no_days(trimmed(field)))
                                                    : "which is no date like " + column.date_format),
                    hint};
  }
  numbers_.at(target, tile_row_) = *days;
}

void CsvParser::put_text(std::string_view field, std::size_t target) {
  if (form_.missing.has(field)) field = {};
  if (auto fault = fault_of_text(field, target)) throw std::move(*fault);
  if (!only_extracted(target))
    out_.columns[target].documents.add(field);
  else
    texts_[target].push_back(stands_in_text(field) ? field : unescaped_.emplace_back(field));
}

Marks CsvParser::marks_of(const Selected& wanted) const {
  if (wanted.kind == Kind::text || wanted.role == Role::beside) return Marks::named;
  if (holds_numbers(wanted.kind) || holds_numbers(form_.columns[wanted.column].kind)) return Marks::numbers;
  return wanted.role == Role::target ? Marks::named : Marks::usual;
}

// Whether a number is read as text, and is a missing-value marker by its value.
bool CsvParser::is_number_mark(std::string_view field, std::size_t target) const {
  if (!form_.missing.any_numbers() || form_.columns[form_.wanted[target].column].kind != Kind::number) return false;
  const ParsedNumber number = parse_number(field);
  return number.fault == NumberFault::none && form_.missing.has(number.value);
}

std::uint32_t CsvParser::code(std::string_view field, std::size_t target) {
  std::vector<std::string>& levels = out_.columns[target].levels;
  const std::size_t known = levels.size();
  if (form_.missing.has(field, marks_[target]) || is_number_mark(field, target)) {
    field = {};
    if (form_.wanted[target].if_missing == IfMissing::drop_row) {
      drop_for(target);
      return 0;
    }
  }
  const std::uint32_t code = level_codes_[target].code(field, levels);
  if (levels.size() > known)
    if (auto fault = fault_of_text(field, target)) {
      level_codes_[target].forget_last(levels);
      throw std::move(*fault);
    }
  return code;
}

void CsvParser::put_missing(std::string_view field, std::size_t target) {
  const Selected& wanted = form_.wanted[target];
  if (wanted.if_missing == IfMissing::error) throw not_a_number(field, NumberFault::empty, wanted);
  if (wanted.if_missing == IfMissing::drop_row) drop_for(target);
  numbers_.at(target, tile_row_) = kMissing;
}

void CsvParser::end_row(LinePlace place) {
  if (out_.rows == 0 || place.line != next_line_) out_.lines.push_back({out_.rows, place.line});
  next_line_ = place.line + 1;
  ++out_.rows;
  if (++tile_row_ == tile_rows_) flush();
}

void CsvParser::flush() {
  // Assumes that the rest of the text is like its start.
  const std::size_t read = reader_.at();
  const std::size_t expected = read == 0 ? 0 : out_.rows * (text_.size() / read + 1) + out_.rows / 32;
  for (std::size_t i = 0; i < out_.columns.size(); ++i) {
    Column& column = out_.columns[i];
    if (column.kind == Kind::category) {
      if (column.codes.empty()) column.codes.reserve(expected);
      codes_.append_to(column.codes, i, tile_row_);
    } else if (column.kind != Kind::text) {
      if (column.numbers.empty()) column.numbers.reserve(expected);
      numbers_.append_to(column.numbers.own(), i, tile_row_);
      if (form_.wanted[i].if_missing == IfMissing::keep)
        for (std::size_t r = 0; r < tile_row_; ++r) column.missing += numbers_.at(i, r) != numbers_.at(i, r);
    }
  }
  tile_row_ = 0;
}

// Empty if the record has the right number of fields, or they cannot be counted.
std::optional<TextFault> CsvParser::miscounted_fields(std::size_t start, LinePlace place) const {
  FieldReader reader(text_.substr(start), form_.dialect);
  std::size_t fields = 0;
  try {
    do {
      reader.next();
      ++fields;
    } while (!reader.ends_record());
  } catch (const TextFault&) {
    return std::nullopt;
  }
  return fields == fields_.size() ? std::nullopt : std::optional(wrong(fields, place));
}

TextFault CsvParser::not_a_number(std::string_view field, NumberFault fault, const Selected& wanted) const {
  const LinePlace place = reader_.field_place();
  const std::string& name = form_.columns[wanted.column].name;
  const std::string called = "column " + in_quotes(name), typed = as_typed_item(name);
  if (auto bad_text = form_.files.fault_of_text(field, place, called)) return std::move(*bad_text);
  std::string hint = wanted.needed ? "correct the value, or leave out such rows with --bad-rows skip"
                                   : "--drop " + typed + " leaves the column out";
  if (fault == NumberFault::empty) {
    const bool mark = !trimmed(field).empty();
    if (!wanted.needed) hint = "--missing mean fills it in, --missing drop-row leaves out the row; " + hint;
    return {
        place,
        called + (mark ? " is missing here (" + in_quotes(field) + ")" : " is empty here") + "; a number was expected",
        hint};
  }
  if (looks_missing(field))
    hint = "--na " + as_typed_item(trimmed(field)) + " reads it as a missing value; " + hint;
  else if (fault == NumberFault::comma)
    hint = "--decimal , reads commas as decimal points, --thousands , as marks between thousands; " + hint;
  else if (!wanted.needed)
    hint = "--categorical " + typed + " reads it as categories; " + hint;
  const NumberStyle& style = form_.columns[wanted.column].style;
  if (!style.plain())
    return {place,
            called + " holds " + in_quotes(field) + ", which is not a number as the first rows write them (" +
                style.text() + ")",
            hint};
  return {place, called + " holds " + in_quotes(field) + ", which " + std::string(describe(fault)), hint};
}

}  // namespace

TextFault wrong_count(std::size_t fields, std::size_t expected, LinePlace place, Dialect dialect, bool header) {
  const char sign = dialect.delimiter;
  const std::string name = delimiter_name(sign);
  std::string hint;
  if (fields < expected)
    hint = "a field that is empty needs its " + name + " all the same" +
           (sign == '\t' ? "" : ", as in 1" + std::string(2, sign) + "3");
  else
    hint = dialect.quotes ? "put a field that holds a " + name + " in double quotes"
                          : "without quotes no field can hold a " + name + "; --quote double reads quoted ones";
  return {place,
          "this row has " + counted(fields, "field") + ", the " + (header ? "header" : "first row") + " has " +
              std::to_string(expected),
          hint};
}

CsvRows parse_csv(std::string_view text, const CsvForm& form) { return CsvParser(text, form).take(); }

}  // namespace plumb
