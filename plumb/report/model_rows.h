// The rows of a model one after another, with the features to show for each: inspect as text and as JSON. Memory is
// that of one row, or of one per label if each has a history of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/model/model_file.h"

namespace plumb {

// Whether to rank the weights of a row by their distance above the mean of the rows, since a softmax does not change
// when a number is added to all rows. Not if weights have standard errors, which belong to the weights themselves.
bool ranks_above_mean(const SavedModel& saved, std::uint64_t top);

// The standard deviation of each feature over the training rows, as the record keeps it; empty where it has none.
In feature_spreads(const Record& record) noexcept;

// How many weights inspect shows where nobody says: all of a small model, else the most important.
inline constexpr std::uint64_t kMostShown = 20;
inline std::uint64_t shown_by_default(const LinearModel& model) {
  return model.features() > kMostShown ? kMostShown : 0;
}

class ModelRows {
 public:
  // Of each row the `top` weights that matter most: the largest by size times the spread of their feature, where
  // spreads are given; equal ones in feature order; 0 for all, in feature order. Vetoes matter most of all. Above the
  // mean of the rows, if that is asked for, weights are ranked by what they are more than it.
  ModelRows(const LinearModel& model, std::uint64_t top, bool above_mean = false, In spread = {});

  bool next();  // to the first row, then to the one after; false when there is none

  std::uint64_t number() const noexcept { return next_ - 1; }
  In weights() const noexcept { return chains_[chain_]; }  // of every feature
  double above_mean(std::uint32_t feature) const noexcept { return weights()[feature] - mean_[feature]; }
  std::int32_t vetoes(
      std::uint32_t feature) const noexcept;  // how often the feature vetoes the row, minus how often its absence does
  std::span<const std::uint32_t> shown() const noexcept { return std::span(order_).first(shown_); }
  std::uint64_t more() const noexcept { return order_.size() - shown_; }  // features that are not shown

 private:
  const LinearModel& model_;
  bool by_size_;
  In spread_;
  std::vector<double> mean_;                 // of each feature, if requested
  std::vector<std::vector<double>> chains_;  // the last row of each chain
  std::uint32_t chain_ = 0;
  std::vector<std::uint32_t> order_;
  std::size_t shown_;
  std::uint64_t next_ = 0;
};

}  // namespace plumb
