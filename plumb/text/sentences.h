// Running text in sentences, and the words in it that are confused with each other.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/text/words.h"

namespace plumb {

// Where the sentence that begins at `begin` ends: one past its last mark; at an empty line, and at the first blank
// after 4096 bytes, at the latest. A mark
// (.!?) ends a sentence if a blank follows it, and then no lowercase letter; a full stop behind a common abbreviation
// or a single letter (Mr. J. Smith) does not. Line ends inside a sentence are blanks.
std::size_t end_of_sentence(std::string_view text, std::size_t begin);

struct Occurrence {
  WordPlace place = {};      // in the text
  std::size_t word = 0;      // which of the words
  std::size_t sentence = 0;  // counted from 0
  // Its sentence, with ____ in place of the word. Runs of blanks are one blank, and so are underscores of its own.
  std::string gapped = {};
  std::string whole = {};  // the same with the word itself, for a reader
};

// Every occurrence of the words, which are as plain_word makes them, in the order of the text.
std::vector<Occurrence> occurrences_of(std::span<const std::string> words, std::string_view text);

}  // namespace plumb
