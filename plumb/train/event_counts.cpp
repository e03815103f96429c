#include "plumb/train/event_counts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/guarded.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/math/dense.h"

namespace plumb {
namespace {

using math::DoubleDouble;

constexpr std::uint32_t kCounted = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kIgnored = kCounted - 1;

template <class Number>
void add_all(std::vector<Number>& to, const std::vector<Number>& from, double sign) noexcept {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += sign < 0 ? -from[i] : from[i];
}

double checked_weight(const Example& example) {
  if (!(example.weight >= 0) || !std::isfinite(example.weight))
    throw Error(ErrorCode::data, "the weight of row " + std::to_string(example.number + 1) + " is " +
                                     number_text(example.weight) + "; a number of at least 0 was expected");
  return example.weight;
}

std::size_t checked_label(const Example& example, std::size_t classes) {
  if (!(example.target >= 0 && example.target < static_cast<double>(classes)) ||
      std::trunc(example.target) != example.target)
    throw Error(ErrorCode::internal, "the target of a row is no place among the labels");
  return static_cast<std::size_t>(example.target);
}

// Draws have counts, and a count is not negative.
void check_counts(const EventCounts& counts, const EventPlan& plan, const FeatureMap& map) {
  const auto fail = [&](std::uint32_t feature, const std::string& what, const std::string& hint) {
    throw Error(ErrorCode::data, "feature " + in_quotes(map.name(feature)) + " " + what, hint);
  };
  for (const EventGroup& group : plan.groups)
    for (const EventGroup::Range& range : group.ranges)
      for (std::size_t i = range.first * counts.classes; i < range.last * counts.classes; ++i)
        if (!std::isfinite(counts.sums[i]))
          fail(static_cast<std::uint32_t>(i / counts.classes), "adds up to more than 1.8e308",
               "divide it by a power of ten");
  for (std::size_t i = 0; i < counts.first.size(); ++i)
    if (!std::isfinite(counts.second[i].high) || !std::isfinite(counts.first[i].high))
      fail(plan.gaussians[i / counts.classes].feature, "has squares that add up to more than 1.8e308",
           "divide it by a power of ten");
}

// Numbers of dense rows of weight 1. Some rows of a class wait, and then each column of them is summed at once, in
// twice the precision: several times as fast as number by number. Which rows are summed together follows from the rows
// alone.
class NumberTiles {
 public:
  NumberTiles(const EventPlan& plan, std::size_t classes)
      : plan_(plan),
        numbers_(plan.gaussians.size()),
        most_(std::clamp<std::size_t>(kTileNumbers / std::max<std::size_t>(numbers_ * classes, 1), kBatch, kMostRows)),
        classes_(classes),
        tiles_(classes),
        rows_(classes),
        ones_(most_, 1.0) {}

  void add(In x, std::size_t label, EventCounts& counts) {
    std::vector<double>& tile = tiles_[label];
    tile.resize(most_ * numbers_);
    double* const row = tile.data() + rows_[label] * numbers_;
    for (std::size_t g = 0; g < numbers_; ++g) row[g] = x[plan_.gaussians[g].feature];
    if (++rows_[label] == most_) sum(label, counts);
  }
  void finish(EventCounts& counts) {
    for (std::size_t label = 0; label < classes_; ++label) sum(label, counts);
  }

 private:
  static constexpr std::size_t kTileNumbers = std::size_t{1} << 21;  // that wait, of all classes
  static constexpr std::size_t kBatch = 8;  // columns that are turned together: a line of the cache
  static constexpr std::size_t kMostRows = 256;

  void sum(std::size_t label, EventCounts& counts) {
    const std::size_t rows = std::exchange(rows_[label], 0);
    if (rows == 0) return;
    std::array<double, kBatch * kMostRows> columns;
    for (std::size_t begin = 0; begin < numbers_; begin += kBatch) {
      const std::size_t width = std::min(kBatch, numbers_ - begin);
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < width; ++c) columns[c * kMostRows + r] = tiles_[label][r * numbers_ + begin + c];
      for (std::size_t c = 0; c < width; ++c) {
        const In column(columns.data() + c * kMostRows, rows);
        const std::size_t place = (begin + c) * classes_ + label;
        counts.first[place] += math::dot2(column, In(ones_).first(rows));
        counts.second[place] += math::dot2(column, column);
      }
    }
  }

  const EventPlan& plan_;
  const std::size_t numbers_, most_, classes_;
  std::vector<std::vector<double>> tiles_;  // [class]: [row][gaussian]
  std::vector<std::size_t> rows_;           // that wait
  std::vector<double> ones_;
};

}  // namespace

EventCounts::EventCounts(const EventPlan& plan, std::size_t class_count)
    : classes(class_count),
      weight(class_count),
      sums(plan.groups.empty() ? 0 : plan.features * class_count),
      first(plan.gaussians.size() * class_count),
      second(plan.gaussians.size() * class_count) {}

double EventCounts::total_weight() const noexcept {
  double total = 0.0;
  for (const double each : weight) total += each;
  return total;
}

void EventCounts::add(const EventCounts& other) noexcept {
  rows += other.rows;
  add_all(weight, other.weight, 1);
  add_all(sums, other.sums, 1);
  add_all(first, other.first, 1);
  add_all(second, other.second, 1);
}

void EventCounts::subtract(const EventCounts& other) noexcept {
  rows -= other.rows;
  add_all(weight, other.weight, -1);
  add_all(sums, other.sums, -1);
  add_all(first, other.first, -1);
  add_all(second, other.second, -1);
}

std::uint64_t EventCounts::bytes() const noexcept {
  return sizeof(double) * (weight.size() + sums.size() + 2 * (first.size() + second.size()));
}

