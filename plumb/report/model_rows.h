// The rows of a model one after another, with the features to show of each: inspect as text and as JSON. Memory is that
// of one row, or of one per label where each has a history of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/model/model.h"

namespace plumb {

class ModelRows {
 public:
  // Of each row the `top` weights largest by size, equal ones in feature order; 0 for all, in feature order.
  ModelRows(const LinearModel& model, std::uint64_t top);

  bool next();  // to the first row, then to the one after; false when there is none

  std::uint64_t number() const noexcept { return next_ - 1; }
  In weights() const noexcept { return chains_[chain_]; }  // of every feature
  std::span<const std::uint32_t> shown() const noexcept { return std::span(order_).first(shown_); }
  std::uint64_t more() const noexcept { return order_.size() - shown_; }  // features that are not shown

 private:
  const LinearModel& model_;
  bool by_size_;
  std::vector<std::vector<double>> chains_;  // the last row of each chain
  std::uint32_t chain_ = 0;
  std::vector<std::uint32_t> order_;
  std::size_t shown_;
  std::uint64_t next_ = 0;
};

}  // namespace plumb
