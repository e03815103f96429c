// A forger's tool: corrects the checksums of a changed tensor file, so that only the checks of structure apply. Written
// from docs/model_file.md alone, without the code that it tests.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/base/digest.h"

namespace plumb {

// The data offsets that a header claims, in its order, as far as they can be parsed.
inline std::vector<std::pair<std::uint64_t, std::uint64_t>> claimed_offsets(std::string_view header) {
  constexpr std::string_view mark = "\"data_offsets\":[";
  std::vector<std::pair<std::uint64_t, std::uint64_t>> offsets;
  for (std::size_t at = header.find(mark); at != header.npos; at = header.find(mark, at + 1)) {
    const char* const end = header.data() + header.size();
    std::pair<std::uint64_t, std::uint64_t> claim{0, 0};
    const char* rest = std::from_chars(header.data() + at + mark.size(), end, claim.first).ptr;
    if (rest != end) std::from_chars(rest + 1, end, claim.second);
    offsets.push_back(claim);
  }
  return offsets;
}

// Writes valid checksums. The length of the file and everything else stay the same.
inline std::string mended(std::string file) {
  constexpr std::size_t length_bytes = 8, digest_at = 35, digest_bytes = 16;
  if (file.size() < digest_at + digest_bytes) return file;
  std::uint64_t length;
  std::memcpy(&length, file.data(), length_bytes);
  const std::size_t header_bytes = std::min<std::uint64_t>(length, file.size() - length_bytes);
  const std::string header = file.substr(length_bytes, header_bytes);
  const std::string data = file.substr(length_bytes + header_bytes);

  std::string sums;
  for (const auto& [begin, end] : claimed_offsets(header)) {
    const bool inside = begin <= end && end <= data.size();
    const std::string_view bytes = inside ? std::string_view(data).substr(begin, end - begin) : std::string_view();
    sums += (sums.empty() ? "" : " ") + hex16(digest64(bytes));
  }
  constexpr std::string_view mark = "\"xxh3\":\"";
  if (const std::size_t at = header.find(mark); at != header.npos) {
    const std::size_t begin = at + mark.size();
    const std::size_t room = std::min(header.find('"', begin), header.size()) - begin;
    const std::size_t count = std::min(room, sums.size());
    file.replace(length_bytes + begin, count, sums, 0, count);
  }
  file.replace(digest_at, digest_bytes, digest_bytes, '0');
  file.replace(digest_at, digest_bytes, hex16(digest64(file)));
  return file;
}

// A file with this header (padded if requested), this data, and valid checksums.
inline std::string forged(std::string header, std::string_view data, bool padded = true) {
  while (padded && header.size() % 8 != 0) header += ' ';
  const std::uint64_t length = header.size();
  std::string file(reinterpret_cast<const char*>(&length), sizeof length);
  return mended(file + header + std::string(data));
}

}  // namespace plumb
