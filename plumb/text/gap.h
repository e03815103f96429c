// Texts with a gap: the place of one of several words that are confused with each other, written ____. Which word
// belongs there is told by the words around it and their places.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumb {

inline constexpr std::string_view kGap = "____";
inline constexpr std::uint32_t kMostGapPlaces = 100;

// The terms of a text around its first gap, with blanks between them. Each shows what it matches; X is any one word:
//   storm           a word at most five words from the gap
//   the____         a word beside the gap; in_X____ up to `places` words from it, on either side
//   in_the____      the two words before the gap; ____is_fine those after it; the____is one on either side
//   Xed____         the last two and three letters of the word before the gap; ____Xed of the word after it
// Words are in lowercase and keep their apostrophes. What is no word is in capitals: NUMBER, COMMA, STOP and other
// marks, and START and END of the text. Without a gap the whole text is before it.
std::string gap_terms(std::string_view text, std::uint32_t places);

}  // namespace plumb
