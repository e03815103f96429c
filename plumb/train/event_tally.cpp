#include "plumb/train/event_tally.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/guarded.h"

namespace plumb {
namespace {

constexpr std::size_t kNoPart = std::numeric_limits<std::size_t>::max();

// The sums of one part. Cells are those of its rows, in one copy; `all` of all copies.
template <class Cell>
struct Cells {
  std::vector<std::uint64_t> of_class;  // rows of it
  std::vector<Cell> sums;               // [feature][class]

  Cells(std::size_t features, std::size_t classes) : of_class(classes), sums(features * classes) {}
};
using Copy = std::vector<Cells<std::uint32_t>>;
using All = std::vector<Cells<std::uint64_t>>;

void move_into(All& all, Copy& copy) {
  for (std::size_t part = 0; part < copy.size(); ++part) {
    Cells<std::uint32_t>& from = copy[part];
    Cells<std::uint64_t>& to = all[part];
    for (std::size_t k = 0; k < to.of_class.size(); ++k) to.of_class[k] += std::exchange(from.of_class[k], 0);
    for (std::size_t i = 0; i < to.sums.size(); ++i) to.sums[i] += std::exchange(from.sums[i], 0);
  }
}

// Two classes are most, and need no multiplication. Four entries at once take two thirds of the time.
template <std::size_t fixed_classes, class PartOf, class ValueAt>
[[gnu::noinline]] void add_rows(const Piece& piece, std::uint64_t begin, std::uint64_t end, std::size_t classes,
                                const PartOf& part_of, Copy& copy, const ValueAt& value_at) {
  const std::size_t stride = fixed_classes == 0 ? classes : fixed_classes;
  const std::uint32_t* const index = piece.index.data();
  for (std::uint64_t r = begin; r < end; ++r) {
    const std::size_t part = part_of(r);
    if (part == kNoPart) continue;
    Cells<std::uint32_t>& cells = copy[part];
    const std::size_t label = place_of_target(piece.targets[r], classes);
    ++cells.of_class[label];
    std::uint32_t* const sums = cells.sums.data() + label;
    const auto add = [&](std::uint64_t i) { sums[index[i] * stride] += value_at(i); };
    const std::uint64_t last = piece.offsets[r + 1];
    std::uint64_t i = piece.offsets[r];
    for (; i + 4 <= last; i += 4) {
      add(i);
      add(i + 1);
      add(i + 2);
      add(i + 3);
    }
    for (; i < last; ++i) add(i);
  }
}

template <class PartOf>
void add_run(const Piece& piece, std::uint64_t begin, std::uint64_t end, std::size_t classes, const PartOf& part_of,
             Copy& copy) {
  const auto add = [&](const auto& value_at) {
    if (classes == 2) return add_rows<2>(piece, begin, end, classes, part_of, copy, value_at);
    add_rows<0>(piece, begin, end, classes, part_of, copy, value_at);
  };
  if (piece.values.form() == Values::Form::ones) return add([](std::uint64_t) { return std::uint32_t{1}; });
  add([counts = piece.values.counts().data()](std::uint64_t i) { return std::uint32_t{counts[i]}; });
}

}  // namespace

bool can_tally(const Examples& examples, const EventPlan& plan) noexcept {
  const Values::Form form = examples.form();
  return plan.gaussians.empty() && examples.sparse() && !examples.weighted() &&
         (form == Values::Form::ones || form == Values::Form::bytes);
}

std::vector<EventCounts> tally_events_by_part(const Examples& examples, const EventPlan& plan, std::size_t classes,
                                              std::span<const std::uint32_t> part_of_row, std::size_t part_count,
                                              std::size_t chunks, const Run& run, std::uint64_t most) {
  const std::size_t blocks = examples.blocks();
  const std::size_t features = plan.groups.empty() ? 0 : plan.features;
  Guarded<All> guarded(All(part_count, Cells<std::uint64_t>(features, classes)));
  // From the last rows to the first: those that were made last may still be in the last cache.
  run.for_each(Phase::fitting, chunks, [&](std::size_t task) {
    const std::size_t chunk = chunks - 1 - task;
    Copy copy(part_count, Cells<std::uint32_t>(features, classes));
    std::uint64_t tallied = 0;  // entries in the copy
    const auto move = [&] {
      guarded.with([&](All& all) { move_into(all, copy); });
      tallied = 0;
    };
    for (std::size_t b = (chunk + 1) * blocks / chunks; b-- > chunk * blocks / chunks;)
      examples.block(b).for_each_run(
          [&](const Piece& piece, std::uint64_t begin, std::uint64_t end, std::uint64_t number) {
            if (piece.offsets.empty()) throw Error(ErrorCode::internal, "a piece of sparse examples is dense");
            const auto part_of = [&](std::uint64_t r) -> std::size_t {
              if (part_of_row.empty()) return 0;
              const std::size_t part = part_of_row[number + (r - begin)];
              return part < part_count ? part : kNoPart;
            };
            // As many rows at once as there is room for; a row has an entry of each feature at most.
            for (std::uint64_t from = begin, to = end; from < end; from = to, to = end) {
              const auto entries = [&] { return piece.offsets[to] - piece.offsets[from]; };
              while (to > from + 1 && entries() > most) to = from + (to - from) / 2;
              if (tallied + entries() > most) move();
              add_run(piece, from, to, classes, part_of, copy);
              tallied += entries();
            }
          });
    move();
  });
  All all = guarded.with([](All& found) { return std::move(found); });
  std::vector<EventCounts> counts(part_count, EventCounts(plan, classes));
  for (std::size_t part = 0; part < part_count; ++part) {
    const Cells<std::uint64_t>& from = all[part];
    for (std::size_t k = 0; k < classes; ++k) {
      counts[part].rows += from.of_class[k];
      counts[part].weight[k] = static_cast<double>(from.of_class[k]);
    }
    for (std::size_t i = 0; i < from.sums.size(); ++i) counts[part].sums[i] = static_cast<double>(from.sums[i]);
  }
  return counts;
}

}  // namespace plumb
