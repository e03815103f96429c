#include "plumb/solver/margin.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/base/error.h"
#include "plumb/math/norm.h"
#include "plumb/solver/combination.h"
#include "plumb/solver/hull_distance.h"
#include "plumb/solver/row_arithmetic.h"

namespace plumb {
namespace {

constexpr std::size_t kMostClosest = 1000;
constexpr double kClosest = 1e-3;  // of the margin
constexpr std::uint64_t kFirstLooks = 4, kFirstPasses = 64;

bool narrow_enough(const HullDistance& hulls, const MarginOptions& options) {
  return hulls.bounds().low > 0.0 && hulls.bounds().width() <= options.tolerance;
}

// Passes over all rows become rarer as the search goes on: they get a fifth of the time at most.
std::uint64_t narrow(HullDistance& hulls, RowReader& reader, const MarginOptions& options, const Run& run) {
  std::uint64_t pass = 0, next_look = 1;
  if (narrow_enough(hulls, options)) return pass;
  while (pass < options.max_passes) {
    run.report(Phase::fitting, pass, options.max_passes);
    hulls.pass(reader, run.random, pass);
    if (++pass < next_look && pass < options.max_passes) continue;
    hulls.look(reader);
    if (narrow_enough(hulls, options)) break;
    next_look = pass < kFirstLooks ? pass + 1 : pass + std::max<std::uint64_t>(4, pass / 8);
  }
  return pass;
}

// False: least squares would be too much work.
bool start_from_squares(HullDistance& hulls, const RowTable& rows, BiasKind kind, const MarginOptions& options,
                        RowReader& reader, const Run& run) {
  if (!few_enough(rows, !options.free_bias)) return false;
  NearestPoints nearest = nearest_points(rows, kind, false, run);
  hulls.start(std::move(nearest.shares), reader);
  hulls.try_plane(nearest.weights, nearest.bias, reader);
  return true;
}

// Rows whose multipliers grow without end are likely to contradict each other: the heaviest 8, 16, ... are tried.
std::optional<Combination> zero_among_heaviest(const RowTable& rows, BiasKind kind, In multipliers, const Run& run) {
  constexpr std::size_t kFirst = 8, kMost = 128;
  std::vector<std::uint64_t> order;
  for (std::uint64_t i = 0; i < multipliers.size(); ++i)
    if (multipliers[i] > 0.0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return multipliers[a] > multipliers[b]; });
  for (std::size_t most = kFirst; most <= kMost; most *= 2) {
    const std::span<const std::uint64_t> some = std::span(order).first(std::min(most, order.size()));
    if (some.empty()) return {};
    if (std::optional<Combination> zero = nearest_points(rows, kind, true, run, some).zero) return zero;
    if (some.size() == order.size()) return {};
  }
  return {};
}

// For each row of a RowTable, its number in the storage.
std::vector<std::uint64_t> numbers_of(const Examples& examples) {
  std::vector<std::uint64_t> numbers;
  for (std::size_t b = 0; b < examples.blocks(); ++b)
    examples.block(b).for_each([&](const Example& example) {
      if (example.weight != 0.0) numbers.push_back(example.number);
    });
  return numbers;
}

void find_closest(DataMargin& found, const RowTable& rows, RowReader& reader) {
  const double norm = math::norm(found.weights);
  std::vector<std::pair<double, std::uint64_t>> near;
  for (std::uint64_t i = 0; i < rows.size(); ++i) {
    double score = found.bias;
    const Row x = reader.row(i);
    for (std::size_t t = 0; t < x.value.size(); ++t) score += x.value[t] * found.weights[x.dense() ? t : x.index[t]];
    const double margin = (rows.target(i) > 0.5 ? score : -score) / norm;
    if (margin <= found.free.low * (1.0 + kClosest)) near.emplace_back(margin, i);
  }
  std::sort(near.begin(), near.end());
  if (near.size() > kMostClosest) near.resize(kMostClosest);
  const std::vector<std::uint64_t> numbers = numbers_of(rows.examples());
  for (const auto& [margin, i] : near) found.closest.push_back(numbers[i]);
}

DataMargin inseparable(DataMargin found, Combination zero, const Examples& examples) {
  found.separable = Separable::no;
  found.free = found.augmented = {0.0, 0.0};
  found.combination = std::move(zero.shares);
  const std::vector<std::uint64_t> numbers = numbers_of(examples);
  for (DataMargin::Share& share : found.combination) share.row = numbers[share.row];
  found.residual = zero.residual;
  found.exact = zero.exact;
  return found;
}

// Whether the hyperplane as it is, its bias rounded, classifies every row correctly: scores in double-double, minus a
// bound on their error.
bool has_apart(const RowTable& rows, In w, double b) {
  RowReader reader(rows);
  const double norm = math::norm(w);
  if (!std::isfinite(norm) || !std::isfinite(b)) return false;
  for (std::uint64_t i = 0; i < rows.size(); ++i) {
    const Row x = reader.row(i);
    const math::DoubleDouble score = (x.dense() ? math::dot2(x.value, w) : math::sparse_dot2(x.index, x.value, w)) + b;
    const double entries = static_cast<double>(x.value.size()) + 8.0;
    const double slack = entries * entries * 0x1p-100 * (norm * math::norm(x.value) + std::abs(b));
    if (!((rows.target(i) > 0.5 ? score.high : -score.high) > slack)) return false;
  }
  return true;
}

}  // namespace

