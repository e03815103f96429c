// The files of a command line: one list of those that are read, one of those that are written, from operands and option
// tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/options.h"

namespace plumb::cli {

// Whether two paths name one file, there or not yet.
bool same_place(const std::string& a, const std::string& b);

struct NamedFile {
  std::string option;       // without dashes; empty for an operand
  std::string path;         // "-" is standard input, or output
  std::string suffix = {};  // that its name must have
};

struct FileList {
  std::vector<NamedFile> read;
  std::vector<NamedFile> written;

  // Of options whatever their values are now, given or not.
  void add(const std::vector<OptionGroup>& groups);
  void add_read(const std::vector<std::string>& operands);
};

// Throws Error(usage) if standard input would be read twice.
void expect_one_reader(const FileList& files);

// Throws Error(usage) if an output, or what is printed, would change one of the inputs, a text in a folder of texts
// among them, or if two outputs are one file.
void expect_apart(const FileList& files);

// The look at an output ahead of any work, also for --dry-run: the file must be one that can be written. Where the
// report of this run takes standard output, the output may not go there too, and `example` is a file name to offer
// instead; it is empty where standard output is free.
void check_output(const NamedFile& output, std::string_view example = {});

}  // namespace plumb::cli
