#include "plumb/evaluate/paired.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/math/distributions.h"
#include "plumb/math/unit.h"

namespace plumb {
namespace {

constexpr double kPairedTail = 0.025;
constexpr std::uint64_t kMostExact = 1000;  // C(1000, 500) = 2.7e299 is still a double

template <std::size_t n, class Terms>
std::array<double, n> sums(std::uint64_t rows, const Run& run, const Terms& terms) {
  std::array<double, n> total{};
  run.reduce(Phase::evaluating, (rows + kBlockRows - 1) / kBlockRows, total, [&](std::size_t b, Out out) {
    for (std::uint64_t i = b * kBlockRows; i < std::min(rows, (b + 1) * kBlockRows); ++i) {
      const std::array<double, n> each = terms(i);
      for (std::size_t k = 0; k < n; ++k) out[k] += each[k];
    }
  });
  return total;
}

double largest_error(const Predicted& rows) {
  double largest = 0.0;
  for (std::uint64_t i = 0; i < rows.rows(); ++i)
    largest = std::max(largest, std::abs(rows.prediction[i] - rows.target[i]));
  return largest;
}

// C(n, 0), ..., C(n, n)
std::vector<double> choices(std::uint64_t n) {
  std::vector<double> c{1.0};
  for (std::uint64_t k = 0; k < n; ++k) c.push_back(c[k] * static_cast<double>(n - k) / static_cast<double>(k + 1));
  return c;
}

// The lower end of the interval of a share with k of n: the smallest share that a test of k or more does not reject.
// Exact is Clopper and Pearson's (1934), by the quantile of F; otherwise the normal one with a correction for
// continuity.
double least_share(double k, double n, bool exact) {
  if (!(k > 0)) return 0.0;
  if (exact) {
    const double odds = k * math::FRatio{2 * k, 2 * (n - k + 1)}.quantile(kPairedTail) / (n - k + 1);
    return odds / (1 + odds);
  }
  const double z = math::Normal{}.upper_quantile(kPairedTail), below = k - 0.5;
  if (!(below > 0)) return 0.0;
  return (2 * below + z * z - z * std::sqrt(z * z + 4 * below * (1 - below / n))) / (2 * (n + z * z));
}

}  // namespace

std::optional<PairedTest> compare_squared_errors(const Predicted& a, const Predicted& b, const Run& run) {
  if (a.target != b.target || a.weight != b.weight)
    throw Error(ErrorCode::internal, "two sets of predictions are not of the same rows");
  const std::uint64_t n = a.rows();
  const math::Unit unit = math::unit_of(std::max(largest_error(a), largest_error(b)));
  const math::Unit counts = math::unit_of(n == 0 ? 0.0 : *std::max_element(a.weight.begin(), a.weight.end()));
  if (n < 2 || !std::isfinite(unit.scale)) return {};
  const auto weight = [&](std::uint64_t i) { return a.weight[i] * counts.scale; };
  // e_a^2 - e_b^2 as a product, so that nearly equal errors lose no digits.
  const auto apart = [&](std::uint64_t i) {
    const double of_a = (a.prediction[i] - a.target[i]) * unit.scale,
                 of_b = (b.prediction[i] - b.target[i]) * unit.scale;
    return (a.prediction[i] - b.prediction[i]) * unit.scale * (of_a + of_b);
  };
  const auto first = sums<2>(n, run, [&](std::uint64_t i) {
    return std::array<double, 2>{weight(i), weight(i) * apart(i)};
  });
  const double mean = first[1] / first[0];
  const auto second = sums<1>(n, run, [&](std::uint64_t i) {
    const double d = weight(i) * (apart(i) - mean);
    return std::array<double, 1>{d * d};
  });
  const auto rows = static_cast<double>(n);
  const double error = std::sqrt(rows / (rows - 1) * second[0]) / first[0];
  PairedTest test;
  test.rows = n;
  test.difference = std::ldexp(mean, 2 * unit.exponent);
  test.standard_error = std::ldexp(error, 2 * unit.exponent);
  const math::StudentT t{rows - 1};
  const double by = std::ldexp(error * t.upper_quantile(kPairedTail), 2 * unit.exponent);
  test.low = test.difference - by;
  test.high = test.difference + by;
  if (!std::isfinite(test.low) || !std::isfinite(test.high)) return {};
  test.p_value = error > 0 ? t.two_sided(mean / error) : mean == 0 ? 1.0 : 0.0;
  return test;
}

std::optional<PairedTest> compare_errors(const PredictedClasses& a, const PredictedClasses& b) {
  if (a.actual != b.actual || a.weight != b.weight)
    throw Error(ErrorCode::internal, "two sets of predictions are not of the same rows");
  if (a.rows() < 2) return {};
  double total = 0.0, a_alone = 0.0, b_alone = 0.0;  // the weight of rows that exactly one of them got wrong
  for (std::uint64_t i = 0; i < a.rows(); ++i) {
    const bool wrong_a = a.predicted[i] != a.actual[i], wrong_b = b.predicted[i] != b.actual[i];
    total += a.weight[i];
    if (wrong_a && !wrong_b) a_alone += a.weight[i];
    if (wrong_b && !wrong_a) b_alone += b.weight[i];
  }
  PairedTest test;
  test.rows = a.rows();
  test.difference = (a_alone - b_alone) / total;
  const double discordant = a_alone + b_alone;
  test.standard_error =
      std::sqrt(std::max(0.0, discordant - (a_alone - b_alone) * (a_alone - b_alone) / total)) / total;
  if (discordant == 0) return test;
  const double fewer = std::min(a_alone, b_alone);
  const bool exact = discordant <= static_cast<double>(kMostExact) && discordant == std::floor(discordant) &&
                     fewer == std::floor(fewer);
  if (exact) {
    const std::vector<double> c = choices(static_cast<std::uint64_t>(discordant));
    double tail = 0.0;
    for (std::size_t k = 0; k <= static_cast<std::size_t>(fewer); ++k)
      tail += std::ldexp(c[k], -static_cast<int>(discordant));
    test.p_value = std::min(1.0, 2 * tail);
  } else {
    const double z = std::max(0.0, std::abs(a_alone - b_alone) - 1) / std::sqrt(discordant);
    test.p_value = std::min(1.0, 2 * math::Normal{}.upper(z));
  }
  // The differences that the same test does not reject: a share p of the discordant rows is wrong for a alone.
  test.low = (2 * least_share(a_alone, discordant, exact) - 1) * discordant / total;
  test.high = (1 - 2 * least_share(b_alone, discordant, exact)) * discordant / total;
  return test;
}

RunsTest runs_of_residuals(const Predicted& rows) {
  std::vector<std::uint64_t> order(rows.rows());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint64_t i, std::uint64_t j) { return rows.prediction[i] < rows.prediction[j]; });
  RunsTest test;
  bool last = false;
  for (const std::uint64_t i : order) {
    const double residual = rows.target[i] - rows.prediction[i];
    if (residual == 0) continue;
    const bool above = residual > 0;
    if (test.runs == 0 || above != last) ++test.runs;
    last = above;
    ++(above ? test.above : test.below);
  }
  const auto a = static_cast<double>(test.above), b = static_cast<double>(test.below);
  if (test.runs > 0) test.expected = 1 + 2 * a * b / (a + b);
  test.p_value = chance_of_few_runs(test.above, test.below, test.runs);
  return test;
}

