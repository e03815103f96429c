// Pages of help: the overview, a command in full or on one screen, a topic, a model, an option.
#include <algorithm>
#include <map>
#include <set>

#include "cli/manual.h"
#include "cli/topics.h"
#include "plumb/workflow/trainer_choice.h"

namespace plumb::cli {
namespace {

// The options shown by -h: those that most people need, in this order within their groups. A command with few options
// shows all of its own.
constexpr std::string_view kOnOneScreen[] = {
    "target",     "model", "features", "drop", "derive", "text",    "categorical", "missing", "test",      "output",
    "l2",         "seed",  "folds",    "grid", "with",   "solvers", "sizes",       "repeats", "threshold", "mistakes",
    "fail-under", "proba", "keep",     "top",  "row",    "plot",    "json",        "to"};
constexpr std::size_t kFewOptions = 9;

bool on_one_screen(const std::string& name) {
  return std::find(std::begin(kOnOneScreen), std::end(kOnOneScreen), name) != std::end(kOnOneScreen);
}

// One option: its form, and its meaning beside or below.
std::string option_lines(const OptionInfo& info, const std::string& meaning, const Style& style) {
  const std::size_t indent = style.width < 100 ? 24 : 32;
  std::string form = "  " + option_form(info);
  form += form.size() + 2 <= indent ? std::string(indent - form.size(), ' ') : "\n" + std::string(indent, ' ');
  return form + wrapped(meaning, style.width, indent) + "\n";
}

std::vector<OptionGroup> groups_of(const CommandEntry& entry) {
  const std::unique_ptr<Command> command = entry.make();
  CommonOptions common;
  std::vector<OptionGroup> groups = all_options(*command, common);
  for (OptionGroup& group : groups) group.owner = nullptr;  // they outlive the objects they were bound to
  std::erase_if(groups, [](const OptionGroup& group) { return group.options.empty(); });
  return groups;
}

// Models share options. Each is described with the first model that has it, and listed by name with the others.
std::string all_groups(const std::vector<OptionGroup>& groups, const Style& style) {
  std::string text;
  std::map<std::string, std::string> described;  // where
  for (const OptionGroup& group : groups) {
    text += "\n" + style.bold(group.title) + "\n";
    std::map<std::string, std::string> elsewhere;
    for (const OptionInfo& info : group.options) {
      const std::string lines = option_lines(info, option_meaning(info), style);
      const auto [place, is_new] = described.emplace(lines, group.title);
      if (is_new) {
        text += lines;
      } else {
        std::string& names = elsewhere[place->second];
        names += (names.empty() ? "--" : ", --") + info.name;
      }
    }
    for (const auto& [where, names] : elsewhere)
      text += "  " + wrapped("as in \"" + where + "\": " + names, style.width, 4) + "\n";
  }
  return text;
}

std::string on_one_screen(const std::vector<OptionGroup>& groups, const Style& style) {
  std::size_t own = 0;
  for (const OptionGroup& group : groups) own += group.title == "Everywhere" ? 0 : group.options.size();
  std::string text = "\n" + style.bold("Options") + "\n";
  std::set<std::string> shown;
  for (const OptionGroup& group : groups)
    for (const OptionInfo& info : group.options) {
      const bool everywhere = group.title == "Everywhere";
      if (!(on_one_screen(info.name) || (own <= kFewOptions && !everywhere)) || !shown.insert(info.name).second)
        continue;
      text += option_lines(info, info.meaning, style);
    }
  return text;
}

std::string examples_of(const CommandEntry& entry, const Style& style) {
  std::string text;
  for (const CommandExample& example : entry.examples)
    text += "  " + std::string(example.line) + "\n      " + style.faint(example.meaning) + "\n";
  return text;
}

std::string topic_help(const Topic& topic, const Style& style) {
  std::string text = style.bold("plumb help " + std::string(topic.name)) + ": " + std::string(topic.meaning) + "\n\n";
  for (std::size_t i = 0; i <= topic.text.size();) {
    const std::size_t end = std::min(topic.text.find('\n', i), topic.text.size());
    const std::string_view line = topic.text.substr(i, end - i);
    text += (line.starts_with(' ') ? std::string(line) : wrapped(line, style.width, 0)) + "\n";
    i = end + 1;
  }
  if (topic.name == "models") {
    text += "\n";
    for (const TrainerEntry& trainer : trainer_list()) {
      std::string name(trainer.name);
      name.resize(std::max<std::size_t>(name.size(), 16), ' ');
      text += "  " + name + "  " + std::string(trainer.meaning) + "\n";
    }
  }
  std::string options;
  std::set<std::string> shown;
  for (const CommandEntry& entry : command_list())
    for (const OptionGroup& group : groups_of(entry))
      for (const OptionInfo& info : group.options) {
        const std::string name = " " + info.name + " ";
        if ((" " + std::string(topic.options) + " ").find(name) != std::string::npos && shown.insert(info.name).second)
          options += option_lines(info, option_meaning(info), style);
      }
  if (!options.empty()) text += "\n" + style.bold("Options") + "\n" + options;
  if (!topic.more.empty()) text += "\nmore: " + std::string(topic.more) + "\n";
  return text;
}

std::string model_help(const TrainerEntry& trainer, const Style& style) {
  const std::unique_ptr<TrainerSetup> setup = trainer.setup();
  std::string text = style.bold("plumb help " + std::string(trainer.name)) + ": " + std::string(trainer.meaning) +
                     "\n\n  plumb train data.csv -t TARGET -m " + std::string(trainer.name) + "\n\n" +
                     (trainer.target == Kind::number ? "Predicts a number.\n" : "Predicts labels.\n");
  const OptionGroup group = setup->options();
  if (!group.options.empty()) text += "\n" + style.bold("Options") + "\n";
  for (const OptionInfo& info : group.options) text += option_lines(info, option_meaning(info), style);
  return text + "\nThe options of every model: plumb train --help\n";
}

// Each meaning once, with the commands and models that have it.
std::string option_help(const std::string& name, const Style& style) {
  std::vector<std::pair<std::string, std::vector<std::string>>> meanings;
  for (const CommandEntry& entry : command_list())
    for (const OptionGroup& group : groups_of(entry))
      for (const OptionInfo& info : group.options) {
        if (info.name != name && std::string(1, info.letter) != name) continue;
        const std::string lines = option_lines(info, option_meaning(info), style);
        auto found =
            std::find_if(meanings.begin(), meanings.end(), [&](const auto& each) { return each.first == lines; });
        if (found == meanings.end()) found = meanings.insert(meanings.end(), {lines, {}});
        if (found->second.empty() || found->second.back() != entry.name) found->second.emplace_back(entry.name);
      }
  std::string text;
  for (const auto& [lines, commands] : meanings)
    text += (text.empty() ? "" : "\n") + lines + "    in: plumb " + listed(commands, command_list().size()) + "\n";
  return text;
}

}  // namespace

std::string overview(const Style& style) {
  std::string text = style.bold("plumb") + ": " + std::string(kSummary) + "\n\n";
  text += "  plumb train data.csv -t COL         train, score on held-out rows, save model.plumb\n";
  text += "  plumb predict model.plumb new.csv   predict each row of new data\n\n" + style.bold("Commands") + "\n";
  for (const CommandEntry& entry : command_list()) {
    std::string name(entry.name);
    name.resize(12, ' ');
    text += "  " + name + std::string(entry.meaning) + "\n";
  }
  text += "\n" + style.bold("Topics") + "\n  ";
  std::string topics;
  for (const Topic& topic : topic_list()) topics += (topics.empty() ? "" : ", ") + std::string(topic.name);
  return text + wrapped(topics, style.width, 2) +
         "\n\nplumb COMMAND -h is one screen, plumb help NAME explains a command, topic, model or option.\n";
}

std::string command_help(const CommandEntry& entry, bool brief, const Style& style) {
  std::string text = style.bold("plumb " + std::string(entry.name)) + ": " + std::string(entry.meaning) + "\n\n  " +
                     usage_of(entry) + "\n";
  const std::vector<OptionGroup> groups = groups_of(entry);
  if (brief) {
    if (!entry.examples.empty()) text += "  " + std::string(entry.examples.front().line) + "\n";
    return text + on_one_screen(groups, style) + "\nEvery option: plumb " + std::string(entry.name) +
           " --help. A subject: plumb help TOPIC.\n";
  }
  return text + "\n" + style.bold("Examples") + "\n" + examples_of(entry, style) + "\n" +
         wrapped(entry.description, style.width, 0) + "\n" + all_groups(groups, style);
}

std::string help_on(const std::string& typed, const Style& style) {
  const std::string name = typed.substr(std::min(typed.find_first_not_of('-'), typed.size()));
  if (name == typed) {
    if (const CommandEntry* entry = find_command(name)) return command_help(*entry, false, style);
    if (const Topic* topic = find_topic(name)) return topic_help(*topic, style);
    for (const TrainerEntry& trainer : trainer_list())
      if (trainer.name == name) return model_help(trainer, style);
  }
  if (const std::string text = option_help(name, style); !name.empty() && !text.empty()) return text;
  std::vector<std::string> names = command_names();
  for (const Topic& topic : topic_list()) names.emplace_back(topic.name);
  for (const TrainerEntry& trainer : trainer_list()) names.emplace_back(trainer.name);
  std::set<std::string> options;
  for (const CommandEntry& entry : command_list())
    for (const OptionGroup& group : groups_of(entry))
      for (const OptionInfo& info : group.options) options.insert(info.name);
  names.insert(names.end(), options.begin(), options.end());
  const std::string meant = nearest(name, names);
  throw Error(ErrorCode::usage,
              "there is no command, topic, model or option " + in_quotes(typed) + "; plumb help lists what there is",
              meant.empty() ? "plumb help" : "did you mean plumb help " + meant + "?");
}

}  // namespace plumb::cli
