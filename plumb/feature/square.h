// The square of a feature about a centre, as a feature of its own: (height-1.7)^2 beside height. A centre near the mean
// keeps the digits that x^2 loses where the mean is large beside the spread; it is a short number, so that the name of
// the feature stays readable.
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

// The shortest number within half a standard deviation of the mean; 0 if that is. Who knows sums over all rows finds
// the same number from them as who learns from the rows, so that models that are merged are about the centres of one
// that saw all rows.
double short_centre(double mean, double deviation);

// That of a column of numbers. Where there is a column of weights, rows count by it; `fill` stands in for what is
// missing, which is left out without.
double short_centre(const Tables& tables, std::size_t column, std::optional<std::size_t> weight,
                    std::optional<double> fill, const RowSet& rows);

// The map with squares of columns about other centres, by the feature that is squared: none leaves its square as it is.
FeatureMap recentred(const FeatureMap& map,
                     const std::function<std::optional<double>(std::uint32_t feature)>& centre_of);

// A product or formula as a formula; none for other terms.
std::optional<Formula> formula_of(const Term& term, const std::vector<FeatureMap::Input>& inputs);

Formula centred_square(const Formula& formula, double centre);
// The same number under a name that is not taken, such as abs(x)^2 where x^2 is a feature by itself.
Formula centred_square(const Formula& formula, double centre, const std::unordered_set<std::string>& taken);

// The centre, if `square` is the centred square of `term`.
std::optional<double> centre_of_square(const Term& term, const Term& square,
                                       const std::vector<FeatureMap::Input>& inputs);

}  // namespace plumb
