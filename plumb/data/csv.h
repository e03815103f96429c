// Delimited text: one record per row, with a header line of column names or names that the user gives. csv detects its
// delimiter and may have quoted fields (RFC 4180); tsv has tabs and no quotes. LF, CRLF or CR end a line, a UTF-8 byte
// order mark is skipped.
#pragma once

#include <memory>

#include "plumb/data/source.h"
#include "plumb/data/text_files.h"

namespace plumb {

std::unique_ptr<Source> open_csv(TextFiles files, const ReadOptions& options);
std::unique_ptr<Source> open_tsv(TextFiles files, const ReadOptions& options);

}  // namespace plumb
