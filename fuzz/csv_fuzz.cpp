// Any bytes as a CSV file: read with tiny and with large reads they give the same table or the same error, and no more
// than that.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "plumb/base/error.h"
#include "plumb/data/csv.h"

namespace {

using namespace plumb;

// Everything a reader of the file can see, as one text.
std::string seen(const std::string& path, std::size_t read_size, Executor& executor) {
  std::string text;
  try {
    const auto source = open_csv(TextFiles({path}, read_size));
    for (const ColumnInfo& column : source->columns())
      text += column.name + kind_name(column.kind) + column.first_text + column.first_text_place.text() + "\n";
    for (const std::string& note : source->notes()) text += note;
    const Tables tables = read_all(*source, Run{executor});
    text += std::to_string(tables.rows) + source->digest();
    for (const Table& table : tables.pieces)
      for (std::uint64_t row = 0; row < table.rows; ++row) text += table.place(row).text() + "\n";
    for (std::size_t c = 0; c < source->columns().size(); ++c)
      for (const Table& table : tables.pieces) {
        for (const double number : table.columns[c].numbers) text += std::to_string(number) + ",";
        for (const std::uint32_t code : table.columns[c].codes) text += table.columns[c].levels[code] + ",";
      }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::data || error.message().empty()) std::abort();
    return "error: " + std::string(error.what()) + error.hint();
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path =
      std::filesystem::temp_directory_path() / ("plumb_csv_fuzz_" + std::to_string(getpid()));
  static Executor executor(1);
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const std::string whole = seen(path, 1 << 20, executor);
  for (const std::size_t read_size : {std::size_t{1}, std::size_t{7}})
    if (seen(path, read_size, executor) != whole) std::abort();
  std::filesystem::remove(path);
  return 0;
}
