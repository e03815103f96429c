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

RowSet some_rows(const RowSet& rows) {
  constexpr std::uint64_t kEnough = 20'000;
  const std::uint64_t every = std::max<std::uint64_t>(1, rows.count() / kEnough);
  RowSet some(rows.rows());
  std::uint64_t place = 0;
  for (std::uint64_t row = 0; row < rows.rows(); ++row)
    if (rows.has(row) && place++ % every == 0) some.add(row);
  return some;
}

std::optional<SeenErrors> seen_errors(const std::vector<Metric>& seen, const std::vector<Metric>& unseen,
                                      const std::vector<Metric>& baseline) {
  const auto find = [](const std::vector<Metric>& metrics, std::string_view name) -> const Metric* {
    for (const Metric& metric : metrics)
      if (metric.name == name) return &metric;
    return nullptr;
  };
  for (const std::string name : {"error", "rmse"}) {
    const Metric* const own = find(seen, name);
    const Metric* const other = find(unseen, name);
    const Metric* const nothing = find(baseline, name);
    if (own == nullptr || other == nullptr || nothing == nullptr || !other->low || !other->high) continue;
    if (name == "rmse" && find(seen, "r2") == nullptr) continue;  // all targets are the same: nothing to learn
    return SeenErrors{name, own->value, other->value, (*other->high - *other->low) / 2, nothing->value};
  }
  return {};
}

bool is_penalised(TrainerSetup& setup) {
  const OptionGroup own = setup.options();
  for (const OptionInfo& info : own.options)
    if (info.name == "l2") return info.text(own.owner) != "0";
  return false;
}

}  // namespace plumb
