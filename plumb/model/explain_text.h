// Why a text counts as it does: the tokens of the document, each with its part of the score.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/model/explain.h"

namespace plumb {

struct MarkedToken {
  std::string token;
  double contribution = 0.0;  // 0 for one that the model does not know
};

struct MarkedText {
  std::string column;
  std::vector<MarkedToken> tokens;  // in the order of the text
};

// The tokens of a document, of the term of texts that stands at this place among the terms of the map. What a feature
// contributes is shared evenly by its occurrences, and by the tokens of each, so the parts add up to what all features
// of the text contribute. Of terms that are characters the tokens are the words, and a part of one for each character.
MarkedText mark_text(const LinearModel& model, const Explanation& explanation, std::size_t term,
                     std::string_view document);

}  // namespace plumb
