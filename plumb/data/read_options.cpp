#include "plumb/data/read_options.h"

#include <utility>

#include "plumb/base/options.h"
#include "plumb/base/text.h"

namespace plumb {
namespace {

constexpr std::pair<char, std::string_view> kNames[] = {
    {',', "comma"}, {';', "semicolon"}, {'\t', "tab"}, {'|', "bar"}, {' ', "blank"}};

// A character that a number or a quoted field may contain, or that ends a line, cannot also end a field.
bool can_delimit(char sign) noexcept {
  const auto byte = static_cast<unsigned char>(sign);
  const bool letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z', digit = byte >= '0' && byte <= '9';
  return (byte >= 0x20 || sign == '\t') && byte < 0x7F && !letter && !digit &&
         std::string_view("\"+-.").find(sign) == std::string_view::npos;
}

}  // namespace

OptionTable ReadOptions::table() {
  using O = ReadOptions;
  return {
      option("format", &O::format,
             "input format: csv, tsv, jsonl, libsvm, vw, or text-dir (a folder per class, a file per text)")
          .value("FORMAT")
          .otherwise("from the file name or the first bytes"),
      option("delimiter", &O::delimiter, "field delimiter: one character, or tab")
          .value("SIGN")
          .otherwise("detected: , ; tab or |"),
      option("no-header", &O::header, "the first line is data; columns are named column1, column2, ...").off(),
      option("columns", &O::columns, "column names of a file without a header line; its fields are not quoted")
          .value("NAME,..."),
      option("quote", &O::quote, "whether fields may be in double quotes; auto: yes for csv without --columns")
          .value("WHEN"),
      option("na", &O::na, "text that marks a missing value, besides the empty field, NA, NaN, null and the like")
          .value("TEXT,..."),
      option("no-default-na", &O::default_na, "only the empty field and --na mark missing values").off(),
      option("decimal", &O::decimal, "decimal mark: . or ,").value("CHAR").otherwise("detected"),
      option("thousands", &O::thousands, "thousands separator: . , ' or blank").value("CHAR").otherwise("detected"),
      option("date-format", &O::date_format, "format of the dates of a column, such as day=%m/%d/%Y")
          .value("COL=FORMAT,..."),
      option("bad-rows", &O::bad_rows, "rows that cannot be read: error stops, skip leaves them out and counts them")
          .value("WHAT"),
      option("encoding", &O::encoding, "encoding of the files; replace: UTF-8 with U+FFFD for invalid bytes")
          .value("CODE")};
}

std::string delimiter_name(char sign) {
  for (const auto& [each, name] : kNames)
    if (each == sign) return std::string(name);
  return in_quotes({&sign, 1});
}

DecimalMark OptionText<DecimalMark>::read(std::string_view text) {
  if (text == "." || text == ",") return {text.front()};
  throw OptionFault{". or ,"};
}
std::string OptionText<DecimalMark>::text(const DecimalMark& value) {
  return value.sign == 0 ? "" : std::string(1, value.sign);
}

ThousandsMark OptionText<ThousandsMark>::read(std::string_view text) {
  if (text == "." || text == "," || text == "'" || text == " ") return {text.front()};
  if (text == "blank") return {' '};
  throw OptionFault{". or , or ' or blank"};
}
std::string OptionText<ThousandsMark>::text(const ThousandsMark& value) {
  if (value.sign == 0) return "";
  return value.sign == ' ' ? "blank" : std::string(1, value.sign);
}

Delimiter OptionText<Delimiter>::read(std::string_view text) {
  for (const auto& [sign, name] : kNames)
    if (text == name) return {sign};
  if (text == "\\t") return {'\t'};
  if (text.size() == 1 && can_delimit(text.front())) return {text.front()};
  throw OptionFault{"one sign such as , ; or |, or the word tab,"};
}

std::string OptionText<Delimiter>::text(const Delimiter& value) {
  if (value.sign == 0) return "";
  return value.sign == '\t' ? "tab" : std::string(1, value.sign);
}

}  // namespace plumb
