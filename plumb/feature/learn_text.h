// Learns the features of a column of texts: a vocabulary of the training rows, with the document frequencies that
// weights need.
#pragma once

#include <string>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/row_set.h"
#include "plumb/data/table.h"
#include "plumb/feature/text_recipe.h"
#include "plumb/feature/text_term.h"

namespace plumb {

// Where the texts are in the tables, and their name in messages.
struct TextColumn {
  std::size_t column = 0;
  std::string name;
  std::size_t target = 0;  // the column with the classes, for a ranking that needs them
};

// Throws Error(data) if no term is left. A sentence in `said` describes the result.
BagOfWords learn_text(const Tables& tables, const TextColumn& where, const TextRecipe& recipe, const RowSet& rows,
                      const Run& run, std::vector<std::string>& said);

}  // namespace plumb
