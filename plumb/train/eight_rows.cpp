#include "plumb/train/eight_rows.h"

#include "plumb/math/kernels.h"

namespace plumb {

using math::DoubleDouble;

namespace {

std::vector<double> by_columns(const Basis& basis, const std::vector<double>& root) {
  std::vector<double> columns;
  columns.reserve(root.size());
  for (std::size_t j = 0; j < basis.size(); ++j)
    for (std::size_t i = 0; i <= j; ++i) columns.push_back(root[basis.row_begin(i) + j - i]);
  return columns;
}

}  // namespace

EightRows::EightRows(const Basis& basis, bool exact)
    : basis_(basis), exact_(exact), high_(8 * basis.size()), low_(exact ? 8 * basis.size() : 0) {}

void EightRows::place(const Row& x, In lows, std::span<const std::uint32_t> lows_of, std::size_t lane) noexcept {
  if (exact_) {
    basis_.write_shifted(x, lows, lows_of, &high_[lane], &low_[lane], 8);
  } else {
    basis_.write_shifted(x, &high_[lane], 8);
  }
}

// The numbers of column i, by the diagonal of U there; 0 marks an aliased column.
void EightRows::divide(std::size_t i, double by, double by_low) noexcept {
  for (std::size_t at = 8 * i; at < 8 * i + 8; ++at) {
    if (!exact_) {
      high_[at] = by > 0 ? high_[at] / by : 0.0;
      continue;
    }
    const DoubleDouble quotient =
        by > 0 ? DoubleDouble(high_[at], low_[at]) / DoubleDouble(by, by_low) : DoubleDouble();
    high_[at] = quotient.high;
    low_[at] = quotient.low;
  }
}

void EightRows::whiten() noexcept {
  const math::Kernels& kernels = math::kernels();
  const std::size_t q = basis_.size();
  const double* const root = basis_.parts().root.data();
  const double* const root_low = basis_.parts().root_low.data();
  for (std::size_t i = 0, row = 0; i < q; row += q - i, ++i) {
    divide(i, root[row], exact_ ? root_low[row] : 0.0);
    if (!(root[row] > 0)) continue;
    const std::size_t z = 8 * i, later = q - i - 1;
    if (exact_) {
      kernels.eliminate8_dd(root + row + 1, root_low + row + 1, later, &high_[z], &low_[z], high_.data() + z + 8,
                            low_.data() + z + 8);
    } else {
      kernels.eliminate8(root + row + 1, later, &high_[z], high_.data() + z + 8);
    }
  }
}

void EightRows::solve() {
  const math::Kernels& kernels = math::kernels();
  if (columns_.empty()) {
    columns_ = by_columns(basis_, basis_.parts().root);
    if (exact_) columns_low_ = by_columns(basis_, basis_.parts().root_low);
  }
  for (std::size_t j = basis_.size(); j-- > 0;) {
    const std::size_t column = j * (j + 1) / 2, t = 8 * j;
    divide(j, columns_[column + j], exact_ ? columns_low_[column + j] : 0.0);
    if (exact_) {
      kernels.eliminate8_dd(&columns_[column], &columns_low_[column], j, &high_[t], &low_[t], high_.data(),
                            low_.data());
    } else {
      kernels.eliminate8(&columns_[column], j, &high_[t], high_.data());
    }
  }
}

DoubleDouble EightRows::distance(std::size_t lane) const noexcept {
  if (exact_) {
    DoubleDouble sum;
    for (std::size_t i = 0; i < basis_.size(); ++i) sum += number(i, lane) * number(i, lane);
    return sum;
  }
  double sum = 0.0;
  for (std::size_t at = lane; at < high_.size(); at += 8) sum += high_[at] * high_[at];
  return sum;
}

DoubleDouble EightRows::bias_pull(std::size_t lane) const noexcept {
  const std::vector<double>& centre = basis_.parts().centre;
  DoubleDouble pull = number(0, lane);
  for (std::size_t j = 0; j < centre.size(); ++j) pull -= number(1 + j, lane) * centre[j];
  return pull;
}

}  // namespace plumb
