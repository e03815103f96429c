#include "plumb/data/text_files.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/file.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"

namespace plumb {
namespace {

struct Magic {
  std::string_view bytes;
  std::string_view what;
  std::string_view filter;  // the command that makes it text; empty if there is no simple one
};
constexpr std::size_t kRoomInFront = std::size_t{2} << 20;  // for a piece and more
constexpr std::string_view kFromUtf16 = "iconv -f utf-16 -t utf-8";
constexpr Magic kNotText[] = {{"PK\x03\x04", "a zip archive", "funzip"},
                              {"PAR1", "a Parquet file", ""},
                              {"\xff\xfe", "UTF-16 text", kFromUtf16},
                              {"\xfe\xff", "UTF-16 text", kFromUtf16}};

}  // namespace

TextFiles::TextFiles(std::vector<std::string> paths, std::size_t read_size, const ByteReaderOptions& bytes,
                     Encoding encoding)
    : paths_(std::move(paths)), read_size_(std::max<std::size_t>(read_size, 1)), bytes_(bytes), recoder_(encoding) {
  name_ = paths_.front() == "-" ? "standard input" : paths_.front();
  if (paths_.size() > 1) name_ += " and " + std::to_string(paths_.size() - 1) + " more";
  if (std::count(paths_.begin(), paths_.end(), "-") > 1)
    throw Error(ErrorCode::usage, "standard input is given twice; it can be read only once");
  next_file();
  bytes_total_ = file_->size_hint();
  // A missing file is reported before any work is done.
  for (std::size_t i = 1; i < paths_.size(); ++i) bytes_total_ += expect_readable(paths_[i]);
}

bool TextFiles::next_file() {
  if (next_path_ == paths_.size()) return false;
  if (file_) bytes_read_ += file_->compressed_bytes_read();
  file_.emplace(paths_[next_path_++], bytes_);
  ended_ = false;
  text_.clear(0);
  ahead_.clear(0);
  at_ = 0;
  lines_ = 0;
  return true;
}

void TextFiles::Buffer::clear(std::size_t room_in_front) noexcept {
  begin_ = std::min(room_in_front, capacity_);
  size_ = 0;
}

std::span<char> TextFiles::Buffer::room(std::size_t bytes) {
  if (begin_ + size_ + bytes > capacity_) {
    const std::size_t larger = std::max(begin_ + size_ + bytes, size_ * 2 + begin_);
    char* const moved = static_cast<char*>(std::realloc(bytes_.get(), larger));
    if (moved == nullptr) throw std::bad_alloc();
    bytes_.release();
    bytes_.reset(moved);
    capacity_ = larger;
  }
  return {bytes_.get() + begin_ + size_, bytes};
}

bool TextFiles::Buffer::put_in_front(std::string_view text) noexcept {
  if (text.size() > begin_) return false;
  begin_ -= text.size();
  size_ += text.size();
  if (!text.empty()) std::memcpy(bytes_.get() + begin_, text.data(), text.size());
  return true;
}

void TextFiles::Buffer::remove_front(std::size_t bytes) noexcept {
  begin_ += bytes;
  size_ -= bytes;
}

void TextFiles::Buffer::move_to_start() noexcept {
  if (begin_ > 0 && size_ > 0) std::memmove(bytes_.get(), bytes_.get() + begin_, size_);
  begin_ = 0;
}

void TextFiles::read_into(Buffer& buffer, std::size_t bytes) {
  while (!ended_ && buffer.size() < bytes && recoder_.changes()) {
    raw_.resize(read_size_);
    const std::size_t got = file_->read(raw_);
    const std::string_view part = std::string_view(raw_).substr(0, got);
    digest_.add(part);
    ended_ = got < read_size_;
    const std::string text = recoder_.recode(part, ended_);
    std::copy(text.begin(), text.end(), buffer.room(text.size()).begin());
    buffer.added(text.size());
  }
  while (!ended_ && buffer.size() < bytes) {
    const std::span<char> room = buffer.room(read_size_);
    const std::size_t got = file_->read(room);
    digest_.add(std::string_view(room.data(), got));
    buffer.added(got);
    ended_ = got < read_size_;
  }
}

void TextFiles::read_ahead(std::size_t bytes) noexcept {
  try {
    ahead_.clear(0);
    ahead_.room(kRoomInFront + bytes + read_size_);
    ahead_.clear(kRoomInFront);
    read_into(ahead_, bytes);
  } catch (...) {
    ahead_fault_ = std::current_exception();
  }
}

void TextFiles::fill(std::size_t bytes) {
  text_.remove_front(at_);
  at_ = 0;
  if (ahead_.size() > 0) {
    if (ahead_.put_in_front(text_.view())) {
      std::swap(text_, ahead_);
    } else {
      const std::string_view more = ahead_.view();
      std::memcpy(text_.room(more.size()).data(), more.data(), more.size());
      text_.added(more.size());
    }
    ahead_.clear(0);
  }
  if (ahead_fault_) std::rethrow_exception(ahead_fault_);
  if (text_.size() < bytes && !ended_) {
    text_.move_to_start();
    read_into(text_, bytes);
  }
}

void TextFiles::release_text() noexcept {
  text_ = {};
  ahead_ = {};
  at_ = 0;
}

void TextFiles::consume(std::size_t bytes, std::uint64_t lines) noexcept {
  at_ += bytes;
  lines_ += lines;
}

void TextFiles::refuse_other_formats(std::string_view expected) const {
  const std::string_view start = unread().substr(0, 4);
  const auto refuse = [&](std::string_view what, std::string_view filter) {
    throw Error(ErrorCode::data, {file()}, "is " + std::string(what) + "; " + std::string(expected) + " was expected",
                filter.empty() ? "" : piped(filter));
  };
  for (const Magic& magic : kNotText)
    if (start.starts_with(magic.bytes)) refuse(magic.what, magic.filter);
  // Without a byte order mark, UTF-16 is recognised by the empty half of its first two characters.
  if (start.size() < 4 || (start[0] == '\0') == (start[1] == '\0')) return;
  const bool little = start[1] == '\0';
  if ((start[2] == '\0') == (start[0] == '\0') && (start[3] == '\0') == (start[1] == '\0'))
    refuse("UTF-16 text", little ? "iconv -f utf-16le -t utf-8" : "iconv -f utf-16be -t utf-8");
}

bool TextFiles::is_text(std::string_view field) noexcept {
  return field.find('\0') == std::string_view::npos && first_invalid_utf8(field) == std::string_view::npos;
}

std::optional<TextFault> TextFiles::fault_of_text(std::string_view field, LinePlace place,
                                                  const std::string& called) const {
  constexpr std::size_t kShownBefore = 30;
  // For a long field, the text around the byte.
  const auto around = [&](std::size_t at) {
    std::size_t begin = at > kShownBefore ? at - kShownBefore : 0;
    while (begin < at && (static_cast<unsigned char>(field[begin]) & 0xC0) == 0x80) ++begin;
    return (begin > 0 ? "..." : "") + in_quotes(field.substr(begin));
  };
  const auto which = [](std::size_t at) { return " (byte " + count_text(at + 1) + " of the field)"; };
  if (const std::size_t at = field.find('\0'); at != std::string_view::npos)
    return TextFault{place, called + " holds a NUL byte in " + around(at) + which(at) + "; text was expected",
                     piped("tr -d '\\0'")};
  if (const std::size_t at = first_invalid_utf8(field); at != std::string_view::npos)
    return TextFault{place, called + " holds " + around(at) + ", which is not valid UTF-8 text" + which(at),
                     "--encoding latin1 reads such files, --encoding replace puts U+FFFD for what cannot be read"};
  return std::nullopt;
}

Error TextFiles::error_of(const TextFault& fault, std::string_view before) const {
  const Place place{file(), lines_ + count_lines(before) + fault.place.line, fault.place.column};
  return Error(ErrorCode::data, place, fault.message, fault.hint);
}

void TextFiles::fail(const TextFault& fault, std::string_view before) const { throw error_of(fault, before); }

std::string TextFiles::piped(std::string_view filter) const {
  const bool from_pipe = paths_[next_path_ - 1] == "-";
  return (from_pipe ? "... | " + std::string(filter) : std::string(filter) + " < " + as_typed(file())) +
         " | plumb ... -";
}

std::uint64_t count_lines(std::string_view text) {
  auto lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  for (std::size_t i = text.find('\r'); i != std::string_view::npos; i = text.find('\r', i + 1))
    if (i + 1 == text.size() || text[i + 1] != '\n') ++lines;
  return lines;
}

}  // namespace plumb
