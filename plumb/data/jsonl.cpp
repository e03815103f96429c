// Lines of one file usually have the same keys in the same order, and their values are short decimals. So a key is
// first compared with the one at its position in the line before, and a number is first read as a short decimal; only
// if that fails are keys looked up and numbers parsed in full.
#include "plumb/data/jsonl.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "plumb/base/json_reader.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/data/date_text.h"
#include "plumb/data/decimal.h"
#include "plumb/data/name_codes.h"

namespace plumb {
namespace {

bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }
bool is_digit(char c) noexcept { return static_cast<unsigned char>(c - '0') < 10; }
bool ends_value(char c) noexcept { return c == ',' || c == '}' || is_blank(c); }

// RFC 8259, section 6: -? (0 | [1-9][0-9]*) (.[0-9]+)? ([eE][+-]?[0-9]+)?
bool is_json_number(std::string_view text) noexcept {
  const auto digits = [&text] {
    const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count;
  };
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool zero = text.starts_with('0');
  const std::size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  if (text.empty() || (text[0] | 0x20) != 'e') return text.empty();
  text.remove_prefix(1);
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return digits() > 0 && text.empty();
}

constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);
constexpr const char* kMissingHere = " is missing here; a number was expected";

Marks marks_of(const Selected& wanted) {
  if (holds_numbers(wanted.kind)) return Marks::numbers;
  return wanted.kind == Kind::text || wanted.role != Role::feature ? Marks::named : Marks::usual;
}

class JsonlParser {
 public:
  JsonlParser(std::string_view text, const JsonlForm& form)
      : cursor_(text), text_end_(cursor_.end()), text_(text), form_(form) {}

  std::vector<JsonlKey> keys() {
    learning_ = true;
    parse();
    return std::move(learnt_);
  }

  JsonlRows rows() {
    const std::span<const Selected> wanted = form_.wanted;
    for (const std::string& key : form_.keys) codes_.code(key, names_);
    seen_.resize(form_.keys.size());
    targets_.resize(form_.keys.size());
    level_codes_.resize(wanted.size());
    out_.columns.resize(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      out_.columns[i].kind = wanted[i].kind;
      targets_[wanted[i].column].push_back(i);
    }
    parse();
    out_.rows = cursor_.rows();
    out_.lines = cursor_.take_lines();
    out_.lines_ended = cursor_.lines_ended();
    return std::move(out_);
  }

 private:
  // A key as written in the text, and its column.
  struct Spelling {
    std::string text;
    std::size_t column;
  };

  void parse() {
    for (const char* p = text_.data(); p != text_end_;) {
      const std::string_view line = cursor_.rest(p);
      p += line.size();
      end_ = p;
      if (const char* const start = past_blanks(line.data()); start != end_) row_or_none(start);
      p = cursor_.next_line(p);
    }
  }

  const char* past_blanks(const char* p) const noexcept {
    while (p != end_ && is_blank(*p)) ++p;
    return p;
  }
  bool is_at(const char* p, char c) const noexcept { return p != end_ && *p == c; }
  // One past the closing quote of the string that opens at p.
  const char* past_string(const char* p) const;
  std::string decoded(const char* p, const char* stop) const;

  void row_or_none(const char* p);
  void object(const char* p);
  const char* key(const char* p, std::size_t position, std::size_t& column);
  std::size_t column_of(const char* p, const char* stop);
  const char* value(const char* p, std::size_t column);
  bool is_wanted(std::size_t column) const noexcept {
    return column != kNoColumn && (learning_ || !targets_[column].empty());
  }
  void put_number(std::string_view token, double value, std::size_t column);
  void put_text(std::string_view text, const char* at, const char* what, std::size_t column);
  void put_date(std::string_view text, const char* at, std::size_t target);
  void put_nothing(const char* at, const char* what, std::size_t column);
  void put_nothing(const char* at, const char* what, std::size_t column, std::size_t target);
  void end_row(const char* start, std::size_t members);
  void note_unknown();
  std::string hint(std::size_t target, bool holds_text) const;
  std::string called(std::size_t column) const {
    return column == kNoColumn ? "a key" : "key " + in_quotes(names_[column]);
  }
  [[noreturn]] void refuse(const char* p, std::string_view expected) const;
  [[noreturn]] void refuse_value(const char* p, std::string_view token, std::size_t column) const;

