#include "cli/files.h"
#include "plumb/base/error.h"
#include "plumb/base/file.h"
#include "plumb/base/folder.h"
#include "plumb/base/text.h"
#include "plumb/data/source.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace plumb::cli {
namespace {

std::string with_name(const NamedFile& file, const std::string& name) {
  return (file.option == "output" ? "-o " : "--" + file.option + " ") + as_typed(name);
}

// The option with another name for its file, to type.
std::string another_name(const NamedFile& file, const std::string& front) {
  std::string name = front + "-" + file.path.substr(file.path.rfind('/') + 1);
  if (!name.ends_with(file.suffix)) name = name.substr(0, name.rfind('.')) + file.suffix;
  return with_name(file, name);
}

// Two outputs may go to one device or pipe.
bool one_file(const std::string& a, const std::string& b) {
  return kind_of_file(a) != FileKind::other && (same_place(a, b) || would_overwrite(a, b));
}

void refuse_overwriting(const NamedFile& output, const std::string& input) {
  const bool printed = output.path == "-";
  const std::string what = printed                     ? "standard output"
                           : output.option == "output" ? "the output " + in_quotes(output.path)
                                                       : "--" + output.option + " " + in_quotes(output.path);
  throw Error(ErrorCode::usage,
              what + " is also an input" + (input == "-" ? ", standard input" : "") + "; inputs are never overwritten",
              printed ? "plumb ... > another file" : another_name(output, "new"));
}

}  // namespace

bool same_place(const std::string& a, const std::string& b) {
  const auto whole = [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
  };
  return whole(a) == whole(b);
}

void FileList::add(const std::vector<OptionGroup>& groups) {
  for (const OptionGroup& group : groups) {
    if (group.owner == nullptr) continue;  // a way to set several groups, which are in the list too
    for (const OptionInfo& info : group.options) {
      if (info.file_use == FileUse::none) continue;
      std::vector<NamedFile>& list = info.file_use == FileUse::read ? read : written;
      const std::string path = info.file(group.owner);
      const bool known = std::any_of(list.begin(), list.end(), [&](const NamedFile& file) {
        return file.option == info.name && file.path == path;
      });
      const std::size_t dot = info.value_name.find('.');
      if (!path.empty() && !known)
        list.push_back({info.name, path, dot == std::string::npos ? "" : info.value_name.substr(dot)});
    }
  }
}

void FileList::add_read(const std::vector<std::string>& operands) {
  for (const std::string& operand : operands) read.push_back({"", operand});
}

void expect_one_reader(const FileList& files) {
  const auto readers =
      std::count_if(files.read.begin(), files.read.end(), [](const NamedFile& file) { return file.path == "-"; });
  if (readers > 1) throw Error(ErrorCode::usage, "standard input is given twice; it can be read only once");
}

void expect_apart(const FileList& files) {
  std::vector<NamedFile> outputs = files.written;
  outputs.push_back({"output", "-"});  // where reports go
  for (const NamedFile& output : outputs) {
    if (output.path != "-" && kind_of_file(output.path) == FileKind::none) continue;  // so it cannot be an input
    for (const NamedFile& input : files.read)
      for (const std::string& path : files_read_at(input.path))
        if (would_overwrite(output.path, path)) refuse_overwriting(output, path);
  }
  for (std::size_t later = 1; later < files.written.size(); ++later)
    for (std::size_t i = 0; i < later; ++i) {
      const NamedFile &first = files.written[i], &second = files.written[later];
      if (first.path != "-" && second.path != "-" && one_file(second.path, first.path))
        throw Error(ErrorCode::usage,
                    "--" + second.option + " and --" + first.option + " are one file, " + in_quotes(second.path),
                    another_name(second, second.option));
    }
}

void check_output(const NamedFile& output, std::string_view example) {
  if (!example.empty() && is_standard_output(output.path))
    throw Error(ErrorCode::usage,
                "--" + output.option + " is standard output, where the report goes; a file was expected",
                with_name(output, std::string(example)));
  expect_writable(output.path);
}

}  // namespace plumb::cli