std::optional<CurveTest> curve_of_residuals(const Predicted& rows, const Run& run) {
  const std::uint64_t n = rows.rows();
  if (n < 4) return {};
  double largest = 0.0;
  for (const double prediction : rows.prediction) largest = std::max(largest, std::abs(prediction));
  const math::Unit unit = math::unit_of(largest), error_unit = math::unit_of(largest_error(rows));
  const math::Unit counts = math::unit_of(*std::max_element(rows.weight.begin(), rows.weight.end()));
  const auto s = [&](std::uint64_t i) { return rows.weight[i] * counts.scale; };
  const auto f = [&](std::uint64_t i) { return rows.prediction[i] * unit.scale; };
  const auto r = [&](std::uint64_t i) { return (rows.target[i] - rows.prediction[i]) * error_unit.scale; };
  // v is the prediction with mean 0 and mean square 1; u its square and e the residual, both with (1, v) projected out.
  const auto first = sums<3>(n, run, [&](std::uint64_t i) {
    return std::array<double, 3>{s(i), s(i) * f(i), s(i) * r(i)};
  });
  const double all = first[0], middle = first[1] / all, level = first[2] / all;
  const double square =
      sums<1>(n, run,
              [&](std::uint64_t i) { return std::array<double, 1>{s(i) * (f(i) - middle) * (f(i) - middle)}; })[0] /
      all;
  const double spread = std::sqrt(square);
  if (!(spread > 1e-12)) return {};
  const auto v = [&](std::uint64_t i) { return (f(i) - middle) / spread; };
  const auto second = sums<2>(n, run, [&](std::uint64_t i) {
    return std::array<double, 2>{s(i) * v(i) * v(i) * v(i), s(i) * v(i) * (r(i) - level)};
  });
  const double skew = second[0] / all, slope = second[1] / all;
  const auto third = sums<3>(n, run, [&](std::uint64_t i) {
    const double u = v(i) * v(i) - 1 - skew * v(i), e = r(i) - level - slope * v(i);
    return std::array<double, 3>{s(i) * u * u, s(i) * u * e, s(i) * e * e};
  });
  if (!(third[0] > 1e-12 * all) || !(third[2] > 1e-24 * all)) return {};
  CurveTest test;
  test.correlation = std::clamp(third[1] / std::sqrt(third[0] * third[2]), -1.0, 1.0);
  const double freedom = static_cast<double>(n) - 3, rest = 1 - test.correlation * test.correlation;
  test.p_value = rest > 0 ? math::StudentT{freedom}.two_sided(test.correlation * std::sqrt(freedom / rest)) : 0.0;
  return test;
}

