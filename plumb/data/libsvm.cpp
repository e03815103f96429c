// Most entries are a few digits, a colon, and 1 or a short decimal: they are read at once, eight bytes at a time,
// without branching on the number of digits. Everything else, and the last bytes of the text, goes through `entry`,
// which parses a token slowly and knows all its faults.
#include "plumb/data/libsvm.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/data/decimal.h"
#include "plumb/data/entry_sorter.h"
#include "plumb/data/name_codes.h"
#include "plumb/math/sparse.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace plumb {
namespace {

constexpr std::uint64_t kLargestIndex = 4294967294;  // so that the number of features fits 32 bits

bool is_libsvm_blank(char c) noexcept { return c == ' ' || c == '\t'; }
bool ends_token(char c) noexcept { return is_libsvm_blank(c) || c == '\n' || c == '\r'; }

// Bit i says whether byte i of 32 or 64, all of which must be readable, is a blank or a control character. Bytes above
// 127 count too: the caller checks them.
constexpr std::ptrdiff_t kStretch = 64;
template <unsigned size>
[[gnu::always_inline]] inline std::uint64_t token_ends(const char* p) noexcept {
  std::uint64_t found = 0;
#ifdef __SSE2__
  const __m128i above = _mm_set1_epi8(' ' + 1);
  for (unsigned part = 0; part < size / 16; ++part) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * part));
    const auto bits = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmplt_epi8(bytes, above)));
    found |= std::uint64_t{bits} << (16 * part);
  }
#else
  for (unsigned i = 0; i < size; ++i) found |= std::uint64_t{static_cast<signed char>(p[i]) <= ' ' ? 1u : 0u} << i;
#endif
  return found;
}

// A token of at most eight bytes, all of which must be readable: is it digits and ":1"?
class ShortOne {
 public:
  ShortOne(const char* p, const char* stop) noexcept {
    const auto size = static_cast<std::size_t>(stop - p);
    if (size - 3 > 5) return;
    std::uint64_t word;
    std::memcpy(&word, p, sizeof word);
    const std::uint64_t token = (word ^ 0x3030303030303030) << (64 - 8 * size);
    constexpr std::uint64_t kOne = (':' ^ '0') | ('1' ^ '0') << 8;
    digits_ = token << 16;
    good_ = token >> 48 == kOne && ((digits_ | (digits_ + 0x7676767676767676)) & 0x8080808080808080) == 0;
  }
  bool good() const noexcept { return good_; }
  std::uint64_t index() const noexcept { return DigitRun{8, digits_}.value(); }

 private:
  std::uint64_t digits_ = 0;
  bool good_ = false;
};

// A comment starts at a # that is a token's first byte: the label C# is a label.
std::string_view without_comment(std::string_view line) noexcept {
  for (std::size_t i = 0; i < line.size(); ++i)
    if (line[i] == '#' && (i == 0 || is_libsvm_blank(line[i - 1]))) return trimmed(line.substr(0, i));
  return trimmed(line);
}

// Assumes that the rest of the text is like its start. Memory that is reserved and never written costs nothing.
std::size_t expected_entries(std::string_view text) noexcept {
  const std::string_view start = text.substr(0, 16384);
  const auto colons = static_cast<std::size_t>(std::count(start.begin(), start.end(), ':'));
  return (colons + colons / 16) * (text.size() / std::max<std::size_t>(start.size(), 1)) + colons;
}

class LibsvmParser {
 public:
  LibsvmParser(std::string_view text, const LibsvmForm& form)
      : cursor_(text), begin_(text.data()), end_(cursor_.end()), form_(form), expected_(expected_entries(text)) {
    if (form.label) out_.label.kind = *form.label;
    out_.entries.index.reserve(expected_);
    for (const char* p = text.data(); p != end_;) {
      p = past_blanks(p);
      if (!cursor_.at_line_end(p) && *p != '#') p = row_or_none(p);
      if (!cursor_.at_line_end(p)) p += cursor_.rest(p).size();  // a comment
      p = cursor_.next_line(p);
    }
    flush();
  }

