// All that naive Bayes learns from rows: sums for each feature and class. Sums can be added, and rows can be
// subtracted, so models can be merged, forget, and be evaluated by cross-validation without refitting. Whole counts
// (below 2^53) are exact; sums of numbers are triple-doubles, because a spread is the difference of two sums that may
// be 2^104 times as large.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/math/double_double.h"
#include "plumb/math/triple_double.h"
#include "plumb/train/event.h"

namespace plumb {

// Fractional weights leave rounding errors in a sum after all of them are subtracted.
inline bool is_rounding(double left, double sum) noexcept {
  constexpr double kRounding = 0x1p-40;
  return std::abs(left) <= kRounding * std::abs(sum) && left != std::round(left);
}
// The rest of a sum after subtracting a part.
inline double left_of(double sum, double part) noexcept {
  const double left = sum - part;
  return is_rounding(left, sum) ? 0.0 : left;
}

struct EventCounts {
  std::size_t classes = 0;
  std::uint64_t rows = 0;
  std::vector<math::DoubleDouble> weight;  // [class]: sum of row weights
  std::vector<double> sums;                // [feature][class]: sum of weight times value; 0 for gaussian features
  std::vector<math::TripleDouble> first;   // [gaussian][class]: the same for gaussian features
  std::vector<math::TripleDouble> second;  // [gaussian][class]: sum of weight times value squared

  EventCounts() = default;
  EventCounts(const EventPlan& plan, std::size_t class_count);

  double weight_of(std::size_t label) const noexcept { return weight[label].high; }
  std::vector<double> weights() const;
  math::DoubleDouble all_weight() const noexcept;
  double total_weight() const noexcept { return all_weight().high; }
  // Squares of a gaussian about its mean in a class, and in all rows; 0 without rows. Rounding may make it negative.
  double spread_of(std::size_t gaussian, std::size_t label) const noexcept;
  double spread_of(std::size_t gaussian) const noexcept;
  double mean_of(std::size_t gaussian, std::size_t label) const noexcept;  // 0 without rows
  math::TripleDouble all_first(std::size_t gaussian) const noexcept;
  // Adds a number to the sums of a gaussian, by its position in them; a negative factor subtracts it.
  void add_number(std::size_t place, double factor, double value) noexcept;
  void add(const EventCounts& other) noexcept;
  void subtract(const EventCounts& other) noexcept;
  std::uint64_t bytes() const noexcept;
};

namespace detail {
[[noreturn, gnu::cold]] void refuse_target();
}  // namespace detail

// The target of a row as the position of its label. Throws Error(internal) if it is none.
[[gnu::always_inline]] inline std::size_t place_of_target(double target, std::size_t classes) {
  if (!(target >= 0 && target < static_cast<double>(static_cast<std::int64_t>(classes)))) detail::refuse_target();
  const auto label = static_cast<std::int64_t>(target);
  if (static_cast<double>(label) != target) detail::refuse_target();
  return static_cast<std::size_t>(label);
}

// Adds a row to the counts of its class. One for each thread.
class EventAdder {
 public:
  // Skips numbers, if they are counted elsewhere.
  explicit EventAdder(const EventPlan& plan, bool with_numbers = true);
  // factor is the row's weight, or its negative to subtract the row.
  void add(const Row& x, std::size_t label, double factor, EventCounts& counts);

 private:
  const EventPlan& plan_;
  std::vector<std::uint32_t> gaussian_of_;  // by feature: which gaussian, kCounted or kIgnored; empty: all are counted
};

// One pass. The targets of the examples are positions of labels. Throws Error(data) for a negative or invalid weight,
// for counts below 0 and for sums beyond the doubles.
EventCounts count_events(const Examples& examples, const EventPlan& plan, const FeatureMap& map, std::size_t classes,
                         const Run& run);

// The same for parts of the rows in one pass: part_of_row has a part for each row of the storage, and rows of other
// parts are left out. Without parts all rows are of part 0.
std::vector<EventCounts> count_events_by_part(const Examples& examples, const EventPlan& plan, const FeatureMap& map,
                                              std::size_t classes, std::span<const std::uint32_t> part_of_row,
                                              std::size_t part_count, const Run& run);

// How many copies of the counts are filled in parallel; it depends only on the sizes, so that the bits are the same for
// any number of threads. Copies larger than a quarter of the entries counted in them are not worth it.
std::size_t counting_chunks(std::uint32_t features, std::size_t classes, std::size_t blocks, std::uint64_t entries);

}  // namespace plumb
