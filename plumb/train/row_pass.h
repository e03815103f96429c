// The rows of a block eight at a time, each with its residual and its coordinates in the basis of the fit.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "plumb/base/error.h"
#include "plumb/data/examples.h"
#include "plumb/math/double_double.h"
#include "plumb/math/kernels.h"
#include "plumb/train/basis.h"
#include "plumb/train/eight_rows.h"
#include "plumb/train/trainer.h"

namespace plumb {

// Throws Error(usage) if the fit has no basis.
inline const Basis& basis_of(const Trained& fit) {
  if (fit.basis == nullptr)
    throw Error(ErrorCode::usage,
                "this fit has no leverages and no robust errors; least squares, logistic and poisson have, without a "
                "penalty and where weights are unique",
                "--errors bootstrap:1000");
  return *fit.basis;
}

// With |t|^2 the leverage of one copy of the row, and s |t|^2 of all of it; 0 if nothing is left of 1.
struct PlacedRow {
  std::uint64_t number;
  double actual, weight, fitted, residual;
  double leverage;   // s |t|^2, at most 1
  double room;       // 1 - s |t|^2
  double copy_room;  // 1 - |t|^2
};

// Calls use(std::span<const PlacedRow>, EightRows&) on up to eight rows, whose t are stored there. Rows of weight 0 are
// skipped.
template <class Use>
void for_each_placed(const Block& block, const Trained& fit, const Basis& basis, const Examples& examples, Use&& use) {
  const std::span<const std::uint32_t> lows_of = examples.lows_of();
  const math::Kernels& kernels = math::kernels();
  const double* const w = fit.model.parts().weights.dense_values().data();
  const double bias = fit.model.parts().bias[0];
  EightRows eight(basis, basis.exact_for(examples.size()));
  std::array<PlacedRow, 8> rows;
  std::size_t count = 0;
  const auto flush = [&] {
    if (count == 0) return;
    eight.whiten();
    for (std::size_t lane = 0; lane < count; ++lane) {
      const math::DoubleDouble distance = eight.distance(lane), leverage = distance * rows[lane].weight;
      rows[lane].leverage = std::min(1.0, leverage.high);
      rows[lane].room = std::max(0.0, (1.0 - leverage).high);
      rows[lane].copy_room = std::max(0.0, (1.0 - distance).high);
    }
    use(std::span<const PlacedRow>(rows.data(), count), eight);
    count = 0;
  };
  block.for_each([&](const Example& e) {
    if (!(e.weight > 0)) return;
    const std::size_t n = e.x.value.size();
    // In double-double: a residual is a small difference of large numbers.
    const math::DoubleDouble score =
        bias + (e.x.dense() ? kernels.dot2(e.x.value.data(), w, n)
                            : kernels.sparse_dot2(e.x.index.data(), e.x.value.data(), n, w));
    // Rounding errors of the weights, and of derived columns, matter in a small residual.
    double low = fit.bias_low;
    if (!fit.weight_lows.empty())
      low += e.x.dense() ? kernels.dot(e.x.value.data(), fit.weight_lows.data(), n)
                         : kernels.sparse_dot(e.x.index.data(), e.x.value.data(), n, fit.weight_lows.data());
    for (std::size_t k = 0; k < lows_of.size(); ++k) low += e.lows[k] * w[lows_of[k]];
    rows[count] = {e.number, e.target, e.weight, score.high, (e.target - score - low).high, 0.0, 0.0, 0.0};
    eight.place(e.x, e.lows, lows_of, count);
    if (++count == 8) flush();
  });
  flush();
}

}  // namespace plumb
