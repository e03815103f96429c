#include "plumb/train/event_tally.h"

#include <gtest/gtest.h>

#include <vector>

#include "plumb/base/random.h"
#include "plumb/train/presence_pairs.h"

namespace plumb::event_tally_test {
namespace {

constexpr std::uint32_t kFeatures = 40;

// Rows of some features, with counts below `values`; weights, where they are asked for, are all 1. Cut where `cut`
// says.
Examples rows_of(std::uint64_t rows, std::size_t classes, std::uint32_t values, bool weighted, std::uint64_t cut) {
  const RandomKey key{3, 1};
  std::uint64_t next = 0;
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(key.uniform(next++) * n); };
  std::vector<Piece> pieces;
  for (std::uint64_t begin = 0; begin < rows; begin += cut) {
    Piece& piece = pieces.emplace_back();
    piece.rows = std::min(cut, rows - begin);
    piece.features = kFeatures;
    piece.offsets = {0};
    std::vector<std::uint8_t> counts;
    for (std::uint64_t r = 0; r < piece.rows; ++r) {
      const std::uint32_t label = below(static_cast<std::uint32_t>(classes));
      for (std::uint32_t j = 0; j < kFeatures; ++j) {
        const std::uint32_t drawn = below(4), value = below(values);
        if (drawn != 0 && !(label == 0 && j % 3 == 0)) continue;
        piece.index.push_back(j);
        counts.push_back(static_cast<std::uint8_t>(values == 1 ? 1 : value));
      }
      piece.offsets.push_back(piece.index.size());
      piece.targets.push_back(label);
      if (weighted) piece.weights.push_back(1.0);
    }
    piece.values = values == 1 ? Values::of_ones(counts.size()) : Values::of(std::move(counts));
  }
  return Examples(std::move(pieces), kFeatures);
}

EventPlan plan_of_counts() {
  EventPlan plan;
  plan.features = kFeatures;
  EventGroup& group = plan.groups.emplace_back();
  group.event = Event::multinomial;
  group.ranges.push_back({0, kFeatures});
  return plan;
}

void expect_same(const EventCounts& found, const EventCounts& expected) {
  EXPECT_EQ(found.classes, expected.classes);
  EXPECT_EQ(found.rows, expected.rows);
  EXPECT_EQ(found.weight, expected.weight);
  EXPECT_EQ(found.sums, expected.sums);
}

// Rows with weights of 1 are counted one after the other, in doubles.
TEST(EventTally, IsTheSumOfOneRowAfterAnother) {
  const EventPlan plan = plan_of_counts();
  for (const std::size_t classes : {2u, 3u})
    for (const std::uint32_t values : {1u, 256u}) {
      const std::uint64_t rows = 9001;
      const Examples plain = rows_of(rows, classes, values, false, 777),
                     weighted = rows_of(rows, classes, values, true, 777);
      ASSERT_TRUE(can_tally(plain, plan));
      ASSERT_FALSE(can_tally(weighted, plan));
      std::vector<std::uint32_t> part_of_row(rows);
      for (std::uint64_t r = 0; r < rows; ++r) part_of_row[r] = static_cast<std::uint32_t>(r * r % 4);  // 3 is none
      RowSet some(rows);
      for (std::uint64_t r = 0; r < rows; ++r)
        if (r % 5 != 0) some.add(r);
      for (const unsigned threads : {1u, 3u}) {
        Executor executor(threads);
        const plumb::Run run{executor};
        expect_same(count_events(plain, plan, FeatureMap(), classes, run),
                    count_events(weighted, plan, FeatureMap(), classes, run));
        const auto expected =
            count_events_by_part(weighted.with(some), plan, FeatureMap(), classes, part_of_row, 3, run);
        for (const std::uint64_t most : {std::uint64_t{1}, std::uint64_t{10}, std::uint64_t{3000}, kMostTallied}) {
          const auto found = tally_events_by_part(plain.with(some), plan, classes, part_of_row, 3, 2, run, most);
          ASSERT_EQ(found.size(), expected.size());
          for (std::size_t part = 0; part < found.size(); ++part) expect_same(found[part], expected[part]);
        }
      }
    }
}

TEST(EventTally, ATargetThatIsNoLabelIsRefused) {
  const Examples examples = rows_of(100, 3, 1, false, 100);
  Executor executor(1);
  EXPECT_THROW(count_events(examples, plan_of_counts(), FeatureMap(), 2, plumb::Run{executor}), Error);
}

// Row by row, by the definition; so many rows that counts of two bytes would be too small.
TEST(PresencePairs, AreRowsThatHaveBoth) {
  for (const auto& [values, rows] : {std::pair(1u, std::uint64_t{140000}), {3u, std::uint64_t{9001}}}) {
    const Examples examples = rows_of(rows, 2, values, false, 5000);
    const std::size_t slots = 13;
    std::vector<std::uint32_t> slot_of(kFeatures, 0xffffffff);
    for (std::uint32_t slot = 1; slot < slots; ++slot) slot_of[3 * slot] = slot;
    for (const std::uint64_t step : {1u, 7u}) {
      std::vector<double> expected(2 * slots * slots);
      double counted = 0;
      for (std::size_t b = 0; b < examples.blocks(); ++b)
        examples.block(b).for_each([&](const Example& example) {
          if (example.number % step != 0) return;
          counted += 1;
          std::vector<bool> has(slots);
          has[0] = true;
          for (std::size_t i = 0; i < example.x.index.size(); ++i)
            if (slot_of[example.x.index[i]] < slots && example.x.value[i] > 0) has[slot_of[example.x.index[i]]] = true;
          for (std::size_t a = 0; a < slots; ++a)
            for (std::size_t c = 0; c <= a; ++c)
              if (has[a] && has[c]) expected[(static_cast<std::size_t>(example.target) * slots + a) * slots + c] += 1;
        });
      for (const unsigned threads : {1u, 3u}) {
        Executor executor(threads);
        const PresencePairs found = count_presence_pairs(examples, 2, slot_of, slots, step, plumb::Run{executor});
        EXPECT_EQ(static_cast<double>(found.rows), counted);
        EXPECT_EQ(found.counts, expected);
      }
    }
  }
}

}  // namespace
}  // namespace plumb::event_tally_test
