// The square of a feature about a centre, as a feature of its own: (height-1.7)^2 beside height. A centre near the mean
// keeps the digits that x^2 loses where the mean is large beside the spread; it is a short number, so that the name of
// the feature stays readable.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "plumb/data/row_set.h"
#include "plumb/data/table.h"
#include "plumb/feature/feature_map.h"
#include "plumb/feature/formula.h"
#include "plumb/feature/term.h"

namespace plumb {

// The shortest number within half a standard deviation of the mean of a column of numbers; 0 if that is. Some 4096 of
// the rows, evenly spaced, are looked at.
double short_centre(const Tables& tables, std::size_t column, const RowSet& rows);

// A product or formula as a formula; none for other terms.
std::optional<Formula> formula_of(const Term& term, const std::vector<FeatureMap::Input>& inputs);

Formula centred_square(const Formula& formula, double centre);
// The same number under a name that is not taken, such as abs(x)^2 where x^2 is a feature by itself.
Formula centred_square(const Formula& formula, double centre, const std::unordered_set<std::string>& taken);

// The centre, if `square` is the centred square of `term`.
std::optional<double> centre_of_square(const Term& term, const Term& square,
                                       const std::vector<FeatureMap::Input>& inputs);

}  // namespace plumb
