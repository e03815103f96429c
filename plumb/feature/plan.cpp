#include "plumb/feature/plan.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "plumb/base/error.h"
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
                  "--target " + names_.back());
    const std::size_t target = column("target", options_.target);
    std::optional<std::size_t> weight;
    if (!options_.weight.empty()) weight = column("weight", options_.weight);
    if (weight && *weight == target)
      throw Error(ErrorCode::usage, "--weight and --target name the same column; two were expected");

    if (options_.features.empty()) {
      for (std::size_t c = 0; c < names_.size(); ++c)
        if (c != target && c != weight && !dropped_.contains(c)) add_term(Expression{{Factor{names_[c]}}}, false);
    } else {
      for (const std::string& text : options_.features) add_term(read("features", text, target), true);
    }
    for (const std::string& text : options_.derive) add_term(read("derive", text, target), true);

    plan_.layout.target = add_role(target, kinds_[target]);
    if (weight) plan_.layout.weight = add_role(*weight, Kind::number);
    plan_.target = names_[target];
    plan_.target_kind = kinds_[target];
    for (std::size_t c = 0; c < names_.size(); ++c)
      if (c != target && c != weight && !inputs_.contains(c)) plan_.left_out.push_back(source_.columns()[c]);
    return std::move(plan_);
  }

 private:
  std::size_t column(const std::string& option, const std::string& name) const {
    const auto found = by_name_.find(name);
    if (found != by_name_.end()) return found->second;
    const std::string meant = nearest(name, names_);
    throw Error(
        ErrorCode::usage, {source_.name()},
        "--" + option + " names column " + in_quotes(name) + ", which is not there; the columns are " + listed(names_),
        meant.empty() ? "" : "did you mean --" + option + " " + meant + "?");
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
      const std::size_t c = column(option, factor.column);
      if (c == target)
        throw Error(ErrorCode::usage, "--" + option + " names the target column " + in_quotes(factor.column) +
                                          "; a model may not see its own target");
      if (dropped_.contains(c))
        throw Error(ErrorCode::usage, "column " + in_quotes(factor.column) + " is named by both --" + option +
                                          " and --drop; one was expected");
      if (kinds_[c] == Kind::category && !expression.plain_column())
        throw Error(ErrorCode::usage, {source_.name()},
                    "expression " + in_quotes(text) + " uses column " + in_quotes(factor.column) +
                        ", which holds categories; numbers were expected",
                    "--numeric " + factor.column + " reads it as numbers");
    }
    return expression;
  }

  void add_term(Expression expression, bool asked) {
    if (std::find(plan_.terms.begin(), plan_.terms.end(), expression) != plan_.terms.end())
      throw Error(ErrorCode::usage, "feature " + in_quotes(expression.text()) + " is given twice; once was expected");
    for (const Factor& factor : expression.factors) {
      const std::size_t c = by_name_.at(factor.column);
      const auto [place, is_new] = inputs_.try_emplace(c, plan_.inputs.size());
      if (!is_new) continue;
      plan_.layout.inputs.push_back(plan_.inputs.size());
      plan_.inputs.push_back({factor.column, kinds_[c], asked || forced_.contains(c)});
      plan_.selected.push_back({c, kinds_[c]});
    }
    plan_.terms.push_back(std::move(expression));
  }

  std::size_t add_role(std::size_t c, Kind kind) {
    plan_.selected.push_back({c, kind});
    return plan_.selected.size() - 1;
  }

  const Source& source_;
  const FeatureOptions& options_;
  std::vector<std::string> names_;
  std::vector<Kind> kinds_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::unordered_set<std::size_t> forced_;
  std::unordered_set<std::size_t> dropped_;
  std::unordered_map<std::size_t, std::size_t> inputs_;
  FeaturePlan plan_;
};

}  // namespace

FeaturePlan plan_features(const Source& source, const FeatureOptions& options) {
  return Planner(source, options).plan();
}

}  // namespace plumb
