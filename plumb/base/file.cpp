#include "plumb/base/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "plumb/base/text.h"

namespace plumb {
namespace {

constexpr std::size_t buffer_bytes = 256u << 10;
constexpr std::size_t longest_kept_name = 200;  // of the target in the name of a temporary file; 255 bytes are usual
constexpr std::size_t most_names = 10'000;

std::string text_of(int error) { return std::generic_category().message(error); }

bool out_of_resources(int error) noexcept {
  return error == ENOSPC || error == EDQUOT || error == EFBIG || error == ENOMEM || error == EMFILE || error == ENFILE;
}

// Repeats a call that a signal interrupted.
template <class Call>
auto uninterrupted(Call call) {
  while (true) {
    const auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

// A handle from outside may be non-blocking; then the call is repeated when it can work. A signal ends the wait: -1 and
// EINTR.
template <class Call>
ssize_t patient(int handle, short event, Call call) {
  while (true) {
    const ssize_t result = call();
    if (result != -1 || (errno != EAGAIN && errno != EWOULDBLOCK)) return result;
    pollfd ready{.fd = handle, .events = event, .revents = 0};
    if (poll(&ready, 1, -1) == -1 && errno == EINTR) return -1;
  }
}

[[noreturn]] void throw_interrupted(const std::string& name) {
  throw Error(ErrorCode::interrupted, Place{.file = name}, "a signal came while waiting for it");
}

std::optional<struct stat> status_of(const std::string& path) noexcept {
  struct stat status;
  return stat(path.c_str(), &status) == 0 ? std::optional(status) : std::nullopt;
}

std::optional<struct stat> status_of(int handle) noexcept {
  struct stat status;
  return fstat(handle, &status) == 0 ? std::optional(status) : std::nullopt;
}

bool named_as_standard_output(std::string_view path) noexcept { return path == "-" || path == "/dev/stdout"; }

bool same(const struct stat& a, const struct stat& b) noexcept { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The path behind the symbolic links at `path`, whether or not the last of them leads to a file that exists.
std::string behind_links(std::string path) {
  for (int links = 0; links < 40; ++links) {
    std::string content(PATH_MAX, '\0');
    const ssize_t length = readlink(path.c_str(), content.data(), content.size());
    if (length < 0) break;
    content.resize(static_cast<std::size_t>(length));
    path = content.starts_with('/') ? content : folder_of(path) + "/" + content;
  }
  return path;
}

// Some file systems cannot wait and return EINVAL.
bool synced(int handle) noexcept {
  return uninterrupted([&] { return fsync(handle); }) == 0 || errno == EINVAL || errno == ENOTSUP;
}

// Six unpredictable letters and digits, so that nobody can place a file under the name beforehand.
std::string random_suffix() {
  constexpr std::string_view letters = "0123456789abcdefghijklmnopqrstuv";
  unsigned char random[6] = {};
  if (getentropy(random, sizeof random) != 0) random[0] = static_cast<unsigned char>(getpid());
  std::string suffix;
  for (const unsigned char byte : random) suffix += letters[byte % letters.size()];
  return suffix;
}

[[noreturn]] void refuse_output(const std::string& name, const std::string& target, ErrorCode cannot_write, int error) {
  const std::string folder = folder_of(target);
  std::string hint;
  if (error == ENOENT && !target.empty() && !status_of(folder)) hint = "mkdir -p " + as_typed(folder);
  throw Error(out_of_resources(error) ? ErrorCode::resources : cannot_write, Place{.file = name},
              hint.empty() ? "cannot write: " + text_of(error) : "cannot write: there is no folder \"" + folder + "\"",
              hint);
}

// How to write to a path.
struct Target {
  std::string path;                // after symbolic links
  std::optional<struct stat> old;  // the existing file
  bool direct = false;             // not a regular file: it cannot be replaced by renaming
};

Target target_of(const std::string& path, ErrorCode cannot_write) {
  if (path.empty()) throw Error(cannot_write, "the name of the file to write is empty, expected a path");
  Target target{.path = {}, .old = status_of(path)};
  if (!target.old && errno != ENOENT) refuse_output(path, "", cannot_write, errno);
  if (target.old && S_ISDIR(target.old->st_mode))
    throw Error(cannot_write, Place{.file = path}, "is a folder, expected a file");
  target.path = behind_links(path);
  // A handle under /dev/fd whose file has no name any more is written like a device.
  const std::optional<struct stat> found = target.old ? status_of(target.path) : std::nullopt;
  target.direct = target.old && (!S_ISREG(target.old->st_mode) || !found || !same(*target.old, *found));
  return target;
}

}  // namespace

void open_closed_streams() noexcept {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (fcntl(stream, F_GETFD) == -1 && errno == EBADF)
      (void)!open("/dev/null", stream == STDIN_FILENO ? O_RDONLY : O_WRONLY);  // takes the lowest free number
}

FileReader::FileReader(const std::string& path, ErrorCode code)
    : name_(path == "-" ? "standard input" : path), code_(code), owned_(path != "-") {
  const auto refuse = [&](const std::string& message, std::string hint = {}) {
    if (owned_ && handle_ >= 0) close(handle_);
    throw Error(code_, Place{.file = name_}, message, std::move(hint));
  };
  if (path.empty()) throw Error(code_, "the name of the file to read is empty, expected a path");
  handle_ = owned_ ? open(path.c_str(), O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
  struct stat status;
  if (handle_ < 0 || fstat(handle_, &status) != 0) {
    const int error = errno;
    if (error == EINTR) throw_interrupted(name_);
    const std::string name = path.substr(path.rfind('/') + 1);
    refuse("cannot open: " + text_of(error), error == ENOENT ? did_you_mean(name, names_in_folder_of(path)) : "");
  }
  if (S_ISDIR(status.st_mode)) refuse("is a folder, expected a file");
  if (S_ISREG(status.st_mode)) size_hint_ = static_cast<std::uint64_t>(status.st_size);
}

FileReader::FileReader(FileReader&& other) noexcept
    : name_(std::move(other.name_)),
      code_(other.code_),
      handle_(std::exchange(other.handle_, -1)),
      owned_(std::exchange(other.owned_, false)),
      ended_(other.ended_),
      size_hint_(other.size_hint_) {}

FileReader& FileReader::operator=(FileReader&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(code_, other.code_);
  std::swap(handle_, other.handle_);
  std::swap(owned_, other.owned_);
  std::swap(ended_, other.ended_);
  std::swap(size_hint_, other.size_hint_);
  return *this;
}

FileReader::~FileReader() {
  if (owned_) close(handle_);
}

std::size_t FileReader::read(std::span<char> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size() && !ended_) {
    const std::span<char> rest = buffer.subspan(filled);
    const ssize_t count = patient(handle_, POLLIN, [&] { return ::read(handle_, rest.data(), rest.size()); });
    if (count < 0 && errno == EINTR) throw_interrupted(name_);
    if (count < 0) throw Error(code_, Place{.file = name_}, "cannot read: " + text_of(errno));
    ended_ = count == 0;  // a terminal would go on after its end
    filled += static_cast<std::size_t>(count);
  }
  return filled;
}

std::string read_whole_file(const std::string& path, std::uint64_t most_bytes, ErrorCode code) {
  FileReader file(path, code);
  const std::uint64_t claimed = file.size_hint();
  std::string content;
  std::vector<char> piece(buffer_bytes);
  while (claimed <= most_bytes) {
    const std::size_t count = file.read(piece);
    if (count == 0) return content;
    if (count > most_bytes - content.size()) break;
    // Eight times the bytes so far, up to the claimed size: few copies, and a false claim gains little.
    const std::uint64_t needed = content.size() + count;
    if (needed > content.capacity()) content.reserve(std::max(needed, std::min(claimed, 8 * needed)));
    content.append(piece.data(), count);
  }
  throw Error(code, Place{.file = file.name()},
              "holds more than " + std::to_string(most_bytes) + " bytes, expected at most that many");
}

OutputFile::OutputFile(const std::string& path, ErrorCode cannot_write) : name_(path), cannot_write_(cannot_write) {
  if (named_as_standard_output(path)) {
    name_ = "standard output";
    handle_ = STDOUT_FILENO;
    return;
  }
  const Target target = target_of(path, cannot_write_);
  target_ = target.path;
  if (target.direct) {
    open_direct(path);
  } else {
    open_temporary(target.old ? &*target.old : nullptr);
  }
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::open_direct(const std::string& path) {
  handle_ = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (handle_ < 0 && errno == EINTR) throw_interrupted(name_);
  if (handle_ < 0) refuse(errno);
  owned_ = true;
}

void OutputFile::open_temporary(const struct stat* old) {
  if (old != nullptr && faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) refuse(errno);
  const std::string name = target_.substr(target_.rfind('/') + 1, longest_kept_name);
  const mode_t mode = old != nullptr ? 0600 : 0666;  // private until it has the mode of the old file
  for (int attempt = 0; handle_ < 0; ++attempt) {
    temporary_ = folder_of(target_) + "/." + name + ".tmp-" + random_suffix();
    handle_ = uninterrupted([&] { return open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode); });
    if (handle_ < 0 && (errno != EEXIST || attempt == 100)) {
      temporary_.clear();
      refuse(errno);
    }
  }
  owned_ = true;
  if (old == nullptr) return;
  mode_t kept = old->st_mode & 0777;  // the set-user-id bit belongs to the old content only
  // Without the old group, its permissions would apply to another one.
  if (fchown(handle_, old->st_uid, old->st_gid) != 0 && fchown(handle_, uid_t(-1), old->st_gid) != 0) kept &= ~070u;
  if (fchmod(handle_, kept) != 0) {
    const int error = errno;
    discard();
    refuse(error);
  }
}

void OutputFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > buffer_bytes) flush();
  if (bytes.size() >= buffer_bytes) return put(bytes);
  buffer_ += bytes;
}

void OutputFile::flush() {
  put(buffer_);
  buffer_.clear();
}

// In portions: Linux keeps up to 2 MiB of a large write in one page of the cache, and such a page costs a hundred times
// as much as the copy if a virtual machine must ask its host for it.
void OutputFile::put(std::string_view bytes) {
  constexpr std::size_t most = std::size_t{64} << 10;
  while (!bytes.empty()) {
    const std::size_t size = std::min(bytes.size(), most);
    const ssize_t count = patient(handle_, POLLOUT, [&] { return ::write(handle_, bytes.data(), size); });
    if (count < 0 && errno == EINTR) {
      if (temporary_.empty()) throw_interrupted(name_);
      continue;  // a file never blocks
    }
    if (count <= 0) fail("cannot write", count < 0 ? errno : EIO);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void OutputFile::commit() {
  flush();
  if (!temporary_.empty() && !synced(handle_)) fail("cannot write", errno);
  if (owned_ && close(std::exchange(handle_, -1)) != 0 && errno != EINTR) fail("cannot write", errno);
  owned_ = false;
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot replace", errno);
  temporary_.clear();
  // The rename itself is on disk when the folder is. A folder without read permission cannot be flushed.
  const int folder = open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  const bool done = synced(folder);
  const int error = errno;
  close(folder);
  if (!done) fail("is written, but its folder cannot be brought to disk", error);
}

void OutputFile::discard() noexcept {
  if (owned_ && handle_ >= 0) close(handle_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
  handle_ = -1;
  temporary_.clear();
}

void OutputFile::refuse(int error) const { refuse_output(name_, target_, cannot_write_, error); }

void OutputFile::fail(const std::string& what, int error) const {
  throw Error(ErrorCode::resources, Place{.file = name_}, what + ": " + text_of(error));
}

void write_file_atomically(const std::string& path, std::string_view content, ErrorCode cannot_write) {
  OutputFile file(path, cannot_write);
  file.write(content);
  file.commit();
}

void write_file_atomically(const std::string& path, std::span<const std::byte> content, ErrorCode cannot_write) {
  write_file_atomically(path, std::string_view(reinterpret_cast<const char*>(content.data()), content.size()),
                        cannot_write);
}

std::uint64_t expect_readable(const std::string& path, ErrorCode code) {
  const std::optional<struct stat> status = status_of(path);
  if (path == "-" || (status && !S_ISREG(status->st_mode) && !S_ISDIR(status->st_mode))) return 0;
  return FileReader(path, code).size_hint();
}

void expect_writable(const std::string& path, ErrorCode cannot_write) {
  if (named_as_standard_output(path)) return;
  const Target target = target_of(path, cannot_write);
  const auto expect = [&](const std::string& name, int access) {
    if (faccessat(AT_FDCWD, name.c_str(), access, AT_EACCESS) != 0)
      refuse_output(path, target.path, cannot_write, errno);
  };
  if (target.old) expect(target.path, W_OK);
  if (!target.direct) expect(folder_of(target.path), W_OK | X_OK);
}

FileKind kind_of_file(const std::string& path) noexcept {
  const std::optional<struct stat> status = status_of(path);
  if (!status) return FileKind::none;
  return S_ISREG(status->st_mode) ? FileKind::regular : FileKind::other;
}

bool would_overwrite(const std::string& output, const std::string& input) noexcept {
  const std::optional<struct stat> to = named_as_standard_output(output) ? status_of(STDOUT_FILENO) : status_of(output);
  const std::optional<struct stat> from = input == "-" ? status_of(STDIN_FILENO) : status_of(input);
  // A terminal, a null device or a socket may be both input and output: what is written there does not come back.
  return to && from && same(*to, *from) && !S_ISCHR(to->st_mode) && !S_ISSOCK(to->st_mode);
}

bool is_standard_output(const std::string& path) noexcept {
  if (named_as_standard_output(path)) return true;
  const std::optional<struct stat> standard = status_of(STDOUT_FILENO), other = status_of(path);
  // Bytes to a null device cannot get mixed.
  return standard && other && same(*standard, *other) && (!S_ISCHR(standard->st_mode) || isatty(STDOUT_FILENO) != 0);
}

std::vector<std::string> names_in_folder_of(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder_of(path), error);
  for (; !error && entry != std::filesystem::directory_iterator() && names.size() < most_names;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace plumb
