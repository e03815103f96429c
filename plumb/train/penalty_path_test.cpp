#include "plumb/train/penalty_path.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/train/logistic.h"
#include "plumb/train/penalty.h"
#include "plumb/train/testing.h"

namespace plumb::penalty_path_test {
namespace {

const std::vector<std::string> kTwo = {"no", "yes"};

// Labels that depend on the first column, and many columns without information.
Data noisy(std::size_t n, std::size_t p, double signal, std::uint64_t seed) {
  Data data;
  const RandomKey key{seed, 0};
  std::uint64_t draw = 0;
  for (std::size_t r = 0; r < n; ++r) {
    data.x.emplace_back();
    for (std::size_t j = 0; j < p; ++j) data.x[r].push_back(2 * key.uniform(draw++) - 1);
    data.y.push_back(key.uniform(draw++) < 1 / (1 + std::exp(-signal * data.x[r][0])) ? 1 : 0);
  }
  return data;
}

Trained fit_auto(const Data& data, unsigned threads = 1) {
  Executor executor(threads);
  LogisticOptions options;
  options.l2.automatic = true;
  const Examples examples = examples_of(data);
  return LogisticTrainer(options).train({examples, numbers(examples.features()), kTwo}, plumb::Run{executor});
}

TEST(PenaltyPath, ChoosesTheLeastHeldOutLossOfThoseTried) {
  const Trained fit = fit_auto(noisy(200, 10, 3.0, 1));
  const Statistic* const path = find_statistic(fit.record, "l2_path");
  ASSERT_NE(path, nullptr);
  const auto& table = std::get<std::vector<double>>(path->values);
  const double chosen = *find_number(fit.record, "l2"), loss = *find_number(fit.record, "l2_heldout_loss");
  bool there = false;
  for (std::size_t i = 0; i < table.size(); i += 2) {
    EXPECT_GE(table[i + 1], loss);
    if (i > 0) {
      EXPECT_NEAR(table[i] / table[i - 2], std::sqrt(0.1), 1e-12);
    }
    there = there || (table[i] == chosen && table[i + 1] == loss);
  }
  EXPECT_TRUE(there);
  EXPECT_TRUE(fit.record.converged);
}

// The weights are those of a fit with the same given penalty, up to its start.
TEST(PenaltyPath, EndsInTheFitWithThatPenalty) {
  const Data data = noisy(200, 5, 3.0, 2);
  const Trained chosen = fit_auto(data);
  LogisticOptions options;
  options.l2.value = *find_number(chosen.record, "l2");
  Executor executor(1);
  const Examples examples = examples_of(data);
  const FeatureMap map = numbers(5);
  const std::vector<double> units = unit_penalties(examples, map, plumb::Run{executor});
  for (std::uint32_t j = 0; j < 5; ++j) options.penalty_factor.push_back(map.name(j) + "=" + number_text(units[j]));
  const Trained told = LogisticTrainer(options).train({examples, numbers(5), kTwo}, plumb::Run{executor});
  EXPECT_EQ(weights(told), weights(chosen));
}

// In other units, and far from 0, the same penalty is chosen, with the same model.
TEST(PenaltyPath, KnowsNoUnits) {
  Data data = noisy(200, 5, 3.0, 6);
  const Trained metres = fit_auto(data);
  for (std::vector<double>& row : data.x) row[0] = 1e6 + 1e4 * row[0], row[3] *= 1e-3;
  const Trained others = fit_auto(data);
  EXPECT_DOUBLE_EQ(*find_number(metres.record, "l2"), *find_number(others.record, "l2"));
  const std::vector<double> w = weights(metres), v = weights(others);
  EXPECT_NEAR(v[0], w[0] * 1e-4, 1e-6 * std::abs(w[0]) * 1e-4);
  EXPECT_NEAR(v[1], w[1], 1e-6 * std::abs(w[1]));
  EXPECT_NEAR(v[3], w[3] * 1e3, 1e-6 * std::abs(w[3]) * 1e3);
}

TEST(PenaltyPath, IsStrongerWhereThereIsMoreNoise) {
  const double clear = *find_number(fit_auto(noisy(200, 10, 8.0, 3)).record, "l2");
  const double noise = *find_number(fit_auto(noisy(200, 10, 0.5, 3)).record, "l2");
  EXPECT_GT(noise, clear);
}

TEST(PenaltyPath, HasTheSameBitsForAnyNumberOfThreads) {
  const Data data = noisy(300, 4, 2.0, 4);
  EXPECT_EQ(weights(fit_auto(data, 1)), weights(fit_auto(data, 3)));
}

TEST(PenaltyPath, SaysThatAClassOfOneRowCannotBeHeldOut) {
  Data data = noisy(20, 2, 2.0, 5);
  for (std::size_t i = 0; i < data.y.size(); ++i) data.y[i] = i == 7 ? 1 : 0;
  EXPECT_THROW(fit_auto(data), Error);
}

}  // namespace
}  // namespace plumb::penalty_path_test
