// One reading of one file, as one line of JSON: its times, bytes and rows. The file should be in the page cache.
//   read_speed read THREADS FILE     by plumb: opened, and every piece kept
//   read_speed memory THREADS FILE   the same, and its memory
//   read_speed lines FILE            read and searched for line ends: the limit of any reader of text
//   read_speed unpack FILE           zlib or libzstd alone: the limit of any reader of a compressed file
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/library.h"
#include "bench/measure.h"

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 20;

class File {
 public:
  explicit File(const char* path) : descriptor_(::open(path, O_RDONLY)) {
    if (descriptor_ < 0) throw std::runtime_error("cannot read " + std::string(path));
  }
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::string_view next() {
    const ssize_t got = ::read(descriptor_, buffer_.data(), buffer_.size());
    if (got < 0) throw std::runtime_error("a read failed");
    return {buffer_.data(), static_cast<std::size_t>(got)};
  }

 private:
  int descriptor_;
  std::vector<char> buffer_ = std::vector<char>(buffer_size);
};

std::uint64_t newlines(std::string_view text) {
  std::uint64_t lines = 0;
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p != end; ++p, ++lines) {
    p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
    if (p == nullptr) break;
  }
  return lines;
}

// Bytes of output.
std::uint64_t gunzip(File& file) {
  std::vector<Bytef> out(buffer_size);
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::runtime_error("zlib");
  int status = Z_OK;
  for (std::string_view in = file.next(); !in.empty() && status == Z_OK; in = file.next()) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream.avail_in = static_cast<uInt>(in.size());
    do {
      stream.next_out = out.data();
      stream.avail_out = static_cast<uInt>(out.size());
      status = inflate(&stream, Z_NO_FLUSH);
    } while (status == Z_OK && stream.avail_out == 0);
  }
  const std::uint64_t bytes = stream.total_out;
  inflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("not one whole gzip member");
  return bytes;
}

std::uint64_t unzstd(File& file) {
  std::vector<char> out(buffer_size);
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  std::uint64_t bytes = 0;
  for (std::string_view text = file.next(); !text.empty(); text = file.next()) {
    ZSTD_inBuffer from{text.data(), text.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    do {
      to.pos = 0;
      const std::size_t status = ZSTD_decompressStream(context.get(), &to, &from);
      if (ZSTD_isError(status)) throw std::runtime_error(ZSTD_getErrorName(status));
      bytes += to.pos;
    } while (from.pos < from.size || to.pos == to.size);
  }
  return bytes;
}

// A line of /proc/self/status, in bytes.
std::uint64_t status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == name + ":" && status >> kilobytes) return kilobytes * 1024;
  }
  throw std::runtime_error("/proc/self/status has no " + name);
}

std::uint64_t allocated_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// A copy has no spare memory, so its size is what the pieces need, whatever their form.
std::uint64_t bytes_of(const plumb::Tables& tables) {
  const std::uint64_t before = allocated_bytes();
  const plumb::Tables copy = tables;
  return allocated_bytes() - before;
}

void read_by_plumb(plumb::JsonWriter& json, unsigned threads, const char* path, bool with_memory) {
  // The kernel keeps the peak of all resident memory. Pages of files (the program itself: none of the data is mapped)
  // only grow in number, so the peak without those of the start is the peak of anonymous memory, or a little more.
  const std::uint64_t program_pages = status_bytes("RssFile");
  const bench::Stopwatch watch;
  plumb::Executor executor(threads);
  const plumb::Run run{executor};
  plumb::Tables tables;
  {
    const std::unique_ptr<plumb::Source> source = plumb::open_source({path});
    tables = plumb::read_all(*source, run);
  }
  json.member("seconds", watch.wall()).member("cpu", watch.cpu()).member("rows", tables.rows);
  if (!with_memory) return;
  const std::uint64_t peak = status_bytes("VmHWM") - program_pages;
  json.member("peak", peak).member("blocks", bytes_of(tables));
}

void find_line_ends(plumb::JsonWriter& json, const char* path) {
  const bench::Stopwatch watch;
  File file(path);
  std::uint64_t lines = 0;
  for (std::string_view text = file.next(); !text.empty(); text = file.next()) lines += newlines(text);
  json.member("seconds", watch.wall()).member("cpu", watch.cpu()).member("lines", lines);
}

void unpack(plumb::JsonWriter& json, const char* path) {
  const bench::Stopwatch watch;
  File file(path);
  const bool zstd = std::string_view(path).ends_with(".zst");
  const std::uint64_t bytes = zstd ? unzstd(file) : gunzip(file);
  json.member("seconds", watch.wall()).member("cpu", watch.cpu()).member("bytes", bytes);
}

int measure(int count, char** argument) {
  const std::string_view mode = count > 1 ? argument[1] : "";
  plumb::JsonWriter json;
  json.begin_object();
  if ((mode == "read" || mode == "memory") && count == 4) {
    unsigned threads = 1;
    std::from_chars(argument[2], argument[2] + std::strlen(argument[2]), threads);
    read_by_plumb(json, threads, argument[3], mode == "memory");
  } else if (mode == "lines" && count == 3) {
    find_line_ends(json, argument[2]);
  } else if (mode == "unpack" && count == 3) {
    unpack(json, argument[2]);
  } else {
    throw std::runtime_error("read_speed read|memory THREADS FILE, or read_speed lines|unpack FILE");
  }
  json.end_object();
  std::puts(json.take().c_str());
  return 0;
}

}  // namespace

int main(int count, char** argument) {
  return bench::guarded("read_speed", [&] { return measure(count, argument); });
}
