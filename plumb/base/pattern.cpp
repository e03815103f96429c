#include "plumb/base/pattern.h"

#include <glob.h>

#include <algorithm>
#include <memory>
#include <new>

#include "plumb/base/file.h"

namespace plumb {

std::vector<std::string> files_matching(const std::string& path, ErrorCode code) {
  if (path.find_first_of("*?[") == std::string::npos || kind_of_file(path) != FileKind::none) return {path};
  glob_t found{};
  const std::unique_ptr<glob_t, decltype(&globfree)> freed(&found, &globfree);
  // GLOB_NOSORT: its order would be that of the locale.
  const int status = glob(path.c_str(), GLOB_NOSORT, nullptr, &found);
  if (status == GLOB_NOSPACE) throw std::bad_alloc();
  if (status != 0)
    throw Error(code, {path}, "no file matches this pattern; at least one was expected",
                "ls shows what is there; * stands for any signs, ? for one");
  std::vector<std::string> files(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace plumb
