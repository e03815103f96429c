// Both formats are a sequence of independent parts: gzip calls them members (RFC 1952), zstd frames (RFC 8878). Decoder
// goes from part to part; its two children know where a part may begin and how to decode it. Messages name the byte at
// which a part starts and not the current position of decoding, since that depends on buffer sizes.
#include "plumb/base/compressed.h"

#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "plumb/base/file.h"

namespace plumb {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
constexpr std::string_view kSkippableMagic = "\x2a\x4d\x18";  // after a byte 0x50 ... 0x5f
constexpr std::size_t kLongestMagic = 4;
constexpr std::size_t kLongestFrameHeader = 18;

// Whether this is, as far as it goes, the magic number of a zstd frame with data or of a skippable one.
bool like_zstd_frame(std::string_view bytes) noexcept {
  const std::string_view magic = bytes.substr(0, kLongestMagic);
  if (magic.empty() || kZstdMagic.starts_with(magic)) return true;
  return (magic[0] & 0xf0) == 0x50 && kSkippableMagic.starts_with(magic.substr(1));
}

// The file as stored, with look-ahead.
class StoredBytes {
 public:
  StoredBytes(const std::string& path, ErrorCode code)
      : file_(path, code), code_(code), standard_input_(path == "-"), buffer_(kLongestMagic) {}

  const FileReader& file() const noexcept { return file_; }
  std::uint64_t offset() const noexcept { return offset_; }  // of the next byte

  // At least that many bytes, fewer only at the end of the file or of the buffer.
  std::string_view ahead(std::size_t least) {
    if (end_ - at_ < least) {
      std::memmove(buffer_.data(), buffer_.data() + at_, end_ - at_);
      end_ -= std::exchange(at_, 0);
      end_ += file_.read(std::span(buffer_).subspan(end_));
    }
    return {buffer_.data() + at_, end_ - at_};
  }

  void consume(std::size_t count) noexcept {
    at_ += count;
    offset_ += count;
  }

  // The next bytes as they are.
  std::size_t read(std::span<char> out) {
    std::size_t count = std::string_view(buffer_.data() + at_, end_ - at_).copy(out.data(), out.size());
    at_ += count;
    count += file_.read(out.subspan(count));
    offset_ += count;
    return count;
  }

  void enlarge_buffer(std::size_t bytes) { buffer_.resize(std::max(bytes, kLongestFrameHeader)); }

  // A shell command applied to the file: "gzip -t FILE".
  std::string applied(const std::string& command) const {
    return standard_input_ ? "... | " + command : command + " " + file_.name();
  }

  [[noreturn]] void fail(const std::string& message, std::string hint) const {
    throw Error(code_, Place{.file = file_.name()}, message, std::move(hint));
  }
  [[noreturn]] void refuse(const std::string& message, std::string hint = {}) const {
    throw Error(ErrorCode::resources, Place{.file = file_.name()}, message, std::move(hint));
  }

 private:
  FileReader file_;
  ErrorCode code_;
  bool standard_input_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, end_ = 0;  // bytes read but not consumed
  std::uint64_t offset_ = 0;
};

class Decoder {
 public:
  Decoder(StoredBytes& stored, std::string format, const std::string& part)
      : stored_(stored), format_(std::move(format)), part_(format_ + " " + part) {}
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  virtual ~Decoder() = default;

  std::string_view format() const noexcept { return format_; }

  std::size_t read(std::span<char> out) {
    std::size_t filled = 0;
    while (filled < out.size()) {
      if (!inside_) {
        part_start_ = stored_.offset();
        inside_ = begin_part();
        if (!inside_) break;
      }
      const Step step = decode(stored_.ahead(1), out.subspan(filled));
      stored_.consume(step.taken);
      filled += step.given;
      inside_ = !step.ended;
      if (inside_ && step.taken == 0 && step.given == 0) fail_cut();
    }
    return filled;
  }

 protected:
  struct Step {
    std::size_t taken = 0;  // bytes of input
    std::size_t given = 0;  // bytes of output
    bool ended = false;     // the part is complete, and its checks have passed
  };

  // Prepares for the part that starts here; false at the end of the file.
  virtual bool begin_part() = 0;
  virtual Step decode(std::string_view in, std::span<char> out) = 0;

  [[noreturn]] void fail_cut() const {
    stored_.fail("ends in the middle of the " + part_here() + ", expected all of it", tested());
  }
  [[noreturn]] void fail_damaged(const std::string& why) const {
    stored_.fail("the " + part_here() + " is damaged (" + why + "), expected one that passes its checks", tested());
  }
  [[noreturn]] void fail_garbage() const {
    const std::string at = std::to_string(stored_.offset());
    stored_.fail("holds something else at byte " + at + ", expected a " + part_ + " or the end of the file",
                 stored_.applied("head -c " + at) + " | plumb ... -");
  }
  [[noreturn]] void fail_memory() const { stored_.refuse("there is no memory to read the " + part_here()); }

