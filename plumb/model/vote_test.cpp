// rows: P4
// Votes against the literal count: every hyperplane written out, and its score added up in doubles.
#include "plumb/model/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "plumb/base/random.h"

namespace plumb::vote_table_test::vote_test {
namespace {

struct History {
  SparseRows<double> changes{{0}, {}, {}};
  std::vector<double> bias, votes;
  std::vector<std::uint32_t> chains;
  std::uint32_t features = 0;
  std::size_t labels = 2;

  Weights weights() const { return Weights::increments(votes.size(), features, changes, chains); }
};

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : key_{seed, 0} {}
  std::uint64_t below(std::uint64_t end) { return key_.below(next_++, end); }

 private:
  RandomKey key_;
  std::uint64_t next_ = 0;
};

// Some rows of counts, with repeated steps. The first features are in most rows; `mixed` rows have negative numbers,
// too.
History random_history(Draws& draws, std::uint32_t features, std::size_t rows, std::size_t steps, std::size_t labels,
                       bool mixed) {
  std::vector<std::vector<std::pair<std::uint32_t, double>>> pool(rows);
  std::vector<bool> sign(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    sign[i] = draws.below(2) == 0;
    for (std::uint32_t j = 0; j < features; ++j) {
      if (draws.below(1 + j) > 2) continue;
      const auto size = static_cast<double>(draws.below(20) == 0 ? draws.below(300) : 1 + draws.below(4));
      if (size != 0) pool[i].push_back({j, mixed && draws.below(3) == 0 ? -size : size});
    }
  }
  History history;
  history.features = features;
  history.labels = labels;
  std::vector<double> bias(labels);
  const auto add = [&](std::size_t i, double step, std::size_t label) {
    for (const auto& [j, value] : pool[i]) {
      history.changes.index.push_back(j);
      history.changes.values.push_back(step * value);
    }
    history.changes.offsets.push_back(history.changes.index.size());
    history.bias.push_back(bias[label] += step);
    history.votes.push_back(static_cast<double>(draws.below(9)));
    if (labels > 2) history.chains.push_back(static_cast<std::uint32_t>(label));
  };
  for (std::size_t k = 0; k < steps; ++k) {
    const std::size_t i = draws.below(rows);
    if (labels == 2) {
      add(i, sign[i] ? 1.0 : -1.0, 0);
    } else {
      const std::size_t gains = draws.below(labels), loses = (gains + 1 + draws.below(labels - 1)) % labels;
      add(i, 1.0, gains);
      add(i, -1.0, loses);
    }
  }
  return history;
}

std::vector<double> literal(const History& history, const std::vector<double>& x) {
  const std::size_t labels = history.labels;
  std::vector<double> tallies(labels), scores(labels);
  std::vector<std::vector<double>> w(labels, std::vector<double>(history.features));
  for (std::size_t r = 0; r < history.votes.size(); ++r) {
    const std::size_t label = labels == 2 ? 0 : history.chains[r];
    const auto index = history.changes.row_index(r);
    for (std::size_t k = 0; k < index.size(); ++k) w[label][index[k]] += history.changes.row_values(r)[k];
    scores[label] = history.bias[r];
    for (std::size_t j = 0; j < x.size(); ++j) scores[label] += w[label][j] * x[j];
    std::size_t best = 0;
    if (labels == 2) {
      best = scores[0] >= 0 ? 1 : 0;
    } else {
      for (std::size_t k = 1; k < labels; ++k)
        if (scores[k] >= scores[best]) best = k;
    }
    tallies[best] += history.votes[r];
  }
  return tallies;
}

TEST(Votes, AreCountedAsTheLiteralRuleDoes) {
  Draws draws(3);
  for (int round = 0; round < 60; ++round) {
    const std::size_t labels = round % 3 == 2 ? 2 + draws.below(4) : 2;
    const auto features = static_cast<std::uint32_t>(1 + draws.below(60));
    const History history = random_history(draws, features, 1 + draws.below(round % 10 == 0 ? 1500 : 40),
                                           1 + draws.below(400), labels, round % 4 == 3);
    LinearModel::Parts parts;
    FeatureMap::Parts map;
    for (std::uint32_t j = 0; j < features; ++j) {
      map.inputs.push_back({"x" + std::to_string(j), Kind::number, {}});
      map.terms.push_back(ProductTerm{{{j, 1}}});
    }
    parts.map = FeatureMap(map);
    for (std::size_t k = 0; k < labels; ++k) parts.labels.push_back(std::to_string(k));
    parts.weights = history.weights();
    parts.bias = history.bias;
    parts.votes = history.votes;
    parts.link = Link::vote;
    const LinearModel model(std::move(parts));
    Predictor predictor(model);
    for (int trial = 0; trial < 8; ++trial) {
      std::vector<double> x(features), value;
      std::vector<std::uint32_t> index;
      for (std::uint32_t j = 0; j < features; ++j) {
        if (draws.below(3) == 0) x[j] = static_cast<double>(draws.below(trial == 0 ? 3000 : 6));
        if (x[j] != 0) index.push_back(j), value.push_back(x[j]);
      }
      const std::vector<double> expected = literal(history, x);
      for (const Row& row : {Row{{}, x}, Row{index, value}}) {
        predictor.predict(row);
        EXPECT_EQ(std::vector<double>(predictor.label_scores().begin(), predictor.label_scores().end()), expected)
            << round;
      }
    }
  }
}

// Rows that are met again, with either sign, are one change; scores have the bits of adding them all.
TEST(Weights, ChangesThatAreTheSameAreKeptOnce) {
  const SparseRows<double> changes{
      {0, 2, 4, 6, 8, 10}, {0, 2, 0, 2, 0, 2, 1, 2, 0, 2}, {0.1, 0.3, 0.1, 0.3, -0.1, -0.3, 0.1, 0.3, 0.1, 0.2}};
  const Weights one = Weights::increments(5, 3, changes);
  EXPECT_EQ(one.distinct(), 4u) << "turned round is another change";
  const Weights many = Weights::increments(5, 3, changes, {0, 1, 1, 0, 0});
  EXPECT_EQ(many.distinct(), 3u);
  EXPECT_EQ(many.places(), (std::vector<std::uint32_t>{0, 0, 1, 2, 4}));
  const std::vector<double> x = {0.7, 1.1, -0.9};
  std::vector<double> scores(5);
  many.scores({{}, x}, scores);
  const double first = std::fma(-0.9, 0.3, 0.7 * 0.1), fourth = std::fma(-0.9, 0.3, 1.1 * 0.1),
               last = std::fma(-0.9, 0.2, 0.7 * 0.1);
  EXPECT_EQ(scores, (std::vector<double>{first, first, first - first, first + fourth, first + fourth + last}));
}

}  // namespace
}  // namespace plumb::vote_table_test::vote_test
