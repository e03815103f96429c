// Any bytes as a block cache: an accepted piece keeps every promise of a Table, and is written and read back the same.
//   input = a byte for the columns selected, then the bytes of a piece or of a file. These are tried as a piece, as a
//   file, and as a file whose index has a valid checksum, so that only the checks of its content apply.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "plumb/base/digest.h"
#include "plumb/data/block_file.h"
#include "plumb/data/block_testing.h"

namespace {

using namespace plumb;

const std::vector<std::string> kFiles = {"a.csv", "b.csv"};

void require(bool holds) {
  if (!holds) std::abort();
}

// Up to three columns of any kinds: a digit of base 5 each, 0 for no column.
std::vector<Selected> selection(std::uint8_t code) {
  std::vector<Selected> wanted;
  for (; code != 0; code = static_cast<std::uint8_t>(code / 5))
    if (code % 5 != 0) wanted.push_back({wanted.size(), static_cast<Kind>(code % 5 - 1)});
  return wanted;
}

template <class Read>
void try_to_read(const std::vector<Selected>& wanted, const Read& read) {
  try {
    const Table piece = read();
    require(keeps_promises(piece, wanted));
    const std::uint64_t file = piece.file.empty() ? 0 : piece.file == kFiles[0] ? 1 : 2;
    const std::string bytes = block_bytes(piece, file);
    require(same_piece(parse_block(std::as_bytes(std::span(bytes)), kFiles, wanted), piece));
  } catch (const BlockFault& fault) {
    require(!fault.what.empty());
  }
}

void read_file(const std::string& content, const std::vector<Selected>& wanted) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(content));
  try {
    BlockFile::recognises(bytes);
    BlockFile::of_this_version(bytes);
    const BlockFile file(bytes);
    require(file.summary().digest.size() == 32);
    for (std::size_t i = 0; i < file.pieces(); ++i) try_to_read(wanted, [&] { return file.piece(i, kFiles, wanted); });
  } catch (const BlockFault& fault) {
    require(!fault.what.empty());
  }
}

// Writes a valid checksum of the index at its place, as docs/cache.md says: over the index and its size.
std::string mended(std::string file) {
  constexpr std::size_t number = 8;
  if (file.size() < 2 * number) return file;
  std::uint64_t index_bytes = 0;
  std::memcpy(&index_bytes, file.data() + file.size() - 2 * number, number);
  if (index_bytes > file.size() - 2 * number) return file;
  const std::size_t begin = file.size() - 2 * number - index_bytes;
  const std::uint64_t checksum = digest64(std::string_view(file).substr(begin, index_bytes + number));
  std::memcpy(file.data() + file.size() - number, &checksum, number);
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::vector<Selected> wanted = selection(data[0] % 125);
  std::string content(data + 1, data + size);
  content.reserve(64);  // on the heap, which is aligned like a mapped file
  try_to_read(wanted, [&] { return parse_block(std::as_bytes(std::span(content)), kFiles, wanted); });
  read_file(content, wanted);
  read_file(mended(content), wanted);
  return 0;
}
