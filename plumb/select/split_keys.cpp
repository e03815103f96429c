#include "plumb/select/split_keys.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "plumb/base/digest.h"
#include "plumb/base/error.h"
#include "plumb/base/options.h"
#include "plumb/base/text.h"
#include "plumb/feature/levels.h"
#include "plumb/feature/model_formula.h"

namespace plumb {
namespace {

using Named = std::pair<std::string_view, const std::string*>;

// Whether the clusters are in a column that no other option names.
bool own_column(const SplitOptions& options) {
  return options.cluster != options.id && options.cluster != options.group && options.cluster != options.fold;
}

// The requested columns, in their order after target and weight.
std::vector<Named> columns_of(const SplitOptions& options) {
  std::vector<Named> columns;
  for (const Named& each : {Named{"id", &options.id}, Named{"group", &options.group}, Named{"fold", &options.fold}})
    if (!each.second->empty()) columns.push_back(each);
  if (!options.cluster.empty() && own_column(options)) columns.push_back({"cluster", &options.cluster});
  return columns;
}

std::size_t place_in(const Source& source, std::string_view option, const std::string& name) {
  std::vector<std::string> names;
  for (const ColumnInfo& column : source.columns()) {
    if (column.name == name) return names.size();
    names.push_back(column.name);
  }
  const std::string typed = "--" + std::string(option), meant = nearest(name, names);
  throw Error(ErrorCode::usage, {source.name()},
              typed + " names column " + in_quotes(name) + ", which is not there; the columns are " + listed(names),
              meant.empty() ? "" : "did you mean " + typed + " " + as_typed(meant) + "?");
}

// Calls visit(row, text) for each row of a column of categories.
template <class Visit>
void for_each_text(const Tables& tables, std::size_t column, std::string_view option, const Visit& visit) {
  for (const Table& table : tables.pieces) {
    const Column& texts = table.columns[column];
    for (std::uint64_t r = 0; r < table.rows; ++r) {
      const std::string& text = texts.levels[texts.codes[r]];
      if (text.empty())
        throw table.row_error(r, "the field that --" + std::string(option) + " names is empty; a value was expected");
      visit(table, r, text);
    }
  }
}

void read_groups(const Tables& tables, std::size_t column, SplitKeys& keys) {
  std::unordered_map<std::string, std::uint32_t> codes;
  for_each_text(tables, column, "group", [&](const Table&, std::uint64_t, const std::string& text) {
    const auto [found, added] = codes.emplace(text, static_cast<std::uint32_t>(codes.size()));
    if (added) keys.group_draw.push_back(digest64(text));
    keys.group.push_back(found->second);
  });
}

// Clusters are numbered in the order of their first rows.
void read_clusters(const Tables& tables, std::size_t column, SplitKeys& keys) {
  std::unordered_map<std::string, std::uint32_t> codes;
  for_each_text(tables, column, "cluster", [&](const Table&, std::uint64_t, const std::string& text) {
    keys.cluster.push_back(codes.emplace(text, static_cast<std::uint32_t>(codes.size())).first->second);
  });
}

// The clusters are what another option reads too.
template <class Number>
std::vector<std::uint32_t> numbered(const std::vector<Number>& keys) {
  std::unordered_map<Number, std::uint32_t> codes;
  std::vector<std::uint32_t> found;
  for (const Number& each : keys)
    found.push_back(codes.emplace(each, static_cast<std::uint32_t>(codes.size())).first->second);
  return found;
}

// Rows of one identifier stay together, like rows of one group.
void group_by_name(SplitKeys& keys) {
  std::vector<std::uint64_t> names = keys.draw;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.size() == keys.draw.size()) return;
  keys.names_repeat = true;
  for (const std::uint64_t name : keys.draw)
    keys.group.push_back(
        static_cast<std::uint32_t>(std::lower_bound(names.begin(), names.end(), name) - names.begin()));
  keys.group_draw = std::move(names);
}

// Folds are numbered in the order of their names: as numbers, if all are numbers.
void read_folds(const Tables& tables, std::size_t column, SplitKeys& keys) {
  std::set<std::string> texts;
  for (const Table& table : tables.pieces)
    texts.insert(table.columns[column].levels.begin(), table.columns[column].levels.end());
  const std::vector<std::string> names = labels_among({texts.begin(), texts.end()});
  const LabelCodes codes(names);
  keys.folds = static_cast<std::uint32_t>(names.size());
  std::vector<std::uint32_t> fold_of_group(keys.group_draw.size(), keys.folds);
  for_each_text(tables, column, "fold", [&](const Table& table, std::uint64_t r, const std::string& text) {
    const std::uint32_t fold = codes.find(text).value_or(0);
    if (!keys.group.empty()) {
      std::uint32_t& known = fold_of_group[keys.group[keys.fold.size()]];
      if (known != keys.folds && known != fold)
        throw table.row_error(r,
                              "the group of this row is in fold " + in_quotes(text) + " and in fold " +
                                  in_quotes(names[known]) + "; one fold for all rows of a group was expected",
                              "leave out --group or --fold");
      known = fold;
    }
    keys.fold.push_back(fold);
  });
  if (keys.folds < 2)
    throw Error(ErrorCode::data, "the column that --fold names has one value only; two folds or more were expected");
}

}  // namespace

