#include "cli/model_command.h"

#include "cli/arguments.h"
#include "cli/signals.h"

namespace plumb::cli {

std::vector<OptionGroup> with_chosen_trainer(std::vector<OptionGroup> groups, const std::vector<std::string>& words,
                                             TrainerChoice& trainers) {
  std::vector<OptionGroup> all = groups;
  CommonOptions common;
  all.push_back(options_of("", common));
  std::optional<std::string> name = value_of("model", words, all);
  if (name == kAuto) name.reset();
  groups.insert(groups.begin(), trainers.first(name));
  return groups;
}

void write_file(const std::string& path, const std::string& bytes) {
  OutputFile output(path);
  const RemovedBySignal removed(output.temporary());
  output.write(bytes);
  output.commit();
}

}  // namespace plumb::cli
