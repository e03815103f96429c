// The bytes of a file or of standard input, plain or compressed. gzip and zstd are recognised by their first bytes,
// whatever the file is called. The output has passed the checksums of the format, and unpacking takes bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "plumb/base/error.h"

namespace plumb {

struct ByteReaderOptions {
  std::uint64_t most_bytes = 0;                          // of output; 0: no limit
  std::uint64_t most_window = std::uint64_t{128} << 20;  // of a zstd frame; more than 2 GiB counts as 2 GiB
  std::size_t read_size = std::size_t{256} << 10;        // bytes read from a compressed file at a time
};

// FileReader for files that may be compressed.
// - A file is read to its end through all gzip members or zstd frames; zeros after the last gzip member are padding.
//   Damage, a cut, and anything else behind the data are Errors(code). After an Error every read throws it again.
// - More than most_bytes, or a frame that needs more than most_window, is an Error(resources).
// - Memory: nothing for a plain file; read_size and 64 KiB for gzip; read_size, 1 MiB and most_window for zstd,
//   whatever a file claims.
// - A byte may be returned before the checksum of its part is verified: only the end of the file proves it.
class ByteReader {
 public:
  // Reads the first four bytes; "-" is standard input.
  explicit ByteReader(const std::string& path, const ByteReaderOptions& options = {}, ErrorCode code = ErrorCode::data);
  ByteReader(ByteReader&&) noexcept;
  ByteReader& operator=(ByteReader&&) noexcept;
  ~ByteReader();

  // Fills the buffer; returns fewer bytes only at the end of the file, then 0.
  std::size_t read(std::span<char> buffer);

  std::string_view compression() const noexcept;         // "", "gzip" or "zstd"
  std::uint64_t compressed_bytes_read() const noexcept;  // in the file; at its end the file's size
  std::uint64_t size_hint() const noexcept;              // of the file as stored; 0 if not known (pipes)
  const std::string& name() const noexcept;              // the path, or "standard input"

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plumb
