#include "plumb/workflow/trainer_choice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"

namespace plumb {
namespace {

// Options that say the same thing.
struct OneOf {
  std::array<const char*, 4> ways;
  std::string_view what;
};
constexpr OneOf kOneOf[] = {{{"firth", "l2", "C", "prior-variance"}, "both set the penalty"},
                            {{"firth", "l1", "", ""}, "both set the penalty"},
                            {{"virtual", "smoothing", "", ""}, "give only one of them"}};

}  // namespace

TrainerChoice::TrainerChoice() {
  for (const TrainerEntry& entry : trainer_list()) setups_.push_back(entry.setup());
}

void TrainerChoice::use(std::shared_ptr<const TrainerEntry> own) {
  setups_.push_back(own->setup());
  own_ = std::move(own);
}

void TrainerChoice::append_to(std::vector<OptionGroup>& groups) {
  for (std::size_t i = 0; i < trainer_list().size(); ++i) {
    groups.push_back(setups_[i]->options());
    groups.back().title = "Options of " + std::string(trainer_list()[i].name);
  }
}

OptionGroup TrainerChoice::first(const std::optional<std::string>& name) {
  OptionGroup all;
  for (std::size_t i = 0; i < setups_.size(); ++i) {
    const OptionGroup group = setups_[i]->options();
    if (name && trainer_list()[i].name == *name) return group;
    for (const OptionInfo& info : group.options) {
      const auto set = [set = info.set, owner = group.owner](void*, std::string_view text) { set(owner, text); };
      const auto known = std::find_if(all.options.begin(), all.options.end(),
                                      [&](const OptionInfo& each) { return each.name == info.name; });
      if (known == all.options.end()) {
        all.options.push_back(info);
        all.options.back().set = set;
        continue;
      }
      known->set = [before = known->set, set](void* none, std::string_view text) {
        before(none, text);
        try {
          set(none, text);
        } catch (const OptionFault&) {  // the next entry may not take the same option
        }
      };
    }
  }
  return name ? OptionGroup() : all;
}

std::size_t TrainerChoice::find(const std::string& name, const std::vector<std::string>& given) {
  if (own_) return setups_.size() - 1;
  const auto place = static_cast<std::size_t>(&find_trainer(name) - trainer_list().data());
  const OptionGroup own = setups_[place]->options();
  for (const std::string& option : given) {
    if (find_option(own, option) != nullptr) continue;
    std::vector<std::string> owners;
    for (std::size_t i = 0; i < setups_.size(); ++i)
      if (find_option(setups_[i]->options(), option) != nullptr) owners.emplace_back(trainer_list()[i].name);
    if (!owners.empty())
      throw Error(ErrorCode::usage, "--" + option + " is an option of " + listed(owners) + ", not of " + name,
                  "leave out --" + option);
  }
  expect_one_way(own, given);
  return place;
}

bool TrainerChoice::any_given(const std::vector<std::string>& given) {
  for (const std::unique_ptr<TrainerSetup>& setup : setups_)
    for (const OptionInfo& info : setup->options().options)
      if (std::find(given.begin(), given.end(), info.name) != given.end()) return true;
  return false;
}

void expect_one_way(const OptionGroup& own, const std::vector<std::string>& given,
                    const std::vector<std::string>& varied, const std::string& by) {
  const auto among = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const auto& [ways, what] : kOneOf) {
    std::vector<std::string> typed;
    for (const std::string option : ways) {
      if (option.empty() || find_option(own, option) == nullptr) continue;
      if (among(varied, option)) {
        typed.push_back("--" + by + " " + option);
      } else if (among(given, option)) {
        typed.push_back("--" + option);
      }
    }
    if (typed.size() > 1)
      throw Error(ErrorCode::usage, typed[0] + " and " + typed[1] + " are given; " + std::string(what),
                  "leave out " + typed[1]);
  }
}

const OptionInfo* find_option(const OptionGroup& group, std::string_view name) {
  for (const OptionInfo& info : group.options)
    if (info.name == name) return &info;
  return nullptr;
}

void expect_target(const Source& source, const FeaturePlan& plan, const FeatureOptions& options,
                   const TrainerEntry& entry) {
  if (plan.target_formula && entry.log_link)
    throw Error(ErrorCode::usage,
                "-m " + std::string(entry.name) + " fits the logarithm of the mean of a column, and the target is " +
                    plan.target_formula->text() + "; a column was expected",
                "-t " + as_typed(plan.target));
  if (plan.target_kind == entry.target) return;
  const bool labels = entry.target == Kind::category;
  if (options.target_kind != TargetKind::automatic)
    throw Error(ErrorCode::usage,
                "-m " + std::string(entry.name) + " predicts " + (labels ? "labels" : "a number") +
                    ", and --target-kind says " + (labels ? "number" : "labels"),
                "-m " + default_model(labels ? Kind::number : Kind::category));
  throw not_a_numeric_target(source, plan, entry.name, entry.for_labels);
}

void expect_few_labels(const Source& source, const FeaturePlan& plan, const Classes& classes) {
  SampledNumbers all{classes.of_row.size(), classes.labels.size(), true};
  for (const std::string& label : classes.labels) {
    const ParsedNumber number = parse_number(label);
    all.whole = all.whole && number.fault == NumberFault::none && std::trunc(number.value) == number.value;
  }
  const bool beside_entries = std::any_of(source.columns().begin(), source.columns().end(),
                                          [](const ColumnInfo& column) { return column.kind == Kind::sparse; });
  const SampledNumbers& first = source.columns()[plan.selected[plan.inputs.size()].column].sampled;
  if (all.different <= first.different || look_like_labels(all, beside_entries)) return;
  throw Error(ErrorCode::data, {source.name()},
              "the first rows hold " + count_text(first.different) + " different values of " + plan.target +
                  ", all rows " + count_text(all.different) + ": it looks like a number and not like a label",
              "--target-kind number predicts a number, --target-kind labels a label");
}

std::string default_model(Kind target) { return std::string(default_trainer(target).name); }

}  // namespace plumb
