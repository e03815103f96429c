#include "plumb/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace plumb {

MappedFile::MappedFile(const std::string& path, ErrorCode code) {
  const auto refuse = [&](const std::string& message) { throw Error(code, Place{.file = path}, message); };
  // Without O_NONBLOCK, opening a FIFO without a writer would block.
  const int handle = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (handle < 0) refuse("cannot open: " + std::generic_category().message(errno));
  struct stat status {};
  const bool regular = fstat(handle, &status) == 0 && S_ISREG(status.st_mode);
  const bool fits = regular && static_cast<std::uint64_t>(status.st_size) <= PTRDIFF_MAX;
  const std::size_t size = fits ? static_cast<std::size_t>(status.st_size) : 0;
  void* const start = size > 0 ? mmap(nullptr, size, PROT_READ, MAP_PRIVATE, handle, 0) : nullptr;
  const int error = errno;
  close(handle);
  if (!regular) refuse(S_ISDIR(status.st_mode) ? "is a folder, expected a file" : "is no regular file");
  if (!fits || start == MAP_FAILED) refuse("cannot map: " + std::generic_category().message(fits ? error : EFBIG));
  bytes_ = {static_cast<const std::byte*>(start), size};
  if (size > 0) madvise(start, size, MADV_SEQUENTIAL);  // a hint: a failure only affects speed
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace plumb
