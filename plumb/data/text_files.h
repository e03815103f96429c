// The text of one file after another: what is read and not yet parsed, the line it starts at, and the digest of it all.
// Formats made of lines read through this.
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

// What is wrong with a text, relative to the start of the part that was looked at.
struct TextFault {
  LinePlace place;
  std::string message;
  std::string hint;
  bool to_the_end = false;  // what follows cannot be told apart from it, so no row can be left out alone
};

class TextFiles {
 public:
  // At least one path; "-" is standard input. Throws Error(data) if one of the files is not there, Error(usage) if
  // standard input is given twice.
  TextFiles(std::vector<std::string> paths, std::size_t read_size, const ByteReaderOptions& bytes = {},
            Encoding encoding = Encoding::utf8);

  // Opens the next file; false if there is none. What was unread of the last one is dropped.
  bool next_file();

  std::string_view unread() const noexcept { return text_.view().substr(at_); }
  bool ended() const noexcept { return ended_ && ahead_.size() == 0; }  // nothing of this file is left but unread()
  // Reads on until so many bytes are unread, or the file ends. Views of unread() end here.
  void fill(std::size_t bytes);
  // Reads what the next fill() will want. The only call that may be made while another thread looks at unread(); what
  // goes wrong is thrown by that fill().
  void read_ahead(std::size_t bytes) noexcept;
  // Gives back the memory of the text, once all files are read and parsed.
  void release_text() noexcept;
  // Parsed: so many bytes, with so many line ends among them.
  void consume(std::size_t bytes, std::uint64_t lines) noexcept;

  // Throws Error(data) if the file begins as no text does: compressed, an archive, UTF-16. `expected` is what was.
  void refuse_other_formats(std::string_view expected) const;
  // Throws the fault as an Error(data) with its place in the file; `before` is the part of unread() in front of the
  // text it was found in.
  [[noreturn]] void fail(const TextFault& fault, std::string_view before = {}) const;
  Error error_of(const TextFault& fault, std::string_view before = {}) const;
  // What is wrong with a field that is no UTF-8 text or holds a NUL, at which of its bytes, and what mends it; none if
  // it is good.
  std::optional<TextFault> fault_of_text(std::string_view field, LinePlace place, const std::string& called) const;
  // How this input is read through a filter: "zcat < FILE | plumb ... -".
  std::string piped(std::string_view filter) const;

  const std::string& file() const noexcept { return file_->name(); }  // the one being read
  std::uint64_t lines() const noexcept { return lines_; }             // of this file, before unread()
  const std::string& name() const noexcept { return name_; }          // of the whole input
  const std::string& first_path() const noexcept { return paths_.front(); }
  // Of the files as they are, compressed or not.
  std::uint64_t bytes_read() const noexcept { return bytes_read_ + file_->compressed_bytes_read(); }
  std::uint64_t bytes_total() const noexcept { return bytes_total_; }  // 0 where it is not known
  std::string digest() const { return digest_.hex(); }

 private:
  // Bytes with room in front of them, so that what is left of the ones before can be put there.
  class Buffer {
   public:
    std::string_view view() const noexcept { return {bytes_.get() + begin_, size_}; }
    std::size_t size() const noexcept { return size_; }
    void clear(std::size_t room_in_front) noexcept;
    // Room for so many bytes behind those that are there; they count once they are `added`.
    std::span<char> room(std::size_t bytes);
    void added(std::size_t bytes) noexcept { size_ += bytes; }
    // False if there is no room.
    bool put_in_front(std::string_view text) noexcept;
    void remove_front(std::size_t bytes) noexcept;
    void move_to_start() noexcept;

   private:
    struct Free {
      void operator()(char* bytes) const noexcept { std::free(bytes); }
    };
    std::unique_ptr<char[], Free> bytes_;  // of malloc: large ones grow without being copied
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t size_ = 0;
  };

  void read_into(Buffer& buffer, std::size_t bytes);

  std::vector<std::string> paths_;
  std::size_t read_size_;
  ByteReaderOptions bytes_;
  Recoder recoder_;
  std::string raw_;  // room for bytes that are recoded
  std::string name_;
  std::size_t next_path_ = 0;
  std::optional<ByteReader> file_;
  bool ended_ = true;
  Buffer text_;
  std::size_t at_ = 0;  // what is before is parsed
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
