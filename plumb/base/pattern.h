// File patterns that the shell left alone because they stood in quotes: 'data/*.csv'.
#pragma once

#include <string>
#include <vector>

#include "plumb/base/error.h"

namespace plumb {

// The files that a pattern with * ? or [...] stands for, in the order of their bytes; a path without such signs, or one
// that is there as it is written, stands for itself. Throws Error(code) if no file matches.
std::vector<std::string> files_matching(const std::string& path, ErrorCode code = ErrorCode::data);

}  // namespace plumb
