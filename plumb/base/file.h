// Files: the only place of the library that calls the operating system about them. Reading copies (a mapped file that
// is cut while in use is a signal, not an error); writing is atomic: the old content or the new, never a mix or a part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/error.h"

struct stat;

namespace plumb {

// Reads a file from start to end; "-" is standard input. Failures are Errors with this code, placed at name().
class FileReader {
 public:
  explicit FileReader(const std::string& path, ErrorCode code = ErrorCode::data);
  FileReader(FileReader&& other) noexcept;
  FileReader& operator=(FileReader&& other) noexcept;
  ~FileReader();

  // Fills the buffer; gives fewer bytes only at the end of the file, then 0. How a pipe delivers makes no difference.
  std::size_t read(std::span<char> buffer);

  std::uint64_t size_hint() const noexcept { return size_hint_; }  // 0 if not known (pipes); a file may still change
  const std::string& name() const noexcept { return name_; }       // the path, or "standard input"

 private:
  std::string name_;
  ErrorCode code_;
  int handle_ = -1;
  bool owned_ = false;
  bool ended_ = false;
  std::uint64_t size_hint_ = 0;
};

// The whole content. Memory grows with the bytes that arrive, so a false size costs nothing.
// Throws Error(code) if the file cannot be read or holds more than most_bytes.
std::string read_whole_file(const std::string& path, std::uint64_t most_bytes, ErrorCode code = ErrorCode::data);

// Writes to a temporary file beside the target and renames it in commit(); destroyed before that, it leaves no trace.
// - "-" and "/dev/stdout" are standard output. A target that is no regular file (device, FIFO) is written directly.
// - A symbolic link stays a link: its target is replaced. Mode and, where allowed, owner of an existing file are kept.
// - What cannot be created (no such folder, no permission) is an Error(cannot_write); what cannot be finished
//   (disk full, size limit, closed pipe) an Error(resources).
// - A file that is not writable is refused, although its folder would allow the rename.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path, ErrorCode cannot_write = ErrorCode::usage);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view bytes);  // buffered
  void flush();                        // hands the buffer to the system; for standard output that others read meanwhile
  void commit();                       // the last call: on return the content is on disk under its name

 private:
  void open_direct(const std::string& path);
  void open_temporary(const struct stat* old);
  void put(std::string_view bytes);
  void discard() noexcept;
  [[noreturn]] void refuse(int error) const;
  [[noreturn]] void fail(const std::string& what, int error) const;

  std::string name_;       // for messages
  std::string target_;     // after symbolic links
  std::string temporary_;  // empty: written directly
  ErrorCode cannot_write_;
  int handle_ = -1;
  bool owned_ = false;
  std::string buffer_;
};

// OutputFile in one call.
void write_file_atomically(const std::string& path, std::string_view content,
                           ErrorCode cannot_write = ErrorCode::usage);
void write_file_atomically(const std::string& path, std::span<const std::byte> content,
                           ErrorCode cannot_write = ErrorCode::usage);

// Whether both paths lead to one file (device and inode, links followed); false if either is missing or "-".
bool same_file(const std::string& path_a, const std::string& path_b) noexcept;

// What a path leads to, links followed. What cannot be looked at (a loop of links, a closed folder) counts as missing:
// opening it says why.
enum class PathKind { missing, file, folder, other };
PathKind kind_of_path(const std::string& path) noexcept;

// The names in the folder of `path`: sorted, at most 10,000, none if it cannot be listed. For "did you mean" hints.
std::vector<std::string> names_in_folder_of(const std::string& path);

}  // namespace plumb
