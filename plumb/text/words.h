// The words of running text with their places: runs of letters and digits, with apostrophes inside.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumb {

struct WordPlace {
  std::size_t begin = 0;
  std::size_t length = 0;
  std::size_t end() const noexcept { return begin + length; }
};

// The first word at or after `at`; of length 0, at the end of the text, if there is none. it's, O'Neil and don\u2019t
// are one word each, well-known is two. An underscore is part of no word.
WordPlace next_word(std::string_view text, std::size_t at) noexcept;

// In lowercase, with ' for every apostrophe: the form in which words are compared.
std::string plain_word(std::string_view word);

}  // namespace plumb
