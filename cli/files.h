// The files of a command line: one list of inputs, one of outputs, from operands and option tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/options.h"

namespace plumb::cli {

// Whether two paths name one file, existing or not.
bool same_place(const std::string& a, const std::string& b);

struct NamedFile {
  std::string option;       // without dashes; empty for an operand
  std::string path;         // "-" is standard input, or output
  std::string suffix = {};  // required suffix of its name
};

struct FileList {
  std::vector<NamedFile> read;
  std::vector<NamedFile> written;

  // From options whatever their current values, given or not.
  void add(const std::vector<OptionGroup>& groups);
  void add_read(const std::vector<std::string>& operands);
};

// Throws Error(usage) if standard input would be read twice.
void expect_one_reader(const FileList& files);

// Throws Error(usage) if an output, or what is printed, would change one of the inputs, including a text in a folder of
// texts, or if two outputs are one file.
void expect_apart(const FileList& files);

// Checks an output before any work, also for --dry-run: the file must be writable. If the report of this run uses
// standard output, the output may not go there too, and `example` is a file name to offer instead; it is empty if
// standard output is free.
void check_output(const NamedFile& output, std::string_view example = {});

}  // namespace plumb::cli
