// Files: the only place of the library that calls the operating system for them. Reading copies (if a mapped file is
// cut while in use, the system sends a signal instead of an error); writing is atomic: the old content or the new,
// never a mix or a part. A wait for a pipe, a FIFO or a terminal ends with Error(interrupted) when a signal comes whose
// handler was set without SA_RESTART: a program leaves that out to be interruptible. With SA_RESTART, and without
// handlers, waiting goes on.
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

// Opens /dev/null in place of a standard stream that is closed, so that no other file takes its number. For main().
void open_closed_streams() noexcept;

// Reads a file from start to end; "-" is standard input. Failures are Errors with this code, placed at name().
class FileReader {
 public:
  explicit FileReader(const std::string& path, ErrorCode code = ErrorCode::data);
  FileReader(FileReader&& other) noexcept;
  FileReader& operator=(FileReader&& other) noexcept;
  ~FileReader();

  // Fills the buffer; returns fewer bytes only at the end of the file, then 0, however a pipe delivers them.
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
// Throws Error(code) if the file cannot be read or has more than most_bytes.
std::string read_whole_file(const std::string& path, std::uint64_t most_bytes, ErrorCode code = ErrorCode::data);

// Writes to a temporary file beside the target and renames it in commit(); destroyed before that, it leaves no trace.
// - "-" and "/dev/stdout" are standard output. A target that is not a regular file (device, FIFO) is written directly.
// - A symbolic link stays a link: its target is replaced. Mode and, if allowed, owner of an existing file are kept.
// - A file that cannot be created (no such folder, no permission) is an Error(cannot_write); one that cannot be
//   finished (disk full, size limit, closed pipe) an Error(resources).
// - A file that is not writable is refused, although its folder would allow the rename.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path, ErrorCode cannot_write = ErrorCode::usage);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view bytes);  // buffered
  void flush();                        // hands the buffer to the system; for readers of standard output
  void commit();                       // the last call: on return the content is on disk under its name

  // Where the bytes are until commit(); empty if they are written directly.
  const std::string& temporary() const noexcept { return temporary_; }

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

// Throws what FileReader(path) would throw; returns its size_hint(). A pipe is not touched, because it can be opened
// only once.
std::uint64_t expect_readable(const std::string& path, ErrorCode code = ErrorCode::data);

// Throws what OutputFile(path) would throw, but creates and opens nothing: an early check before long work.
void expect_writable(const std::string& path, ErrorCode cannot_write = ErrorCode::usage);

// The type of the file at a path, links followed; `none` also if that cannot be determined.
enum class FileKind { none, regular, other };
FileKind kind_of_file(const std::string& path) noexcept;

// Whether bytes written to `output` would end in what `input` is read from: one file (device and inode, links
// followed), of a kind that keeps what is written to it. "-" is standard output for `output` and standard input for
// `input`.
bool would_overwrite(const std::string& output, const std::string& input) noexcept;

// Whether `path` leads to standard output: "-", "/dev/stdout", or another name of the file, pipe or terminal behind it.
bool is_standard_output(const std::string& path) noexcept;

// The names in the folder of `path`: sorted, at most 10,000, empty if it cannot be listed. For "did you mean" hints.
std::vector<std::string> names_in_folder_of(const std::string& path);

}  // namespace plumb
