// The options of all trainers while a command line is parsed, and the trainer that was chosen.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plumb/base/options.h"
#include "plumb/feature/plan.h"
#include "plumb/select/classes.h"
#include "plumb/train/trainer.h"

namespace plumb {

class TrainerChoice {
 public:
  TrainerChoice();

  // "Options of least-squares", and so on.
  void append_to(std::vector<OptionGroup>& groups);
  // The group that is used first, if an option is in several: that of the trainer with this name. While the name is
  // unknown, an option is set for every trainer that has it.
  OptionGroup first(const std::optional<std::string>& name);
  // Its position, for entry() and setup(). Throws Error(usage) if an option was given that only other trainers have.
  std::size_t find(const std::string& name, const std::vector<std::string>& given);
  // One that is not in the list (plumb/train/custom_loss.h), which find() then returns for any name.
  void use(std::shared_ptr<const TrainerEntry> own);
  const TrainerEntry& entry(std::size_t place) const { return own_ ? *own_ : trainer_list()[place]; }
  TrainerSetup& setup(std::size_t place) { return *setups_[place]; }
  // Whether one of these is an option of a model.
  bool any_given(const std::vector<std::string>& given);
  bool is_listed() const noexcept { return own_ == nullptr; }

 private:
  std::vector<std::unique_ptr<TrainerSetup>> setups_;  // as trainer_list, then its own
  std::shared_ptr<const TrainerEntry> own_;
};

// Throws Error(usage) if two of the trainer's options say the same thing: options given, and those that the option `by`
// (grid, with) varies.
void expect_one_way(const OptionGroup& own, const std::vector<std::string>& given,
                    const std::vector<std::string>& varied = {}, const std::string& by = {});

const OptionInfo* find_option(const OptionGroup& group, std::string_view name);

// Throws Error(usage or data) where the model predicts labels and the target holds numbers, or the other way round.
void expect_target(const Source& source, const FeaturePlan& plan, const FeatureOptions& options,
                   const TrainerEntry& entry);

// For a target of numbers that was taken for labels by its first rows. Throws Error(data) where all rows say otherwise.
void expect_few_labels(const Source& source, const FeaturePlan& plan, const Classes& classes);

// The model that is chosen from the rows: -m auto, the default.
inline constexpr std::string_view kAuto = "auto";

// The model of a fixed kind for a target: the default where nothing is searched.
std::string default_model(Kind target);

}  // namespace plumb
