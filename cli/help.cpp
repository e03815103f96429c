// plumb help and plumb man.
#include "cli/manual.h"
#include "cli/topics.h"

namespace plumb::cli {
namespace {

struct HelpOptions {
  std::string markdown;
  static OptionTable table() {
    return {
        option("markdown", &HelpOptions::markdown, "write the reference pages of the documentation into this folder")
            .value("FOLDER")};
  }
};

// One JSON object with the option tables of a command: for programs that wrap this one.
void write_options(JsonWriter& json, const CommandEntry& entry) {
  const std::unique_ptr<Command> command = entry.make();
  CommonOptions common;
  json.begin_object()
      .member("name", entry.name)
      .member("operands", entry.operands)
      .member("meaning", entry.meaning)
      .key("examples")
      .begin_array();
  for (const CommandExample& example : entry.examples) json.value(example.line);
  json.end_array().key("options").begin_array();
  for (const OptionGroup& group : all_options(*command, common))
    for (const OptionInfo& info : group.options) {
      json.begin_object()
          .member("name", info.name)
          .member("letter", info.letter != 0 ? std::string(1, info.letter) : "")
          .member("value", info.value_name);
      json.member("meaning", info.meaning)
          .member("default", info.fallback)
          .member("range", info.range)
          .member("repeats", info.repeats)
          .key("choices")
          .begin_array();
      for (const std::string& choice : info.choices) json.value(choice);
      json.end_array().end_object();
    }
  json.end_array().end_object();
}

class Help final : public Command {
 public:
  std::vector<OptionGroup> options() override { return {options_of("Output", options_)}; }
  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("help"), operands, 0, 1);
  }

  int run(const std::vector<std::string>& operands, const CommonOptions& common, Terminal& terminal) override {
    if (!options_.markdown.empty()) return write_pages(common, terminal);
    if (common.json) {
      const CommandEntry* entry = operands.empty() ? nullptr : find_command(operands.front());
      if (!operands.empty() && entry == nullptr)
        throw unknown_choice("command", operands.front(), command_names(), "plumb help ", "plumb help");
      JsonWriter json(JsonWriter::Layout::indented);
      json.begin_object().member("schema", 1).member("command", "help").key("commands").begin_array();
      for (const CommandEntry& each : command_list())
        if (entry == nullptr || entry == &each) write_options(json, each);
      json.end_array().key("topics").begin_array();
      for (const Topic& topic : topic_list()) json.value(topic.name);
      json.end_array().end_object();
      terminal.print(json.take());
      return 0;
    }
    terminal.show(operands.empty() ? overview(terminal.style()) : help_on(operands.front(), terminal.style()));
    return 0;
  }

 private:
  int write_pages(const CommonOptions& common, Terminal& terminal) const {
    const auto pages = reference_pages();
    JsonWriter json(JsonWriter::Layout::indented);
    json.begin_object()
        .member("schema", 1)
        .member("command", "help")
        .member("dry_run", common.dry_run)
        .key("files")
        .begin_array();
    for (const auto& [name, content] : pages) {
      const std::string path = options_.markdown + "/" + name;
      check_output({"markdown", path});
      if (!common.dry_run) write_file_atomically(path, content);
      json.value(path);
    }
    json.end_array().end_object();
    if (common.json) {
      terminal.print(json.take());
    } else {
      terminal.note((common.dry_run ? "would write " : "") + counted(pages.size(), "page") +
                    (common.dry_run ? " to " : " in ") + options_.markdown);
    }
    return 0;
  }

  HelpOptions options_;
};

class Man final : public Command {
 public:
  std::vector<OptionGroup> options() override { return {}; }
  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("man"), operands, 0, 0);
  }
  int run(const std::vector<std::string>&, const CommonOptions& common, Terminal& terminal) override {
    if (!common.json) {
      terminal.print(manual_page());
      return 0;
    }
    JsonWriter json(JsonWriter::Layout::indented);
    json.begin_object().member("schema", 1).member("command", "man").member("page", manual_page()).end_object();
    terminal.print(json.take());
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> make_help() { return std::make_unique<Help>(); }
std::unique_ptr<Command> make_man() { return std::make_unique<Man>(); }

}  // namespace plumb::cli
