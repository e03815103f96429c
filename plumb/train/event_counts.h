// All that naive Bayes learns from rows: sums for each feature and class. Sums of separate rows add up, and rows can be
// taken out again, so models can be merged, forget, and be judged on rows they have not seen without being trained
// anew. Whole counts (below 2^53) are exact; of numbers the sums are triple-doubles, as a spread is what is left of two
// sums that may be 2^104 times as large.
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

// Sums of weights that are no whole numbers leave rounding behind where nothing is left of them.
inline bool is_rounding(double left, double sum) noexcept {
  constexpr double kRounding = 0x1p-40;
  return std::abs(left) <= kRounding * std::abs(sum) && left != std::round(left);
}
// What is left of a sum without a part of it.
inline double left_of(double sum, double part) noexcept {
  const double left = sum - part;
  return is_rounding(left, sum) ? 0.0 : left;
}

struct EventCounts {
  std::size_t classes = 0;
  std::uint64_t rows = 0;
  std::vector<math::DoubleDouble> weight;  // [class]: sum of row weights
  std::vector<double> sums;                // [feature][class]: sum of weight times value; 0 for gaussian features
  std::vector<math::TripleDouble> first;   // [gaussian][class]: the same, of gaussian features
  std::vector<math::TripleDouble> second;  // [gaussian][class]: sum of weight times value squared

  EventCounts() = default;
  EventCounts(const EventPlan& plan, std::size_t class_count);

  double weight_of(std::size_t label) const noexcept { return weight[label].high; }
  std::vector<double> weights() const;
  math::DoubleDouble all_weight() const noexcept;
  double total_weight() const noexcept { return all_weight().high; }
  // Squares of a gaussian about its mean in a class, and in all rows; 0 without rows. Rounding may leave less than 0.
  double spread_of(std::size_t gaussian, std::size_t label) const noexcept;
  double spread_of(std::size_t gaussian) const noexcept;
  double mean_of(std::size_t gaussian, std::size_t label) const noexcept;  // 0 without rows
  math::TripleDouble all_first(std::size_t gaussian) const noexcept;
  // Adds a number to the sums of a gaussian, by its place in them; a negative factor takes it out.
  void add_number(std::size_t place, double factor, double value) noexcept;
  void add(const EventCounts& other) noexcept;
  void subtract(const EventCounts& other) noexcept;
  std::uint64_t bytes() const noexcept;
};

namespace detail {
[[noreturn, gnu::cold]] void refuse_target();
}  // namespace detail

// The target of a row as a place among the labels. Throws Error(internal) where it is none.
[[gnu::always_inline]] inline std::size_t place_of_target(double target, std::size_t classes) {
  if (!(target >= 0 && target < static_cast<double>(static_cast<std::int64_t>(classes)))) detail::refuse_target();
  const auto label = static_cast<std::int64_t>(target);
  if (static_cast<double>(label) != target) detail::refuse_target();
  return static_cast<std::size_t>(label);
}

// What a row does to the counts of its class. One for each thread.
class EventAdder {
 public:
  // Where numbers are seen to elsewhere, they are passed over.
  explicit EventAdder(const EventPlan& plan, bool with_numbers = true);
  // factor is the row's weight, or its negative to take the row out.
  void add(const Row& x, std::size_t label, double factor, EventCounts& counts);

 private:
  const EventPlan& plan_;
  std::vector<std::uint32_t> gaussian_of_;  // by feature: which gaussian, kCounted or kIgnored; empty: all are counted
};

// One pass. The targets of the examples are places among the labels. Throws Error(data) for a weight that is no number
// of at least 0, for counts below 0 and for sums beyond the doubles.
EventCounts count_events(const Examples& examples, const EventPlan& plan, const FeatureMap& map, std::size_t classes,
                         const Run& run);

// The same of parts of the rows in one pass: part_of_row has a part for each row of the storage, and rows of other
// parts are left out. Without parts all rows are of part 0.
std::vector<EventCounts> count_events_by_part(const Examples& examples, const EventPlan& plan, const FeatureMap& map,
                                              std::size_t classes, std::span<const std::uint32_t> part_of_row,
                                              std::size_t part_count, const Run& run);

// How many copies of the counts are filled side by side; by the sizes alone, so that the bits are the same for any
// number of threads. Copies that would be larger than a quarter of the entries counted in them are not worth it.
std::size_t counting_chunks(std::uint32_t features, std::size_t classes, std::size_t blocks, std::uint64_t entries);

}  // namespace plumb
