// The format of a block cache: the pieces of a source as they are in memory, each with a checksum, and an index behind
// them. docs/cache.md has every byte. Input is untrusted: sizes are checked against the bytes available before memory
// is allocated, and every value against what a Table promises.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/base/file.h"
#include "plumb/data/table.h"

namespace plumb {

// Must be raised when the format changes, or when a reader makes different tables from the same bytes.
inline constexpr std::uint64_t kBlockFileVersion = 2;

inline constexpr std::size_t kBlockHeader = 64;  // bytes before the pieces; these are aligned to a multiple of it

using BlockKey = std::array<std::uint64_t, 2>;  // XXH3-128: high half, low half

// What is stored beside the pieces.
struct BlockSummary {
  BlockKey key = {};
  std::string digest = {};              // of the text that was parsed: Source::digest()
  std::vector<std::string> files = {};  // their names when it was written; a piece refers to one by its position
  std::vector<std::string> notes = {};  // those that the source made while the rows were read
  Skipped skipped = {};
};

// A fault of a block file, as in "is damaged: FAULT". Never leaves the library.
struct BlockFault {
  std::string what;
};

// A piece as bytes, a multiple of 64; `file` is its position among the files from 1, 0 for none.
std::string block_bytes(const Table& piece, std::uint64_t file);
// The piece again, except for its first_row. Throws BlockFault unless it has columns of the selected kinds.
Table parse_block(std::span<const std::byte> bytes, std::span<const std::string> files,
                  std::span<const Selected> wanted);

// Streams pieces into a file that appears, or replaces the old one, in commit(). Throws what OutputFile throws.
class BlockWriter {
 public:
  BlockWriter(const std::string& path, std::vector<std::string> files);

  void add(const Table& piece);
  // The files of the summary are those given before. Returns the size of the file.
  std::uint64_t commit(const BlockSummary& summary);

  const std::string& temporary() const noexcept { return output_.temporary(); }

 private:
  void write(const std::string& bytes);

  OutputFile output_;
  std::vector<std::string> files_;
  std::size_t file_ = 0;  // the file of the last piece
  std::uint64_t written_ = 0;
  std::vector<std::uint64_t> index_;  // of each piece: bytes, rows, bytes in memory, checksum
};

class BlockFile {
 public:
  // Whether the bytes begin like a block file, as far as they go: others are a user's.
  static bool recognises(std::span<const std::byte> bytes) noexcept;
  // Whether the rest of the header matches kBlockFileVersion too.
  static bool of_this_version(std::span<const std::byte> bytes);

  // Bytes of this version, aligned to 8, which must outlive this. Reads the index; throws BlockFault.
  explicit BlockFile(std::span<const std::byte> bytes);

  const BlockSummary& summary() const noexcept { return summary_; }
  std::size_t pieces() const noexcept { return pieces_.size(); }
  std::uint64_t memory() const noexcept { return memory_; }  // memory for all of them: Table::bytes()
  // A piece, after verifying its checksum; files have the given names. For any thread. Throws BlockFault.
  Table piece(std::size_t i, std::span<const std::string> files, std::span<const Selected> wanted) const;

 private:
  struct Extent {
    std::span<const std::byte> bytes;
    std::uint64_t rows = 0;
    std::uint64_t memory = 0;
    std::uint64_t checksum = 0;
  };

  BlockSummary summary_;
  std::vector<Extent> pieces_;
  std::uint64_t memory_ = 0;
};

}  // namespace plumb