  LibsvmRows take() {
    out_.rows = cursor_.rows();
    out_.lines = cursor_.take_lines();
    out_.lines_ended = cursor_.lines_ended();
    out_.entries.index.shrink();
    out_.entries.value.shrink();
    if (out_.left_out.bad == 0) out_.entries.seen = {seen_.least, seen_.most, out_.entries.index.size()};
    return std::move(out_);
  }

 private:
  const char* past_blanks(const char* p) const noexcept {
    while (p != end_ && is_libsvm_blank(*p)) ++p;
    return p;
  }
  std::string_view token(const char* p) const noexcept {
    const char* stop = p;
    while (stop != end_ && !ends_token(*stop)) ++stop;
    return {p, static_cast<std::size_t>(stop - p)};
  }

  const char* row_or_none(const char* p);
  const char* row(const char* p);
  const char* label(const char* p);
  const char* query(const char* p);
  const char* entries(const char* p);
  template <bool just_ones>
  const char* plain_entries(const char* p);
  void entry(std::string_view token);
  void add(std::uint32_t index, double value) {
    if (held_ == kHeld) flush();
    ascending_ &= next_index_ <= index;
    next_index_ = std::uint64_t{index} + 1;
    held_index_[held_] = index;
    held_value_[held_++] = value;
    ones_ = ones_ && value == 1.0;
  }
  void flush() {
    Entries& entries = out_.entries;
    const math::IndexRange held = math::index_range({held_index_, held_});
    seen_ = {std::min(seen_.least, held.least), std::max(seen_.most, held.most)};
    std::vector<std::uint32_t>& index = entries.index.own();
    index.insert(index.end(), held_index_, held_index_ + held_);
    if (ones_) {
      entries.value = Values::of_ones(entries.index.size());
    } else {
      if (entries.value.form() == Values::Form::ones) entries.value.reserve(expected_);
      entries.value.append({held_value_, held_});
    }
    held_ = 0;
  }
  void sort_row(const char* start);
  [[noreturn]] void refuse_repeated(const char* start, std::uint32_t index) const;
  [[noreturn]] void refuse_label(std::string_view token) const;

  // A short known label, by its bytes.
  struct KnownLabel {
    static constexpr std::size_t kLongest = 8;
    std::uint64_t bytes = 0;
    std::size_t size = 0;  // 0: none yet
    std::uint32_t code = 0;
  };
  // The bytes of a label of at most kLongest, the first one lowest.
  std::uint64_t bytes_of(std::string_view text) const noexcept {
    std::uint64_t bytes = 0;
    if (end_ - text.data() < static_cast<std::ptrdiff_t>(sizeof bytes)) {
      std::memcpy(&bytes, text.data(), text.size());
      return bytes;
    }
    std::memcpy(&bytes, text.data(), sizeof bytes);  // cheaper than the exact number
    const std::size_t others = 8 * (sizeof bytes - text.size());
    return bytes << others >> others;
  }

  LineCursor cursor_;
  const char* begin_;
  const char* end_;
  LibsvmForm form_;
  LibsvmRows out_;
  NameCodes labels_;
  std::array<KnownLabel, 64> known_labels_;
  EntrySorter sorter_;
  // Entries on their way to out_, some hundred at a time: a vector grows by one too slowly.
  static constexpr std::size_t kHeld = 256;
  std::uint32_t held_index_[kHeld];
  double held_value_[kHeld];
  std::size_t held_ = 0;
  std::size_t expected_;   // entries of the text, or somewhat more
  bool ones_ = true;       // every value so far
  math::IndexRange seen_;  // of all that were in the buffer
  bool ascending_ = true;
  std::uint64_t next_index_ = 0;  // the smallest allowed next index
};