DataMargin data_margin(const Examples& examples, const MarginOptions& options, const Run& run) {
  const RowTable rows(examples);
  RowReader reader(rows);
  DataMargin found;
  std::uint64_t positive = 0;
  for (std::uint64_t i = 0; i < rows.size(); ++i) {
    positive += rows.target(i) > 0.5 ? 1 : 0;
    const Row x = reader.row(i);
    found.radius = std::max(found.radius, options.bias ? math::dot(x.value, x.value) : math::norm(x.value));
  }
  if (positive == 0 || positive == rows.size())
    throw Error(ErrorCode::data, "all rows have one label; rows of two were expected");
  expect_finite_norms(rows);
  if (options.bias) found.radius = std::sqrt(found.radius + 1.0);

  const BiasKind kind = options.bias ? BiasKind::augmented : BiasKind::none;
  NearestPoints alternative;
  if (options.free_bias) alternative.zero = contradiction(rows);
  if (!alternative.zero && few_enough(rows, !options.free_bias)) alternative = nearest_points(rows, kind, true, run);
  if (alternative.zero) return inseparable(std::move(found), std::move(*alternative.zero), examples);
  HullDistance augmented(rows, kind);
  start_from_squares(augmented, rows, kind, options, reader, run);
  augmented.try_plane(alternative.weights, alternative.bias, reader);
  if (options.free_bias && !(augmented.bounds().low > 0.0)) {
    MarginOptions few = options;
    few.max_passes = std::min(options.max_passes, kFirstPasses);
    found.passes = narrow(augmented, reader, few, run);
    if (!(augmented.bounds().low > 0.0))
      if (auto zero = zero_among_heaviest(rows, kind, augmented.multipliers(), run))
        return inseparable(std::move(found), std::move(*zero), examples);
  }
  found.passes += narrow(augmented, reader, options, run);
  found.weights = augmented.weights;
  found.bias = augmented.bias;
  if (options.bias && options.free_bias) {
    HullDistance free(rows, BiasKind::free);
    if (!start_from_squares(free, rows, BiasKind::free, options, reader, run))
      free.start({augmented.multipliers().begin(), augmented.multipliers().end()}, reader);
    // Hyperplanes of (x, 1) through 0 are hyperplanes of x, and |(w, b)| >= |w|: their margin is no less here.
    free.try_plane(augmented.weights, 0.0, reader);
    free.try_plane(alternative.weights, 0.0, reader);
    found.passes += narrow(free, reader, options, run);
    found.free = free.bounds();
    if (found.free.low > 0.0 && has_apart(rows, free.weights, free.bias)) {
      found.weights = free.weights;
      found.bias = free.bias;
      augmented.try_plane(free.weights, free.bias, reader);
    }
  }
  found.augmented = augmented.bounds();
  if (!options.bias) found.free = found.augmented;
  if (!(found.augmented.low > 0.0)) {
    found.free.low = 0.0;  // no hyperplane in doubles was found for it
    return found;
  }
  found.separable = Separable::yes;
  if (options.free_bias) find_closest(found, rows, reader);
  return found;
}

}  // namespace plumb
