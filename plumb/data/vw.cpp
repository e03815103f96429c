#include "plumb/data/vw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/data/decimal.h"
#include "plumb/data/entry_sorter.h"
#include "plumb/data/name_codes.h"

namespace plumb {
namespace {

bool is_vw_blank(char c) noexcept { return c == ' ' || c == '\t'; }

// Bytes that end a name: blanks, the colon before a value, the bar of the next namespace.
constexpr auto kEndsName = [] {
  std::array<bool, 256> ends{};
  for (const char c : {' ', '\t', ':', '|'}) ends[static_cast<unsigned char>(c)] = true;
  return ends;
}();

// The fields before the first bar.
struct Head {
  std::array<std::string_view, 3> numbers;  // label, importance, base
  std::size_t count = 0;
  std::optional<std::string_view> tag;  // without its apostrophe
  bool apostrophe = false;
  std::string_view extra;  // a fourth number, which has no meaning
};

// The last word is the tag if it touches the bar or has an apostrophe; the others are numbers.
Head split_head(std::string_view text) {
  Head head;
  const bool touches_bar = !text.empty() && !is_vw_blank(text.back());
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const std::string_view word = text.substr(0, text.find_first_of(" \t"));
    text.remove_prefix(word.size());
    const bool apostrophe = word.front() == '\'';
    if (text.empty() && (touches_bar || apostrophe)) {
      head.apostrophe = apostrophe;
      head.tag = word.substr(apostrophe);
    } else if (head.count < head.numbers.size()) {
      head.numbers[head.count++] = word;
    } else if (head.extra.empty()) {
      head.extra = word;
    }
  }
  return head;
}

class VwParser {
 public:
  VwParser(std::string_view text, const VwForm& form) : cursor_(text), text_end_(cursor_.end()), form_(form) {
    out_.tag.kind = Kind::category;
    for (const char* p = text.data(); p != text_end_;) {
      const std::string_view line = cursor_.rest(p);
      if (!trimmed(line).empty()) row_or_none(line);
      p = cursor_.next_line(p + line.size());
    }
  }

  VwRows take() {
    out_.rows = cursor_.rows();
    out_.lines = cursor_.take_lines();
    out_.lines_ended = cursor_.lines_ended();
    return std::move(out_);
  }

 private:
  void row_or_none(std::string_view line);
  void row(std::string_view line);
  void head(std::string_view text);
  void number_of(std::string_view word, const char* called, bool expected, std::vector<double>& out) const;
  void name_space(std::string_view text);
  void feature(std::string_view name, double value);
  const char* value(const char* p, const char* end, std::string_view of, double& number) const;
  void end_row();
  static bool is_text(std::string_view text) { return valid_utf8(text) && text.find('\0') == text.npos; }
  [[noreturn]] void refuse_text(std::string_view text, const char* what) const {
    throw cursor_.fault(text.data(), std::string(what) + in_quotes(text) + " is not valid UTF-8 text",
                        "iconv -f latin1 -t utf-8 makes it so");
  }

