#include "plumb/base/choices.h"
#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/options.h"
#include "plumb/base/text.h"
#include "plumb/train/trainer.h"
#include "plumb/workflow/calls.h"
#include "plumb/workflow/models.h"
#include "plumb/workflow/trainer_choice.h"

namespace plumb {
namespace {

using Options = std::vector<std::pair<std::string, std::string>>;

// The options that differ from the defaults, as the command line would give them.
Options differing(OptionGroup now, OptionGroup before) {
  Options found;
  for (std::size_t i = 0; i < now.options.size(); ++i) {
    const std::string text = now.options[i].text(now.owner);
    if (text != before.options[i].text(before.owner))
      found.emplace_back(now.options[i].name, now.options[i].flag() ? "" : text);
  }
  return found;
}

// Of the trainer with this name, whose options are of this type.
template <class T>
Options given_to(const char* name, T options) {
  const std::unique_ptr<TrainerSetup> setup = find_trainer(name).setup(), fresh = find_trainer(name).setup();
  *static_cast<T*>(setup->options().owner) = std::move(options);
  return differing(setup->options(), fresh->options());
}

std::string strength(const Strength& l2) { return OptionText<Strength>::text(l2); }

Options penalised(const Strength& l2, bool bias) {
  Options options = {{"l2", strength(l2)}};
  if (!bias) options.emplace_back("no-bias", "");
  return options;
}

}  // namespace

Recipe::Recipe() = default;
Recipe::Recipe(std::string_view name, const Options& options) : name_(name), options_(options) {}
Recipe::Recipe(const LeastSquares& o) : Recipe("least-squares", given_to("least-squares", o)) {}
Recipe::Recipe(const Ridge& o) : Recipe("ridge", penalised(o.l2, o.bias)) {}
Recipe::Recipe(const Logistic& o) : Recipe("logistic", given_to("logistic", o)) {}
Recipe::Recipe(const Perceptron& o) : Recipe("perceptron", given_to("perceptron", o)) {}
Recipe::Recipe(const NaiveBayes& o) : Recipe("naive-bayes", given_to("naive-bayes", o)) {}
Recipe::Recipe(const Hinge& o) : Recipe("hinge", penalised(o.l2, o.bias)) {
  options_.emplace_back("tolerance", number_text(o.tolerance));
}
Recipe::Recipe(const SquaredHinge& o) : Recipe("squared-hinge", penalised(o.l2, o.bias)) {
  options_.emplace_back("tolerance", number_text(o.tolerance));
}
Recipe::Recipe(const Huber& o) : Recipe("huber", penalised(o.l2, o.bias)) {
  options_.emplace_back("huber", number_text(o.threshold));
}
Recipe::Recipe(const Poisson& o) : Recipe("poisson", penalised(o.l2, o.bias)) {}
Recipe::Recipe(const CustomLoss& loss) : name_(loss.name), own_(custom_trainer(loss)) {}

void set_option(const std::vector<OptionGroup>& groups, const std::string& name, const std::string& value) {
  std::vector<std::string> names;
  const OptionInfo* info = nullptr;
  void* owner = nullptr;
  for (const OptionGroup& group : groups) {
    for (const OptionInfo& each : group.options) names.push_back(each.name);
    if (info != nullptr || (info = find_option(group, name)) == nullptr) continue;
    owner = group.owner;
  }
  if (info == nullptr) throw unknown_choice("option", name, names, "");
  try {
    info->set(owner, value);
  } catch (const OptionFault& fault) {
    throw Error(ErrorCode::usage, name + " is " + in_quotes(value) + "; " + fault.expected + " was expected");
  }
}

void set_recipe(const Recipe& recipe, TrainerSetup& setup, std::vector<std::string>& given) {
  for (const auto& [name, value] : recipe.options()) {
    set_option({setup.options()}, name, value);
    given.push_back(name);
  }
  expect_one_way(setup.options(), given);
}

void set_recipe(const Recipe& recipe, TrainerChoice& trainers, std::vector<std::string>& given) {
  if (recipe.own()) return trainers.use(recipe.own());
  const TrainerEntry& entry = find_trainer(recipe.name());
  set_recipe(recipe, trainers.setup(static_cast<std::size_t>(&entry - trainer_list().data())), given);
}

DataRequest request_of(const Data& data, std::vector<std::string>& given) {
  DataRequest request{data.options().columns, data.options().text,    data.options().classes,
                      data.options().split,   data.options().reading, data.files()};
  if (!data.options().target.empty()) request.features.target = data.options().target;
  DataRequest fresh;
  std::vector<OptionGroup> now = request.groups(), before = fresh.groups();
  for (std::size_t i = 0; i < now.size(); ++i)
    for (const auto& [name, value] : differing(now[i], before[i])) given.push_back(name);
  return request;
}

}  // namespace plumb
