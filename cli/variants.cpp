#include "cli/variants.h"

#include <algorithm>

#include "cli/arguments.h"

namespace plumb::cli {
namespace {

constexpr std::string_view kShared[] = {"target", "weight"};  // common to all variants

bool shared(std::string_view name) {
  return std::find(std::begin(kShared), std::end(kShared), name) != std::end(kShared);
}

// Parsed, but sets nothing: for the whole group, or for one option.
void silence(OptionGroup& group, std::string_view only = {}) {
  for (OptionInfo& info : group.options)
    if (only.empty() || info.name == only) info.set = [](void*, std::string_view) {};
}

std::string name_of(const std::string& with) { return with.substr(0, with.find('=')); }

Error not_an_option(const std::string& name, const std::string& option, const std::vector<OptionGroup>& varied,
                    const TrainerEntry& entry) {
  std::vector<std::string> names;
  for (const OptionGroup& group : varied)
    for (const OptionInfo& info : group.options)
      if (!shared(info.name)) names.push_back(info.name);
  return unknown_choice("option that variants of " + std::string(entry.name) + " may differ in called", name, names,
                        "--" + option + " ");
}

void set(const std::string& with, const std::string& option, const std::vector<OptionGroup>& varied,
         Candidate& variant) {
  const std::string name = name_of(with);
  const bool valued = name.size() < with.size();
  const OptionInfo* info = nullptr;
  void* owner = nullptr;
  for (auto group = varied.begin(); info == nullptr && group != varied.end(); ++group) {
    info = find_option(*group, name);
    owner = group->owner;
  }
  if (info == nullptr || shared(name)) throw not_an_option(name, option, varied, *variant.entry);
  const std::string value = valued ? with.substr(name.size() + 1) : "";
  if (info->flag() && (value == "true" || value == "false")) {
    if (value == "true") info->set(owner, "");
    variant.differs.emplace_back(name, value);
    return;
  }
  if (info->flag() == valued)
    throw Error(ErrorCode::usage,
                "--" + option + " is " + in_quotes(with) + "; " +
                    (info->flag() ? "a flag is true or false" : "a value was expected"),
                "--" + option + " " + name + (info->flag() ? "=true" : "=" + info->value_name));
  try {
    info->set(owner, value);
  } catch (const OptionFault& fault) {
    const std::string meant = nearest(value, info->choices);
    throw Error(
        ErrorCode::usage,
        "--" + option + " " + name + " is " + in_quotes(value) + "; " + fault.expected + " was expected",
        info->choices.empty() ? "" : "--" + option + " " + name + "=" + (meant.empty() ? info->choices[0] : meant));
  }
  variant.differs.emplace_back(name, value);
}

}  // namespace

bool adds_to_typed(std::string_view option) {
  constexpr std::string_view kLists[] = {"drop", "derive", "categorical", "numeric", "text"};
  return std::find(std::begin(kLists), std::end(kLists), option) != std::end(kLists);
}

Candidate read_variant(const TrainerEntry& entry, const std::vector<std::string>& words,
                       const std::vector<OptionGroup>& groups, const std::string& option,
                       const std::vector<std::string>& with) {
  Candidate variant;
  variant.entry = &entry;
  variant.setup = entry.setup();
  const std::vector<OptionGroup> varied = {options_of("", variant.features), options_of("", variant.text),
                                           variant.setup->options()};
  std::vector<OptionGroup> all = varied;
  for (OptionGroup& group : all)
    for (const std::string& each : with)
      if (!adds_to_typed(name_of(each))) silence(group, name_of(each));
  CommonOptions common;
  all.insert(all.end(), groups.begin(), groups.end());
  all.push_back(options_of("", common));
  for (std::size_t i = varied.size(); i < all.size(); ++i) silence(all[i]);
  const Arguments arguments = read_arguments(words, all);
  for (const std::string& each : with) set(each, option, varied, variant);
  std::vector<std::string> names;
  for (const std::string& each : with) names.push_back(name_of(each));
  expect_one_way(variant.setup->options(), arguments.given, names, option);
  FileList files;
  files.add(varied);
  for (const NamedFile& file : files.read)
    if (file.path == "-")
      throw Error(ErrorCode::usage,
                  "--" + file.option +
                      " is standard input, which can be read only once; every fit reads it, so a file "
                      "was expected",
                  "--" + file.option + " words.txt");
  files.add(groups);
  expect_apart(files);
  return variant;
}

void expect_used(TrainerChoice& trainers, const std::vector<std::string>& given,
                 const std::vector<const TrainerEntry*>& entries) {
  for (const TrainerEntry* entry : entries)
    if (entry->target != entries.front()->target) {
      const bool first = entries.front()->target == Kind::number;
      const std::string numbers(first ? entries.front()->name : entry->name);
      const std::string labels(first ? entry->name : entries.front()->name);
      throw Error(ErrorCode::usage,
                  numbers + " predicts numbers and " + labels + " labels; models of one kind were expected, to compare",
                  "-m " + (first ? numbers : labels));
    }
  for (const std::string& option : given) {
    const TrainerEntry* owner = nullptr;
    bool used = false;
    for (std::size_t i = 0; i < trainer_list().size(); ++i) {
      if (find_option(trainers.setup(i).options(), option) == nullptr) continue;
      owner = &trainer_list()[i];
      used = used || std::find(entries.begin(), entries.end(), owner) != entries.end();
    }
    if (owner != nullptr && !used)
      throw Error(ErrorCode::usage, "--" + option + " is an option of " + std::string(owner->name) +
                                        ", which is not among the models compared");
  }
}

}  // namespace plumb::cli
