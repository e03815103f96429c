#include "plumb/workflow/typed_data.h"

#include <algorithm>

#include "plumb/base/text.h"

namespace plumb {
namespace {

std::string said_again(const OptionInfo& info, const void* owner) {
  const std::string name = info.name == "target" ? "-t" : "--" + info.name;
  const std::string file = info.file(owner);
  return name + (info.flag() ? "" : " " + as_typed(file.empty() ? info.text(owner) : file));
}

bool was_typed(const std::vector<std::string>& given, const std::string& name) {
  return std::find(given.begin(), given.end(), name) != given.end();
}

}  // namespace

std::vector<TypedOption> typed_options(const OptionGroup& model, const std::vector<std::string>& given) {
  std::vector<TypedOption> typed;
  for (const OptionInfo& info : model.options)
    if (was_typed(given, info.name)) typed.push_back({info.name, said_again(info, model.owner)});
  return typed;
}

TypedData typed_data(const std::vector<std::string>& operands, const std::vector<OptionGroup>& groups,
                     const OptionGroup& own, const OptionGroup& model, const std::vector<std::string>& given,
                     const FeaturePlan& plan) {
  TypedData data;
  for (const std::string& each : operands) data.words += (data.words.empty() ? "" : " ") + as_typed(each);
  for (const OptionGroup& group : groups)
    for (const OptionInfo& info : group.options)
      if (was_typed(given, info.name)) data.words += " " + said_again(info, group.owner);
  for (const OptionInfo& info : own.options)
    if ((info.name == "test" || info.name == "seed") && was_typed(given, info.name))
      data.words += " " + said_again(info, own.owner);
  data.options = typed_options(model, given);
  data.counts = was_typed(given, "event");
  for (const FeaturePlan::Input& input : plan.inputs) {
    data.text = data.text || input.kind == Kind::text;
    data.counts = data.counts || input.kind != Kind::number;
    if (input.kind == Kind::number) data.numbers.push_back(input.name);
    if (input.kind != Kind::sparse) data.columns.push_back(input.name);
  }
  return data;
}

std::uint64_t terms_of_texts(const FeatureMap& map) {
  std::uint64_t terms = 0;
  for (const Term& term : map.parts().terms)
    if (const TextTerm* const text = std::get_if<TextTerm>(&term)) terms += text->bag->features();
  return terms;
}

RowSet some_rows(const RowSet& rows, std::uint64_t labels) {
  constexpr std::uint64_t kEnough = 20'000, kMostScores = 20'000'000;
  const std::uint64_t enough =
      std::min(kEnough, std::max<std::uint64_t>(1'000, kMostScores / std::max<std::uint64_t>(labels, 1)));
  const std::uint64_t every = std::max<std::uint64_t>(1, rows.count() / enough);
  RowSet some(rows.rows());
  std::uint64_t place = 0;
  for (std::uint64_t row = 0; row < rows.rows(); ++row)
    if (rows.has(row) && place++ % every == 0) some.add(row);
  return some;
}

std::optional<SeenErrors> seen_errors(const std::vector<Metric>& seen, const std::vector<Metric>& unseen,
                                      const std::vector<Metric>& baseline) {
  const Metric* const own = find_metric(seen, kError);
  const Metric* const other = find_metric(unseen, kError);
  const Metric* const nothing = find_metric(baseline, kError);
  if (own == nullptr || other == nullptr || nothing == nullptr || !other->low || !other->high) return {};
  // If all targets are the same there is nothing to learn.
  if (find_entry(own->name)->needs == MetricNeeds::numbers && find_metric(seen, kSpreadNeeded) == nullptr) return {};
  return SeenErrors{own->name, own->value, other->value, (*other->high - *other->low) / 2, nothing->value};
}

bool is_penalised(TrainerSetup& setup) {
  const OptionGroup own = setup.options();
  for (const OptionInfo& info : own.options)
    if (info.name == "l2") return info.text(own.owner) != "0";
  return false;
}

}  // namespace plumb
