// The features of a column of entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/row_set.h"
#include "plumb/data/table.h"

namespace plumb {

// The names of the entries in the given rows: by number if they are numbers, otherwise bytewise. `every` as
// Wishes::every_number.
std::vector<std::string> names_of_entries(const Tables& tables, std::size_t column, const RowSet& rows,
                                          std::optional<std::uint32_t> every, const Run& run);

}  // namespace plumb
