// Completion scripts for shells, from the same tables as everything else. Values: the choices of an option, or file
// names.
#include <algorithm>

#include "cli/manual.h"
#include "plumb/workflow/trainer_choice.h"

namespace plumb::cli {
namespace {

// Every command with its options, common ones included; an option of several trainers occurs once.
struct Completed {
  const CommandEntry* entry;
  std::vector<OptionInfo> options;
};

std::vector<Completed> completed() {
  std::vector<Completed> all;
  for (const CommandEntry& entry : command_list()) {
    const std::unique_ptr<Command> command = entry.make();
    CommonOptions common;
    all.push_back({&entry, {}});
    std::vector<OptionInfo>& options = all.back().options;
    for (const OptionGroup& group : all_options(*command, common))
      for (const OptionInfo& info : group.options)
        if (std::ranges::find(options, info.name, &OptionInfo::name) == options.end()) options.push_back(info);
  }
  return all;
}

std::vector<std::string> choices_of(const OptionInfo& info) {
  if (!info.choices.empty()) return info.choices;
  std::vector<std::string> names;
  if (info.name == "model")
    for (const TrainerEntry& entry : trainer_list()) names.emplace_back(entry.name);
  return names;
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

// A text inside single quotes of a shell.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// For a file the function returns nothing and readline completes (-o default): only readline knows how a name with
// blanks is quoted. mapfile takes each line as one word, whatever characters it contains.
std::string bash() {
  const auto answer = [](const std::string& words) {
    return "mapfile -t COMPREPLY < <(compgen -W " + words + " -- \"$word\")";
  };
  const std::string commands = joined(command_names(), " ");
  std::string script =
      "# bash completion for plumb\n_plumb() {\n  local word=${COMP_WORDS[COMP_CWORD]} "
      "before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} options=\n  COMPREPLY=()\n";
  script += "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    " + answer("'" + commands + " --help --version'") +
            "\n    return\n  fi\n";
  script += "  case $command:$before in\n";
  for (const Completed& each : completed())
    for (const OptionInfo& info : each.options)
      if (const std::vector<std::string> choices = choices_of(info); !choices.empty()) {
        script += "    " + std::string(each.entry->name) + ":--" + info.name +
                  (info.letter != 0 ? "|" + std::string(each.entry->name) + ":-" + info.letter : "");
        script += ") " + answer(shell_quoted(joined(choices, " "))) + "; return ;;\n";
      }
  script += "  esac\n  case $command in\n";
  for (const Completed& each : completed()) {
    std::vector<std::string> options;
    for (const OptionInfo& info : each.options) options.push_back("--" + info.name);
    script += "    " + std::string(each.entry->name) + ") options='" + joined(options, " ") + "' ;;\n";
  }
  script += "  esac\n  case $command:$word in\n    *:-*) " + answer("\"$options\"") + " ;;\n";
  script += "    help:*) " + answer("'" + commands + "'") + " ;;\n";
  script += "    completion:*) " + answer("'" + joined(completion_shells(), " ") + "'") + " ;;\n";
  return script + "  esac\n}\ncomplete -o default -F _plumb plumb\n";
}

std::string zsh() {
  // In _arguments a colon and brackets have meanings of their own.
  const auto plain = [](std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (c == '[' || c == ']' || c == ':') out += '\\';
      out += c;
    }
    return out;
  };
  std::string script = "#compdef plumb\n_plumb() {\n  local -a commands\n  commands=(\n";
  for (const CommandEntry& entry : command_list())
    script += "    " + shell_quoted(std::string(entry.name) + ":" + std::string(entry.meaning)) + "\n";
  script +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n  local "
      "command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const Completed& each : completed()) {
    script += "    " + std::string(each.entry->name) + ")\n      _arguments -s";
    for (const OptionInfo& info : each.options) {
      std::string value;
      if (!info.flag()) {
        const std::vector<std::string> choices = choices_of(info);
        value = ":" + plain(info.value_name) + ":" + (choices.empty() ? "_files" : "(" + joined(choices, " ") + ")");
      }
      const std::string meaning = "[" + plain(info.meaning) + "]";
      const std::string repeat = info.repeats ? "*" : "";
      if (info.letter != 0 && !info.repeats) {
        const std::string both = std::string("(-") + info.letter + " --" + info.name + ")";
        script += " \\\n        " + shell_quoted(both + "-" + info.letter + meaning + value) + " \\\n        " +
                  shell_quoted(both + "--" + info.name + meaning + value);
      } else {
        script += " \\\n        " + shell_quoted(repeat + "--" + info.name + meaning + value);
      }
    }
    std::string operand = "*:file:_files";
    if (each.entry->name == "help") operand = "1:command:(" + joined(command_names(), " ") + ")";
    if (each.entry->name == "completion") operand = "1:shell:(" + joined(completion_shells(), " ") + ")";
    script += " \\\n        " + shell_quoted(operand) + "\n      ;;\n";
  }
  return script +
         "  esac\n}\nif [ \"$funcstack[1]\" = _plumb ]; then\n  _plumb \"$@\"\nelse\n  compdef _plumb plumb\nfi\n";
}

std::string fish() {
  std::string script = "# fish completion for plumb\n";
  for (const CommandEntry& entry : command_list())
    script += "complete -c plumb -n __fish_use_subcommand -f -a " + std::string(entry.name) + " -d " +
              shell_quoted(entry.meaning) + "\n";
  for (const Completed& each : completed()) {
    const std::string when = "complete -c plumb -n '__fish_seen_subcommand_from " + std::string(each.entry->name) + "'";
    for (const OptionInfo& info : each.options) {
      script += when + " -l " + info.name;
      if (info.letter != 0) script += std::string(" -s ") + info.letter;
      if (!info.flag()) script += " -r";
      if (const std::vector<std::string> choices = choices_of(info); !choices.empty())
        script += " -f -a " + shell_quoted(joined(choices, " "));
      script += " -d " + shell_quoted(info.meaning) + "\n";
    }
    if (each.entry->name == "help") script += when + " -f -a " + shell_quoted(joined(command_names(), " ")) + "\n";
    if (each.entry->name == "completion")
      script += when + " -f -a " + shell_quoted(joined(completion_shells(), " ")) + "\n";
  }
  return script;
}

class Completion final : public Command {
 public:
  std::vector<OptionGroup> options() override { return {}; }
  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("completion"), operands, 1, 1);
  }
  int run(const std::vector<std::string>& operands, const CommonOptions& common, Terminal& terminal) override {
    const std::string script = completion_script(operands.front());
    if (!common.json) {
      terminal.print(script);
      return 0;
    }
    JsonWriter json(JsonWriter::Layout::indented);
    json.begin_object()
        .member("schema", 1)
        .member("command", "completion")
        .member("shell", operands.front())
        .member("script", script)
        .end_object();
    terminal.print(json.take());
    return 0;
  }
};

}  // namespace

std::vector<std::string> completion_shells() { return {"bash", "zsh", "fish"}; }

std::string completion_script(std::string_view shell) {
  if (shell == "bash") return bash();
  if (shell == "zsh") return zsh();
  if (shell == "fish") return fish();
  throw unknown_choice("completion for", shell, completion_shells(), "plumb completion ");
}

std::unique_ptr<Command> make_completion() { return std::make_unique<Completion>(); }

}  // namespace plumb::cli
