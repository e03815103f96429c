// File patterns that the shell did not expand because they were in quotes: 'data/*.csv'.
#pragma once

#include <string>
#include <vector>

#include "plumb/base/error.h"

namespace plumb {

// The files that match a pattern with * ? or [...], in the order of their bytes. A path without such characters, or one
// that exists as written, gives itself. Throws Error(code) if no file matches.
std::vector<std::string> files_matching(const std::string& path, ErrorCode code = ErrorCode::data);

}  // namespace plumb
