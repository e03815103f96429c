// A copy of some rows, numbered from 0: a sample that stays when the tables are used up.
#pragma once

#include <optional>

#include "plumb/data/row_set.h"
#include "plumb/data/table.h"

namespace plumb {

// Empty if a column has neither its texts nor an extract that can be copied by rows.
std::optional<Tables> some_rows_of(const Tables& tables, const RowSet& rows);

// At most so many rows of the set, evenly.
RowSet evenly(const RowSet& rows, std::uint64_t most);

}  // namespace plumb