  std::string part_here() const { return part_ + " that starts at byte " + std::to_string(part_start_); }

  StoredBytes& stored_;

 private:
  std::string tested() const { return stored_.applied(format_ + " -t"); }

  std::string format_;
  std::string part_;
  std::uint64_t part_start_ = 0;
  bool inside_ = false;
};

class GzipDecoder final : public Decoder {
 public:
  explicit GzipDecoder(StoredBytes& stored) : Decoder(stored, "gzip", "member") {
    constexpr int window_log = 15, expect_gzip = 16;
    if (inflateInit2(&stream_, window_log + expect_gzip) != Z_OK) fail_memory();
  }
  ~GzipDecoder() override { inflateEnd(&stream_); }

 private:
  bool begin_part() override {
    const std::string_view bytes = stored_.ahead(kGzipMagic.size());
    if (bytes.starts_with(kGzipMagic)) {
      inflateReset(&stream_);
      return true;
    }
    if (bytes == kGzipMagic.substr(0, 1)) fail_cut();
    skip_zeros();
    if (!stored_.ahead(1).empty()) fail_garbage();
    return false;
  }

  // Tapes and some archivers fill their last block with zeros; gzip accepts that too.
  void skip_zeros() {
    std::size_t zeros = 0;
    do {
      const std::string_view bytes = stored_.ahead(1);
      zeros = std::min(bytes.find_first_not_of('\0'), bytes.size());
      stored_.consume(zeros);
    } while (zeros > 0);
  }

  // zlib counts in 32 bits. It checks header, CRC and length of a member before it reports its end.
  Step decode(std::string_view in, std::span<char> out) override {
    constexpr std::size_t most = std::size_t{1} << 30;
    const auto in_size = static_cast<uInt>(std::min(in.size(), most));
    const auto out_size = static_cast<uInt>(std::min(out.size(), most));
    stream_.next_in = reinterpret_cast<const Bytef*>(in.data());
    stream_.avail_in = in_size;
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = out_size;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) fail_memory();
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      fail_damaged(stream_.msg != nullptr ? stream_.msg : zError(status));
    return {in_size - stream_.avail_in, out_size - stream_.avail_out, status == Z_STREAM_END};
  }

  z_stream stream_{};
};

// The header of a zstd frame (RFC 8878, 3.1.1.1), as far as it decides whether the frame is read.
struct FrameHeader {
  std::uint64_t window = 0;
  std::uint64_t dictionary = 0;
};

// Empty if the header is cut.
std::optional<FrameHeader> parse_frame_header(std::string_view bytes) {
  constexpr std::array<std::size_t, 4> dictionary_sizes = {0, 1, 2, 4}, content_sizes = {0, 2, 4, 8};
  std::size_t at = kZstdMagic.size();
  const auto next = [&](std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count && at + i < bytes.size(); ++i)
      value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    at += count;
    return value;
  };
  const std::uint64_t descriptor = next(1);
  const bool single_segment = (descriptor & 0x20) != 0;
  const std::uint64_t exponent_and_mantissa = single_segment ? 0 : next(1);
  const std::uint64_t dictionary = next(dictionary_sizes[descriptor & 3]);
  const std::size_t content_size = content_sizes[descriptor >> 6];
  const std::uint64_t content = next(content_size == 0 && single_segment ? 1 : content_size);
  if (at > bytes.size()) return std::nullopt;
  const std::uint64_t eighth = std::uint64_t{1} << (7 + (exponent_and_mantissa >> 3));
  const std::uint64_t window = eighth * (8 + (exponent_and_mantissa & 7));
  return FrameHeader{.window = single_segment ? content : window, .dictionary = dictionary};
}

