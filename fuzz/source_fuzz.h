// Any bytes as a file of one format: read with tiny and with large reads they give the same tables or the same error,
// and no more than that.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "plumb/data/testing.h"

namespace plumb {

inline void read_in_every_way(std::string_view format, const std::uint8_t* data, std::size_t size) {
  static const std::string path = std::filesystem::temp_directory_path() / ("plumb_fuzz_" + std::to_string(getpid()));
  static Executor executor(1);
  const SourceEntry* entry = nullptr;
  for (const SourceEntry& each : source_list()) {
    if (each.name == format) entry = &each;
    if (each.recognises != nullptr) each.recognises({reinterpret_cast<const char*>(data), size});
  }
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const std::string whole = everything_in(*entry, path, 1 << 20, executor);
  for (const std::size_t read_size : {std::size_t{1}, std::size_t{7}})
    if (everything_in(*entry, path, read_size, executor) != whole) std::abort();
  std::filesystem::remove(path);
}

// Cut at any of its first line ends, the text gives the same rows and faults.
template <class Parse>
void parse_in_every_cut(const std::uint8_t* data, std::size_t size, const Parse& parse) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::size_t tried = 0;
  for (const std::size_t cut : cuts_of(text))
    if (++tried <= 8 && !same_if_cut(text, cut, parse)) std::abort();
}

}  // namespace plumb
