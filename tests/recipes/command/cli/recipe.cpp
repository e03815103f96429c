#include "cli/command.h"

namespace plumb::cli {
namespace {

class Recipe final : public Command {
 public:
  std::vector<OptionGroup> options() override { return {}; }
  void open_inputs(const std::vector<std::string>&, Terminal&) override {}
  int run(const std::vector<std::string>&, const CommonOptions& common, Terminal& terminal) override {
    terminal.print(common.json ? "{\"says\":\"hello\"}\n" : "hello\n");
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> make_recipe() { return std::make_unique<Recipe>(); }

}  // namespace plumb::cli
