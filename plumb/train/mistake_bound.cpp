#include "plumb/train/mistake_bound.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "plumb/math/dense.h"
#include "plumb/math/norm.h"
#include "plumb/math/sparse.h"

namespace plumb {
namespace {

constexpr double kMarginWork = 2e7;       // entries that may be read to find a better margin
constexpr std::size_t kAims = 64;         // target margins to try if rows fall short
constexpr double kBoundRounding = 1e-12;  // the stated bound exceeds the computed one by this

// The hyperplane scaled so that its largest number is about 1: a tiny rate makes tiny weights, whose squares would
// underflow.
Planes with_largest_one(Planes plane) {
  double most = std::abs(plane.bias[0]);
  for (const double w : plane.weights) most = std::max(most, std::abs(w));
  if (!(most > 0.0) || !std::isfinite(most)) return plane;
  const int exponent = -std::ilogb(most);
  for (double& w : plane.weights) w = std::ldexp(w, exponent);
  plane.bias[0] = std::ldexp(plane.bias[0], exponent);
  return plane;
}

bool all_zero(const Planes& plane) { return plane.bias[0] == 0.0 && math::is_zero(plane.weights); }

double sign_of(const RowTable& rows, std::uint64_t i) { return rows.target(i) > 0.5 ? 1.0 : -1.0; }

// sum y (x, 1); where that is zero, the first row that is not.
Planes sum_of_rows(const RowTable& rows, std::size_t features, bool bias) {
  const auto add = [&](Planes& plane, std::uint64_t i) {
    RowReader reader(rows);
    const Row x = reader.row(i);
    for (std::size_t e = 0; e < x.value.size(); ++e)
      plane.weights[x.dense() ? e : x.index[e]] += sign_of(rows, i) * x.value[e];
    if (bias) plane.bias[0] += sign_of(rows, i);
  };
  const Planes zero{1, std::vector<double>(features), {0.0}};
  Planes sum = zero;
  for (std::uint64_t i = 0; i < rows.size(); ++i) add(sum, i);
  for (std::uint64_t i = 0; i < rows.size() && all_zero(sum); ++i) {
    sum = zero;
    add(sum, i);
  }
  return sum;
}

}  // namespace

MistakeBound mistake_bound(const RowTable& rows, const Planes& last, bool bias, double beta, std::uint64_t passes,
                           const Run& run) {
  MistakeBound found;
  RowReader reader(rows);
  const Planes plane = with_largest_one(all_zero(last) ? sum_of_rows(rows, last.weights.size(), bias) : last);
  const double norm = std::sqrt(math::dot(plane.weights, plane.weights) + plane.bias[0] * plane.bias[0]);
  std::vector<double> margins(rows.size());
  for (std::uint64_t i = 0; i < rows.size(); ++i) {
    const Row x = reader.row(i);
    const double score =
        x.dense() ? math::dot(x.value, plane.weights) : math::sparse_dot(x.index, x.value, plane.weights);
    margins[i] = sign_of(rows, i) * (score + plane.bias[0]) / norm;
    found.radius = std::max(found.radius, bias ? math::dot(x.value, x.value) : math::norm(x.value));
  }
  if (bias) found.radius = std::sqrt(found.radius + 1.0);
  if (!(norm > 0.0)) return found;
  const double reach = std::sqrt(found.radius * found.radius + 2.0 * beta);
  std::sort(margins.begin(), margins.end());
  const auto entries = static_cast<double>(std::max<std::uint64_t>(rows.examples().entries(), 1));
  // Rows may be separable although this hyperplane does not separate them yet.
  const auto most = static_cast<std::uint64_t>(std::min(1000.0, kMarginWork / entries));
  if (most > 0)
    found.margin =
        data_margin(rows.examples(), {.tolerance = 1e-3, .max_passes = most, .bias = bias, .free_bias = false}, run)
            .augmented;
  found.margin.low = std::max(found.margin.low, margins.front() * (1.0 - kBoundRounding));
  if (found.margin.low > 0.0) {
    const double ratio = reach / found.margin.low;
    found.any_passes = found.updates = ratio * ratio * (1.0 + kBoundRounding);
    if (margins.front() > 0.0) return found;
  }
  // Over few passes the shortfall from a wider margin may give a smaller bound.
  for (std::size_t k = 1; k <= kAims; ++k) {
    const double aim = margins[(rows.size() - 1) * k / kAims];
    if (!(aim > 0.0)) continue;
    double squares = 0.0;
    for (const double margin : margins)
      if (margin < aim) squares += (aim - margin) * (aim - margin);
    const double slack = std::sqrt(squares * static_cast<double>(passes));
    const double ratio = (reach + slack) / aim;
    if (found.updates != 0.0 && ratio * ratio >= found.updates) continue;
    found.updates = ratio * ratio * (1.0 + kBoundRounding);
    found.aim = aim;
    found.slack = slack;
  }
  return found;
}

}  // namespace plumb
