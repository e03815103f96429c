#include "plumb/train/column_penalties.h"

#include <cmath>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/solver/proximal_newton.h"
#include "plumb/train/count_ratios.h"

namespace plumb {
namespace {

constexpr double kBeyondAll = 1e200;  // a penalty that no gradient reaches

}  // namespace

// With w = 2^-k u: l2 w^2 = l2 2^-2k u^2, and l1 |w| = l1 2^-k |u|.
ColumnPenalties column_penalties(const Problem& problem, const ConvexOptions& options,
                                 const PenaltyStrengths& strengths, const DesignMatrix& x, In ratios) {
  const std::size_t p = x.columns();
  ColumnPenalties all{std::vector<double>(p), {}, std::vector<double>(p)};
  if (strengths.l1 > 0.0) all.lasso.resize(p);
  const std::vector<double> factors = penalty_factors(options.penalty_factor, problem.map);
  for (std::size_t j = 0; j < factors.size(); ++j) {
    const double unit =
        (strengths.units.empty() ? 1.0 : strengths.units[j]) * (ratios.empty() ? 1.0 : ratio_penalty(ratios[j]));
    all.ridge[j] = std::ldexp(strengths.l2 * factors[j] * unit, -2 * x.exponent(j));
    if (!strengths.selected.empty()) {
      all.ridge[j] = 0.0;
      all.lasso[j] = strengths.selected[j] ? 0.0 : kBeyondAll;
      continue;
    }
    if (!all.lasso.empty()) all.lasso[j] = std::ldexp(strengths.l1 * factors[j] * std::sqrt(unit), -x.exponent(j));
    if (!(all.ridge[j] < kNoPenalty)) continue;
    if (all.lasso.empty() || all.lasso[j] == 0.0) all.slight[j] = all.ridge[j];
    all.ridge[j] = 0.0;
  }
  if (x.bias()) all.ridge.back() = options.penalise_bias ? strengths.l2 : 0.0;
  if (x.bias() && options.penalise_bias && strengths.l1 > 0.0) all.lasso.back() = strengths.l1;
  return all;
}

std::vector<std::string> needless_warnings(const Objective& f, const FeatureMap& map) {
  constexpr std::size_t kMostNamed = 5;
  const std::vector<std::size_t> twin = needless_columns(f);
  std::vector<std::string> warnings;
  std::size_t more = 0;
  const auto name = [&](std::size_t j) { return in_quotes(map.name(static_cast<std::uint32_t>(j))); };
  for (std::size_t j = 0; j < twin.size(); ++j) {
    if (twin[j] == j || map.offset() == j) continue;
    if (twin[j] != kConstantColumn && twin[j] >= kMirrored)
      continue;  // two levels of a category: nothing to worry about
    if (warnings.size() == kMostNamed) {
      ++more;
      continue;
    }
    warnings.push_back("feature " + name(j) + " has weight 0: it is " +
                       (twin[j] == kConstantColumn ? "constant" : "a copy of " + name(twin[j])));
  }
  if (more > 0) warnings.push_back("so have " + counted(more, "more feature"));
  return warnings;
}

}  // namespace plumb