class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder(StoredBytes& stored, std::uint64_t most_window)
      : Decoder(stored, "zstd", "frame"),
        most_window_(std::min(most_window, std::uint64_t{1} << kLargestWindowLog)),
        context_(ZSTD_createDCtx()) {
    if (context_ == nullptr) fail_memory();
    // begin_part has the exact bound; libzstd's own is a power of two and would be 128 MiB.
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kLargestWindowLog);
  }

 private:
  static constexpr int kLargestWindowLog = 31;  // libzstd reads no larger ones

  // Magic numbers are compared with ours instead of libzstd's: it would accept formats from before 2016 as well.
  bool begin_part() override {
    const std::string_view bytes = stored_.ahead(kLongestFrameHeader);
    if (bytes.empty()) return false;
    if (!like_zstd_frame(bytes)) fail_garbage();
    if (bytes.size() < kLongestMagic) fail_cut();
    if (bytes.starts_with(kZstdMagic)) check(parse_frame_header(bytes));
    return true;
  }

  // libzstd checks the window only if it cannot decode into the caller's buffer at once; this check does not depend on
  // buffers, and knows the number.
  void check(const std::optional<FrameHeader>& header) const {
    if (!header) fail_cut();
    if (header->window > most_window_)
      stored_.fail("the " + part_here() + " needs a window of " + std::to_string(header->window) +
                       " bytes, expected at most " + std::to_string(most_window_),
                   window_hint(header->window));
    if (header->dictionary != 0)
      stored_.fail("the " + part_here() + " needs dictionary " + std::to_string(header->dictionary) +
                       ", expected one that needs none",
                   stored_.applied("zstd -dc -D DICTIONARY") + " | plumb ... -");
  }

  std::string window_hint(std::uint64_t window) const {
    const int log = static_cast<int>(std::bit_width(window - 1));
    if (log > kLargestWindowLog) return "";
    return stored_.applied("zstd -dc --long=" + std::to_string(log)) + " | plumb ... -";
  }

  Step decode(std::string_view in, std::span<char> out) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t left = ZSTD_decompressStream(context_.get(), &to, &from);
    if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation) fail_memory();
    // libzstd's name for the fault depends on its buffer sizes; the kind of fault does not.
    if (ZSTD_isError(left) != 0)
      fail_damaged(ZSTD_getErrorCode(left) == ZSTD_error_checksum_wrong ? "its checksum is that of other data"
                                                                        : "it cannot be unpacked");
    return {from.pos, to.pos, left == 0};
  }

  struct Free {
    void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
  };

  std::uint64_t most_window_;
  std::unique_ptr<ZSTD_DCtx, Free> context_;
};

}  // namespace

struct ByteReader::State {
  State(const std::string& path, const ByteReaderOptions& options, ErrorCode code)
      : stored(path, code), most_bytes(options.most_bytes) {
    const std::string_view first = stored.ahead(kLongestMagic);
    if (first.starts_with(kGzipMagic)) decoder = std::make_unique<GzipDecoder>(stored);
    if (first.size() == kLongestMagic && like_zstd_frame(first))
      decoder = std::make_unique<ZstdDecoder>(stored, options.most_window);
    if (decoder) stored.enlarge_buffer(options.read_size);
  }

  std::size_t read(std::span<char> buffer) {
    // One byte more than allowed distinguishes a file that is too long from one that just fits.
    const bool bounded = most_bytes != 0 && most_bytes - bytes_given < buffer.size();
    if (bounded) buffer = buffer.first(static_cast<std::size_t>(most_bytes - bytes_given) + 1);
    const std::size_t count = decoder ? decoder->read(buffer) : stored.read(buffer);
    if (bounded && count == buffer.size())
      stored.refuse((decoder ? "unpacks to more than " : "holds more than ") + std::to_string(most_bytes) +
                        " bytes, expected at most that many",
                    "unpack it by hand and look at what is in it");
    bytes_given += count;
    return count;
  }

  StoredBytes stored;
  std::unique_ptr<Decoder> decoder;  // null: the file is plain
  std::uint64_t most_bytes;
  std::uint64_t bytes_given = 0;
  std::exception_ptr failure;
};

ByteReader::ByteReader(const std::string& path, const ByteReaderOptions& options, ErrorCode code)
    : state_(std::make_unique<State>(path, options, code)) {}
ByteReader::ByteReader(ByteReader&&) noexcept = default;
ByteReader& ByteReader::operator=(ByteReader&&) noexcept = default;
ByteReader::~ByteReader() = default;

std::size_t ByteReader::read(std::span<char> buffer) {
  // Data after a failure would follow a gap.
  if (state_->failure) std::rethrow_exception(state_->failure);
  try {
    return state_->read(buffer);
  } catch (...) {
    state_->failure = std::current_exception();
    throw;
  }
}

std::string_view ByteReader::compression() const noexcept {
  return state_->decoder ? state_->decoder->format() : std::string_view();
}

std::uint64_t ByteReader::compressed_bytes_read() const noexcept { return state_->stored.offset(); }
std::uint64_t ByteReader::size_hint() const noexcept { return state_->stored.file().size_hint(); }
const std::string& ByteReader::name() const noexcept { return state_->stored.file().name(); }

}  // namespace plumb
