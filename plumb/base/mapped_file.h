// A file as bytes in memory, read as they are looked at. Only for files that this library writes itself: those are
// replaced by renaming, so what is mapped stays as it was. A file that somebody cuts or overwrites in place while it is
// mapped is a signal or other bytes, so user files are read through FileReader.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "plumb/base/error.h"

namespace plumb {

class MappedFile {
 public:
  // Throws Error(code), placed at the path, if it cannot be opened or is no regular file.
  explicit MappedFile(const std::string& path, ErrorCode code = ErrorCode::data);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  // Aligned to a page; what was the size of the file when it was opened.
  std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace plumb
