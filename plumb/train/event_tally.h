// The counts of naive Bayes where every entry is a whole number below 256 and every row weighs 1, as in texts and in
// categories coded as ones: integers of half the size, which are exact in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/train/event.h"
#include "plumb/train/event_counts.h"

namespace plumb {

bool can_tally(const Examples& examples, const EventPlan& plan) noexcept;

// As count_events_by_part, whose checks nothing here can fail; `chunks` copies are filled side by side. A copy is added
// to the sums when it may hold more than `most` entries; kMostTallied of 255 are the most that a cell can hold.
constexpr std::uint64_t kMostTallied = (std::uint64_t{1} << 32) / 256;
std::vector<EventCounts> tally_events_by_part(const Examples& examples, const EventPlan& plan, std::size_t classes,
                                              std::span<const std::uint32_t> part_of_row, std::size_t part_count,
                                              std::size_t chunks, const Run& run, std::uint64_t most = kMostTallied);

}  // namespace plumb
