#include "cli/manual.h"
#include "plumb/workflow/trainer_choice.h"

#include <algorithm>
#include <array>

namespace plumb::cli {
namespace {

template <class Visit>
void for_each_group(const CommandEntry& entry, Visit visit) {
  const std::unique_ptr<Command> command = entry.make();
  CommonOptions common;
  for (const OptionGroup& group : all_options(*command, common))
    if (!group.options.empty()) visit(group);
}

// A text with roff's own characters escaped.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'' && out.empty()) {
      out += "\\(aq";
    } else if (c == '.' && out.empty()) {
      out += "\\&.";
    } else {
      out += c;
    }
  }
  return out;
}

// In Markdown a pipe separates table cells.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

}  // namespace

std::string usage_of(const CommandEntry& entry) {
  return "plumb " + std::string(entry.name) + " [options]" +
         (entry.operands.empty() ? "" : " " + std::string(entry.operands));
}

std::string option_form(const OptionInfo& info) {
  std::string form = info.letter != 0 ? std::string("-") + info.letter + ", " : "    ";
  form += "--" + info.name;
  if (!info.flag()) form += " " + info.value_name;
  return form;
}

std::string option_meaning(const OptionInfo& info) {
  std::string text = info.meaning;
  std::string choices;
  for (const std::string& choice : info.choices) choices += (choices.empty() ? "" : "|") + choice;
  std::vector<std::string> facts;
  if (!choices.empty()) facts.push_back(choices);
  if (!info.range.empty()) facts.push_back(info.range);
  if (!info.flag() && !info.fallback.empty()) facts.push_back("default " + info.fallback);
  if (info.repeats) facts.push_back("may be repeated");
  std::string inside;
  for (const std::string& fact : facts) inside += (inside.empty() ? "" : "; ") + fact;
  return inside.empty() ? text : text + " (" + inside + ")";
}

std::span<const ExitCode> exit_codes() {
  static constexpr std::array codes = {
      ExitCode{0, "done"},
      ExitCode{1,
               "a gate was not met (--fail-under), or the fit did not converge within its limits; the model is saved "
               "and marked"},
      ExitCode{2, "usage: unknown option, command or column"},
      ExitCode{3, "data: unreadable or bad input"},
      ExitCode{4, "model file missing or damaged"},
      ExitCode{5, "resources: out of memory or disk space"},
      ExitCode{70, "a bug in plumb"},
      ExitCode{130, "interrupted by Ctrl-C; 128 + N for another signal N"},
      ExitCode{141, "the reader of standard output closed it before the end"},
  };
  return codes;
}

std::vector<OptionGroup> all_options(Command& command, CommonOptions& common) {
  std::vector<OptionGroup> groups = command.options();
  groups.push_back(options_of("Everywhere", common));
  return groups;
}

std::vector<OptionGroup> all_options_for(const std::vector<std::string>& words, Command& command,
                                         CommonOptions& common) {
  std::vector<OptionGroup> groups = command.options_for(words);
  groups.push_back(options_of("Everywhere", common));
  return groups;
}

std::string manual_page() {
  std::string page = ".TH PLUMB 1 \"\" \"plumb " PLUMB_VERSION "\" \"User Commands\"\n.SH NAME\nplumb \\- " +
                     roff(kSummary) + "\n.SH SYNOPSIS\n";
  for (const CommandEntry& entry : command_list())
    page += (&entry == command_list().data() ? ".B " : ".br\n.B ") + roff(usage_of(entry)) + "\n";
  page +=
      ".SH DESCRIPTION\nplumb fits linear models, keeps each in one file, and predicts with it. Results go to standard "
      "output, everything else to "
      "standard error. Bad input ends with a message that names file, line and column, and a hint that can be "
      "typed.\n.SH COMMANDS\n";
  for (const CommandEntry& entry : command_list()) {
    page += ".SS " + roff(usage_of(entry)) + "\n" + roff(entry.description) + "\n";
    for_each_group(entry, [&](const OptionGroup& group) {
      if (group.title == "Everywhere") return;
      for (const OptionInfo& info : group.options)
        page += ".TP\n.B " + roff(trimmed(option_form(info))) + "\n" + roff(option_meaning(info)) + "\n";
    });
  }
  page += ".SH OPTIONS OF EVERY COMMAND\n";
  CommonOptions common;
  for (const OptionInfo& info : options_of("", common).options)
    page += ".TP\n.B " + roff(trimmed(option_form(info))) + "\n" + roff(option_meaning(info)) + "\n";
  page += ".SH EXIT STATUS\n";
  for (const ExitCode& exit : exit_codes())
    page += ".TP\n.B " + std::to_string(exit.code) + "\n" + roff(exit.meaning) + "\n";
  page +=
      ".SH ENVIRONMENT\n.TP\n.B PLUMB_THREADS\nthreads to use where \\-\\-threads is not given\n.TP\n.B NO_COLOR\nset "
      "to anything: no colours\n.SH EXAMPLES\n";
  for (const CommandEntry& entry : command_list())
    for (const CommandExample& example : entry.examples)
      page += ".TP\n.B " + roff(example.line) + "\n" + roff(example.meaning) + "\n";
  return page;
}

std::vector<std::pair<std::string, std::string>> reference_pages() {
  std::vector<std::pair<std::string, std::string>> pages;
  std::string index =
      "# Reference\n\nMade by `plumb help --markdown` from the program's own tables; do not edit.\n\n| command | does "
      "|\n|---|---|\n";
  for (const CommandEntry& entry : command_list()) {
    const std::string name(entry.name);
    index += "| [`" + name + "`](" + name + ".md) | " + cell(entry.meaning) + " |\n";
    std::string page = "# plumb " + name + "\n\n" + std::string(entry.meaning) + "\n\n```\n" + usage_of(entry) +
                       "\n```\n\n" + wrapped(entry.description, 120, 0) + "\n\n## Examples\n\n```sh\n";
    for (const CommandExample& example : entry.examples)
      page += std::string(example.line) + "   # " + std::string(example.meaning) + "\n";
    page += "```\n";
    for_each_group(entry, [&](const OptionGroup& group) {
      page += "\n## " + group.title + "\n\n| option | meaning |\n|---|---|\n";
      for (const OptionInfo& info : group.options)
        page += "| `" + cell(trimmed(option_form(info))) + "` | " + cell(option_meaning(info)) + " |\n";
    });
    pages.emplace_back(name + ".md", std::move(page));
  }
  index += "\n## Exit codes\n\n| code | meaning |\n|---|---|\n";
  for (const ExitCode& exit : exit_codes())
    index += "| " + std::to_string(exit.code) + " | " + cell(exit.meaning) + " |\n";
  index += "\n## Input formats\n\n| format | what |\n|---|---|\n";
  for (const SourceEntry& entry : source_list())
    index += "| " + std::string(entry.name) + " | " + cell(entry.meaning) + " |\n";
  index += "\n## Models\n\n| model | what |\n|---|---|\n";
  for (const TrainerEntry& entry : trainer_list())
    index += "| " + std::string(entry.name) + " | " + cell(entry.meaning) + " |\n";
  pages.emplace_back("README.md", std::move(index));
  return pages;
}

}  // namespace plumb::cli
