#include "plumb/train/event_counts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/guarded.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/train/number_sums.h"

namespace plumb {
namespace {

using math::DoubleDouble;

constexpr std::uint32_t kCounted = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kIgnored = kCounted - 1;

template <class Number>
void add_all(std::vector<Number>& to, const std::vector<Number>& from, double sign) noexcept {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += sign < 0 ? -from[i] : from[i];
}

// For a constant column only rounding is left. Fractional weights have sums of 106 bits, so the squares are known to
// that; otherwise to the precision of triple-doubles.
double spread_left(const math::TripleDouble& first, const math::TripleDouble& second, math::DoubleDouble weight) {
  if (!(weight.high > 0.0)) return 0.0;
  const bool whole = weight.low == 0.0 && weight.high == std::floor(weight.high);
  const double spread = math::spread_of(first, second, weight);
  return spread <= (whole ? 0x1p-150 : 0x1p-102) * second.high ? 0.0 : spread;
}

double checked_weight(const Example& example) {
  if (!(example.weight >= 0) || !std::isfinite(example.weight))
    throw Error(ErrorCode::data, "the weight of row " + std::to_string(example.number + 1) + " is " +
                                     number_text(example.weight) + "; a number of at least 0 was expected");
  return example.weight;
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

// The counts of sparse rows of weight 1, from the arrays of their piece. counts_of(row of the piece) are its counts, or
// null. False if an entry is below 0, or not a number.
template <class CountsOf, class ValueAt>
bool add_entries(const Piece& piece, std::uint64_t begin, std::uint64_t end, const CountsOf& counts_of,
                 const ValueAt& value_at) {
  const std::uint32_t* const index = piece.index.data();
  bool good = true;
  for (std::uint64_t r = begin; r < end; ++r) {
    EventCounts* const own = counts_of(r);
    if (own == nullptr) continue;
    EventCounts& counts = *own;
    const std::size_t classes = counts.classes;
    ++counts.rows;
    const std::size_t label = place_of_target(piece.targets[r], classes);
    double* const sums = counts.sums.data() + label;
    counts.weight[label] += 1.0;
    const std::uint64_t last = piece.offsets[r + 1];
    for (std::uint64_t i = piece.offsets[r]; i < last; ++i) {
      const double value = value_at(i);
      good &= value >= 0;
      sums[index[i] * classes] += value;
    }
  }
  return good;
}

template <class CountsOf>
bool add_run(const Piece& piece, std::uint64_t begin, std::uint64_t end, const CountsOf& counts_of) {
  if (piece.offsets.empty()) throw Error(ErrorCode::internal, "a piece of sparse examples is dense");
  switch (piece.values.form()) {
    case Values::Form::ones: return add_entries(piece, begin, end, counts_of, [](std::uint64_t) { return 1.0; });
    case Values::Form::bytes:
      return add_entries(piece, begin, end, counts_of, [values = piece.values.counts().data()](std::uint64_t i) {
        return static_cast<double>(values[i]);
      });
    case Values::Form::floats:
      return add_entries(piece, begin, end, counts_of,
                         [values = piece.values.floats().data()](std::uint64_t i) { return double{values[i]}; });
    case Values::Form::doubles:
      return add_entries(piece, begin, end, counts_of,
                         [values = piece.values.doubles().data()](std::uint64_t i) { return values[i]; });
  }
  return true;
}

}  // namespace

namespace detail {

void refuse_target() { throw Error(ErrorCode::internal, "the target of a row is not among the labels"); }

}  // namespace detail

EventCounts::EventCounts(const EventPlan& plan, std::size_t class_count)
    : classes(class_count),
      weight(class_count),
      sums(plan.groups.empty() ? 0 : plan.features * class_count),
      first(plan.gaussians.size() * class_count),
      second(plan.gaussians.size() * class_count) {}

std::vector<double> EventCounts::weights() const {
  std::vector<double> rounded;
  for (const math::DoubleDouble each : weight) rounded.push_back(each.high);
  return rounded;
}

math::DoubleDouble EventCounts::all_weight() const noexcept {
  math::DoubleDouble total;
  for (const math::DoubleDouble each : weight) total += each;
  return total;
}

math::TripleDouble EventCounts::all_first(std::size_t gaussian) const noexcept {
  math::TripleDouble sum;
  for (std::size_t k = 0; k < classes; ++k) sum += first[gaussian * classes + k];
  return sum;
}

double EventCounts::mean_of(std::size_t gaussian, std::size_t label) const noexcept {
  const double rows = weight_of(label);
  return rows > 0.0 ? first[gaussian * classes + label].high / rows : 0.0;
}

double EventCounts::spread_of(std::size_t gaussian, std::size_t label) const noexcept {
  const std::size_t place = gaussian * classes + label;
  return spread_left(first[place], second[place], weight[label]);
}

double EventCounts::spread_of(std::size_t gaussian) const noexcept {
  math::TripleDouble squares;
  for (std::size_t k = 0; k < classes; ++k) squares += second[gaussian * classes + k];
  return spread_left(all_first(gaussian), squares, all_weight());
}

void EventCounts::add_number(std::size_t place, double factor, double value) noexcept {
  math::accumulate(first[place], value, factor);
  math::accumulate(second[place], math::two_product(value, value), factor);
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
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = left_of(sums[i], other.sums[i]);
  add_all(first, other.first, -1);
  add_all(second, other.second, -1);
}

std::uint64_t EventCounts::bytes() const noexcept {
  return sizeof(double) * (sums.size() + 2 * weight.size() + 3 * (first.size() + second.size()));
}

EventAdder::EventAdder(const EventPlan& plan, bool with_numbers) : plan_(plan) {
  if (plan.gaussians.empty()) return;
  gaussian_of_.assign(plan.features, kCounted);
  for (std::uint32_t g = 0; g < plan.gaussians.size(); ++g) {
    gaussian_of_[plan.gaussians[g].feature] = with_numbers ? g : kIgnored;
    if (plan.gaussians[g].square) gaussian_of_[*plan.gaussians[g].square] = kIgnored;
  }
}

void EventAdder::add(const Row& x, std::size_t label, double factor, EventCounts& counts) {
  counts.weight[label] += factor;
  const std::size_t classes = counts.classes;
  double* const sums = counts.sums.data() + label;
  const auto add_to = [factor](double& sum, double value) {
    sum = factor < 0 ? left_of(sum, -factor * value) : sum + factor * value;
  };
  if (!x.dense() && gaussian_of_.empty()) {
    for (std::size_t i = 0; i < x.index.size(); ++i) add_to(sums[x.index[i] * classes], x.value[i]);
    return;
  }
  const auto one = [&](std::uint32_t feature, double value) {
    const std::uint32_t gaussian = gaussian_of_.empty() ? kCounted : gaussian_of_[feature];
    if (gaussian == kIgnored) return;
    if (gaussian != kCounted) return counts.add_number(gaussian * classes + label, factor, value);
    add_to(sums[feature * classes], value);
  };
  if (x.dense()) {
    for (std::uint32_t feature = 0; feature < x.value.size(); ++feature) one(feature, x.value[feature]);
  } else {
    for (std::size_t i = 0; i < x.index.size(); ++i) one(x.index[i], x.value[i]);
  }
}

std::size_t counting_chunks(std::uint32_t features, std::size_t classes, std::size_t blocks, std::uint64_t entries) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 28;
  const std::uint64_t cells = std::max<std::uint64_t>(std::uint64_t{features} * classes, 1);
  const std::uint64_t most_chunks = std::clamp<std::uint64_t>(entries / (4 * cells), 1, 8);
  const std::uint64_t each = std::max<std::uint64_t>(5 * sizeof(double) * features * classes, 1);
  return std::clamp<std::uint64_t>(kMostBytes / each, 1, std::clamp<std::uint64_t>(blocks, 1, most_chunks));
}

EventCounts count_events(const Examples& examples, const EventPlan& plan, const FeatureMap& map, std::size_t classes,
                         const Run& run) {
  return std::move(count_events_by_part(examples, plan, map, classes, {}, 1, run).front());
}

std::vector<EventCounts> count_events_by_part(const Examples& examples, const EventPlan& plan, const FeatureMap& map,
                                              std::size_t classes, std::span<const std::uint32_t> part_of_row,
                                              std::size_t part_count, const Run& run) {
  const std::size_t blocks = examples.blocks();
  const double share =
      static_cast<double>(examples.size()) / static_cast<double>(std::max<std::uint64_t>(examples.rows(), 1));
  const std::size_t chunks =
      counting_chunks(plan.features, classes * part_count, blocks,
                      static_cast<std::uint64_t>(share * static_cast<double>(examples.entries())));
  struct Parts {
    std::vector<std::vector<EventCounts>> of_chunk;
    std::vector<bool> ready;
    std::size_t added = 0;
  };
  Guarded<Parts> guarded(Parts{std::vector<std::vector<EventCounts>>(chunks), std::vector<bool>(chunks)});
  const bool draws = plan.has(Event::multinomial) || plan.has(Event::complement);
  std::vector<bool> drawn(draws && plan.features > 0 ? plan.features : 0);
  if (draws)
    for (const EventGroup& group : plan.groups)
      if (group.event == Event::multinomial || group.event == Event::complement)
        for (const EventGroup::Range& range : group.ranges)
          std::fill(drawn.begin() + range.first, drawn.begin() + range.last, true);
  run.for_each(Phase::fitting, chunks, [&](std::size_t chunk) {
    std::vector<EventCounts> of_part(part_count, EventCounts(plan, classes));
    EventAdder adder(plan), without_numbers(plan, false);
    std::vector<NumberSums> numbers(part_count, NumberSums(plan, classes, examples.lasting(), part_count == 1));
    const auto part_of = [&](std::uint64_t number) { return part_of_row.empty() ? 0 : part_of_row[number]; };
    const bool summed = !plan.gaussians.empty() && !examples.sparse();
    // Rows with counts only.
    const bool plain = plan.gaussians.empty() && examples.sparse() && !examples.weighted();
    // Rows with numbers only, as they are in memory.
    const bool bare = summed && plan.groups.empty() && !examples.weighted() && numbers.front().in_place();
    std::vector<std::uint64_t> rows(bare ? part_count * classes : 0);  // [part][class]
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
    for (std::size_t b = chunk * blocks / chunks; b < (chunk + 1) * blocks / chunks; ++b) {
      const Block block = examples.block(b);
      if (plain) {
        bool good = true;
        block.for_each_run([&](const Piece& piece, std::uint64_t begin, std::uint64_t end, std::uint64_t number) {
          const auto counts_of = [&](std::uint64_t r) {
            const std::size_t part = part_of(number + (r - begin));
            return part < part_count ? &of_part[part] : nullptr;
          };
          good = add_run(piece, begin, end, counts_of) && good;
        });
        if (draws && !good) block.for_each(expect_draws);
        continue;
      }
      if (bare) {
        block.for_each_run([&](const Piece& piece, std::uint64_t begin, std::uint64_t end, std::uint64_t number) {
          const double* row = piece.values.doubles().data() + begin * piece.features;
          for (std::uint64_t r = begin; r < end; ++r, ++number, row += piece.features) {
            const std::size_t part = part_of(number);
            if (part >= part_count) continue;
            const std::size_t label = place_of_target(piece.targets[r], classes);
            ++rows[part * classes + label];
            numbers[part].add({row, piece.features}, label, of_part[part]);
          }
        });
        continue;
      }
      block.for_each([&](const Example& example) {
        const std::size_t part = part_of(example.number);
        if (part >= part_count) return;
        EventCounts& counts = of_part[part];
        const double weight = checked_weight(example);
        ++counts.rows;
        if (weight == 0.0) return;
        if (draws) expect_draws(example);
        const std::size_t label = place_of_target(example.target, classes);
        if (!summed) return adder.add(example.x, label, weight, counts);
        if (weight == 1.0)
          numbers[part].add(example.x.value, label, counts);
        else
          numbers[part].add_weighted(example.x.value, label, weight);
        if (plan.groups.empty()) {
          counts.weight[label] += weight;
        } else {
          without_numbers.add(example.x, label, weight, counts);
        }
      });
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      of_part[i / classes].rows += rows[i];
      of_part[i / classes].weight[i % classes] += static_cast<double>(rows[i]);
    }
    for (std::size_t part = 0; part < part_count; ++part) numbers[part].finish(of_part[part]);
    // Added up in the order of chunks, each as soon as those before it are done, so that few wait in memory.
    guarded.with([&](Parts& parts) {
      parts.of_chunk[chunk] = std::move(of_part);
      for (parts.ready[chunk] = true; parts.added < chunks && parts.ready[parts.added]; ++parts.added) {
        if (parts.added == 0) continue;
        for (std::size_t part = 0; part < part_count; ++part)
          parts.of_chunk[0][part].add(parts.of_chunk[parts.added][part]);
        parts.of_chunk[parts.added] = {};
      }
    });
  });
  std::vector<EventCounts> sums = guarded.with([](Parts& parts) { return std::move(parts.of_chunk[0]); });
  for (const EventCounts& each : sums) check_counts(each, plan, map);
  return sums;
}

}  // namespace plumb