// A bad row leaves nothing behind, if it may be left out.
const char* LibsvmParser::row_or_none(const char* p) {
  const std::uint64_t rows = cursor_.rows();
  try {
    return row(p);
  } catch (TextFault& fault) {
    out_.left_out.add(std::move(fault), form_.skip_bad_rows);
  }
  cursor_.drop_row();
  if (form_.label == Kind::number) out_.label.numbers.resize(rows);
  if (form_.label == Kind::category) out_.label.codes.resize(rows);
  if (form_.query) out_.query.resize(rows);
  flush();
  out_.entries.index.resize(out_.entries.offsets.back());
  out_.entries.value.truncate(out_.entries.offsets.back());
  return p + cursor_.rest(p).size();
}

const char* LibsvmParser::row(const char* p) {
  cursor_.add_row();
  p = query(label(p));
  ascending_ = true;
  next_index_ = 0;
  const char* const start = p;
  p = entries(p);
  if (!ascending_) sort_row(start);
  out_.entries.offsets.push_back(out_.entries.index.size() + held_);
  return p;
}

const char* LibsvmParser::label(const char* p) {
  double value;
  if (form_.label == Kind::number && end_ - p >= kDecimalRoom) {
    const char* const stop = read_decimal(p + (*p == '+'), value);
    if (stop != nullptr && ends_token(*stop) && p[1] != '-') {  // +-1 is not a number
      out_.label.numbers.push_back(value);
      return stop;
    }
  }
  const std::string_view text = token(p);
  // Labels are few and repeat.
  const bool is_short = form_.label == Kind::category && !text.empty() && text.size() <= KnownLabel::kLongest;
  const std::uint64_t bytes = is_short ? bytes_of(text) : 0;
  KnownLabel& known = known_labels_[bytes * 0x9E3779B97F4A7C15 >> 58];
  if (is_short && known.bytes == bytes && known.size == text.size()) {
    out_.label.codes.push_back(known.code);
    return p + text.size();
  }
  const ParsedNumber number = parse_number(text);
  const bool is_number = number.fault == NumberFault::none;
  const std::string_view no_label = form_.label ? ",:" : ":";
  if (!is_number && (form_.label == Kind::number || text.find_first_of(no_label) != text.npos)) refuse_label(text);
  if (form_.label == Kind::number) {
    out_.label.numbers.push_back(number.value);
  } else if (form_.label) {
    const std::size_t levels = out_.label.levels.size();
    out_.label.codes.push_back(
        labels_.code(is_number ? std::string_view(number_text(number.value)) : text, out_.label.levels));
    if (out_.label.levels.size() > levels && !is_number && (!valid_utf8(text) || text.find('\0') != text.npos)) {
      labels_.forget_last(out_.label.levels);
      throw cursor_.fault(p, "the label is " + in_quotes(text) + ", which is not valid UTF-8 text",
                          "iconv -f latin1 -t utf-8 makes it so");
    }
    if (is_short) known = {bytes, text.size(), out_.label.codes.back()};
  }
  return p + text.size();
}

void LibsvmParser::refuse_label(std::string_view text) const {
  if (text.find(':') != text.npos)
    throw cursor_.fault(text.data(), in_quotes(text) + " is where the label should be; the line starts without one",
                        "put a label in front, or 0 where none is known: 0 " + std::string(text));
  if (text.find(',') != text.npos)
    throw cursor_.fault(text.data(), "the label is " + in_quotes(text) + "; one label was expected, not several",
                        "train on one label at a time: keep one of them in each line");
  throw cursor_.fault(text.data(),
                      "the label is " + in_quotes(text) + ", which " + std::string(describe(parse_number(text).fault)),
                      "labels are all numbers, or words from the first lines on");
}

const char* LibsvmParser::query(const char* p) {
  const char* const start = past_blanks(p);
  if (end_ - start < 4 || std::string_view(start, 4) != "qid:") {
    if (form_.query)
      throw cursor_.fault(start, "qid: is missing here; the first line has one", "write qid:N after every label");
    return p;
  }
  const std::string_view text = token(start);
  const std::string_view digits = text.substr(4);
  std::uint64_t number = 0;
  if (!form_.query)
    throw cursor_.fault(start, in_quotes(text) + " is a qid:; the first line has none",
                        "write qid:N after every label, or nowhere");
  // Above 2^53 two queries could become one double.
  if (!parse_integer(digits, number) || number > std::uint64_t{1} << 53)
    throw cursor_.fault(start, in_quotes(text) + " was expected to be qid: and a whole number up to 9007199254740992",
                        "write qid:N, like qid:3");
  out_.query.push_back(static_cast<double>(number));
  return start + text.size();
}

