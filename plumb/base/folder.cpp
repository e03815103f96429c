#include "plumb/base/folder.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace plumb {
namespace {

// Calls visit(entry) for everything whose name does not begin with a dot.
template <class Visit>
void for_each_entry(const std::string& folder, ErrorCode code, Visit&& visit) {
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  while (!error && entry != std::filesystem::directory_iterator()) {
    if (!entry->path().filename().string().starts_with('.')) visit(*entry);
    entry.increment(error);
  }
  if (error) throw Error(code, {folder}, "cannot list the folder: " + error.message());
}

// A link to a folder is not followed: it may lead back.
void add_files(const std::string& folder, ErrorCode code, std::vector<FoundFile>& files) {
  for_each_entry(folder, code, [&](const std::filesystem::directory_entry& entry) {
    std::error_code error;
    if (entry.is_directory(error)) {
      if (!entry.is_symlink(error)) add_files(entry.path().string(), code, files);
      return;
    }
    if (entry.is_regular_file(error)) files.push_back({entry.path().string(), entry.file_size(error)});
  });
}

}  // namespace

bool is_folder(const std::string& path) noexcept {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

std::vector<std::string> folders_in(const std::string& folder, ErrorCode code) {
  std::vector<std::string> names;
  for_each_entry(folder, code, [&](const std::filesystem::directory_entry& entry) {
    std::error_code error;
    if (entry.is_directory(error)) names.push_back(entry.path().filename().string());
  });
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<FoundFile> files_below(const std::string& folder, ErrorCode code) {
  std::vector<FoundFile> files;
  add_files(folder, code, files);
  std::sort(files.begin(), files.end(), [](const FoundFile& a, const FoundFile& b) { return a.path < b.path; });
  return files;
}

std::uint64_t files_directly_in(const std::string& folder, ErrorCode code) {
  std::uint64_t files = 0;
  for_each_entry(folder, code, [&](const std::filesystem::directory_entry& entry) {
    std::error_code error;
    files += entry.is_regular_file(error) ? 1 : 0;
  });
  return files;
}

}  // namespace plumb
