// The square of a feature about a centre, as a feature of its own: (height-1.7)^2 beside height. A centre near the mean
// keeps the digits that x^2 loses if the mean is large relative to the spread; it is a short number, so that the name
// of the feature stays readable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

// The shortest number within half a standard deviation of the mean; 0 if that is. Sums over all rows give the same
// number as the rows themselves, so that merged models have the centres of one trained on all rows.
double short_centre(double mean, double deviation);

// The centre of a column of numbers. If there is a column of weights, rows count by it; `fill` replaces missing values,
// which are ignored without it.
double short_centre(const Tables& tables, std::size_t column, std::optional<std::size_t> weight,
                    std::optional<double> fill, const RowSet& rows);

// The map with squares of columns about other centres, by the feature that is squared: without a centre the square
// stays as it is.
FeatureMap recentred(const FeatureMap& map,
                     const std::function<std::optional<double>(std::uint32_t feature)>& centre_of);

// A product or formula as a formula; empty for other terms.
std::optional<Formula> formula_of(const Term& term, const std::vector<FeatureMap::Input>& inputs);

Formula centred_square(const Formula& formula, double centre);
// The same number under a name that is not taken, such as abs(x)^2 if x^2 is a feature by itself.
Formula centred_square(const Formula& formula, double centre, const std::unordered_set<std::string>& taken);

// The centre, if `square` is the centred square of `term`.
std::optional<double> centre_of_square(const Term& term, const Term& square,
                                       const std::vector<FeatureMap::Input>& inputs);

}  // namespace plumb
