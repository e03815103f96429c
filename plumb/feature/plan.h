// FeaturePlan: what the user asked for, held against the columns that are there. It says which columns to read, and as
// what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/options.h"
#include "plumb/data/source.h"
#include "plumb/data/table.h"
#include "plumb/feature/formula.h"
#include "plumb/feature/scale.h"
#include "plumb/feature/text_options.h"

namespace plumb {

// How categories become features: treatment leaves out the base level, full has one for each. automatic is treatment
// unless the model has a penalty, or counts.
enum class Coding { automatic, treatment, full };
template <>
struct EnumNames<Coding> {
  static constexpr std::string_view names[] = {"auto", "treatment", "full"};
};

// What becomes of a missing value in a column of numbers: an error, a number in its place, or the row is left out. Mean
// and median are those of the training rows.
enum class Missing { error, mean, median, zero, drop_row };
template <>
struct EnumNames<Missing> {
  static constexpr std::string_view names[] = {"error", "mean", "median", "zero", "drop-row"};
};

struct FeatureOptions {
  std::string target;
  std::vector<std::string> features;
  std::vector<std::string> drop;
  std::vector<std::string> derive;
  std::vector<std::string> categorical;
  std::vector<std::string> numeric;
  std::vector<std::string> text;
  std::string weight;
  std::string offset;
  std::vector<std::string> base;
  std::vector<std::string> levels;
  Coding coding = Coding::automatic;
  Missing missing = Missing::error;
  Scaling scale = Scaling::none;

  static constexpr auto table() {
    using O = FeatureOptions;
    return std::tuple{
        option("target", &O::target, "the column to predict").value("COL").short_as('t'),
        option("features", &O::features, "columns or formulas (height^3, log(x), a*b) to predict from, in this order")
            .value("COL,...")
            .otherwise("every other column"),
        option("drop", &O::drop, "columns to leave out").value("COL,..."),
        option(
            "derive", &O::derive,
            "a formula to add as a feature: 'height^3', 'log(x)', 'a > b', 'poly(x, 3)', 'cross(a, b)', 'cross(all)'")
            .value("FORMULA"),
        option("categorical", &O::categorical, "columns to read as categories, whatever they look like")
            .value("COL,..."),
        option("numeric", &O::numeric, "columns to read as numbers, whatever they look like").value("COL,..."),
        option("text", &O::text, "columns to read as text, whatever they look like: a feature for each word")
            .value("COL,..."),
        option("weight", &O::weight,
               "a column of row weights: weight 2 counts as two copies of the row; vocabularies count texts")
            .value("COL"),
        option("offset", &O::offset, "a column of numbers that is part of every score, with weight 1").value("COL"),
        option("base", &O::base, "the level of a category that has no feature of its own")
            .value("COL=LEVEL")
            .otherwise("the first in sorted order"),
        option("levels", &O::levels, "the levels of a category, in this order; another one is an error")
            .value("COL=A,B,...")
            .otherwise("those in the training rows, sorted"),
        option("coding", &O::coding, "of categories: treatment leaves out the base level, full has every level")
            .value("CODING"),
        option("missing", &O::missing, "what becomes of a missing number; a missing category is a level of its own")
            .value("WHAT"),
        option("scale", &O::scale,
               "of numeric features: to mean 0 and standard deviation 1, or to at most 1 either way")
            .value("HOW")};
  }
};

// Which columns of the tables read hold the inputs of a FeatureMap, and which the target and the weight.
struct TableLayout {
  std::vector<std::size_t> inputs = {};
  std::optional<std::size_t> target = {};
  std::vector<std::string> labels = {};  // of a category target; the target of an example is the place of its label
  std::optional<std::size_t> known_labels = {};  // how many of them are the model's; without it, all
  std::optional<std::size_t> weight = {};
  bool low_parts = false;  // of derived numbers: see Piece::lows
};

struct FeaturePlan {
  struct Input {
    std::string name;
    Kind kind = Kind::number;
    bool asked = false;                    // named by the user, so never left out as an identifier
    std::vector<std::string> levels = {};  // declared by the user; empty: learnt
    std::optional<std::string> base = {};  // the level without a feature, if the user named one
  };
  std::vector<Input> inputs;
  std::vector<std::variant<Formula, Cross>>
      terms;  // over inputs; a category stands alone, or in a cross of two columns
  Coding coding = Coding::automatic;
  Missing missing = Missing::error;
  Scaling scale = Scaling::none;
  TextRecipe text = {};            // of every column of texts
  std::vector<std::string> na;     // texts that stand for a missing value
  std::vector<Selected> selected;  // for Source::select: the inputs, the target, the weight if there is one
  std::string target;
  Kind target_kind = Kind::number;
  std::string weight;                // empty if there is none
  std::string offset;                // likewise; an input that nothing may stand in for
  std::vector<ColumnInfo> left_out;  // dropped, or not among --features
};

// Throws Error(usage) for a column that is not there, naming the nearest. A target of numbers is read as labels if that
// is the kind `target` asks for.
FeaturePlan plan_features(const Source& source, const FeatureOptions& options, const TextOptions& text = {},
                          std::optional<Kind> target = {});

// How a term of a plan is written.
std::string term_text(const std::variant<Formula, Cross>& term);

// What to throw where `trainer` needs a target of numbers and the plan's target is a category: it names the first value
// that is not a number.
Error not_a_numeric_target(const Source& source, const FeaturePlan& plan, std::string_view trainer);

}  // namespace plumb