FeaturePlan plan_split(const Source& source, FeatureOptions features, const TextOptions& text,
                       const SplitOptions& split, std::optional<Kind> target) {
  features = without_formula(std::move(features));
  std::vector<Selected> selected;
  std::vector<std::string> dropped = features.drop;
  for (const auto& [option, name] : columns_of(split)) {
    selected.push_back({place_in(source, option, *name), Kind::category, true, IfMissing::keep, {}, Role::beside});
    for (const auto& [other, used] :
         {Named{"target", &features.target}, Named{"weight", &features.weight}, Named{"offset", &features.offset}})
      if (*used == *name)
        throw Error(ErrorCode::usage, "--" + std::string(option) + " and --" + std::string(other) +
                                          " name the same column; two were expected");
    if (std::find(features.features.begin(), features.features.end(), *name) != features.features.end())
      throw Error(ErrorCode::usage, "--" + std::string(option) + " names column " + in_quotes(*name) +
                                        ", and so does --features; a column that splits rows cannot be a feature");
    if (std::find(dropped.begin(), dropped.end(), *name) == dropped.end()) dropped.push_back(*name);
  }
  features.drop = std::move(dropped);
  FeaturePlan plan = plan_features(source, features, text, target);
  plan.selected.insert(plan.selected.end(), selected.begin(), selected.end());
  for (const Selected& each : selected)
    std::erase_if(plan.left_out,
                  [&](const ColumnInfo& column) { return column.name == source.columns()[each.column].name; });
  return plan;
}

SplitKeys split_keys(const Tables& tables, const FeaturePlan& plan, const SplitOptions& options) {
  SplitKeys keys;
  keys.in_order = options.split == SplitOrder::order;
  if (keys.in_order && !options.group.empty())
    throw Error(ErrorCode::usage, "--split order and --group cannot be combined", "leave out --split order");
  std::size_t column = plan.inputs.size() + (plan.weight.empty() ? 1 : 2);
  if (!options.id.empty()) {
    keys.draw.reserve(tables.rows);
    for_each_text(tables, column++, "id",
                  [&](const Table&, std::uint64_t, const std::string& name) { keys.draw.push_back(digest64(name)); });
  }
  if (!options.group.empty()) {
    read_groups(tables, column++, keys);
  } else if (!keys.in_order && options.fold.empty()) {
    group_by_name(keys);
  }
  if (!options.fold.empty()) read_folds(tables, column++, keys);
  if (options.cluster.empty()) return keys;
  if (own_column(options))
    read_clusters(tables, column, keys);
  else
    keys.cluster = options.cluster == options.group  ? numbered(keys.group)
                   : options.cluster == options.fold ? numbered(keys.fold)
                                                     : numbered(keys.draw);
  return keys;
}

OptionTable SplitOptions::table() {
  using O = SplitOptions;
  return {option("id", &O::id,
                 "a column that identifies rows: random splits follow it, so a row keeps its part in any file")
              .value("COL")
              .otherwise("the number of the row"),
          option("group", &O::group, "a column of groups: a group is never split between training and test rows")
              .value("COL"),
          option("fold", &O::fold, "a column with the fold of each row; never a feature").value("COL"),
          option("split", &O::split, "random: by --seed; order: the last rows are held out, folds are consecutive rows")
              .value("HOW")};
}

}  // namespace plumb
