// What the library makes of the options of texts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plumb/feature/text_options.h"
#include "plumb/feature/text_term.h"

namespace plumb {

// All that shapes the terms of a text column; files are read by now.
struct TextRecipe {
  TokenRules rules = {};
  std::uint32_t positions = 0;  // 0: a bag of words
  TermWeighting weighting = {};
  DocumentLimit min_df = {};
  DocumentLimit max_df = {1.0, true};
  TermSelection selection = {};                             // but for limits of documents, which wait for their number
  std::optional<std::vector<std::string>> vocabulary = {};  // terms that are given
  std::uint32_t hash_bits = 0;                              // 0: none
  bool by_text = false;                                     // terms that are learnt: as Wishes::terms_by_text
  bool may_be_none = false;                                 // the same: as Wishes::terms_may_be_none
};

// Reads the files that are named. Throws Error(usage) for options that exclude each other or that no text can meet,
// Error(data) for a file that cannot be read.
TextRecipe text_recipe(const TextOptions& options);

}  // namespace plumb
