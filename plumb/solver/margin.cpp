#include "plumb/solver/margin.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/base/error.h"
#include "plumb/math/norm.h"
#include "plumb/solver/combination.h"
#include "plumb/solver/exact_alternative.h"
#include "plumb/solver/exact_margin.h"
#include "plumb/solver/exact_plane.h"
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

// Looks at all rows grow apart with the passes: a fifth of the time at most goes into them.
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

// Columns of very different sizes leave doubles no digits for the margin; then in double-double. False: too much work.
bool start_from_squares(HullDistance& hulls, const RowTable& rows, BiasKind kind, const MarginOptions& options,
                        RowReader& reader, const Run& run) {
  if (!few_enough(rows, !options.free_bias)) return false;  // half the question is asked in passing: be quick
  const auto start = [&](bool exact) {
    NearestPoints nearest = nearest_points(rows, kind, exact, run);
    hulls.start(std::move(nearest.shares), reader);
    hulls.try_plane(nearest.weights, nearest.bias, reader);
  };
  start(false);
  if (options.free_bias && !narrow_enough(hulls, options) && few_enough(rows, true)) start(true);
  return true;
}

// A number for each row, larger the nearer it is to the best plane: among the nearest are those that a margin rests on.
std::vector<double> nearness(const HullDistance& hulls, const RowTable& rows, RowReader& reader) {
  std::vector<double> near(hulls.multipliers().begin(), hulls.multipliers().end());
  if (hulls.weights.empty() || !(hulls.bounds().low > 0.0)) return near;
  for (std::uint64_t i = 0; i < rows.size(); ++i) {
    const Row x = reader.row(i);
    const math::DoubleDouble dot =
        x.dense() ? math::dot2(x.value, hulls.weights) : math::sparse_dot2(x.index, x.value, hulls.weights);
    const double score = (dot + hulls.bias).high;
    near[i] = 1.0 / std::max(rows.target(i) > 0.5 ? score : -score, std::numeric_limits<double>::min());
  }
  return near;
}

// Where doubles have too few digits for it, as of columns far from 0: whole numbers have all of them. A proof if it
// came to one.
std::optional<Combination> finish_exactly(HullDistance& hulls, const RowTable& rows, BiasKind kind,
                                          const MarginOptions& options, RowReader& reader, const Run& run) {
  if (narrow_enough(hulls, options)) return {};
  std::optional<ExactMargin> exact = exact_margin(rows, kind, nearness(hulls, rows, reader), options.tolerance,
                                                  options.free_bias ? kMostMarginWork : kPassingMarginWork, run);
  if (!exact || exact->zero) return exact ? std::move(exact->zero) : std::nullopt;
  hulls.try_plane(exact->weights, exact->bias, reader);
  hulls.tighten(exact->bounds);
  return {};
}

// Of each row of a RowTable, its number in the storage.
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

