// The first rows of a source, as if it ended there.
#pragma once

#include <cstdint>
#include <memory>

#include "plumb/data/source.h"

namespace plumb {

// Reading ends with the piece that contains the last of them, so an error soon after it may still be reported.
std::unique_ptr<Source> first_rows(std::unique_ptr<Source> source, std::uint64_t rows);

}  // namespace plumb
