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

// What --formula says, as the options that it stands for: they are what is recorded, and suggested again.
Arguments read_with_formula(std::vector<std::string> words, const std::vector<OptionGroup>& groups) {
  const std::optional<std::string> formula = value_of("formula", words, groups);
  if (formula)
    for (const char* const option : {"target", "features"})
      if (value_of(option, words, groups))
        throw Error(ErrorCode::usage, "--formula and --" + std::string(option) + " are given; the first says both",
                    "leave out --" + std::string(option));
  Arguments arguments = read_arguments(words, groups);
  if (!formula || arguments.fault) return arguments;
  words = words_of(*formula);
  const Arguments more = read_arguments(words, groups);
  std::erase(arguments.given, "formula");
  arguments.given.insert(arguments.given.end(), more.given.begin(), more.given.end());
  arguments.fault = more.fault;
  read_arguments({"--formula", ""}, groups);
  return arguments;
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
  Arguments arguments = read_with_formula(rest, groups);
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
  const auto takes = [&](std::string_view what) { return entry.operands.find(what) != std::string_view::npos; };
  const bool reads = takes("DATA") || takes("TEXT");
  if (reads) expand_patterns(arguments.operands);
  FileList files;
  if (reads || takes("MODEL")) files.add_read(arguments.operands);
  files.add(groups);
  expect_one_reader(files);
  command->open_inputs(arguments.operands, terminal);
  if (arguments.fault) throw *arguments.fault;
  expect_apart(files);
  return command->run(arguments.operands, common, terminal);
}

}  // namespace plumb::cli
