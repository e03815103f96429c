// rows: P1 P3 P5
#include "plumb/solver/tally_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "plumb/base/random.h"
#include "plumb/solver/online.h"

namespace plumb::tally_rows_test {
namespace {

// Some columns that most rows have, many that few have, and some that only far names reach.
Examples tallied_rows(std::uint64_t n, std::uint32_t p, std::uint32_t most, Values::Form form, std::uint64_t seed) {
  const RandomKey key{seed, 0};
  std::uint64_t draw = 0;
  Piece piece;
  piece.features = p;
  piece.values.widen(form);
  piece.offsets.push_back(0);
  for (std::uint64_t i = 0; i < n; ++i) {
    std::vector<std::uint32_t> columns;
    const std::uint64_t size = i % 17 == 3 ? 0 : key.below(draw++, 60);
    for (std::uint64_t t = 0; t < size; ++t)
      columns.push_back(static_cast<std::uint32_t>(std::pow(p, key.uniform(draw++))) - 1);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (const std::uint32_t j : columns) {
      piece.index.push_back(p - 1 - j);  // common ones last
      const std::uint64_t count = key.below(draw++, 4) == 0 ? 1 + key.below(draw++, most) : 1;
      piece.values.push(form == Values::Form::ones ? 1.0 : static_cast<double>(count));
    }
    std::reverse(piece.index.own().end() - static_cast<std::ptrdiff_t>(columns.size()), piece.index.own().end());
    piece.offsets.push_back(piece.index.size());
    piece.targets.push_back(static_cast<double>(key.below(draw++, 2)));
    ++piece.rows;
  }
  std::vector<Piece> pieces;
  pieces.push_back(std::move(piece));
  return Examples(std::move(pieces), p);
}

TEST(TallyRows, APassInWholeNumbersIsTheSameBits) {
  Executor executor(2);
  for (const Values::Form form : {Values::Form::ones, Values::Form::bytes, Values::Form::floats})
    for (const std::uint32_t p : {1u, 255u, 257u, 5000u, 65790u, 65791u, 65792u, 70'000u}) {
      const Examples examples = tallied_rows(5000, p, 3, form, p);
      const RowTable rows(examples);
      const std::optional<TallyRows> tallies = TallyRows::of(rows, plumb::Run{executor});
      ASSERT_TRUE(tallies);
      for (const OnlineRule rule :
           {OnlineRule{}, OnlineRule{.average = true}, OnlineRule{.margin = 2.5, .bias = false, .average = true}}) {
        OnlineLearner plain(rule, p, 1), whole(rule, p, 1);
        std::vector<double> owed(rule.average ? rows.size() : 0), owed_too = owed;
        RowReader reader(rows);
        for (std::uint64_t pass = 0; pass < 3; ++pass) {
          ASSERT_TRUE(whole.takes_tallies());
          const auto order = order_of(RowOrder::shuffled, pass, rows.size(), RandomKey{1, 0}, pass);
          const OnlineLearner::Pass one = plain.pass(reader, order, owed),
                                    other = whole.pass(*tallies, reader, order, owed_too);
          ASSERT_EQ(one.mistakes, other.mistakes);
          ASSERT_EQ(one.updates, other.updates);
          ASSERT_GT(one.updates, 0u);
          ASSERT_EQ(plain.weights().weights, whole.weights().weights);
          ASSERT_EQ(plain.weights().bias, whole.weights().bias);
        }
        ASSERT_EQ(owed, owed_too);
        if (!rule.average) continue;
        plain.settle(reader, owed);
        whole.settle(reader, owed_too);
        ASSERT_EQ(plain.average().weights, whole.average().weights);
        ASSERT_EQ(plain.average().bias, whole.average().bias);
      }
    }
}

// A margin that is never reached has weights grow until 16 bits are too few.
TEST(TallyRows, AWeightThatOutgrowsWholeNumbersGoesOnInDoubles) {
  Executor executor(1);
  const Examples examples = tallied_rows(9000, 300, 255, Values::Form::floats, 5);
  const RowTable rows(examples);
  const std::optional<TallyRows> tallies = TallyRows::of(rows, plumb::Run{executor});
  ASSERT_TRUE(tallies);
  const OnlineRule rule{.margin = 1e12, .average = true};
  OnlineLearner plain(rule, 300, 1), whole(rule, 300, 1);
  RowReader reader(rows);
  std::vector<double> owed(rows.size()), owed_too(rows.size());
  std::vector<std::uint64_t> order;  // long runs of one label
  for (const double label : {0.0, 1.0, 0.0})
    for (std::uint64_t i = 0; i < rows.size(); ++i)
      if (rows.target(i) == label) order.push_back(i);
  std::vector<std::size_t> parts;
  plain.pass(reader, order, owed);
  whole.pass(*tallies, reader, order, owed_too, [&](std::size_t t, const OnlineLearner::Pass&) { parts.push_back(t); });
  double most = 0.0;
  for (const double each : plain.weights().weights) most = std::max(most, std::abs(each));
  ASSERT_GT(most, 32768.0);
  EXPECT_FALSE(whole.takes_tallies());
  EXPECT_EQ(plain.weights().weights, whole.weights().weights);
  EXPECT_EQ(plain.weights().bias, whole.weights().bias);
  EXPECT_EQ(owed, owed_too);
  for (std::size_t k = 0; k < parts.size(); ++k) EXPECT_EQ(parts[k], k * OnlineLearner::kPart);
  EXPECT_EQ(parts.size(), (order.size() + OnlineLearner::kPart - 1) / OnlineLearner::kPart);
}

TEST(TallyRows, AreOfSmallCountsAndForWholeWeights) {
  Executor executor(1);
  const auto copies = [&](double value, std::uint32_t entries) {
    Piece piece;
    piece.features = 70'000;
    piece.offsets = {0};
    for (std::uint32_t i = 0; i < 100; ++i) {
      for (std::uint32_t j = 0; j < entries; ++j) {
        piece.index.push_back(j);
        piece.values.push(value);
      }
      piece.offsets.push_back(piece.index.size());
      piece.targets.push_back(0.0);
      ++piece.rows;
    }
    std::vector<Piece> pieces;
    pieces.push_back(std::move(piece));
    return TallyRows::of(RowTable(Examples(std::move(pieces), 70'000)), plumb::Run{executor}).has_value();
  };
  EXPECT_TRUE(copies(1.0, 2));
  EXPECT_TRUE(copies(255.0, 257));   // 65,535 in all
  EXPECT_FALSE(copies(255.0, 258));  // more than a score of 32 bits allows for
  EXPECT_FALSE(copies(100.0, 600));  // rare ones would be named too often
  EXPECT_FALSE(copies(3.0, 60'000));
  EXPECT_FALSE(copies(1.0, 65'600));
  EXPECT_FALSE(copies(1.5, 2));
  EXPECT_FALSE(copies(-1.0, 2));
  OnlineLearner learner({}, 2, 1);
  for (const double w : {0.0, 5.0, -32000.0}) {
    learner.start({1, {0.0, w}, {0.0}});
    EXPECT_TRUE(learner.takes_tallies()) << w;
  }
  for (const double w : {-0.0, 0.5, 33000.0, 1e300}) {
    learner.start({1, {0.0, w}, {0.0}});
    EXPECT_FALSE(learner.takes_tallies()) << w;
  }
  EXPECT_FALSE(OnlineLearner({.rate = 0.5}, 2, 1).takes_tallies());
  EXPECT_FALSE(OnlineLearner({.update = Update::pa1}, 2, 1).takes_tallies());
}

}  // namespace
}  // namespace plumb::tally_rows_test
