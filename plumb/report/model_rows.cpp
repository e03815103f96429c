#include "plumb/report/model_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace plumb {

ModelRows::ModelRows(const LinearModel& model, std::uint64_t top)
    : model_(model), by_size_(top != 0), order_(model.features()) {
  shown_ = by_size_ ? std::min<std::uint64_t>(top, order_.size()) : order_.size();
  std::iota(order_.begin(), order_.end(), 0u);
}

bool ModelRows::next() {
  if (next_ == model_.rows()) return false;
  const Weights& all = model_.parts().weights;
  chain_ = all.chains().empty() ? 0 : all.chains()[next_];
  if (chain_ >= chains_.size()) chains_.resize(std::size_t{chain_} + 1);
  chains_[chain_].resize(model_.features());
  all.row_after(next_++, chains_[chain_]);
  if (by_size_)
    std::partial_sort(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(shown_), order_.end(),
                      [&](std::uint32_t a, std::uint32_t b) {
                        const double x = std::abs(weights()[a]), y = std::abs(weights()[b]);
                        return x > y || (x == y && a < b);
                      });
  return true;
}

}  // namespace plumb