// With a signs of one kind and b of the other, C(a + b, a) orders are equally likely. 2k runs: each kind is cut into k,
// in C(a - 1, k - 1) C(b - 1, k - 1) ways, and either may come first. 2k + 1 runs: one kind is cut into k + 1. The
// products are terms of a sum that is at most C(a + b, a), so none overflows.
double chance_of_few_runs(std::uint64_t above, std::uint64_t below, std::uint64_t runs) {
  if (above == 0 || below == 0) return 1.0;
  const auto a = static_cast<double>(above), b = static_cast<double>(below), n = a + b;
  if (above + below > kMostExact) {
    const double expected = 1 + 2 * a * b / n;
    const double variance = (expected - 1) * (expected - 2) / (n - 1);
    return math::Normal{}.lower((static_cast<double>(runs) + 0.5 - expected) / std::sqrt(variance));
  }
  const std::vector<double> of_a = choices(above - 1), of_b = choices(below - 1);
  const auto at = [](const std::vector<double>& c, std::uint64_t k) { return k < c.size() ? c[k] : 0.0; };
  double ways = 0.0;
  for (std::uint64_t r = 2; r <= runs; ++r) {
    const std::uint64_t k = r / 2;
    ways += r % 2 == 0 ? 2 * at(of_a, k - 1) * at(of_b, k - 1)
                       : at(of_a, k) * at(of_b, k - 1) + at(of_a, k - 1) * at(of_b, k);
  }
  return std::min(1.0, ways / choices(above + below)[above]);
}

}  // namespace plumb