  LineCursor cursor_;
  const char* text_end_;
  std::string_view text_;
  const char* end_ = nullptr;  // of the line
  JsonlRows out_;
  const JsonlForm& form_;
  NameCodes codes_;
  std::vector<std::string> names_;                 // the columns, and then unknown keys
  std::uint64_t objects_ = 0;                      // begun so far, rows or not
  std::vector<std::uint64_t> seen_;                // the object, from 1, that last had the column
  bool drop_ = false;                              // the row lacks a required value
  bool without_target_ = false;                    // which is its target
  std::vector<std::vector<std::size_t>> targets_;  // positions of the column in out_
  std::vector<NameCodes> level_codes_;
  std::vector<Spelling> expected_;  // the keys of a line, by position
  const char* unknown_ = nullptr;   // the first unknown key of the line
  bool learning_ = false;
  std::vector<JsonlKey> learnt_;
};

void JsonlParser::refuse(const char* p, std::string_view expected) const {
  if (p == end_)
    throw cursor_.fault(p, "the line ends here; " + std::string(expected) + " was expected",
                        "jq -c . puts each object on a line of its own");
  throw cursor_.fault(p, "found " + in_quotes({p, 1}) + "; " + std::string(expected) + " was expected",
                      "the line must be an object like {\"height\": 1.47, \"city\": \"Rome\"}");
}

const char* JsonlParser::past_string(const char* p) const {
  for (++p; p != end_; ++p) {
    if (*p == '"') return p + 1;
    if (*p == '\\' && ++p == end_) break;
    if (static_cast<unsigned char>(*p) < 0x20) refuse(p, "an escape like \\n or \\u0001 for a control character");
  }
  refuse(p, "the closing quote of a string");
}

// The string between the quotes at p and before stop.
std::string JsonlParser::decoded(const char* p, const char* stop) const {
  try {
    return JsonReader({p, static_cast<std::size_t>(stop - p)}).read_string();
  } catch (const JsonFault& fault) {
    throw cursor_.fault(p + fault.offset(), fault.message().substr(fault.message().find(": ") + 2),
                        valid_utf8({p, static_cast<std::size_t>(stop - p)})
                            ? "strings are UTF-8 text, escapes as in RFC 8259"
                            : "--encoding latin1 reads such files, --encoding replace puts U+FFFD for what cannot be "
                              "read");
  }
}

// A bad row, or one without a required value, leaves nothing behind.
void JsonlParser::row_or_none(const char* p) {
  const std::uint64_t rows = cursor_.rows();
  drop_ = without_target_ = false;
  try {
    object(p);
    if (!drop_) return note_unknown();
    ++(without_target_ ? out_.left_out.without_target : out_.left_out.with_missing);
  } catch (TextFault& fault) {
    out_.left_out.add(std::move(fault), form_.skip_bad_rows);
  }
  if (cursor_.rows() > rows) cursor_.drop_row();
  for (Column& column : out_.columns) {
    if (column.codes.size() > rows) column.codes.resize(rows);
    if (column.documents.size() > rows) column.documents.truncate(rows);
    if (column.numbers.size() <= rows) continue;
    column.missing -= std::isnan(column.numbers.back());
    column.numbers.resize(rows);
  }
}

void JsonlParser::object(const char* p) {
  const char* const start = p;
  if (*p == '[')
    throw cursor_.fault(p, "an array starts here; an object in each line was expected",
                        "jq -c '.[]' makes lines of the objects in an array");
  if (*p != '{') refuse(p, "the { of an object");
  cursor_.add_row();
  ++objects_;
  p = past_blanks(p + 1);
  unknown_ = nullptr;
  std::size_t members = 0;  // with a column
  for (std::size_t position = 0; !is_at(p, '}'); ++position) {
    if (position > 0) {
      if (!is_at(p, ',')) refuse(p, ", or }");
      p = past_blanks(p + 1);
    }
    if (!is_at(p, '"')) refuse(p, "a key in double quotes");
    std::size_t column = kNoColumn;
    const char* const at = p;
    p = past_blanks(key(p, position, column));
    if (!is_at(p, ':')) refuse(p, ":");
    if (column != kNoColumn && std::exchange(seen_[column], objects_) == objects_)
      throw cursor_.fault(at, called(column) + " is in this line twice; once was expected", "keep one of the two");
    members += column != kNoColumn;
    if (column == kNoColumn && unknown_ == nullptr) unknown_ = at;
    p = past_blanks(value(past_blanks(p + 1), column));
  }
  p = past_blanks(p + 1);
  if (p != end_) refuse(p, "the end of the line");
  end_row(start, members);
}

