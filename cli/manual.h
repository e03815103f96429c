// Every page about the commands, made from THE list of commands and the option tables: nothing about an option is
// written twice.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"

namespace plumb::cli {

// The commands with a line each.
std::string overview(const Style& style);
// One command; `brief` leaves out description and examples.
std::string command_help(const CommandEntry& entry, bool brief, const Style& style);
// The manual page, in the man(7) format.
std::string manual_page();
// The reference pages of docs/: file name and content.
std::vector<std::pair<std::string, std::string>> reference_pages();
// A completion script; the shell is one of completion_shells().
std::string completion_script(std::string_view shell);
std::vector<std::string> completion_shells();

// The groups of a command with the common options at their end, bound to `command` and `common`; for a command line, in
// the order its words are looked up in.
std::vector<OptionGroup> all_options(Command& command, CommonOptions& common);
std::vector<OptionGroup> all_options_for(const std::vector<std::string>& words, Command& command,
                                         CommonOptions& common);

struct ExitCode {
  int code;
  std::string_view meaning;
};
// THE list of exit codes.
std::span<const ExitCode> exit_codes();

}  // namespace plumb::cli
