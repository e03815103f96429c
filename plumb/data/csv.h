// Comma-separated values: RFC 4180 quoting, LF, CRLF or CR line ends, a UTF-8 byte order mark passed over, a header
// line.
#pragma once

#include <memory>

#include "plumb/data/source.h"
#include "plumb/data/text_files.h"

namespace plumb {

std::unique_ptr<Source> open_csv(TextFiles files);

}  // namespace plumb
