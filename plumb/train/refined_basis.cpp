// With t = U^-T z of all rows, W = sum s t t' is I + F, F being the error of U'U: forward errors of t are condition
// 2^-104, while F is condition^2 2^-104. So W = R'R corrects it, U := R U, and doubles are enough for W and R, as no
// condition number multiplies their errors. (The second step of CholeskyQR2: Yamamoto, Nakatsukasa, Yanagisawa, Fukaya,
// "Roundoff error analysis of the CholeskyQR2 algorithm", ETNA 44, 2015.)
#include "plumb/train/refined_basis.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "plumb/math/double_double.h"
#include "plumb/math/kernels.h"
#include "plumb/train/eight_rows.h"

namespace plumb {
namespace {

using math::DoubleDouble;

// The lower triangle of W, row-major.
std::vector<double> whitened_gram(const Basis& basis, const Examples& examples, double weight_scale, const Run& run) {
  const std::size_t q = basis.size();
  const math::Kernels& kernels = math::kernels();
  std::vector<double> total(q * q);
  run.reduce(Phase::fitting, examples.blocks(), std::span<double>(total), [&](std::size_t b, Out out) {
    EightRows rows(basis, true);
    std::vector<double> t(8 * q), weight;
    const auto flush = [&] {
      if (weight.empty()) return;
      rows.whiten();
      for (std::size_t lane = 0; lane < weight.size(); ++lane)
        for (std::size_t i = 0; i < q; ++i) t[lane * q + i] = rows.number(i, lane).high;
      kernels.gram_add(t.data(), weight.size(), q, q, weight.data(), out.data(), q);
      weight.clear();
    };
    examples.block(b).for_each([&](const Example& e) {
      if (!(e.weight > 0)) return;
      rows.place(e.x, e.lows, examples.lows_of(), weight.size());
      weight.push_back(e.weight * weight_scale);
      if (weight.size() == 8) flush();
    });
    flush();
  });
  return total;
}

// R - I for R'R = W, upper, row-major; aliased columns, whose t is 0, stay as they are. Empty if W is far from I.
std::optional<std::vector<double>> correction(const std::vector<double>& w, const Basis& basis) {
  const std::size_t q = basis.size();
  std::vector<double> r(q * q);
  for (std::size_t i = 0; i < q; ++i) {
    if (!(basis.parts().root[basis.row_begin(i)] > 0)) {
      r[i * q + i] = 1.0;
      continue;
    }
    for (std::size_t j = i; j < q; ++j) {
      double left = w[j * q + i];
      for (std::size_t k = 0; k < i; ++k) left -= r[k * q + i] * r[k * q + j];
      if (j == i && !(left > 0.5 && left < 2)) return {};
      r[i * q + j] = j == i ? std::sqrt(left) : left / r[i * q + i];
    }
  }
  for (std::size_t i = 0; i < q; ++i) r[i * q + i] -= 1.0;
  return r;
}

// U + (R - I) U
Basis corrected(const Basis& basis, const std::vector<double>& change) {
  const std::size_t q = basis.size();
  Basis::Parts parts = basis.parts();
  for (std::size_t i = 0; i < q; ++i)
    for (std::size_t j = i; j < q; ++j) {
      const std::size_t at = basis.row_begin(i) + j - i;
      DoubleDouble sum(parts.root[at], parts.root_low[at]);
      for (std::size_t k = i; k <= j; ++k) {
        const std::size_t from = basis.row_begin(k) + j - k;
        sum += DoubleDouble(basis.parts().root[from], basis.parts().root_low[from]) * change[i * q + k];
      }
      parts.root[at] = sum.high;
      parts.root_low[at] = sum.low;
    }
  return Basis(std::move(parts));
}

}  // namespace

std::optional<Basis> refined_basis(const Basis& basis, const Examples& examples, double weight_scale, const Run& run) {
  constexpr double kSmall = 0x1p-20;  // a change of this size leaves an error of its square, less than a double's
  constexpr int kMostRounds = 3;
  Basis found = basis;
  for (int round = 0; round < kMostRounds; ++round) {
    const auto change = correction(whitened_gram(found, examples, weight_scale, run), found);
    if (!change) return {};
    found = corrected(found, *change);
    const auto [low, high] = std::minmax_element(change->begin(), change->end());
    if (std::max(-*low, *high) <= kSmall) return found;
  }
  return {};
}

}  // namespace plumb
