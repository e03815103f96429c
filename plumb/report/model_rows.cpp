#include "plumb/report/model_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "plumb/model/explain.h"

namespace plumb {

bool ranks_above_mean(const SavedModel& saved, std::uint64_t top) {
  return top != 0 && saved.model.parts().link == Link::softmax && saved.record.standard_errors.empty();
}

In feature_spreads(const Record& record) noexcept {
  const Statistic* const found = find_statistic(record, "feature_sd");
  const auto* const values = found == nullptr ? nullptr : std::get_if<std::vector<double>>(&found->values);
  return values == nullptr ? In() : In(*values);
}

ModelRows::ModelRows(const LinearModel& model, std::uint64_t top, bool above_mean, In spread)
    : model_(model),
      by_size_(top != 0),
      spread_(spread.size() == model.features() ? spread : In()),
      mean_(above_mean ? mean_weights(model.parts().weights) : std::vector<double>()),
      order_(model.features()) {
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
  if (!by_size_) return true;
  std::vector<double> size(order_.size());
  for (std::uint32_t j = 0; j < size.size(); ++j)
    size[j] = std::abs(mean_.empty() ? weights()[j] : above_mean(j)) * (spread_.empty() ? 1.0 : spread_[j]);
  if (model_.has_vetoes())
    for (const std::uint32_t j : model_.parts().vetoes.row_index(number()))
      size[j] = std::numeric_limits<double>::infinity();
  std::partial_sort(
      order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(shown_), order_.end(),
      [&](std::uint32_t a, std::uint32_t b) { return size[a] > size[b] || (size[a] == size[b] && a < b); });
  return true;
}

std::int32_t ModelRows::vetoes(std::uint32_t feature) const noexcept {
  if (!model_.has_vetoes()) return 0;
  const auto index = model_.parts().vetoes.row_index(number());
  const auto found = std::lower_bound(index.begin(), index.end(), feature);
  if (found == index.end() || *found != feature) return 0;
  return model_.parts().vetoes.row_values(number())[static_cast<std::size_t>(found - index.begin())];
}

}  // namespace plumb
