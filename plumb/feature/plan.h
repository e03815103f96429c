// FeaturePlan: what the user asked for, held against the columns that are there. It says which columns to read, and as
// what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/options.h"
#include "plumb/data/source.h"
#include "plumb/data/table.h"
#include "plumb/feature/expression.h"

namespace plumb {

struct FeatureOptions {
  std::string target;
  std::vector<std::string> features;
  std::vector<std::string> drop;
  std::vector<std::string> derive;
  std::vector<std::string> categorical;
  std::vector<std::string> numeric;
  std::string weight;

  static constexpr auto table() {
    using O = FeatureOptions;
    return std::tuple{
        option("target", &O::target, "the column to predict").value("COL").short_as('t'),
        option("features", &O::features, "columns or expressions (height^3, a*b) to predict from, in this order")
            .value("COL,...")
            .otherwise("every other column"),
        option("drop", &O::drop, "columns to leave out").value("COL,..."),
        option("derive", &O::derive, "an expression to add as a feature, such as 'height^3' or 'a*b'").value("EXPR"),
        option("categorical", &O::categorical, "columns to read as categories, whatever they look like")
            .value("COL,..."),
        option("numeric", &O::numeric, "columns to read as numbers, whatever they look like").value("COL,..."),
        option("weight", &O::weight, "a column of row weights: weight 2 counts as two copies of the row").value("COL")};
  }
};

// Which columns of the tables read hold the inputs of a FeatureMap, and which the target and the weight.
struct TableLayout {
  std::vector<std::size_t> inputs = {};
  std::optional<std::size_t> target = {};
  std::vector<std::string> labels = {};  // of a category target; the target of an example is the place of its label
  std::optional<std::size_t> weight = {};
};

struct FeaturePlan {
  struct Input {
    std::string name;
    Kind kind = Kind::number;
    bool asked = false;  // named by the user, so never left out as an identifier
  };
  std::vector<Input> inputs;
  std::vector<Expression> terms;   // over inputs; a category stands alone
  std::vector<Selected> selected;  // for Source::select: the inputs, the target, the weight if there is one
  std::string target;
  Kind target_kind = Kind::number;
  std::string weight;                // empty if there is none
  std::vector<ColumnInfo> left_out;  // dropped, or not among --features
};

// Throws Error(usage) for a column that is not there, naming the nearest.
FeaturePlan plan_features(const Source& source, const FeatureOptions& options);

// What to throw where `trainer` needs a target of numbers and the plan's target is a category: it names the first value
// that is not a number.
Error not_a_numeric_target(const Source& source, const FeaturePlan& plan, std::string_view trainer);

}  // namespace plumb
