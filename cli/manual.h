// Every page about the commands, made from THE list of commands and the option tables: nothing about an option is
// written twice.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"

namespace plumb::cli {

inline constexpr std::string_view kSummary = "linear models, from a raw file to a trusted model in one command";

// The commands with a line each.
std::string overview(const Style& style);
// One command: everything, or what most people need on one screen.
std::string command_help(const CommandEntry& entry, bool brief, const Style& style);
// The text of `plumb help NAME` for a command, a topic, a model or an option. Throws Error(usage) that offers the
// nearest.
std::string help_on(const std::string& name, const Style& style);
// "plumb train [options] DATA..."
std::string usage_of(const CommandEntry& entry);
// "-t, --target COL", and its meaning with choices, range and default in one sentence.
std::string option_form(const OptionInfo& info);
std::string option_meaning(const OptionInfo& info);
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
