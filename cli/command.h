// A command is an entry in THE list (commands.cpp): its name, description, operands, and the class that runs it. Help,
// manual page, completion and docs/reference come from these entries and from the option tables.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/files.h"
#include "cli/terminal.h"
#include "plumb/base/choices.h"
#include "plumb/base/file.h"
#include "plumb/base/json_writer.h"
#include "plumb/base/memory.h"
#include "plumb/base/number.h"
#include "plumb/base/options.h"
#include "plumb/base/run.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/workflow/request.h"

namespace plumb::cli {

struct CommonOptions {
  bool json = false;
  bool dry_run = false;
  bool quiet = false;
  bool verbose = false;
  Colour colour = Colour::automatic;
  bool help = false;
  bool version = false;

  static OptionTable table() {
    using O = CommonOptions;
    return {option("json", &O::json, "print one JSON object instead of text"),
            option("dry-run", &O::dry_run, "read, check and print the plan; write nothing"),
            option("quiet", &O::quiet, "print only results, warnings and errors").short_as('q'),
            option("verbose", &O::verbose, "print more details").short_as('v'),
            option("color", &O::colour, "colour the text; auto follows the terminal and NO_COLOR").value("WHEN"),
            option("help", &O::help, "full help for this command; -h is one screen").short_as('h'),
            option("version", &O::version, "print the version of plumb")};
  }
};

struct RunOptions {
  unsigned threads = 0;
  MemorySize max_memory;

  static OptionTable table() {
    return {
        option("threads", &RunOptions::threads, "threads to use (or set PLUMB_THREADS); results do not depend on it")
            .value("N")
            .short_as('j')
            .in(between(1, 1024))
            .otherwise("all available")
            .unrecorded(),
        option("max-memory", &RunOptions::max_memory,
               "most memory to use, such as 500M, 4G or 4Gi; what needs more is refused first")
            .value("SIZE")
            .otherwise("90 % of free memory")
            .unrecorded()};
  }
  // The options of reading, with the limit of --max-memory.
  ReadOptions reading(ReadOptions options) const {
    options.most_window = max_memory.bytes;
    return options;
  }
  // --threads, otherwise PLUMB_THREADS, otherwise 0 for all. Throws Error(usage) if the variable is not a number.
  unsigned chosen() const;
};

class Command {
 public:
  virtual ~Command() = default;
  // Bound to this object; the caller adds the common options. All options of the command: help shows these.
  virtual std::vector<OptionGroup> options() = 0;
  // The groups for parsing these words, if an option is in two of them: the first that has it is set. A command whose
  // groups depend on the value of an option puts the chosen one (value_of) first.
  virtual std::vector<OptionGroup> options_for(const std::vector<std::string>&) { return options(); }
  // Opens the inputs, so that a missing file is reported before any option is checked.
  virtual void open_inputs(const std::vector<std::string>& operands, Terminal& terminal) = 0;
  // The exit code.
  virtual int run(const std::vector<std::string>& operands, const CommonOptions& common, Terminal& terminal) = 0;

  std::vector<std::string> given;  // names of the options on the command line
  std::vector<std::string> tuned;  // of these, the ones chosen from rows
};

struct CommandExample {
  std::string_view line;
  std::string_view meaning;
};

struct CommandEntry {
  std::string_view name;
  std::string_view operands;  // "DATA..."
  std::string_view meaning;   // one line
  std::string_view description;
  std::vector<CommandExample> examples;
  std::unique_ptr<Command> (*make)();
};

// THE list of commands.
std::span<const CommandEntry> command_list();
const CommandEntry* find_command(std::string_view name);
std::vector<std::string> command_names();

// Runs a command line, without the name of the program; returns the exit code. Throws Error.
// `tuned`: Command::tuned.
int run_words(const std::vector<std::string>& words, Terminal& terminal, const std::vector<std::string>& tuned = {});

// One for each file of cli/ with a command.
std::unique_ptr<Command> make_train();
std::unique_ptr<Command> make_predict();
std::unique_ptr<Command> make_evaluate();
std::unique_ptr<Command> make_crossval();
std::unique_ptr<Command> make_compare();
std::unique_ptr<Command> make_tune();
std::unique_ptr<Command> make_curve();
std::unique_ptr<Command> make_confusables();
std::unique_ptr<Command> make_inspect();
std::unique_ptr<Command> make_explain();
std::unique_ptr<Command> make_sample();
std::unique_ptr<Command> make_merge();
std::unique_ptr<Command> make_forget();
std::unique_ptr<Command> make_margin();
std::unique_ptr<Command> make_check();
std::unique_ptr<Command> make_convert();
std::unique_ptr<Command> make_help();
std::unique_ptr<Command> make_man();
std::unique_ptr<Command> make_completion();

// Throws Error(usage) unless there are between `least` and `most` operands.
void expect_operands(const CommandEntry& entry, const std::vector<std::string>& operands, std::size_t least,
                     std::size_t most);
inline constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);

}  // namespace plumb::cli
