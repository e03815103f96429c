#include "plumb/objective/exact_products.h"

#include <algorithm>
#include <cmath>

#include "plumb/math/cholesky.h"
#include "plumb/math/double_double.h"
#include "plumb/math/kernels.h"
#include "plumb/math/pair_sums.h"

namespace plumb {
namespace {

using math::DoubleDouble;
using math::PairSums;

constexpr int kRounds = 5;                 // each leaves 1e-4 of the rest, or less
constexpr double kRoundMultiple = 0x1p20;  // multiples are tried as whole numbers of its inverse
constexpr std::size_t kAtOnce = 8;         // columns that share the passes over the rows
constexpr std::size_t kStripes = 16;       // of a triangle, at most: each goes over all sparse rows

// In order of the rows, whatever the threads.
template <class Add>
std::vector<double> pair_sums(const DesignMatrix& x, std::size_t size, const Run& run, Add&& add) {
  std::vector<double> total(2 * size);
  run.reduce(
      Phase::fitting, x.blocks(), total, [&](std::size_t b, Out out) { add(b, PairSums(out)); }, PairSums::combine);
  return total;
}

// Rows of the triangle: every stripe of them has about as many elements.
ExactGram sparse_gram(const DesignMatrix& x, In d, const Run& run) {
  const std::size_t p = x.columns();
  std::vector<double> total(2 * p * p);
  const PairSums sums{Out(total)};
  x.lay_out(run);
  const std::size_t stripes = std::min(kStripes, p);
  const auto first_of = [&](std::size_t stripe) {
    return static_cast<std::size_t>(static_cast<double>(p) *
                                    std::sqrt(static_cast<double>(stripe) / static_cast<double>(stripes)));
  };
  run.for_each(Phase::fitting, stripes, [&](std::size_t stripe) {
    const std::size_t first = first_of(stripe), end = stripe + 1 == stripes ? p : first_of(stripe + 1);
    for (std::size_t i = 0; i < x.rows(); ++i) {
      const Row row = x.row(i);
      auto at =
          static_cast<std::size_t>(std::lower_bound(row.index.begin(), row.index.end(), first) - row.index.begin());
      for (; at < row.index.size() && row.index[at] < end; ++at) {
        const DoubleDouble own = math::two_product(row.value[at], d[i]);
        for (std::size_t e = 0; e <= at; ++e) sums.add(row.index[at] * p + row.index[e], own * row.value[e]);
      }
    }
  });
  return {{sums.high.begin(), sums.high.end()}, {sums.low.begin(), sums.low.end()}};
}

// For columns that `factor` set aside: regressions on those it kept, whose residuals are regressed again, so that
// rounding is that of a sum and not of a matrix.
std::vector<MadeUp> regressed(const DesignMatrix& x, const math::Cholesky& factor, In diagonal,
                              std::span<const std::size_t> columns, const Run& run) {
  const std::size_t p = x.columns(), m = columns.size();
  std::vector<double> w(m * p), z(x.rows() * m), g(m * p), left(m);
  for (std::size_t c = 0; c < m; ++c) w[c * p + columns[c]] = -1.0;
  const auto measure = [&] {
    x.times(w, m, z, run);
    std::fill(left.begin(), left.end(), 0.0);
    for (std::size_t at = 0; at < z.size(); ++at) {
      const double weight = x.weights()[at / m];
      left[at % m] += weight * z[at] * z[at];
      z[at] *= weight;
    }
  };
  for (int round = 0; round < kRounds; ++round) {
    measure();
    x.transpose_times(z, m, g, run);
    for (std::size_t c = 0; c < m; ++c) {
      const Out own = Out(g).subspan(c * p, p);
      factor.solve(own, own);
      for (std::size_t j = 0; j < p; ++j) w[c * p + j] -= own[j];
    }
  }
  measure();
  std::vector<MadeUp> made(m);
  for (std::size_t c = 0; c < m; ++c)
    made[c] = left[c] <= kRoundingShare * diagonal[columns[c]] ? MadeUp::nearly : MadeUp::no;
  for (double& each : w) each = std::round(each * kRoundMultiple) / kRoundMultiple;
  measure();
  for (std::size_t c = 0; c < m; ++c)
    if (left[c] == 0.0) made[c] = MadeUp::exactly;
  return made;
}

}  // namespace

void exact_times(const DesignMatrix& x, In w, std::size_t outputs, Out z, const Run& run) {
  const std::size_t p = x.columns();
  if (x.sparse()) x.lay_out(run);
  run.for_each(Phase::fitting, x.blocks(), [&](std::size_t b) {
    if (x.sparse()) {
      for (std::size_t i = x.block_begin(b), end = i + x.block_size(b); i < end; ++i) {
        const Row row = x.row(i);
        for (std::size_t k = 0; k < outputs; ++k) {
          DoubleDouble sum;
          for (std::size_t e = 0; e < row.index.size(); ++e)
            math::accumulate(sum, row.value[e], w[k * p + row.index[e]]);
          z[i * outputs + k] = sum.high;
        }
      }
      return;
    }
    x.for_each_chunk(b, [&](std::size_t i, std::size_t count, const double* values) {
      for (std::size_t t = 0; t < count; ++t)
        for (std::size_t k = 0; k < outputs; ++k)
          z[(i + t) * outputs + k] = math::kernels().dot2(values + t * p, w.data() + k * p, p).high;
    });
  });
}

void exact_transpose_times(const DesignMatrix& x, In r, std::size_t outputs, Out g, const Run& run) {
  const std::size_t p = x.columns();
  if (x.sparse()) x.lay_out(run);
  const std::vector<double> total = pair_sums(x, outputs * p, run, [&](std::size_t b, const PairSums& sums) {
    if (x.sparse()) {
      for (std::size_t i = x.block_begin(b), end = i + x.block_size(b); i < end; ++i) {
        const Row row = x.row(i);
        for (std::size_t e = 0; e < row.index.size(); ++e)
          for (std::size_t k = 0; k < outputs; ++k)
            sums.add(k * p + row.index[e], math::two_product(row.value[e], r[i * outputs + k]));
      }
      return;
    }
    double own[DesignMatrix::kChunkRows];
    const double none[DesignMatrix::kChunkRows] = {};
    x.for_each_chunk(b, [&](std::size_t i, std::size_t count, const double* values) {
      for (std::size_t k = 0; k < outputs; ++k) {
        for (std::size_t t = 0; t < count; ++t) own[t] = r[(i + t) * outputs + k];
        math::kernels().transpose_times_dd_add(values, count, p, p, own, none, sums.high.data() + k * p,
                                               sums.low.data() + k * p);
      }
    });
  });
  std::copy_n(total.begin(), g.size(), g.begin());  // the high parts
}

ExactGram exact_gram(const DesignMatrix& x, In d, const Run& run) {
  if (x.sparse()) return sparse_gram(x, d, run);
  const std::size_t p = x.columns();
  std::vector<double> total = pair_sums(x, p * p, run, [&](std::size_t b, const PairSums& sums) {
    double high[DesignMatrix::kChunkRows], low[DesignMatrix::kChunkRows];
    x.for_each_chunk(b, [&](std::size_t i, std::size_t count, const double* values) {
      for (std::size_t j = 0; j < p; ++j) {
        for (std::size_t t = 0; t < count; ++t) {
          const DoubleDouble own = math::two_product(values[t * p + j], d[i + t]);
          high[t] = own.high;
          low[t] = own.low;
        }
        math::kernels().transpose_times_dd_add(values, count, p, j + 1, high, low, sums.high.data() + j * p,
                                               sums.low.data() + j * p);
      }
    });
  });
  const PairSums sums{Out(total)};
  ExactGram gram{std::vector<double>(p * p), std::vector<double>(p * p)};
  for (std::size_t at = 0; at < p * p; ++at) {
    const DoubleDouble each = math::two_sum(sums.high[at], sums.low[at]);
    gram.high[at] = each.high;
    gram.low[at] = each.low;
  }
  return gram;
}

std::vector<MadeUp> made_up_columns(const DesignMatrix& x, const Run& run) {
  const std::size_t p = x.columns();
  std::vector<double> gram = x.gram(x.weights(), run), diagonal(p);
  for (std::size_t j = 0; j < p; ++j) diagonal[j] = gram[j * (p + 1)];
  const math::Cholesky factor(std::move(gram), p, kDoubtfulShare);
  std::vector<MadeUp> made_up(p, MadeUp::no);
  std::vector<std::size_t> doubtful;
  for (std::size_t j = 0; j < p; ++j)
    if (!(diagonal[j] > 0.0))
      made_up[j] = MadeUp::exactly;
    else if (factor.aliased()[j])
      doubtful.push_back(j);
  for (std::size_t begin = 0; begin < doubtful.size(); begin += kAtOnce) {
    const std::span<const std::size_t> some =
        std::span(doubtful).subspan(begin, std::min(kAtOnce, doubtful.size() - begin));
    const std::vector<MadeUp> found = regressed(x, factor, diagonal, some, run);
    for (std::size_t c = 0; c < some.size(); ++c) made_up[some[c]] = found[c];
  }
  // Columns that differ from the kept ones may still be combinations of one another.
  const auto is_apart = [&](std::size_t j) { return made_up[j] == MadeUp::no; };
  if (std::count_if(doubtful.begin(), doubtful.end(), is_apart) < 2) return made_up;
  ExactGram exact = exact_gram(x, x.weights(), run);
  for (std::size_t j = 0; j < p; ++j)
    if (!is_apart(j)) exact.high[j * (p + 1)] = exact.low[j * (p + 1)] = 0.0;
  const math::Cholesky apart(std::move(exact.high), std::move(exact.low), p, kRoundingShare);
  for (std::size_t j = 0; j < p; ++j)
    if (is_apart(j) && apart.aliased()[j]) made_up[j] = MadeUp::nearly;
  return made_up;
}

}  // namespace plumb
