// The text options, checked and with their files read.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plumb/feature/text_options.h"
#include "plumb/feature/text_term.h"

namespace plumb {

// Everything that shapes the terms of a text column; files have been read.
struct TextRecipe {
  TokenRules rules = {};
  std::uint32_t positions = 0;  // 0: a bag of words
  TermWeighting weighting = {};
  DocumentLimit min_df = {};
  DocumentLimit max_df = {1.0, true};
  TermSelection selection = {};                             // except limits of documents, which need their number
  std::optional<std::vector<std::string>> vocabulary = {};  // given terms
  std::uint32_t hash_bits = 0;                              // 0: none
  bool by_text = false;                                     // for learnt terms: as Wishes::terms_by_text
  bool may_be_none = false;                                 // likewise: as Wishes::terms_may_be_none
};

// Reads the named files. Throws Error(usage) for options that exclude each other or that no text can meet, Error(data)
// for a file that cannot be read.
TextRecipe text_recipe(const TextOptions& options);

}  // namespace plumb