  LineCursor cursor_;
  const char* text_end_;
  VwForm form_;
  VwRows out_;
  NameCodes names_;
  NameCodes tags_;
  EntrySorter sorter_;
  std::string name_;        // namespace^feature, of the feature being read
  std::size_t prefix_ = 0;  // bytes of namespace^
  bool ascending_ = true;
};

// A bad row leaves nothing behind, if it may be left out.
void VwParser::row_or_none(std::string_view line) {
  const std::uint64_t rows = cursor_.rows();
  try {
    return row(line);
  } catch (TextFault& fault) {
    out_.left_out.add(std::move(fault), form_.skip_bad_rows);
  }
  if (cursor_.rows() > rows) cursor_.drop_row();
  for (std::vector<double>* numbers : {&out_.label, &out_.importance, &out_.base})
    if (numbers->size() > rows) numbers->resize(rows);
  if (out_.tag.codes.size() > rows) out_.tag.codes.resize(rows);
  out_.entries.index.resize(out_.entries.offsets.back());
  out_.entries.value.truncate(out_.entries.offsets.back());
}

void VwParser::row(std::string_view line) {
  const std::size_t bar = line.find('|');
  if (bar == line.npos)
    throw cursor_.fault(
        line.data(), "this line has no |; label | feature:value ... was expected",
        "put a | in front of the features: " + std::string(trimmed(line.substr(0, line.find(' ')))) + " | ...");
  cursor_.add_row();
  if (!form_.passed_over) head(line.substr(0, bar));
  ascending_ = true;
  for (std::size_t from = bar; from < line.size();) {
    const std::size_t to = std::min(line.find('|', from + 1), line.size());
    name_space(line.substr(from + 1, to - from - 1));
    from = to;
  }
  end_row();
}

void VwParser::head(std::string_view text) {
  const Head head = split_head(text);
  if (head.tag && !head.apostrophe && head.count == 0 && parse_number(*head.tag).fault == NumberFault::none)
    throw cursor_.fault(head.tag->data(), in_quotes(*head.tag) + " touches the |, so it is a tag and not a label",
                        "a label needs a blank: " + std::string(*head.tag) + " |; a tag an apostrophe: '" +
                            std::string(*head.tag) + "|");
  if (!head.extra.empty())
    throw cursor_.fault(
        head.extra.data(),
        in_quotes(head.extra) + " is a fourth word before the |; label, importance and base were expected",
        "a tag touches the |, or starts with an apostrophe: '" + std::string(head.extra) + "|");
  if (form_.label && head.count == 0)
    throw cursor_.fault(text.data(), "this line has no label, others have one",
                        "put a label and a blank in front of the |");
  if (head.count > 0) number_of(head.numbers[0], "label", form_.label, out_.label);
  if (head.count > 1)
    number_of(head.numbers[1], "importance", form_.importance, out_.importance);
  else if (form_.importance)
    out_.importance.push_back(1);
  if (head.count > 2)
    number_of(head.numbers[2], "base", form_.base, out_.base);
  else if (form_.base)
    out_.base.push_back(0);
  if (head.tag && !form_.tag)
    throw cursor_.fault(head.tag->data(), in_quotes(*head.tag) + " is the first tag; the first lines have none",
                        "put a blank in front of the | if it is none");
  if (!form_.tag) return;
  const std::string_view tag = head.tag.value_or("");
  if (!is_text(tag)) refuse_text(tag, "the tag ");
  out_.tag.codes.push_back(tags_.code(tag, out_.tag.levels));
}

void VwParser::number_of(std::string_view word, const char* called, bool expected, std::vector<double>& out) const {
  const ParsedNumber number = parse_number(word);
  if (number.fault != NumberFault::none)
    throw cursor_.fault(
        word.data(),
        "the " + std::string(called) + " is " + in_quotes(word) + ", which " + std::string(describe(number.fault)),
        "the words before the | are label, importance and base, all numbers; a tag starts with an apostrophe");
  if (!expected)
    throw cursor_.fault(word.data(), in_quotes(word) + " is the first " + called + "; the first lines have none",
                        "write it in every line, or nowhere");
  out.push_back(number.value);
}

// The text between two bars.
void VwParser::name_space(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  const auto name_end = [end](const char* q) {
    while (q != end && !kEndsName[static_cast<unsigned char>(*q)]) ++q;
    return q;
  };
  name_.clear();
  double scale = 1;
  if (p != end && !is_vw_blank(*p)) {
    const char* const stop = name_end(p);
    const std::string_view name(p, static_cast<std::size_t>(stop - p));
    if (name.empty())
      throw cursor_.fault(p, "a namespace with a scale and no name starts here; a name was expected",
                          "put a name between | and :");
    if (!is_text(name)) refuse_text(name, "the namespace ");
    name_.append(name) += '^';
    p = stop;
    if (p != end && *p == ':') p = value(p + 1, end, name, scale);
  }
  prefix_ = name_.size();
  while (true) {
    while (p != end && is_vw_blank(*p)) ++p;
    if (p == end) return;
    const char* const stop = name_end(p);
    const std::string_view name(p, static_cast<std::size_t>(stop - p));
    if (name.empty())
      throw cursor_.fault(p, "a value stands here without its feature; feature:value was expected",
                          "no blank may stand before the colon");
    double number = 1;
    const char* const next = stop != end && *stop == ':' ? value(stop + 1, end, name, number) : stop;
    if (scale != 1 && !std::isfinite(number *= scale))
      throw cursor_.fault(
          p, "feature " + in_quotes(name) + " times the scale of its namespace is too large: numbers end at 1.8e308",
          "correct the value or the scale");
    feature(name, number);
    p = next;
  }
}

void VwParser::feature(std::string_view name, double value) {
  Entries& entries = out_.entries;
  name_.resize(prefix_);
  name_.append(name);
  const std::size_t known = entries.names.size();
  const std::uint32_t code = names_.code(name_, entries.names);
  if (code == known && !is_text(name)) {
    names_.forget_last(entries.names);
    refuse_text(name, "the feature ");
  }
  ascending_ = ascending_ && (entries.index.size() == entries.offsets.back() || entries.index.back() < code);
  entries.index.push_back(code);
  entries.value.push(value);
}

// A number between a colon and a blank; returns its end.
const char* VwParser::value(const char* p, const char* end, std::string_view of, double& number) const {
  if (text_end_ - p >= kDecimalRoom) {
    const char* const stop = read_decimal(p, number);
    if (stop != nullptr && stop <= end && (stop == end || is_vw_blank(*stop))) return stop;
  }
  const char* const stop = std::find_if(p, end, is_vw_blank);
  const std::string_view text(p, static_cast<std::size_t>(stop - p));
  const ParsedNumber parsed = parse_number(text);
  if (parsed.fault == NumberFault::empty)
    throw cursor_.fault(p, in_quotes(of) + " has a colon and no value; a number was expected",
                        "leave the colon out where the value is 1, and no blank after it");
  if (parsed.fault != NumberFault::none)
    throw cursor_.fault(
        p,
        "the value of " + in_quotes(of) + " is " + in_quotes(text) + ", which " + std::string(describe(parsed.fault)),
        "correct the value; a colon that is part of a name must be another character");
  number = parsed.value;
  return stop;
}

void VwParser::end_row() {
  Entries& entries = out_.entries;
  if (!ascending_) {
    const std::size_t from = entries.offsets.back(), given = entries.index.size();
    sorter_.sort_and_add(entries, from);
    if (entries.index.size() < given)
      out_.mended.add({1, cursor_.line(), "features that a row names again were added up"});
    for (std::size_t i = from; i < entries.index.size(); ++i)
      if (!std::isfinite(entries.value[i]))
        throw cursor_.fault(cursor_.line_start(),
                            "the values of feature " + in_quotes(entries.names[entries.index[i]]) +
                                " in this row add up to more than 1.8e308",
                            "correct the values");
  }
  entries.offsets.push_back(entries.index.size());
}

}  // namespace

