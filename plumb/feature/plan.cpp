#include "plumb/feature/plan.h"

#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "plumb/base/text.h"

namespace plumb {
namespace {

class Planner {
 public:
  Planner(const Source& source, const FeatureOptions& options) : source_(source), options_(options) {
    for (const ColumnInfo& column : source.columns()) {
      by_name_.emplace(column.name, names_.size());
      names_.push_back(column.name);
      kinds_.push_back(column.kind);
    }
    force("categorical", options.categorical, Kind::category);
    force("numeric", options.numeric, Kind::number);
    for (const std::string& name : options.drop) dropped_.insert(column("drop", name));
  }

  FeaturePlan plan() {
    if (options_.target.empty())
      throw Error(ErrorCode::usage, "no target is given; a column to predict was expected",
                  "--target " + as_typed(names_.back()));
    const std::size_t target = column("target", options_.target);
    std::optional<std::size_t> weight;
    if (!options_.weight.empty()) weight = column("weight", options_.weight);
    if (weight && *weight == target)
      throw Error(ErrorCode::usage, "--weight and --target name the same column; two were expected");
    refuse_dropped("target", target);
    refuse_entries(target);
    if (weight) refuse_dropped("weight", *weight);

    if (options_.features.empty()) {
      for (std::size_t c = 0; c < names_.size(); ++c)
        if (c != target && c != weight && !dropped_.contains(c)) add_term(Expression{{Factor{names_[c]}}}, false);
    } else {
      for (const std::string& text : options_.features) add_term(read("features", text, target), true);
    }
    for (const std::string& text : options_.derive) add_term(read("derive", text, target), true);

    plan_.selected.push_back({target, kinds_[target], true});
    plan_.target = names_[target];
    plan_.target_kind = kinds_[target];
    if (weight) {
      plan_.selected.push_back({*weight, Kind::number, true});
      plan_.weight = names_[*weight];
    }
    for (std::size_t c = 0; c < names_.size(); ++c)
      if (c != target && c != weight && !inputs_.contains(c)) plan_.left_out.push_back(source_.columns()[c]);
    return std::move(plan_);
  }

 private:
  // `alone` unless the name is part of an expression.
  std::size_t column(const std::string& option, const std::string& name, bool alone = true) const {
    const auto found = by_name_.find(name);
    if (found != by_name_.end()) return found->second;
    const std::string meant = nearest(name, names_);
    throw Error(
        ErrorCode::usage, {source_.name()},
        "--" + option + " names column " + in_quotes(name) + ", which is not there; the columns are " + listed(names_),
        meant.empty() || !alone ? did_you_mean(name, names_)
                                : "did you mean --" + option + " " + typed(option, meant) + "?");
  }

  // --target and --weight take one name, the others a list.
  static std::string typed(const std::string& option, const std::string& name) {
    return option == "target" || option == "weight" ? as_typed(name) : as_typed_item(name);
  }

  void refuse_dropped(const std::string& option, std::size_t c) const {
    if (dropped_.contains(c))
      throw Error(ErrorCode::usage,
                  "column " + in_quotes(names_[c]) + " is named by both --" + option + " and --drop; one was expected");
  }

  void refuse_entries(std::size_t c) const {
    if (kinds_[c] == Kind::sparse)
      throw Error(ErrorCode::usage, {source_.name()},
                  "column " + in_quotes(names_[c]) + " holds entries like 3:0.5; numbers or categories were expected",
                  "--drop " + as_typed_item(names_[c]) + " leaves it out");
  }

  void force(const std::string& option, const std::vector<std::string>& names, Kind kind) {
    for (const std::string& name : names) {
      const std::size_t c = column(option, name);
      if (!forced_.insert(c).second && kinds_[c] != kind)
        throw Error(ErrorCode::usage,
                    "column " + in_quotes(name) + " is named by both --categorical and --numeric; one was expected");
      kinds_[c] = kind;
    }
  }

  // A text that is a column's name is that column, whatever signs it holds; anything else is an expression.
  Expression read(const std::string& option, const std::string& text, std::size_t target) const {
    Expression expression = by_name_.contains(text) ? Expression{{Factor{text}}} : parse_expression(text);
    for (const Factor& factor : expression.factors) {
      const std::size_t c = column(option, factor.column, expression.plain_column());
      if (c == target)
        throw Error(ErrorCode::usage, "--" + option + " names the target column " + in_quotes(factor.column) +
                                          "; a model may not see its own target");
      refuse_dropped(option, c);
      if (kinds_[c] == Kind::category && !expression.plain_column())
        throw Error(ErrorCode::usage, {source_.name()},
                    "expression " + in_quotes(text) + " uses column " + in_quotes(factor.column) +
                        ", which holds categories; numbers were expected",
                    "--numeric " + as_typed_item(factor.column) + " reads it as numbers");
    }
    return expression;
  }

  void add_term(Expression expression, bool asked) {
    Product product;
    for (const Factor& factor : expression.factors) product.emplace_back(by_name_.at(factor.column), factor.power);
    for (const auto& [c, power] : product) {
      if (!inputs_.insert(c).second) continue;
      refuse_entries(c);
      plan_.inputs.push_back({names_[c], kinds_[c], asked || forced_.contains(c)});
      plan_.selected.push_back({c, kinds_[c]});
    }
    if (!products_.insert(std::move(product)).second)
      throw Error(ErrorCode::usage, "feature " + in_quotes(expression.text()) + " is given twice; once was expected");
    plan_.terms.push_back(std::move(expression));
  }

  using Product = std::vector<std::pair<std::size_t, std::uint32_t>>;  // columns and their powers

  const Source& source_;
  const FeatureOptions& options_;
  std::vector<std::string> names_;
  std::vector<Kind> kinds_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::unordered_set<std::size_t> forced_;
  std::unordered_set<std::size_t> dropped_;
  std::unordered_set<std::size_t> inputs_;
  std::set<Product> products_;  // those that are terms already
  FeaturePlan plan_;
};

}  // namespace

FeaturePlan plan_features(const Source& source, const FeatureOptions& options) {
  return Planner(source, options).plan();
}

Error not_a_numeric_target(const Source& source, const FeaturePlan& plan, std::string_view trainer) {
  const ColumnInfo& column = source.columns()[plan.selected[plan.inputs.size()].column];
  const std::string called = "the target column " + in_quotes(plan.target),
                    needs = "; " + std::string(trainer) + " needs numbers";
  if (column.kind == Kind::number)
    return Error(ErrorCode::usage, {source.name()}, called + " is named by --categorical" + needs,
                 "leave out --categorical " + as_typed_item(plan.target));
  if (column.first_text.empty())
    return Error(ErrorCode::usage, {source.name()}, called + " is empty in the first rows" + needs,
                 "--target names another column");
  return Error(ErrorCode::usage, column.first_text_place,
               called + " holds " + in_quotes(column.first_text) + ", which is not a number" + needs,
               "correct the value or remove the row, or name another column with --target");
}

}  // namespace plumb