// Entries of a few digits, a colon and a plain decimal, or just 1: to the first other entry, or to the end of the line.
// The ends of tokens are found first, so that an entry begins before the previous one is done: for short ones for a
// stretch of the text at once. A stretch contains few long ones, and their number is unpredictable.
template <bool just_ones>
[[gnu::noinline]] const char* LibsvmParser::plain_entries(const char* p) {
  if (p - begin_ < kDecimalRoom || end_ - p <= kStretch + kDecimalRoom) return p;
  const char* const last = end_ - kStretch - kDecimalRoom;
  const char* stretch = p;
  std::uint64_t ends = token_ends<kStretch>(stretch);
  std::size_t held = held_;
  std::uint64_t next_index = next_index_;
  bool ascending = ascending_;
  while (true) {
    if constexpr (just_ones) {
      while (ends == 0 && last - stretch > kStretch) ends = token_ends<kStretch>(stretch += kStretch);
    } else {
      stretch = p;
      ends = p < last ? token_ends<kStretch / 2>(p) : 0;
    }
    if (ends == 0) break;
    const char* stop = stretch + std::countr_zero(ends);
    ends &= ends - 1;
    std::uint64_t index;
    double value = 1;
    if constexpr (just_ones) {
      const ShortOne one(p, stop);
      if (!one.good()) break;
      index = one.index();
    } else {
      const DigitRun digits = leading_digits(p);
      const char* const value_at = p + digits.count + 1;
      if (digits.count - 1 >= 7 || value_at[-1] != ':') break;
      if (*value_at != '1' || value_at + 1 != stop) {
        if (!read_decimal_to(value_at, stop, value) && read_decimal(value_at, value) != stop) break;
        ones_ = false;
      }
      index = digits.value();
      // The start of the next entry must not depend on the end of this one.
      asm("" : "+r"(stop));
    }
    if (*stop != ' ' && *stop != '\n') break;
    if (held == kHeld) {
      held_ = held;
      flush();
      held = 0;
    }
    ascending &= next_index <= index;
    next_index = index + 1;
    held_index_[held] = static_cast<std::uint32_t>(index);
    held_value_[held++] = value;
    p = stop;
    if (*stop == '\n') break;
    ++p;
  }
  held_ = held;
  next_index_ = next_index;
  ascending_ = ascending;
  return p;
}

// To the end of the line, or to its comment.
const char* LibsvmParser::entries(const char* p) {
  while (true) {
    p = past_blanks(p);
    if (ones_) p = past_blanks(plain_entries<true>(p));
    if (cursor_.at_line_end(p) || *p == '#') return p;
    p = past_blanks(plain_entries<false>(p));
    if (cursor_.at_line_end(p) || *p == '#') return p;
    const std::string_view text = token(p);
    entry(text);
    p += text.size();
  }
}

void LibsvmParser::entry(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view name = text.substr(0, colon), value_text = text.substr(std::min(colon + 1, text.size()));
  const bool all_digits = !name.empty() && name.find_first_not_of("0123456789") == name.npos;
  if (colon == text.size())
    throw cursor_.fault(
        text.data(), in_quotes(text) + " has no colon; index:value was expected",
        all_digits ? "write " + std::string(text) + ":1 where the value is 1" : "a comment starts with #");
  if (!all_digits)
    throw cursor_.fault(text.data(), in_quotes(text) + " was expected to be index:value, the index a whole number",
                        "indices are like 1, 2, 3; names of features are for VW text");
  std::uint64_t index = 0;
  if (!parse_integer(name, index) || index > kLargestIndex)
    throw cursor_.fault(text.data(), "the index " + in_quotes(name) + " is too large; indices end at 4294967294",
                        "number the features 1, 2, 3, ...");
  const char* const value_at = text.data() + colon + 1;
  if (value_text.empty())
    throw cursor_.fault(value_at, "index " + std::string(name) + " has no value; index:value was expected",
                        "write " + std::string(name) + ":1 where the value is 1, with no blank after the colon");
  const ParsedNumber number = parse_number(value_text);
  if (number.fault != NumberFault::none)
    throw cursor_.fault(value_at,
                        "the value of index " + std::string(name) + " is " + in_quotes(value_text) + ", which " +
                            std::string(describe(number.fault)),
                        "correct the value, or leave the pair out where it is 0");
  add(static_cast<std::uint32_t>(index), number.value);
}

