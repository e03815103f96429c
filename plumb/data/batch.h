// Rows of a block in one dense array, for kernels that process many rows at once. The bounds of a batch change no
// result: the kernels add row after row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "plumb/data/examples.h"

namespace plumb {

struct Batch {
  const double* x = nullptr;  // rows times stride
  std::size_t rows = 0;
  std::size_t stride = 0;
  In targets;
  In weights;
};

// Calls use(const Batch&) on up to 64 rows at a time. fill(const Example&, Out row) writes the `width` numbers of one
// row, all of them if the example is dense; otherwise the row is zeroed first. Numbers between width and stride are 0.
template <class Fill, class Use>
void for_each_batch(const Block& block, std::size_t width, Fill&& fill, Use&& use) {
  constexpr std::size_t kBatchRows = 64;
  const std::size_t stride = (width + 7) / 8 * 8;
  std::vector<double> x(kBatchRows * stride), targets(kBatchRows), weights(kBatchRows);
  std::size_t rows = 0;
  const auto flush = [&] {
    if (rows > 0) use(Batch{x.data(), rows, stride, In(targets).first(rows), In(weights).first(rows)});
    rows = 0;
  };
  block.for_each([&](const Example& example) {
    const Out row = Out(x).subspan(rows * stride, width);
    if (!example.x.dense()) std::fill(row.begin(), row.end(), 0.0);
    fill(example, row);
    targets[rows] = example.target;
    weights[rows] = example.weight;
    if (++rows == kBatchRows) flush();
  });
  flush();
}

// The plain row, dense or sparse, written out.
inline void write_row(const Row& x, Out row) noexcept {
  if (x.dense()) {
    std::copy(x.value.begin(), x.value.end(), row.begin());
  } else {
    for (std::size_t k = 0; k < x.index.size(); ++k) row[x.index[k]] = x.value[k];
  }
}

}  // namespace plumb
