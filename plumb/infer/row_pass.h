// The rows of a block eight at a time, each with its residual and its place in the basis of the fit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/data/examples.h"
#include "plumb/math/double_double.h"
#include "plumb/math/kernels.h"
#include "plumb/train/basis.h"
#include "plumb/train/trainer.h"

namespace plumb {

// Throws Error(usage) if the fit has none.
inline const Basis& basis_of(const Fit& fit) {
  if (fit.basis == nullptr)
    throw Error(ErrorCode::usage,
                "this fit has no leverages and no robust errors; least squares whose weights are unique has",
                "-m least-squares --rank drop");
  return *fit.basis;
}

struct PlacedRow {
  std::uint64_t number;
  double actual, weight, fitted, residual;
  double distance;  // |t|^2: the leverage of one copy of the row
};

// Calls use(std::span<const PlacedRow>, Out eight) on up to eight rows, whose t stand side by side in `eight` as
// Basis::whiten_eight leaves them. Rows of weight 0 are passed over.
template <class Use>
void for_each_placed(const Block& block, const Fit& fit, const Basis& basis, std::span<const std::uint32_t> lows_of,
                     Use&& use) {
  const math::Kernels& kernels = math::kernels();
  const double* const w = fit.model.parts().weights.dense_values().data();
  const double bias = fit.model.parts().bias[0];
  const std::size_t q = basis.size();
  std::vector<double> eight(8 * q);
  std::array<PlacedRow, 8> rows;
  std::size_t count = 0;
  const auto flush = [&] {
    if (count == 0) return;
    basis.whiten_eight(eight);
    for (std::size_t lane = 0; lane < count; ++lane) {
      double distance = 0.0;
      for (std::size_t i = 0; i < q; ++i) distance += eight[8 * i + lane] * eight[8 * i + lane];
      rows[lane].distance = distance;
    }
    use(std::span<const PlacedRow>(rows.data(), count), Out(eight));
    count = 0;
  };
  block.for_each([&](const Example& e) {
    if (!(e.weight > 0)) return;
    const std::size_t n = e.x.value.size();
    // In double-double: a residual is a small difference of large numbers.
    const math::DoubleDouble score =
        bias + (e.x.dense() ? kernels.dot2(e.x.value.data(), w, n)
                            : kernels.sparse_dot2(e.x.index.data(), e.x.value.data(), n, w));
    // What rounding took from the weights, and from derived columns, is a visible part of a small residual.
    double low = fit.bias_low;
    if (!fit.weight_lows.empty())
      low += e.x.dense() ? kernels.dot(e.x.value.data(), fit.weight_lows.data(), n)
                         : kernels.sparse_dot(e.x.index.data(), e.x.value.data(), n, fit.weight_lows.data());
    for (std::size_t k = 0; k < lows_of.size(); ++k) low += e.lows[k] * w[lows_of[k]];
    rows[count] = {e.number, e.target, e.weight, score.high, (e.target - score - low).high, 0.0};
    basis.place(e.x, eight, count);
    if (++count == 8) flush();
  });
  flush();
}

}  // namespace plumb