// A sum that is zero in double-double is so without rounding, or no proof; what takes too long stays as it is.
std::optional<Combination> checked(Combination candidate, const RowTable& rows, bool bias, const Run& run) {
  std::vector<std::uint64_t> support;
  for (const DataMargin::Share& share : candidate.shares) support.push_back(share.row);
  const std::optional<ExactAlternative> exact = exact_alternative(rows, bias, run, support);
  return exact ? exact->zero : std::move(candidate);
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

std::vector<double> high_parts(const std::vector<math::DoubleDouble>& numbers) {
  std::vector<double> high;
  for (const math::DoubleDouble& number : numbers) high.push_back(number.high);
  return high;
}

// The plane that was found, or another that has the rows apart in doubles too.
void give_plane(DataMargin& found, const RowTable& rows, const ExactPlane& other,
                std::vector<math::DoubleDouble> exact_weights, bool bias, const Run& run) {
  const auto as_is = [&](const std::vector<double>& weights, double b) {
    return plane_in_doubles(rows, std::vector<math::DoubleDouble>(weights.begin(), weights.end()), b, bias);
  };
  std::optional<ExactPlane> plane = as_is(found.weights, found.bias);
  if (!plane) plane = as_is(other.weights, other.bias);
  if (!plane && exact_weights.empty())
    if (std::optional<ExactAlternative> exact = exact_alternative(rows, bias, run))
      exact_weights = std::move(exact->weights);
  if (!plane && !exact_weights.empty()) plane = plane_in_doubles(rows, exact_weights, 0.0, bias);
  found.weights.clear();
  found.bias = 0.0;
  if (!plane) return;
  found.weights = std::move(plane->weights);
  found.bias = plane->bias;
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

  Alternative alternative;
  if (options.free_bias) {
    alternative.zero = contradiction(rows);
    if (!alternative.zero && few_enough(rows)) {
      alternative = zero_combination(rows, options.bias, run);
      if (alternative.zero) alternative.zero = checked(std::move(*alternative.zero), rows, options.bias, run);
    }
    if (alternative.zero) return inseparable(std::move(found), std::move(*alternative.zero), examples);
  }
  const BiasKind kind = options.bias ? BiasKind::augmented : BiasKind::none;
  HullDistance augmented(rows, kind);
  const bool squares = start_from_squares(augmented, rows, kind, options, reader, run);
  if (!alternative.weights.empty()) augmented.try_plane(alternative.weights, alternative.bias, reader);
  // What doubles cannot tell, whole numbers can, if later than a few passes would.
  if (options.free_bias && !(augmented.bounds().low > 0.0)) {
    MarginOptions few = options;
    few.max_passes = std::min(options.max_passes, kFirstPasses);
    found.passes = narrow(augmented, reader, few, run);
    if (!(augmented.bounds().low > 0.0))
      if (auto zero = zero_among_heaviest(rows, kind, augmented.multipliers(), run))
        return inseparable(std::move(found), std::move(*zero), examples);
  }
  std::vector<math::DoubleDouble> exact_weights;
  if (options.free_bias && !(augmented.bounds().low > 0.0)) {
    if (std::optional<ExactAlternative> exact = exact_alternative(rows, options.bias, run)) {
      if (exact->zero) return inseparable(std::move(found), std::move(*exact->zero), examples);
      found.exact = true;
      exact_weights = std::move(exact->weights);
      alternative.weights = high_parts(exact_weights);
      alternative.bias = exact->bias;
      augmented.try_plane(alternative.weights, alternative.bias, reader);
    }
  }
  const auto finish = [&](HullDistance& hulls, BiasKind bias) {
    alternative.zero = finish_exactly(hulls, rows, bias, options, reader, run);
    if (alternative.zero) return false;
    found.passes += narrow(hulls, reader, options, run);
    return true;
  };
  // Of columns far from 0 the plane of the other margin is a better beginning than passes; many features have only
  // these.
  const bool both = options.bias && options.free_bias;
  if ((!squares || !both) && !finish(augmented, kind))
    return inseparable(std::move(found), std::move(*alternative.zero), examples);
  found.weights = augmented.weights;
  found.bias = augmented.bias;
  if (both) {
    HullDistance free(rows, BiasKind::free);
    if (!start_from_squares(free, rows, BiasKind::free, options, reader, run))
      free.start({augmented.multipliers().begin(), augmented.multipliers().end()}, reader);
    // Planes of (x, 1) through 0 are planes of x, and |(w, b)| >= |w|: their margin is no less here.
    free.try_plane(augmented.weights, 0.0, reader);
    if (!alternative.weights.empty()) free.try_plane(alternative.weights, 0.0, reader);
    if (!finish(free, BiasKind::free)) return inseparable(std::move(found), std::move(*alternative.zero), examples);
    found.free = free.bounds();
    found.weights = free.weights;
    found.bias = free.bias;
    augmented.try_plane(free.weights, free.bias, reader);
    if (squares && !finish(augmented, kind))
      return inseparable(std::move(found), std::move(*alternative.zero), examples);
  }
  if (options.free_bias && !(augmented.bounds().low > 0.0) && !found.exact)
    if (auto zero = zero_among_heaviest(rows, kind, augmented.multipliers(), run))
      return inseparable(std::move(found), std::move(*zero), examples);
  found.augmented = augmented.bounds();
  if (!options.bias) found.free = found.augmented;
  if (found.augmented.low > 0.0 || found.free.low > 0.0 || found.exact) {
    found.separable = Separable::yes;
    if (!options.free_bias) return found;
    give_plane(found, rows, {augmented.weights, augmented.bias}, exact_weights, options.bias, run);
    if (found.weights.empty()) return found;
    if (options.bias) augmented.try_plane(found.weights, found.bias, reader);
    found.augmented = augmented.bounds();
    find_closest(found, rows, reader);
  }
  return found;
}

}  // namespace plumb
