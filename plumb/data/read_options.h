// What a user can say about how files are read, whatever the command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "plumb/base/options.h"
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

  static constexpr auto table() {
    using O = ReadOptions;
    return std::tuple{
        option("format", &O::format,
               "of the files: csv, tsv, jsonl, libsvm or vw; text-dir: a folder per class, a file per text")
            .value("FORMAT")
            .otherwise("by the name of the first file, else by its first bytes"),
        option("delimiter", &O::delimiter, "what stands between two fields: one sign, or tab")
            .value("SIGN")
            .otherwise("found out: , ; tab or |"),
        option("no-header", &O::header, "the first line is a row; columns are called column1, column2, ...").off(),
        option("columns", &O::columns,
               "names of the columns of a file that has no header line; its fields are unquoted")
            .value("NAME,..."),
        option("quote", &O::quote, "whether fields may stand in double quotes; auto: in csv without --columns")
            .value("WHEN"),
        option("na", &O::na, "what stands for a missing value, beside the empty field").value("TEXT,..."),
        option("bad-rows", &O::bad_rows, "a row that cannot be read ends the run, or is left out and counted")
            .value("WHAT"),
        option("encoding", &O::encoding, "of the files; replace: UTF-8, and U+FFFD for what is none").value("CODE")};
  }
};

}  // namespace plumb
