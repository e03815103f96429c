// What training saw of features without a weight of their own: each was a sum of multiples of others. A row for which
// that does not hold asks for something that no training row could tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "plumb/data/examples.h"
#include "plumb/model/record.h"

namespace plumb {

// Made from the record of a saved model; empty if it has no aliased features, or kept nothing of them.
class AliasRelations {
 public:
  // The statistic in which training keeps, for each of the record's aliased features, the bias and the weights of the
  // sum that it was, and how far off rounding may be.
  static constexpr const char* kStatistic = "aliased.relations";
  static constexpr double kRounding = 0x1p-40;

  // Throws Error(model) if what was kept contradicts the model.
  AliasRelations(const Record& record, std::size_t features);

  bool empty() const noexcept { return relations_.empty(); }
  // The first aliased feature that is not in this row what it was in training.
  std::optional<std::uint32_t> broken(const Row& x) const noexcept;

 private:
  struct Relation {
    std::uint32_t feature = 0;
    std::vector<double> numbers;  // bias, weights, and how far off rounding may be
  };
  std::vector<Relation> relations_;
};

}  // namespace plumb
