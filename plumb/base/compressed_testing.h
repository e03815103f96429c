// Writers of both formats, for the tests and the fuzz target of the reader.
#pragma once

#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace plumb {

// One member.
inline std::string gzip_of(const std::string& text, gz_header* header = nullptr) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  if (header != nullptr) deflateSetHeader(&stream, header);
  std::string in = text, out(deflateBound(&stream, in.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("deflate did not finish");
  return out;
}

// One frame with a checksum, as the zstd program writes it. With a window the frame does not record its size, as from a
// pipe.
inline std::string zstd_of(const std::string& text, int window_log = 0) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(text.size()) + 64, '\0');
  ZSTD_inBuffer from{text.data(), text.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  if (window_log != 0) {
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, window_log);
    ZSTD_compressStream2(context.get(), &to, &from, ZSTD_e_continue);
  }
  if (ZSTD_compressStream2(context.get(), &to, &from, ZSTD_e_end) != 0)
    throw std::runtime_error("ZSTD_compressStream2 did not finish");
  out.resize(to.pos);
  return out;
}

// A frame that readers skip; its number is below 16.
inline std::string skippable_frame(const std::string& content, char number = 0) {
  std::string frame{static_cast<char>(0x50 + number), '\x2a', '\x4d', '\x18'};
  for (int i = 0; i < 4; ++i) frame += static_cast<char>(content.size() >> (8 * i));
  return frame + content;
}

}  // namespace plumb