void LibsvmParser::sort_row(const char* start) {
  flush();
  Entries& entries = out_.entries;
  sorter_.sort(entries, entries.offsets.back());
  const auto begin = entries.index.begin() + entries.offsets.back();
  const auto twice = std::adjacent_find(begin, entries.index.end());
  if (twice != entries.index.end()) refuse_repeated(start, *twice);
  out_.mended.add({1, cursor_.line(), "indices that do not ascend were sorted"});
}

// The place is that of the second entry of this index; the row is known to be well formed.
void LibsvmParser::refuse_repeated(const char* p, std::uint32_t repeated) const {
  for (bool seen = false;; p += token(p).size()) {
    p = past_blanks(p);
    const std::string_view text = token(p);
    std::uint64_t index = 0;
    if (text.empty() || !parse_integer(text.substr(0, text.find(':')), index) || index != repeated) continue;
    if (seen)
      throw cursor_.fault(p, "index " + std::to_string(repeated) + " is in this row twice; once was expected",
                          "keep one of the two, or write their sum");
    seen = true;
  }
}

}  // namespace

LibsvmRows parse_libsvm(std::string_view text, const LibsvmForm& form) { return LibsvmParser(text, form).take(); }

LibsvmGuess guess_libsvm(std::string_view text) {
  LibsvmGuess guess;
  LineCursor cursor(text);
  bool first = true;
  for (const char* p = text.data(); p != cursor.end();) {
    const std::string_view line = cursor.rest(p);
    // Only the first words of a long line are examined.
    std::string_view row = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    if (row.starts_with('#')) row = {};
    const std::string_view label = row.substr(0, row.find_first_of(" \t"));
    if (!row.empty() && std::exchange(first, false))
      guess.form.query = trimmed(row.substr(label.size())).starts_with("qid:");
    // A label like 1,3 or 2:1 is a fault that the parser names.
    if (!row.empty() && guess.first_word.empty() && parse_number(label).fault == NumberFault::not_a_number &&
        label.find_first_of(",:") == label.npos) {
      guess.form.label = Kind::category;
      guess.first_word = label;
      guess.first_word_place = cursor.place(label.data());
    }
    p = cursor.next_line(p + line.size());
  }
  return guess;
}

bool recognises_libsvm(std::string_view start) {
  LineCursor cursor(start);
  for (const char* p = start.data(); p != cursor.end();) {
    const std::string_view line = cursor.rest(p);
    p = cursor.next_line(p + line.size());
    std::string_view text = without_comment(line);
    if (text.empty()) continue;
    const std::size_t blank = text.find_first_of(" \t");
    if (blank == text.npos || text.find_first_of(",|{\"") != text.npos) return false;
    text = trimmed(text.substr(blank));
    if (text.starts_with("qid:")) text = trimmed(text.substr(std::min(text.find_first_of(" \t"), text.size())));
    const std::string_view pair = text.substr(0, text.find_first_of(" \t"));
    const std::size_t colon = pair.find(':');
    std::uint64_t index = 0;
    return colon != pair.npos && colon > 0 && parse_integer(pair.substr(0, colon), index) &&
           parse_number(pair.substr(colon + 1)).fault == NumberFault::none;
  }
  return false;
}

}  // namespace plumb
