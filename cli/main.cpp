// The program: finds the command, reads its options, runs it, and turns every way it can end into an exit code.
#include <csignal>
#include <exception>
#include <new>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/manual.h"
#include "cli/signals.h"

namespace plumb::cli {
namespace {

constexpr int kBug = 70;

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage: return 2;
    case ErrorCode::data: return 3;
    case ErrorCode::model: return 4;
    case ErrorCode::resources: return 5;
    case ErrorCode::interrupted: return 130;
    case ErrorCode::internal: return kBug;
  }
  return kBug;
}

const CommandEntry& command_named(const std::string& name) {
  if (const CommandEntry* entry = find_command(name)) return *entry;
  throw unknown_choice(name.starts_with("-") ? "option" : "command", name, command_names(), "plumb ", "plumb help");
}

void expand_patterns(std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    const std::vector<std::string> matching = files_matching(path);
    files.insert(files.end(), matching.begin(), matching.end());
  }
  paths = std::move(files);
}

int run_command(const std::vector<std::string>& words, Terminal& terminal) {
  if (words.empty()) {
    terminal.set(Colour::automatic, false, false);
    terminal.print_help(overview(Style{}));
    return exit_code(ErrorCode::usage);
  }
  if (words[0] == "--version" || words[0] == "-V") {
    terminal.print("plumb " PLUMB_VERSION "\n");
    return 0;
  }
  if (words[0] == "--help" || words[0] == "-h") {
    terminal.set(Colour::automatic, false, false);
    terminal.print(overview(terminal.style()));
    return 0;
  }
  math::expect_known_simd();
  const CommandEntry& entry = command_named(words[0]);
  const std::unique_ptr<Command> command = entry.make();
  CommonOptions common;
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  Arguments arguments = read_arguments(rest, all_options_for(rest, *command, common));
  command->given = arguments.given;
  terminal.set(common.colour, common.quiet, common.verbose);
  if (common.help) {
    const bool brief = !arguments.given.empty() && arguments.given.back() == "-h";
    terminal.print(command_help(entry, brief, terminal.style()));
    return 0;
  }
  if (common.version) {
    terminal.print("plumb " PLUMB_VERSION "\n");
    return 0;
  }
  if (arguments.operands.empty() && arguments.fault) throw *arguments.fault;
  if (entry.operands.find("DATA") != std::string_view::npos) expand_patterns(arguments.operands);
  refuse_overwriting("-", arguments.operands);
  command->open_inputs(arguments.operands, terminal);
  if (arguments.fault) throw *arguments.fault;
  return command->run(arguments.operands, common, terminal);
}

int guarded(const std::vector<std::string>& words) {
  Terminal terminal;
  terminal.set(Colour::automatic, false, false);
  watch_signals();
  try {
    return run_command(words, terminal);
  } catch (const Error& error) {
    if (const int signal = stopping_signal(); signal != 0) {
      terminal.error(Error(ErrorCode::interrupted, "interrupted by " + signal_name(signal)));
      return 128 + signal;
    }
    // Whoever closed the pipe has what it wanted: no message, and the code of a program that the signal ended.
    if (error.code() == ErrorCode::resources && Terminal::reader_is_gone()) return 128 + SIGPIPE;
    terminal.error(error);
    return exit_code(error.code());
  } catch (const std::bad_alloc&) {
    terminal.error(Error(ErrorCode::resources, "there is not enough memory for this data"));
    return exit_code(ErrorCode::resources);
  } catch (const std::exception& error) {
    terminal.error(Error(ErrorCode::internal, std::string("this is a bug in plumb: ") + error.what()));
    return kBug;
  }
}

}  // namespace
}  // namespace plumb::cli

int main(int count, char** words) { return plumb::cli::guarded({words + 1, words + count}); }
