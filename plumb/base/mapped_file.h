// A file as bytes in memory, read on access. Only for files that this library writes itself: those are replaced by
// renaming, so a mapping stays as it was. If somebody cuts or overwrites a mapped file in place, the process gets a
// signal or other bytes, so user files are read through FileReader.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "plumb/base/error.h"

namespace plumb {

class MappedFile {
 public:
  // Throws Error(code), placed at the path, if it cannot be opened or is not a regular file.
  explicit MappedFile(const std::string& path, ErrorCode code = ErrorCode::data);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  // Aligned to a page; the file as large as it was when opened.
  std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace plumb
