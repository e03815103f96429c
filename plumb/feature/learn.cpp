// Learning a FeatureMap: the levels that the training rows hold, merged over pieces in row order and then sorted.
#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/text.h"
#include "plumb/feature/feature_map.h"
#include "plumb/feature/levels.h"

namespace plumb {
namespace {

// A text column that is almost all different values is a name or a key: it would be one feature per row.
constexpr std::uint64_t kFewLevels = 20;

// The levels of one category among the given rows.
std::vector<std::string> levels_of(const Tables& tables, std::size_t column, const RowSet& rows) {
  std::unordered_set<std::string_view> seen;
  std::uint64_t number = 0;
  for (const Table& table : tables.pieces) {
    const Column& values = table.columns[column];
    std::vector<bool> used(values.levels.size());
    for (const std::uint32_t code : values.codes) {
      if (rows.has(number)) used[code] = true;
      ++number;
    }
    for (std::size_t code = 0; code < used.size(); ++code)
      if (used[code]) seen.insert(values.levels[code]);
  }
  return {seen.begin(), seen.end()};
}

}  // namespace

Learnt learn_features(const Tables& tables, const FeaturePlan& plan, const RowSet& rows, const Wishes& wishes) {
  Learnt learnt;
  const std::size_t target = plan.inputs.size();
  learnt.layout.target = target;
  if (!plan.weight.empty()) learnt.layout.weight = target + 1;
  if (plan.target_kind == Kind::category) learnt.layout.labels = labels_among(levels_of(tables, target, rows));
  FeatureMap::Parts parts;
  std::unordered_map<std::string, std::uint32_t> kept;  // column -> place in parts.inputs
  const std::uint64_t training = rows.count();
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const FeaturePlan::Input& input = plan.inputs[i];
    FeatureMap::Input learnt_input{input.name, input.kind, {}};
    if (input.kind == Kind::category) {
      learnt_input.levels = levels_of(tables, i, rows);
      const std::uint64_t levels = learnt_input.levels.size();
      if (!input.asked && levels > kFewLevels && levels * 2 > training) {
        learnt.warnings.push_back("column " + in_quotes(input.name) + " was left out: it holds " +
                                  counted(levels, "different text") + " in " + counted(training, "row") +
                                  ", so it looks like a name or key (--categorical " + as_typed_item(input.name) +
                                  " keeps it)");
        continue;
      }
      sort_levels(learnt_input.levels);
      learnt.notes.push_back("column " + in_quotes(input.name) + " holds " + counted(levels, "level"));
    }
    learnt.layout.inputs.push_back(i);
    kept.emplace(input.name, static_cast<std::uint32_t>(parts.inputs.size()));
    parts.inputs.push_back(std::move(learnt_input));
  }

  bool full = wishes.full_coding || !wishes.bias;
  for (const Expression& expression : plan.terms) {
    if (!kept.contains(expression.factors.front().column)) continue;
    FeatureMap::Term term;
    const std::uint32_t first = kept.at(expression.factors.front().column);
    if (parts.inputs[first].kind == Kind::category) {
      term.category = first;
      if (!full && !parts.inputs[first].levels.empty()) term.base = 0;
      full = wishes.full_coding;
    } else {
      for (const Factor& factor : expression.factors) term.product.push_back({kept.at(factor.column), factor.power});
    }
    parts.terms.push_back(std::move(term));
  }
  learnt.map = FeatureMap(std::move(parts));

  std::unordered_set<std::string> names;
  for (const std::string& name : learnt.map.names())
    if (!names.insert(name).second)
      throw Error(ErrorCode::data,
                  "two features are called " + in_quotes(name) + "; every feature needs a name of its own",
                  "rename one of the columns behind them, or leave it out with --drop");
  return learnt;
}

}  // namespace plumb
