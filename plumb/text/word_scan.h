// Where the words of a document are: its bytes in lowercase, and a bit for each that says whether it is part of a word.
// The Unicode rules are needed only for bytes beyond ASCII; everything else is processed 16 bytes at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "plumb/math/kernels.h"
#include "plumb/text/token_rules.h"

namespace plumb {

class WordScan {
 public:
  // For Tokens::word and Tokens::ascii.
  explicit WordScan(const TokenRules& rules);
  // With one instruction set, which the machine must have: all give the same result.
  WordScan(const TokenRules& rules, math::Simd simd);

  // The document may be as large as memory allows; the result stays valid until the next call.
  void scan(std::string_view document);

  // At least 16 bytes can be read from any position up to size().
  const char* text() const noexcept { return text_.data(); }
  std::size_t size() const noexcept { return size_; }
  bool ascii() const noexcept { return ascii_; }  // a byte is a character
  // Bit i of the whole, counted from the lowest of the first, belongs to byte i of the text; bits past the end are 0.
  std::span<const std::uint64_t> words() const noexcept { return std::span(words_).first((size_ + 63) / 64); }

 private:
  void scan_unicode(std::string_view document, std::size_t from);

  bool unicode_;
  bool underscore_;
  bool lowercase_;
  // Whole words of 64 bytes, optionally only up to the first byte beyond ASCII.
  std::size_t (*scan_ascii_)(const char* from, std::size_t size, bool stop_beyond, char* to,
                             std::uint64_t* words) noexcept;
  bool ascii_ = true;
  std::vector<char> text_;
  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
};

}  // namespace plumb
