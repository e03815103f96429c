// Any bytes as a file of one format: read and cut into tiny and into large parts they give the same tables or the same
// error, and nothing else; also with bad rows left out. A compressed file may have two faults, in the text and in the
// compression: which is found first depends on how much is unpacked at once.
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

inline bool same_outcome(const std::string& a, const std::string& b, std::string_view bytes) {
  const bool packed = bytes.starts_with("\x1f\x8b") || bytes.starts_with("\x28\xb5\x2f\xfd");
  return a == b || (packed && a.starts_with("error: ") && b.starts_with("error: "));
}

inline void read_in_every_way(std::string_view format, const std::uint8_t* data, std::size_t size) {
  static const std::string path = std::filesystem::temp_directory_path() / ("plumb_fuzz_" + std::to_string(getpid()));
  static Executor executor(1);
  const SourceEntry* entry = nullptr;
  for (const SourceEntry& each : source_list()) {
    if (each.name == format) entry = &each;
    if (each.recognises != nullptr) each.recognises({reinterpret_cast<const char*>(data), size});
  }
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  for (const BadRows bad_rows : {BadRows::error, BadRows::skip}) {
    ReadOptions options{.na = {"NA", "-9"}, .bad_rows = bad_rows};
    const std::string whole = everything_in(*entry, path, 1 << 20, executor, options);
    for (const std::size_t size_of_part : {std::size_t{1}, std::size_t{7}}) {
      options.piece_size = size_of_part * 2 + 1;
      if (!same_outcome(everything_in(*entry, path, size_of_part, executor, options), whole,
                        {reinterpret_cast<const char*>(data), size}))
        std::abort();
    }
  }
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
