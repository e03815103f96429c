// Comma-separated values: RFC 4180 quoting, LF, CRLF or CR line ends, a UTF-8 byte order mark passed over, a header
// line.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plumb/data/source.h"

namespace plumb {

std::unique_ptr<Source> open_csv(std::vector<std::string> paths, const ReadOptions& options);

}  // namespace plumb
