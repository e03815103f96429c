// Options for reading files, common to all commands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/option_types.h"
#include "plumb/data/encoding.h"
#include "plumb/data/number_style.h"

namespace plumb {

// Whether a double quote at the start of a field opens a quoted field. automatic: only in CSV with a header.
enum class Quotes { automatic, doubled, none };
template <>
struct EnumNames<Quotes> {
  static constexpr std::string_view names[] = {"auto", "double", "none"};
};

// What to do with a row that cannot be read.
enum class BadRows { error, skip };
template <>
struct EnumNames<BadRows> {
  static constexpr std::string_view names[] = {"error", "skip"};
};

// The character between two fields; 0 if it must be detected.
struct Delimiter {
  char sign = 0;
  bool operator==(const Delimiter&) const = default;
};
// "comma", "tab", or the character in quotes.
std::string delimiter_name(char sign);
template <>
struct OptionText<Delimiter> {
  static Delimiter read(std::string_view text);  // one character, or its name
  static std::string text(const Delimiter& value);
};

// What stands before the decimals of a number: a point or a comma; 0 where it is to be found out.
struct DecimalMark {
  char sign = 0;
  bool operator==(const DecimalMark&) const = default;
};
template <>
struct OptionText<DecimalMark> {
  static DecimalMark read(std::string_view text);
  static std::string text(const DecimalMark& value);
};

// What parts thousands: a point, a comma, a blank or an apostrophe; 0 where it is to be found out.
struct ThousandsMark {
  char sign = 0;
  bool operator==(const ThousandsMark&) const = default;
};
template <>
struct OptionText<ThousandsMark> {
  static ThousandsMark read(std::string_view text);
  static std::string text(const ThousandsMark& value);
};

struct ReadOptions {
  std::string format = {};
  Delimiter delimiter = {};
  bool header = true;
  std::vector<std::string> columns = {};
  Quotes quote = Quotes::automatic;
  std::vector<std::string> na = {};
  bool default_na = true;
  DecimalMark decimal = {};
  ThousandsMark thousands = {};
  std::vector<std::string> date_format = {};
  BadRows bad_rows = BadRows::error;
  Encoding encoding = Encoding::utf8;

  // How columns were read when a model was trained, which it keeps: no option. A plain style only says that the column
  // is not to be read in another way for lack of a better one.
  struct KnownColumn {
    std::string name;
    NumberStyle style = {};
    std::string date_format = {};
    bool operator==(const KnownColumn&) const = default;
  };
  std::vector<KnownColumn> known = {};
  // The target of the model that the data are for, where the options above are those of its training: they hold as far
  // as the data allow. Other names than --columns may then stand in a header line, and the target may not be there.
  std::optional<std::string> model_target = {};
  std::uint64_t most_window = 0;  // of a zstd frame, in bytes; 0 for the usual 128 MiB
  // No result depends on these.
  std::size_t read_size = std::size_t{1} << 20;   // bytes requested from the system at once
  std::size_t piece_size = std::size_t{1} << 20;  // bytes that one thread parses at a time

  static OptionTable table();
};

}  // namespace plumb
