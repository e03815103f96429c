// A Source over rows in memory.
#pragma once

#include <memory>

#include "plumb/data/memory_rows.h"
#include "plumb/data/source.h"

namespace plumb {

// Columns of numbers stay in place: the tables borrow them. The columns are those of the matrix (a sparse matrix is one
// column of entries, "features") or those named, then the target and the weight. Throws Error(usage) if the parts of
// the rows disagree about their sizes, Error(data) if two columns have the same name.
std::unique_ptr<Source> open_memory(MemoryRows rows);

}  // namespace plumb
