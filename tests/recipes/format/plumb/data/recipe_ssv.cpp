#include "plumb/data/recipe_ssv.h"

#include <utility>

namespace plumb {

std::unique_ptr<Source> open_recipe_ssv(TextFiles files, const ReadOptions& options) {
  ReadOptions semicolons = options;
  semicolons.delimiter = {';'};
  return open_csv(std::move(files), semicolons);
}

}  // namespace plumb
