// What a user can say about how files are read, whatever the command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/option_types.h"
#include "plumb/data/encoding.h"

namespace plumb {

// Whether a double quote at the start of a field opens a quoted one. automatic: in CSV with a header, and nowhere else.
enum class Quotes { automatic, doubled, none };
template <>
struct EnumNames<Quotes> {
  static constexpr std::string_view names[] = {"auto", "double", "none"};
};

// What becomes of a row that cannot be read.
enum class BadRows { error, skip };
template <>
struct EnumNames<BadRows> {
  static constexpr std::string_view names[] = {"error", "skip"};
};

// The character between two fields; 0 where it is to be found out.
struct Delimiter {
  char sign = 0;
  bool operator==(const Delimiter&) const = default;
};
// "comma", "tab", or the sign in quotes.
std::string delimiter_name(char sign);
template <>
struct OptionText<Delimiter> {
  static Delimiter read(std::string_view text);  // one sign, or its name
  static std::string text(const Delimiter& value);
};

struct ReadOptions {
  std::string format = {};
  Delimiter delimiter = {};
  bool header = true;
  std::vector<std::string> columns = {};
  Quotes quote = Quotes::automatic;
  std::vector<std::string> na = {};
  BadRows bad_rows = BadRows::error;
  Encoding encoding = Encoding::utf8;

  std::uint64_t most_window = 0;  // of a zstd frame, in bytes; 0 for the usual 128 MiB
  // No result depends on these.
  std::size_t read_size = std::size_t{1} << 20;   // bytes asked of the system at once
  std::size_t piece_size = std::size_t{1} << 20;  // bytes that one thread parses at a time

  static OptionTable table();
};

}  // namespace plumb
