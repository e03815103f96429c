// Explains a text: the tokens of the document, each with its part of the score.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/model/explain.h"

namespace plumb {

struct MarkedToken {
  std::string token;
  double contribution = 0.0;  // 0 for a token that the model does not know
};

struct MarkedText {
  std::string column;
  std::vector<MarkedToken> tokens;  // in the order of the text
};

// The tokens of a document, for the term of texts at this position among the terms of the map. The contribution of a
// feature is divided evenly among its occurrences, and among the tokens of each, so the parts add up to the
// contributions of all features of the text. For terms of characters the tokens are the words, with a part for each
// character.
MarkedText mark_text(const LinearModel& model, const Explanation& explanation, std::size_t term,
                     std::string_view document);

}  // namespace plumb
