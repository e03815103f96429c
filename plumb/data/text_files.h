// The text of one file after another: the part that is read but not yet parsed, the line it starts at, and the digest
// of everything. Line-based formats read through this.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/compressed.h"
#include "plumb/base/digest.h"
#include "plumb/base/error.h"
#include "plumb/data/encoding.h"

namespace plumb {

// A position in a text counted in lines and bytes, both from 1.
struct LinePlace {
  std::uint64_t line = 1;
  std::uint64_t column = 1;
};

// A fault of a text, relative to the start of the part that was parsed.
struct TextFault {
  LinePlace place;
  std::string message;
  std::string hint;
  bool to_the_end = false;  // the text after it cannot be separated from it, so no row can be left out alone
};

class TextFiles {
 public:
  // At least one path; "-" is standard input. Throws Error(data) if one of the files does not exist, Error(usage) if
  // standard input is given twice.
  TextFiles(std::vector<std::string> paths, std::size_t read_size, const ByteReaderOptions& bytes = {},
            Encoding encoding = Encoding::utf8);

  // Opens the next file; false if there is none. The unread part of the last one is dropped.
  bool next_file();

  std::string_view unread() const noexcept { return text_.view().substr(at_); }
  bool ended() const noexcept { return ended_ && ahead_.size() == 0; }  // only unread() is left of this file
  // Reads on until that many bytes are unread, or the file ends. Invalidates views of unread().
  void fill(std::size_t bytes);
  // Reads what the next fill() will need. The only call that is allowed while another thread uses unread(); that fill()
  // throws its errors.
  void read_ahead(std::size_t bytes) noexcept;
  // Releases the memory of the text, once all files are read and parsed.
  void release_text() noexcept;
  // Marks that many bytes as parsed, with that many line ends among them.
  void consume(std::size_t bytes, std::uint64_t lines) noexcept;

  // Throws Error(data) if the file does not begin like text: compressed, an archive, UTF-16. `expected` says what was
  // expected.
  void refuse_other_formats(std::string_view expected) const;
  // Throws the fault as an Error(data) with its place in the file; `before` is the part of unread() before the text
  // with the fault.
  [[noreturn]] void fail(const TextFault& fault, std::string_view before = {}) const;
  Error error_of(const TextFault& fault, std::string_view before = {}) const;
  // The fault of a field that is not UTF-8 text or contains a NUL, its byte, and how to correct it; empty if it is
  // valid.
  std::optional<TextFault> fault_of_text(std::string_view field, LinePlace place, const std::string& called) const;
  static bool is_text(std::string_view field) noexcept;
  // How to read this input through a filter: "zcat < FILE | plumb ... -".
  std::string piped(std::string_view filter) const;

  const std::string& file() const noexcept { return file_->name(); }  // the current one
  std::uint64_t lines() const noexcept { return lines_; }             // of this file, before unread()
  const std::string& name() const noexcept { return name_; }          // of the whole input
  const std::string& first_path() const noexcept { return paths_.front(); }
  // Of the files as stored, compressed or not.
  std::uint64_t bytes_read() const noexcept { return bytes_read_ + file_->compressed_bytes_read(); }
  std::uint64_t bytes_total() const noexcept { return bytes_total_; }  // 0 if not known
  std::string digest() const { return digest_.hex(); }

 private:
  // A buffer with space before the bytes, so that the rest of the previous ones can be put there.
  class Buffer {
   public:
    std::string_view view() const noexcept { return {bytes_.get() + begin_, size_}; }
    std::size_t size() const noexcept { return size_; }
    void clear(std::size_t room_in_front) noexcept;
    // Makes space for that many bytes after the existing ones; they count once they are `added`.
    std::span<char> room(std::size_t bytes);
    void added(std::size_t bytes) noexcept { size_ += bytes; }
    // False if there is no space.
    bool put_in_front(std::string_view text) noexcept;
    void remove_front(std::size_t bytes) noexcept;
    void move_to_start() noexcept;

   private:
    struct Free {
      void operator()(char* bytes) const noexcept { std::free(bytes); }
    };
    std::unique_ptr<char[], Free> bytes_;  // from malloc: large blocks grow without being copied
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t size_ = 0;
  };

  void read_into(Buffer& buffer, std::size_t bytes);

  std::vector<std::string> paths_;
  std::size_t read_size_;
  ByteReaderOptions bytes_;
  Recoder recoder_;
  std::string raw_;  // space for bytes that are recoded
  std::string name_;
  std::size_t next_path_ = 0;
  std::optional<ByteReader> file_;
  bool ended_ = true;
  Buffer text_;
  std::size_t at_ = 0;  // everything before it is parsed
  Buffer ahead_;
  std::exception_ptr ahead_fault_;
  std::uint64_t lines_ = 0;       // line ends before at_
  std::uint64_t bytes_read_ = 0;  // of the files before this one
  std::uint64_t bytes_total_ = 0;
  Digest128 digest_;
};

// Line ends in a text: LF, CRLF and lone CR count one each.
std::uint64_t count_lines(std::string_view text);

}  // namespace plumb