const char* JsonlParser::key(const char* p, std::size_t position, std::size_t& column) {
  if (position < expected_.size()) {
    const Spelling& spelling = expected_[position];
    const std::size_t size = spelling.text.size();
    if (static_cast<std::size_t>(end_ - p) >= size && std::memcmp(p, spelling.text.data(), size) == 0) {
      column = spelling.column;
      return p + size;
    }
  }
  const char* const stop = past_string(p);
  column = column_of(p, stop);
  if (position == expected_.size()) expected_.emplace_back();
  expected_[position] = {std::string(p, stop), column};  // with its quotes, so that it is not a prefix of a longer key
  return stop;
}

std::size_t JsonlParser::column_of(const char* p, const char* stop) {
  std::string name = decoded(p, stop);
  const std::uint32_t code = codes_.code(name, names_);
  if (code < seen_.size()) return code;
  if (!learning_) return kNoColumn;
  learnt_.push_back({std::move(name)});
  seen_.push_back(0);
  targets_.emplace_back();
  return code;
}

const char* JsonlParser::value(const char* p, std::size_t column) {
  if (p == end_) refuse(p, "a value");
  const bool number = is_digit(*p) || *p == '-';
  if (number && text_end_ - p >= kDecimalRoom) {
    double value;
    const char* const stop = read_decimal(p, value);
    const char* const digits = p + (*p == '-');
    if (stop != nullptr && ends_value(*stop) && (*digits != '0' || digits[1] == '.' || stop == digits + 1)) {
      put_number({p, static_cast<std::size_t>(stop - p)}, value, column);
      return stop;
    }
  }
  if (*p == '"') {
    const char* const stop = past_string(p);
    if (!is_wanted(column)) return stop;
    const std::string_view raw(p + 1, static_cast<std::size_t>(stop - p - 2));
    if (raw.find('\\') == raw.npos && valid_utf8(raw)) {
      put_text(raw, p, "the string ", column);
    } else {
      put_text(decoded(p, stop), p, "the string ", column);
    }
    return stop;
  }
  const char* const stop = std::find_if(p, end_, ends_value);
  const std::string_view token(p, static_cast<std::size_t>(stop - p));
  if (number && is_json_number(token)) {
    const ParsedNumber parsed = parse_number(token);
    if (parsed.fault != NumberFault::none)
      throw cursor_.fault(
          p, called(column) + " holds " + in_quotes(token) + ", which " + std::string(describe(parsed.fault)),
          "correct the value");
    put_number(token, parsed.value, column);
  } else if (token == "null") {
    put_nothing(p, " is null here; a number was expected", column);
  } else if (token == "true" || token == "false") {
    put_text(token, p, "", column);
  } else {
    refuse_value(p, token, column);
  }
  return stop;
}

void JsonlParser::put_number(std::string_view token, double value, std::size_t column) {
  if (!is_wanted(column)) return;
  if (form_.missing.any_numbers() && form_.missing.has(value)) return put_nothing(token.data(), kMissingHere, column);
  if (learning_) learnt_[column].guess.see(token);
  for (const std::size_t target : targets_[column]) {
    Column& out = out_.columns[target];
    // As written: long numbers that are identifiers stay distinct.
    if (out.kind == Kind::date)
      put_date(token, token.data(), target);
    else if (out.kind == Kind::text)
      out.documents.add(token);
    else if (out.kind == Kind::category)
      out.codes.push_back(level_codes_[target].code(token, out.levels));
    else
      out.numbers.push_back(value);
  }
}

// What to do if a column of numbers has none.
std::string JsonlParser::hint(std::size_t target, bool holds_text) const {
  if (form_.wanted[target].needed) return "correct the value, or leave out such rows with --bad-rows skip";
  const std::string typed = as_typed_item(names_[form_.wanted[target].column]),
                    drop = "--drop " + typed + " leaves the column out";
  return holds_text ? "--categorical " + typed + " reads it as categories; " + drop
                    : "--missing mean fills it in, --missing drop-row leaves out the row; " + drop;
}

void JsonlParser::put_text(std::string_view text, const char* at, const char* what, std::size_t column) {
  if (!is_wanted(column)) return;
  if (learning_ && form_.missing.has(text, Marks::numbers)) return;
  if (learning_) {
    JsonlKey& key = learnt_[column];
    key.guess.see_text(text);
    if (key.first_text.empty()) {
      key.first_text = text;
      key.first_text_place = cursor_.place(at);
    }
  }
  if (text.find('\0') != text.npos)
    throw cursor_.fault(at, called(column) + " holds a NUL character in " + in_quotes(text) + "; text was expected",
                        "remove \\u0000 from the string");
  for (const std::size_t target : targets_[column]) {
    Column& out = out_.columns[target];
    if (form_.missing.has(text, marks_of(form_.wanted[target]))) {
      put_nothing(at, kMissingHere, column, target);
      continue;
    }
    if (out.kind == Kind::date) {
      put_date(text, at, target);
      continue;
    }
    if (out.kind == Kind::text) {
      out.documents.add(text);
      continue;
    }
    if (out.kind == Kind::number)
      throw cursor_.fault(at, called(column) + " holds " + what + in_quotes(text) + "; a number was expected",
                          hint(target, true));
    out.codes.push_back(level_codes_[target].code(text, out.levels));
  }
}

