// How often features are there together, class by class, in sparse rows of weight 1: what event_dependence.cpp makes of
// products, counted, and exact in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"

namespace plumb {

struct PresencePairs {
  std::uint64_t rows = 0;
  std::vector<double> counts;  // [class][slot][slot up to it]: rows with both
};

// slot_of says of each feature which slot it has, slots or above if none; slot 0 is in every row. Slots of features
// ascend as they do. `look_first`, if any, is called for each block before its rows are. Of the rows whose number is a
// multiple of `step`; an entry is there if it is above 0.
PresencePairs count_presence_pairs(const Examples& examples, std::size_t classes,
                                   std::span<const std::uint32_t> slot_of, std::size_t slots, std::uint64_t step,
                                   const Run& run, const std::function<void(std::size_t)>& look_first = {});

}  // namespace plumb
