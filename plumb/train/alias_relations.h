// The training data of features without a weight of their own: each was a linear combination of others. For a row that
// violates it, no training row could show the right prediction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "plumb/data/examples.h"
#include "plumb/model/record.h"

namespace plumb {

// From the record of a saved model; empty if it has no aliased features, or stored nothing about them.
class AliasRelations {
 public:
  // The statistic that stores, for each of the record's aliased features, the bias and the weights of its combination,
  // and a bound on the rounding error.
  static constexpr const char* kStatistic = "aliased.relations";
  static constexpr double kRounding = 0x1p-40;

  // Throws Error(model) if the stored data contradict the model.
  AliasRelations(const Record& record, std::size_t features);

  bool empty() const noexcept { return relations_.empty(); }
  // The first aliased feature whose value in this row violates its combination.
  std::optional<std::uint32_t> broken(const Row& x) const noexcept;

 private:
  struct Relation {
    std::uint32_t feature = 0;
    std::vector<double> numbers;  // bias, weights, and a bound on the rounding error
  };
  std::vector<Relation> relations_;
};

}  // namespace plumb
