// From the words of a command line to a command that runs.
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/manual.h"
#include "plumb/base/pattern.h"
#include "plumb/math/simd.h"

namespace plumb::cli {
namespace {

constexpr int kUsage = 2;

const CommandEntry& command_named(const std::string& name) {
  if (const CommandEntry* entry = find_command(name)) return *entry;
  throw unknown_choice(name.starts_with("-") ? "option" : "command", name, command_names(), "plumb ", "plumb help");
}

// `plumb help --l2` asks about an option of other commands.
void name_option(std::vector<std::string>& words, const std::vector<OptionGroup>& groups) {
  if (words.size() != 1 || !words[0].starts_with("-")) return;
  const std::string name = words[0].substr(std::min(words[0].find_first_not_of('-'), words[0].size()));
  for (const OptionGroup& group : groups)
    for (const OptionInfo& info : group.options)
      if (info.name == name || std::string(1, info.letter) == name) return;
  words.insert(words.begin(), "--");
}

void expand_patterns(std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    const std::vector<std::string> matching = files_matching(path);
    files.insert(files.end(), matching.begin(), matching.end());
  }
  paths = std::move(files);
}

}  // namespace

int run_words(const std::vector<std::string>& words, Terminal& terminal, const std::vector<std::string>& tuned) {
  if (words.empty()) {
    terminal.set(Colour::automatic, false, false);
    terminal.print_help(overview(Style{}));
    return kUsage;
  }
  if (words[0] == "--version" || words[0] == "-V") {
    terminal.print("plumb " PLUMB_VERSION "\n");
    return 0;
  }
  if (words[0] == "--help" || words[0] == "-h") {
    terminal.set(Colour::automatic, false, false);
    terminal.show(overview(terminal.style()));
    return 0;
  }
  math::expect_known_simd();
  const CommandEntry& entry = command_named(words[0]);
  const std::unique_ptr<Command> command = entry.make();
  CommonOptions common;
  std::vector<std::string> rest(words.begin() + 1, words.end());
  const std::vector<OptionGroup> groups = all_options_for(rest, *command, common);
  if (entry.name == "help") name_option(rest, groups);
  Arguments arguments = read_arguments(rest, groups);
  command->given = arguments.given;
  command->tuned = tuned;
  terminal.set(common.colour, common.quiet, common.verbose);
  if (common.help) {
    const bool brief = !arguments.given.empty() && arguments.given.back() == "-h";
    terminal.show(command_help(entry, brief, terminal.style()));
    return 0;
  }
  if (common.version) {
    terminal.print("plumb " PLUMB_VERSION "\n");
    return 0;
  }
  if (arguments.operands.empty() && arguments.fault) throw *arguments.fault;
  if (entry.operands.find("DATA") != std::string_view::npos) expand_patterns(arguments.operands);
  FileList files;
  if (entry.operands.find("DATA") != std::string_view::npos || entry.operands.find("MODEL") != std::string_view::npos)
    files.add_read(arguments.operands);
  files.add(groups);
  expect_one_reader(files);
  command->open_inputs(arguments.operands, terminal);
  if (arguments.fault) throw *arguments.fault;
  expect_apart(files);
  return command->run(arguments.operands, common, terminal);
}

}  // namespace plumb::cli
