// Any bytes as a compressed file: as they are, as deflate data in a gzip member with valid checks (so that the code
// behind the checksum is reached), and as a text to be compressed. Small and large buffers must give the same bytes or
// fail alike; compressed text must come back.
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "plumb/base/compressed.h"
#include "plumb/base/compressed_testing.h"

namespace {

using namespace plumb;

constexpr std::size_t kMostBytes = 1u << 16;

void require(bool holds) {
  if (!holds) std::abort();
}

// A file in memory: fast, and a crash leaves nothing behind.
class MemoryFile {
 public:
  MemoryFile() : handle_(memfd_create("plumb_compressed_fuzz", MFD_CLOEXEC)) { require(handle_ >= 0); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(handle_); }

  std::string holding(const std::string& bytes) const {
    require(ftruncate(handle_, 0) == 0);
    require(pwrite(handle_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    return "/proc/self/fd/" + std::to_string(handle_);
  }

 private:
  int handle_;
};

// The content, or empty if it is refused.
std::optional<std::string> content_of(const std::string& path, std::size_t file_size, std::size_t read_size,
                                      std::size_t buffer_size) {
  std::string content, buffer(buffer_size, '\0');
  ByteReader reader(path, {.most_bytes = kMostBytes, .most_window = 1u << 18, .read_size = read_size});
  try {
    std::size_t count = 0;
    do {
      count = reader.read(buffer);
      content.append(buffer, 0, count);
    } while (count == buffer_size);
    require(reader.read(buffer) == 0 && reader.compressed_bytes_read() == file_size);
    require(content.size() <= kMostBytes);
    return content;
  } catch (const Error& error) {
    require(error.code() == ErrorCode::data || error.code() == ErrorCode::resources);
    require(error.place().file == path && !error.message().empty());
    return std::nullopt;
  }
}

std::optional<std::string> content_of(const std::string& file) {
  static const MemoryFile memory;
  const std::string path = memory.holding(file);
  const std::optional<std::string> whole = content_of(path, file.size(), kMostBytes, 2 * kMostBytes);
  require(content_of(path, file.size(), 1, 999) == whole);
  require(content_of(path, file.size(), 1000, 777) == whole);
  // Byte by byte, if that is fast enough.
  if (whole && whole->size() < 4096) require(content_of(path, file.size(), 1, 1) == whole);
  return whole;
}

// The content of the bytes as deflate data without a header, and how many of them it takes; empty if they do not end
// properly.
struct Inflated {
  std::string text;
  std::size_t taken = 0;
};
std::optional<Inflated> inflated(std::string bytes) {
  z_stream stream{};
  require(inflateInit2(&stream, -15) == Z_OK);
  std::string text(kMostBytes / 2, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  const int status = inflate(&stream, Z_FINISH);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  if (status != Z_STREAM_END) return std::nullopt;
  return Inflated{text, stream.total_in};
}

std::string four_bytes(std::uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

void check_deflate(const std::string& bytes) {
  const std::optional<Inflated> expected = inflated(bytes);
  if (!expected) return;
  const std::string& text = expected->text;
  const auto crc = crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size()));
  const std::string start = std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10) + bytes.substr(0, expected->taken);
  const std::string member = start + four_bytes(crc) + four_bytes(text.size());
  require(content_of(member + member) == text + text);
  require(!content_of(member + start + four_bytes(crc ^ 1) + four_bytes(text.size())));
  require(!content_of(member + start + four_bytes(crc) + four_bytes(text.size() + 1)));
}

// The text in two parts; its first byte says where it is cut.
void check_packed(const std::string& text) {
  const std::size_t cut = text.empty() ? 0 : static_cast<unsigned char>(text[0]) % text.size();
  const std::string first = text.substr(0, cut), second = text.substr(cut);
  require(content_of(gzip_of(first) + gzip_of(second) + std::string(cut, '\0')) == text);
  require(content_of(skippable_frame(first) + zstd_of(first) + skippable_frame(second) + zstd_of(second, 17)) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  if (size > kMostBytes / 4) return 0;
  const bool plain = content_of(bytes) == bytes;
  check_deflate(bytes);
  if (plain) check_packed(bytes);  // slow, so it is limited
  return 0;
}
