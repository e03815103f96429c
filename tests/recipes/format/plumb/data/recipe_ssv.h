#pragma once

#include "plumb/data/csv.h"

namespace plumb {

std::unique_ptr<Source> open_recipe_ssv(TextFiles files, const ReadOptions& options);

}  // namespace plumb