EventAdder::EventAdder(const EventPlan& plan, bool with_numbers) : plan_(plan) {
  if (plan.gaussians.empty()) return;
  gaussian_of_.assign(plan.features, kCounted);
  for (std::uint32_t g = 0; g < plan.gaussians.size(); ++g) {
    gaussian_of_[plan.gaussians[g].feature] = with_numbers ? g : kIgnored;
    if (plan.gaussians[g].square) gaussian_of_[*plan.gaussians[g].square] = kIgnored;
  }
}

void EventAdder::add_number(std::uint32_t gaussian, std::size_t label, double factor, double value,
                            EventCounts& counts) const {
  const std::size_t place = gaussian * counts.classes + label;
  if (factor == 1.0) {
    counts.first[place] += value;
    math::accumulate(counts.second[place], value, value);
  } else {
    counts.first[place] += math::two_product(factor, value);
    counts.second[place] += math::two_product(value, value) * factor;
  }
}

void EventAdder::add(const Row& x, std::size_t label, double factor, EventCounts& counts) {
  counts.weight[label] += factor;
  const std::size_t classes = counts.classes;
  double* const sums = counts.sums.data() + label;
  if (!x.dense() && gaussian_of_.empty()) {
    for (std::size_t i = 0; i < x.index.size(); ++i) sums[x.index[i] * classes] += factor * x.value[i];
    return;
  }
  const auto one = [&](std::uint32_t feature, double value) {
    const std::uint32_t gaussian = gaussian_of_.empty() ? kCounted : gaussian_of_[feature];
    if (gaussian == kIgnored) return;
    if (gaussian != kCounted) return add_number(gaussian, label, factor, value, counts);
    sums[feature * classes] += factor * value;
  };
  if (x.dense()) {
    for (std::uint32_t feature = 0; feature < x.value.size(); ++feature) one(feature, x.value[feature]);
  } else {
    for (std::size_t i = 0; i < x.index.size(); ++i) one(x.index[i], x.value[i]);
  }
}

std::size_t counting_chunks(std::uint32_t features, std::size_t classes, std::size_t blocks) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 28;
  constexpr std::uint64_t kMostChunks = 8;
  const std::uint64_t each = std::max<std::uint64_t>(5 * sizeof(double) * features * classes, 1);
  return std::clamp<std::uint64_t>(kMostBytes / each, 1, std::clamp<std::uint64_t>(blocks, 1, kMostChunks));
}

EventCounts count_events(const Examples& examples, const EventPlan& plan, const FeatureMap& map, std::size_t classes,
                         const Run& run) {
  const std::size_t blocks = examples.blocks();
  const std::size_t chunks = counting_chunks(plan.features, classes, blocks);
  struct Parts {
    std::vector<EventCounts> of_chunk;
    std::vector<bool> ready;
    std::size_t added = 0;
  };
  Guarded<Parts> guarded(Parts{std::vector<EventCounts>(chunks), std::vector<bool>(chunks)});
  const bool draws = plan.has(Event::multinomial) || plan.has(Event::complement);
  std::vector<bool> drawn(draws && plan.features > 0 ? plan.features : 0);
  if (draws)
    for (const EventGroup& group : plan.groups)
      if (group.event == Event::multinomial || group.event == Event::complement)
        for (const EventGroup::Range& range : group.ranges)
          std::fill(drawn.begin() + range.first, drawn.begin() + range.last, true);
  run.for_each(Phase::fitting, chunks, [&](std::size_t chunk) {
    EventCounts counts(plan, classes);
    EventAdder adder(plan), without_numbers(plan, false);
    NumberTiles tiles(plan, classes);
    const bool tiled = !plan.gaussians.empty() && !examples.sparse();
    const auto expect_draws = [&](const Example& example) {
      for (std::size_t i = 0; i < example.x.value.size(); ++i) {
        if (example.x.value[i] >= 0) continue;
        const auto feature = example.x.dense() ? static_cast<std::uint32_t>(i) : example.x.index[i];
        if (drawn[feature])
          throw Error(ErrorCode::data,
                      "feature " + in_quotes(map.name(feature)) + " is " + number_text(example.x.value[i]) +
                          " in row " + std::to_string(example.number + 1) + "; a count of at least 0 was expected",
                      "--event gaussian takes any numbers, --event bernoulli asks whether they are above 0");
      }
    };
    for (std::size_t b = chunk * blocks / chunks; b < (chunk + 1) * blocks / chunks; ++b)
      examples.block(b).for_each([&](const Example& example) {
        const double weight = checked_weight(example);
        ++counts.rows;
        if (weight == 0.0) return;
        if (draws) expect_draws(example);
        const std::size_t label = checked_label(example, classes);
        if (!tiled || weight != 1.0) return adder.add(example.x, label, weight, counts);
        tiles.add(example.x.value, label, counts);
        if (plan.groups.empty()) {
          counts.weight[label] += 1.0;
        } else {
          without_numbers.add(example.x, label, 1.0, counts);
        }
      });
    tiles.finish(counts);
    // Added up in the order of chunks, each as soon as those before it are there, so that few wait in memory.
    guarded.with([&](Parts& parts) {
      parts.of_chunk[chunk] = std::move(counts);
      for (parts.ready[chunk] = true; parts.added < chunks && parts.ready[parts.added]; ++parts.added) {
        if (parts.added == 0) continue;
        parts.of_chunk[0].add(parts.of_chunk[parts.added]);
        parts.of_chunk[parts.added] = {};
      }
    });
  });
  EventCounts sums = guarded.with([](Parts& parts) { return std::move(parts.of_chunk[0]); });
  check_counts(sums, plan, map);
  return sums;
}

}  // namespace plumb
