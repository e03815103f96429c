// FeaturePlan: the user's options, checked against the columns of the data. It says which columns to read, and as what.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/data/source.h"
#include "plumb/data/table.h"
#include "plumb/feature/feature_options.h"
#include "plumb/feature/formula.h"
#include "plumb/feature/text_recipe.h"

namespace plumb {

// Where the tables have the inputs of a FeatureMap, the target and the weight.
struct TableLayout {
  std::vector<std::size_t> inputs = {};
  std::optional<std::size_t> target = {};
  std::optional<Formula> target_formula = {};  // of the target's column: what the targets of examples are
  std::vector<std::string> labels = {};  // of a category target; the target of an example is the position of its label
  std::optional<std::size_t> known_labels = {};  // how many of them are the model's; by default all
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
  std::vector<std::variant<Formula, Cross>> terms;  // over inputs; a category alone, or in a cross of two columns
  Coding coding = Coding::automatic;
  Missing missing = Missing::error;
  Scaling scale = Scaling::none;
  TextRecipe text = {};            // of every column of texts
  std::vector<std::string> na;     // texts that mean a missing value
  std::vector<Selected> selected;  // for Source::select: the inputs, the target, the weight if there is one
  std::string target;
  Kind target_kind = Kind::number;
  std::optional<Formula> target_formula = {};  // of the target's column: what is fitted; it has a TargetScale
  std::string weight;                          // empty if there is none
  std::string offset;                          // likewise; an input without a fill value
  std::vector<ColumnInfo> left_out;            // dropped, or not among --features
  bool guessed_labels = false;                 // of a target of numbers, by the few that there are in the first rows
  std::vector<std::string> notes;              // what was assumed, for the user to see
  std::string kind_note;                       // likewise why a target of few numbers is taken for labels, or is not
};

// Throws Error(usage) for an unknown column, naming the nearest. A numeric target is read as labels if `target` asks
// for that kind.
FeaturePlan plan_features(const Source& source, const FeatureOptions& options, const TextOptions& text = {},
                          std::optional<Kind> target = {});

// The target where none is named: a column called class, label, target or y, in any case; the first of these names.
std::optional<std::size_t> default_target(std::span<const ColumnInfo> columns);

// Whether a column of numbers holds labels: it has two different ones; or 3 to 20, or as many as 1,000 beside entries,
// that are whole, and each of them 10 rows or more on the average.
bool look_like_labels(const SampledNumbers& numbers, bool beside_entries) noexcept;

// What becomes of a row without a target or a weight: it is left out, unless missing values are errors.
IfMissing if_target_missing(Missing missing) noexcept;
IfMissing if_weight_missing(Missing missing) noexcept;

// The text of a term of a plan.
std::string term_text(const std::variant<Formula, Cross>& term);

// The error if `trainer` needs a numeric target and the plan's target is a category: it names the first value that is
// not a number.
Error not_a_numeric_target(const Source& source, const FeaturePlan& plan, std::string_view trainer,
                           std::string_view for_labels = "-m logistic");

}  // namespace plumb
