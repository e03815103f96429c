// A model as R writes it: wage ~ education*experience + log(age) - 1. Another way to name the target, the features and
// the formulas derived from columns.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/feature/feature_options.h"

namespace plumb {

struct ModelFormula {
  std::string target;
  bool all = false;                   // "." is among the terms: every other column
  std::vector<std::string> features;  // columns and formulas, in order; with `all`, those beside the columns
  std::vector<std::string> drop;      // columns taken away from all
  bool bias = true;

  // As options would say it: names without dashes, and values; flags have none.
  std::vector<std::pair<std::string, std::string>> options() const;
};

// In it a*b is a + b + a:b, a:b a product (of categories, every pair of levels), I(...) arithmetic, . every other
// column, -1 or +0 no bias. Throws Error(usage) that points at the character.
ModelFormula parse_model_formula(std::string_view text);

// The options with what their formula says in its place. Throws Error(usage) where they say it, too.
FeatureOptions without_formula(FeatureOptions options);

}  // namespace plumb
