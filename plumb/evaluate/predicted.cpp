#include "plumb/evaluate/predicted.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/math/double_double.h"
#include "plumb/math/unit.h"

namespace plumb {
namespace {

void put(const math::DoubleDouble& number, Out out) {
  out[0] = number.high;
  out[1] = number.low;
}

// each(block, visit) calls visit(target, weight) for the rows of a block. Targets and weights are scaled to about 1 by
// powers of two before they are summed in double-double: nothing overflows, and the mean is right to its last bit
// except for ties.
template <class Each>
double mean_of(std::size_t blocks, const Run& run, const Each& each) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  std::array<double, 3> most{};  // of y, of -y, of the weights
  run.reduce(
      Phase::evaluating, blocks, most,
      [&](std::size_t b, Out out) {
        out[0] = out[1] = kNone;
        each(b, [&](double y, double weight) {
          if (!(weight > 0)) return;
          out[0] = std::max(out[0], y);
          out[1] = std::max(out[1], -y);
          out[2] = std::max(out[2], weight);
        });
      },
      [](std::span<double> left, std::span<const double> right) {
        for (std::size_t i = 0; i < left.size(); ++i) left[i] = std::max(left[i], right[i]);
      });
  if (!(most[2] > 0)) return 0.0;
  if (most[0] == -most[1]) return most[0];  // a single value is returned exactly, without a sum and a division
  const math::Unit target = math::unit_of(std::max(std::abs(most[0]), std::abs(most[1])));
  const math::Unit counts = math::unit_of(most[2]);
  std::array<double, 4> sums{};  // of weights and of targets times weights, each in two doubles
  run.reduce(
      Phase::evaluating, blocks, sums,
      [&](std::size_t b, Out out) {
        math::DoubleDouble weights, targets;
        each(b, [&](double y, double weight) {
          weights += weight * counts.scale;
          math::accumulate(targets, weight * counts.scale, y * target.scale);
        });
        put(weights, out.first(2));
        put(targets, out.last(2));
      },
      [](std::span<double> left, std::span<const double> right) {
        for (const std::size_t k : {0u, 2u})
          put(math::DoubleDouble{left[k], left[k + 1]} + math::DoubleDouble{right[k], right[k + 1]},
              left.subspan(k, 2));
      });
  const math::DoubleDouble mean = math::DoubleDouble{sums[2], sums[3]} / math::DoubleDouble{sums[0], sums[1]};
  return std::ldexp(mean.high, target.exponent);
}

}  // namespace

Predicted predict_rows(const LinearModel& model, const Examples& examples, const Run& run) {
  std::vector<Predicted> blocks(examples.blocks());
  run.for_each(Phase::evaluating, blocks.size(), [&](std::size_t b) {
    Predictor predictor(model);
    examples.block(b).for_each([&](const Example& e) {
      const double prediction = predictor.predict(e.x).value, target = model.target_in_units(e.target);
      if (!std::isfinite(prediction - target))
        throw Error(ErrorCode::data,
                    "the prediction of row " + count_text(e.number + 1) + ", or its error, is too large for a number");
      blocks[b].add(prediction, target, e.weight);
    });
  });
  Predicted all;
  all.counts = model.parts().link == Link::log;
  for (Predicted& block : blocks) {
    all.prediction.insert(all.prediction.end(), block.prediction.begin(), block.prediction.end());
    all.target.insert(all.target.end(), block.target.begin(), block.target.end());
    all.weight.insert(all.weight.end(), block.weight.begin(), block.weight.end());
    block = {};
  }
  return all;
}

double mean_target(const Examples& examples, const Run& run) {
  return mean_of(examples.blocks(), run, [&](std::size_t b, const auto& visit) {
    examples.block(b).for_each([&](const Example& e) { visit(e.target, e.weight); });
  });
}

double mean_target(const Predicted& rows, const Run& run) {
  return mean_of((rows.rows() + kBlockRows - 1) / kBlockRows, run, [&](std::size_t b, const auto& visit) {
    for (std::uint64_t i = b * kBlockRows; i < std::min(rows.rows(), (b + 1) * kBlockRows); ++i)
      visit(rows.target[i], rows.weight[i]);
  });
}

}  // namespace plumb