void JsonlParser::put_date(std::string_view text, const char* at, std::size_t target) {
  const std::optional<double> days = date_days(trimmed(text));
  if (!days)
    throw cursor_.fault(at,
                        called(form_.wanted[target].column) + " holds " + in_quotes(text) + ", " +
                            std::string(why_no_days(trimmed(text))),
                        "correct the value, or leave out such rows with --bad-rows skip");
  out_.columns[target].numbers.push_back(*days);
}

void JsonlParser::put_nothing(const char* at, const char* what, std::size_t column) {
  if (!is_wanted(column)) return;
  for (const std::size_t target : targets_[column]) put_nothing(at, what, column, target);
}

void JsonlParser::put_nothing(const char* at, const char* what, std::size_t column, std::size_t target) {
  Column& out = out_.columns[target];
  const Selected& wanted = form_.wanted[target];
  if (out.kind == Kind::text) {
    out.documents.add("");
    return;
  }
  if (wanted.if_missing == IfMissing::drop_row) {
    drop_ = true;
    without_target_ = without_target_ || wanted.role == Role::target;
  }
  if (out.kind == Kind::category) {
    out.codes.push_back(level_codes_[target].code("", out.levels));
    return;
  }
  if (wanted.if_missing == IfMissing::error) throw cursor_.fault(at, called(column) + what, hint(target, false));
  out.numbers.push_back(std::numeric_limits<double>::quiet_NaN());
  ++out.missing;
}

void JsonlParser::refuse_value(const char* p, std::string_view token, std::size_t column) const {
  if (*p == '{' || *p == '[')
    throw cursor_.fault(p,
                        called(column) + " holds an " + (*p == '{' ? "object" : "array") +
                            "; a number, a string, true, false or null was expected",
                        column == kNoColumn ? "flatten the objects with jq"
                                            : "jq -c " + as_typed("del(.[" + in_quotes(names_[column]) + "])") +
                                                  " leaves it out; jq can flatten it too");
  if (parse_number(token).fault == NumberFault::not_finite)
    throw cursor_.fault(p, called(column) + " holds " + in_quotes(token) + ", which is no JSON",
                        "write null where there is no number");
  if (parse_number(token).fault != NumberFault::not_a_number && !token.empty())
    throw cursor_.fault(p, called(column) + " holds " + in_quotes(token) + ", which is no number in JSON",
                        "JSON numbers are like 7, -0.5 and 1e-3: no +, no leading 0, digits on both sides of a point");
  throw cursor_.fault(
      p, called(column) + " holds " + in_quotes(token) + "; a number, a string, true, false or null was expected",
      "text stands in double quotes");
}

// For a row that is kept: one that is left out decides nothing.
void JsonlParser::note_unknown() {
  if (unknown_ == nullptr) return;
  Mended mended{1, cursor_.line(), ""};
  if (out_.mended.rows == 0)
    mended.what = "keys that the first lines do not have, such as " +
                  in_quotes(decoded(unknown_, past_string(unknown_))) + ", were passed over";
  out_.mended.add(mended);
}

void JsonlParser::end_row(const char* start, std::size_t members) {
  if (learning_ || members == seen_.size()) return;  // all are present, since none can occur twice
  for (std::size_t column = 0; column < seen_.size(); ++column)
    if (seen_[column] != objects_) put_nothing(start, " is not in this line; a number was expected", column);
}

}  // namespace

JsonlRows parse_jsonl(std::string_view text, const JsonlForm& form) { return JsonlParser(text, form).rows(); }

std::vector<JsonlKey> keys_of_jsonl(std::string_view text, const JsonlForm& form) {
  return JsonlParser(text, form).keys();
}

bool recognises_jsonl(std::string_view start) {
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  if (first == start.npos || start[first] != '{') return false;
  const std::size_t second = start.find_first_not_of(" \t", first + 1);
  return second != start.npos && (start[second] == '"' || start[second] == '}');
}

}  // namespace plumb
