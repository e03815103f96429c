#include "plumb/train/moments.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/span.h"

namespace plumb {
namespace {

// The parts of the flat array that a reduce fills.
struct Sums {
  explicit Sums(std::size_t p) : p(p), numbers(4 * p + 7) {}
  Out entries() { return Out(numbers).subspan(0, p); }      // rows that store a value for column j
  Out sums() { return Out(numbers).subspan(p, p); }         // sum s x_j
  Out largest() { return Out(numbers).subspan(2 * p, p); }  // max |x_j|
  Out differs() { return Out(numbers).subspan(3 * p, p); }  // 1 if a row has another value than the first
  double& rows() { return numbers[4 * p]; }                 // with a weight above 0
  double& weight() { return numbers[4 * p + 1]; }           // sum s
  double& target_sum() { return numbers[4 * p + 2]; }       // sum s y
  double& largest_target() { return numbers[4 * p + 3]; }   // max |y|
  double& largest_weight() { return numbers[4 * p + 4]; }
  double& bad_row() { return numbers[4 * p + 5]; }   // n + 1 - the first row whose weight is not a number >= 0, or 0
  double& weighted() { return numbers[4 * p + 6]; }  // 1 if a weight is not 1

  bool is_maximum(std::size_t i) const { return (i >= 2 * p && i < 4 * p) || i >= 4 * p + 3; }

  std::size_t p;
  std::vector<double> numbers;
};

using Blocks = std::vector<std::size_t>;

// The values of the first row that counts; 0 where it has none.
std::vector<double> first_values(const Examples& examples, const Blocks& blocks) {
  std::vector<double> values(examples.features());
  bool found = false;
  for (const std::size_t b : blocks) {
    if (found) break;
    examples.block(b).for_each([&](const Example& e) {
      if (found || !(e.weight > 0)) return;
      found = true;
      for (std::size_t k = 0; k < e.x.value.size(); ++k) values[e.x.dense() ? k : e.x.index[k]] = e.x.value[k];
    });
  }
  return values;
}

// Everything in the given units.
Sums sum_up(const Examples& examples, const Blocks& blocks, const Offset& offset, const std::vector<double>& scale,
            const std::vector<double>& first, double target_scale, double weight_scale, const Run& run) {
  Sums total(examples.features());
  const auto past_the_end = static_cast<double>(examples.rows());
  run.reduce(
      Phase::fitting, blocks.size(), std::span<double>(total.numbers),
      [&](std::size_t b, Out out) {
        Sums here(total.p);
        examples.block(blocks[b]).for_each([&](const Example& e) {
          if (!(e.weight >= 0) || std::isinf(e.weight))
            here.bad_row() = std::max(here.bad_row(), past_the_end - static_cast<double>(e.number));
          if (e.weight != 1) here.weighted() = 1;
          if (!(e.weight > 0)) return;
          const double s = e.weight * weight_scale, y = offset.target(e) * target_scale;
          here.rows() += 1;
          here.weight() += s;
          here.target_sum() += s * y;
          here.largest_target() = std::max(here.largest_target(), std::abs(y));
          here.largest_weight() = std::max(here.largest_weight(), s);
          const Out entries = here.entries(), sums = here.sums(), largest = here.largest(), differs = here.differs();
          const auto add = [&](std::size_t j, double value) {
            const double x = value * scale[j];
            entries[j] += 1;
            if (value != first[j]) differs[j] = 1;
            sums[j] += s * x;
            largest[j] = std::max(largest[j], std::abs(x));
          };
          if (e.x.dense()) {
            for (std::size_t j = 0; j < e.x.value.size(); ++j) add(j, e.x.value[j]);
          } else {
            for (std::size_t k = 0; k < e.x.value.size(); ++k) add(e.x.index[k], e.x.value[k]);
          }
        });
        std::copy(here.numbers.begin(), here.numbers.end(), out.begin());
      },
      [&](std::span<double> left, std::span<const double> right) {
        for (std::size_t i = 0; i < left.size(); ++i)
          left[i] = total.is_maximum(i) ? std::max(left[i], right[i]) : left[i] + right[i];
      });
  return total;
}

// Millions of numbers of this size can be summed without scaling.
bool moderate(const math::Unit& unit) { return std::abs(unit.exponent) <= 256; }

// Empty if no row has a weight above 0.
std::optional<Moments> moments_of(const Examples& examples, const Blocks& blocks, const Offset& offset,
                                  const Run& run) {
  const std::size_t p = examples.features();
  std::vector<double> scale(p, 1.0);
  if (offset.feature()) scale[*offset.feature()] = 0.0;
  const std::vector<double> first = first_values(examples, blocks);
  Sums sums = sum_up(examples, blocks, offset, scale, first, 1.0, 1.0, run);
  if (examples.size() == 0) throw Error(ErrorCode::data, "there are no rows to train on");
  if (sums.bad_row() != 0)
    throw Error(ErrorCode::data,
                "row " + count_text(examples.rows() - static_cast<std::uint64_t>(sums.bad_row()) + 1) +
                    " has a weight below 0; weights of at least 0 were expected",
                "leave the row out with weight 0");
  if (sums.rows() == 0) return {};
  if (!std::isfinite(sums.largest_target()))
    throw Error(ErrorCode::data, "the target less the offset is too large for a number",
                "divide both columns by a power of ten");

  Moments moments;
  moments.all_rows = examples.size();
  moments.rows = static_cast<std::uint64_t>(sums.rows());
  moments.weighted = sums.weighted() != 0;
  moments.target_unit = math::unit_of(sums.largest_target());
  if (moments.weighted) moments.weight_unit = math::unit_of(sums.largest_weight());
  bool all_moderate = moderate(moments.target_unit) && moderate(moments.weight_unit);
  for (std::size_t j = 0; j < p; ++j) {
    moments.unit.push_back(math::unit_of(sums.largest()[j]));
    moments.full.push_back(sums.entries()[j] == sums.rows());
    moments.zero.push_back(sums.largest()[j] == 0);
    if (j != offset.feature()) scale[j] = moments.unit[j].scale;
    all_moderate = all_moderate && moderate(moments.unit[j]);
  }
  const double y = moments.target_unit.scale, s = moments.weight_unit.scale;
  if (all_moderate) {
    sums.weight() *= s;
    sums.target_sum() *= s * y;
    for (std::size_t j = 0; j < p; ++j) sums.sums()[j] *= s * scale[j];
  } else {
    sums = sum_up(examples, blocks, offset, scale, first, y, s, run);
  }
  moments.weight = sums.weight();
  moments.target_mean = sums.target_sum() / moments.weight;
  for (std::size_t j = 0; j < p; ++j) {
    moments.constant.push_back(moments.full[j] && sums.differs()[j] == 0);
    moments.mean.push_back(moments.constant[j] ? first[j] * scale[j] : sums.sums()[j] / moments.weight);
  }
  return moments;
}

}  // namespace

Moments find_moments(const Examples& examples, const Offset& offset, const Run& run) {
  Blocks all(examples.blocks());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (std::optional<Moments> moments = moments_of(examples, all, offset, run)) return std::move(*moments);
  throw Error(ErrorCode::data, "every row has weight 0; there is nothing to train on",
              "give the rows that should count a weight above 0");
}

Moments guess_moments(const Examples& examples, const Offset& offset, const Run& run) {
  const std::size_t blocks = examples.blocks();
  if (blocks > 3)
    if (std::optional<Moments> moments = moments_of(examples, {0, blocks / 2, blocks - 1}, offset, run))
      return std::move(*moments);
  return find_moments(examples, offset, run);
}

}  // namespace plumb