VwRows parse_vw(std::string_view text, const VwForm& form) { return VwParser(text, form).take(); }

VwForm guess_vw(std::string_view text) {
  VwForm form{.label = false};
  LineCursor cursor(text);
  for (const char* p = text.data(); p != cursor.end();) {
    const std::string_view line = cursor.rest(p);
    p = cursor.next_line(p + line.size());
    const std::size_t bar = line.find('|');
    if (bar == line.npos) continue;  // the parser will report it
    const Head head = split_head(line.substr(0, bar));
    form.label |= head.count > 0;
    form.importance |= head.count > 1;
    form.base |= head.count > 2;
    form.tag |= head.tag.has_value();
  }
  return form;
}

bool recognises_vw(std::string_view start) {
  LineCursor cursor(start);
  for (const char* p = start.data(); p != cursor.end();) {
    const std::string_view line = cursor.rest(p);
    p = cursor.next_line(p + line.size());
    if (trimmed(line).empty()) continue;
    const std::size_t bar = line.find('|');
    if (bar == line.npos) return false;
    const Head head = split_head(line.substr(0, bar));
    if (!head.extra.empty()) return false;
    for (std::size_t i = 0; i < head.count; ++i)
      if (parse_number(head.numbers[i]).fault != NumberFault::none) return false;
    // A word alone before a bar is more likely the first column of a table with bars between.
    return head.count > 0 || !head.tag || head.apostrophe;
  }
  return false;
}

}  // namespace plumb
