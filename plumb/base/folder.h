// The contents of a folder: beside file.h, the only place of the library that asks the operating system about files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/base/error.h"

namespace plumb {

// Links are followed; false also if that cannot be determined.
bool is_folder(const std::string& path) noexcept;

// The names of the folders in a folder, bytewise sorted; those that begin with a dot are left out. Throws Error(code)
// if it cannot be listed.
std::vector<std::string> folders_in(const std::string& folder, ErrorCode code = ErrorCode::data);

struct FoundFile {
  std::string path;         // begins with that of the folder
  std::uint64_t bytes = 0;  // as stored
};
// Every regular file in a folder and in the folders below it, bytewise sorted by path; names that begin with a dot
// and links to folders are left out. Throws Error(code) if one of the folders cannot be listed.
std::vector<FoundFile> files_below(const std::string& folder, ErrorCode code = ErrorCode::data);

// How many regular files are in a folder itself.
std::uint64_t files_directly_in(const std::string& folder, ErrorCode code = ErrorCode::data);

}  // namespace plumb
