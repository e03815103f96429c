// rows: E1 N2
#include "plumb/train/naive_bayes_folds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "plumb/base/random.h"
#include "plumb/train/naive_bayes_testing.h"

namespace plumb::naive_bayes_folds_test {
namespace {

// Some levels and entries are in one row alone.
Sheet sheet_with_rarities(std::uint64_t seed, std::size_t rows, std::size_t classes, bool weights) {
  const RandomKey key{seed, 3};
  std::uint64_t next = 0;
  Sheet sheet;
  sheet.numbers.emplace_back("x", std::vector<double>());
  sheet.categories.emplace_back("c", std::vector<std::string>());
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t k = r % classes;
    sheet.target.push_back(std::string(1, static_cast<char>('a' + k)));
    sheet.numbers[0].second.push_back(key.uniform(next++) + 0.3 * static_cast<double>(k));
    sheet.categories[0].second.push_back(
        r % 7 == 0 ? "rare" + std::to_string(r) : std::string(1, static_cast<char>('p' + key.below(next++, 2 + k))));
    std::vector<std::pair<std::uint32_t, double>>& row = sheet.entries.emplace_back();
    for (std::uint32_t j = 1; j <= 6; ++j)
      if (key.below(next++, 2) == 0) row.emplace_back(j, static_cast<double>(1 + key.below(next++, 3)));
    if (r % 5 == 0) row.emplace_back(static_cast<std::uint32_t>(10 + r), 2.0);
    if (weights) sheet.weight.push_back(0.5 * static_cast<double>(1 + key.below(next++, 4)));
  }
  return sheet;
}

// Each row by the fit to all others, features included, and by subtracting its sums.
void expect_equal_to_refits(const Sheet& sheet, const NaiveBayesOptions& options, double tolerance) {
  const NaiveBayesTrainer trainer(options);
  const LearntSheet learnt(sheet, trainer);
  Executor executor(1);
  const EventPlan plan = trainer.plan(learnt.map);
  const EventCounts counts =
      count_events(learnt.examples, plan, learnt.map, learnt.labels.size(), plumb::Run{executor});
  const EstimateRules rules = trainer.rules(learnt.labels);
  const WithoutRow left_out(counts, plan, learnt.map, learnt.labels, rules);
  WithoutRow::Room room;
  learnt.examples.block(0).for_each([&](const Example& example) {
    const LinearModel quick =
        left_out.without(example.x, static_cast<std::size_t>(example.target), example.weight, room);
    std::vector<bool> others(sheet.rows(), false), alone(sheet.rows(), true);
    others[example.number] = true;
    alone[example.number] = false;
    const Trained refit = fit_sheet(sheet.without(others), options);
    Predictor predictor(quick);
    predictor.predict(quick.features() == 0 ? Row{} : example.x);
    const std::vector<double> expected = probabilities_of(refit.model, sheet.without(alone))[0];
    for (std::size_t k = 0; k < expected.size(); ++k)
      EXPECT_NEAR(predictor.probabilities()[k], expected[k], tolerance) << "row " << example.number << " class " << k;
  });
}

TEST(WithoutRow, IsTheFitToAllOtherRows) {
  std::vector<NaiveBayesOptions> variants(9);
  variants[1].event = {"entries=bernoulli", "c=bernoulli"};
  variants[2].variance = VarianceOf::feature;
  variants[3].smoothing = 0;
  variants[4].virtual_examples = 3;
  variants[5].event = {"entries=complement"};
  variants[6].event = {"x=bernoulli"};
  variants[7].entries = 60;  // beyond the highest number of any row
  variants[8].entries = 20;  // so that only numbers above may go
  variants[8].event = {"entries=bernoulli"};
  std::uint64_t seed = 0;
  for (const NaiveBayesOptions& options : variants)
    for (const std::size_t classes : {2u, 3u})
      for (const bool weights : {false, true})
        expect_equal_to_refits(sheet_with_rarities(++seed, 42, classes, weights), options, 1e-10);
}

// 0.7 + 0.1 - 0.7 is not 0.1, and a feature that all other rows have is absent in none.
TEST(WithoutRow, IsNotFooledByWeightsThatAreNoWholeNumbers) {
  const RandomKey key{44, 3};
  const double weights[] = {0.1, 0.2, 0.3, 0.7};
  std::uint64_t next = 0;
  for (int round = 0; round < 60; ++round) {
    Sheet sheet;
    sheet.numbers.emplace_back("x", std::vector<double>());
    sheet.categories.emplace_back("c", std::vector<std::string>());
    for (std::size_t r = 0; r < 7; ++r) {
      sheet.target.emplace_back(r % 2 == 0 ? "a" : "b");
      sheet.numbers[0].second.push_back(static_cast<double>(key.below(next++, 2)));
      sheet.categories[0].second.emplace_back(key.below(next++, 2) == 0 ? "p" : "q");
      sheet.entries.push_back({{1 + static_cast<std::uint32_t>(key.below(next++, 3)), 1.0}});
      sheet.weight.push_back(weights[key.below(next++, 4)]);
    }
    for (const double smoothing : {1.0, 0.1, 1e-6})
      expect_equal_to_refits(sheet,
                             {.event = {"x=bernoulli", round % 2 == 0 ? "entries=bernoulli" : "entries=multinomial"},
                              .smoothing = smoothing},
                             1e-9);
  }
}

// Numbers far from 0, of very different sizes, one that is nearly constant, one row that is most of a spread, and a
// class of few rows: where subtraction would lose digits the sums of all rows are used.
TEST(WithoutRow, KeepsItsDigitsWithNumbersOfAllSizes) {
  const RandomKey key{11, 5};
  for (const std::size_t classes : {2u, 3u})
    for (const bool weights : {false, true}) {
      Sheet sheet;
      std::uint64_t next = 0;
      for (const char* name : {"plain", "far", "large", "small", "rare", "wild"})
        sheet.numbers.emplace_back(name, std::vector<double>());
      for (std::size_t r = 0; r < 60; ++r) {
        const std::size_t k = r < 3 ? classes - 1 : r % (classes - 1);
        sheet.target.push_back(std::string(1, static_cast<char>('a' + (classes == 2 ? r % 2 : k))));
        const auto draw = [&] { return key.uniform(next++) + 0.1 * static_cast<double>(k); };
        sheet.numbers[0].second.push_back(draw());
        sheet.numbers[1].second.push_back(1e6 + draw());
        sheet.numbers[2].second.push_back(1e9 * draw());
        sheet.numbers[3].second.push_back(1e-9 * draw());
        sheet.numbers[4].second.push_back(r == 20 ? 1.0 : 0.0);
        sheet.numbers[5].second.push_back(r == 31 ? 1e5 : draw());
        if (weights) sheet.weight.push_back(r == 40 ? 12.0 : 0.5 * static_cast<double>(1 + key.below(next++, 4)));
      }
      for (const VarianceOf variance : {VarianceOf::class_feature, VarianceOf::feature})
        for (const VarianceDivisor divisor : {VarianceDivisor::unbiased, VarianceDivisor::likelihood})
          for (const double add : {1e-9, 1e-3}) {
            expect_equal_to_refits(
                sheet, NaiveBayesOptions{.variance = variance, .divisor = divisor, .variance_add = add}, 1e-10);
          }
    }
}

TEST(WithoutRow, IsTheFitToAllOtherRowsOfManyNumbers) {
  const RandomKey key{12, 5};
  for (const std::size_t numbers : {9u, 530u})
    for (const bool weights : {false, true}) {
      Sheet sheet;
      std::uint64_t next = 0;
      for (std::size_t j = 0; j < numbers; ++j)
        sheet.numbers.emplace_back("x" + std::to_string(j), std::vector<double>());
      for (std::size_t r = 0; r < (numbers > 9 ? 16 : 40); ++r) {
        sheet.target.emplace_back(r % 3 == 0 ? "a" : "b");
        for (std::size_t j = 0; j < numbers; ++j)
          sheet.numbers[j].second.push_back(key.uniform(next++) + (j == 3 && r % 3 == 0 ? 0.5 : 0.0));
        if (weights) sheet.weight.push_back(0.5 * static_cast<double>(1 + key.below(next++, 4)));
      }
      for (const char* const prior : {"empirical", "uniform"}) {
        if (numbers > 9 && weights == (prior == std::string("uniform"))) continue;  // that has no more to say
        NaiveBayesOptions options;
        options.prior = {prior};
        expect_equal_to_refits(sheet, options, 1e-9);
      }
    }
}

TEST(WithoutRow, IsQuickWhereTheOutcomesAreWords) {
  Sheet sheet = sheet_with_rarities(9, 30, 2, true);
  sheet.entries.clear();
  for (const NaiveBayesOptions& options : {NaiveBayesOptions{}, NaiveBayesOptions{.event = {"c=bernoulli"}},
                                           NaiveBayesOptions{.variance = VarianceOf::one}})
    expect_equal_to_refits(sheet, options, 1e-10);
}

// Numbers begin at 1, so that a 0 is no longer an outcome when the only row that has it is left out.
TEST(WithoutRow, ForgetsTheNumberZeroWithItsLastRow) {
  Sheet sheet = sheet_with_rarities(21, 30, 2, false);
  sheet.entries[3].emplace(sheet.entries[3].begin(), 0, 2.0);
  std::vector<NaiveBayesOptions> variants(5);
  variants[1].event = {"entries=bernoulli"};
  variants[2].event = {"entries=complement"};
  variants[3].smoothing = 0.5;
  variants[3].entries = 60;
  variants[4].virtual_examples = 3;
  for (const NaiveBayesOptions& options : variants) expect_equal_to_refits(sheet, options, 1e-10);
  for (auto& row : sheet.entries) std::erase_if(row, [](const auto& entry) { return entry.first > 6; });
  for (const NaiveBayesOptions& options : variants) expect_equal_to_refits(sheet, options, 1e-10);
}

TEST(WithoutRows, IsTheModelOfTheOthersBitForBit) {
  Sheet sheet = sheet_with_rarities(4, 60, 3, false);
  sheet.numbers.clear();
  const NaiveBayesTrainer trainer;
  const LearntSheet learnt(sheet, trainer);
  Executor executor(1);
  const plumb::Run run{executor};
  const EventPlan plan = trainer.plan(learnt.map);
  EventCounts counts = count_events(learnt.examples, plan, learnt.map, 3, run);
  RowSet fold(sheet.rows());
  std::vector<bool> marked(sheet.rows(), false), kept(sheet.rows(), true);
  for (std::size_t r = 0; r < 20; ++r) {
    fold.add(r);
    marked[r] = true;
    kept[r] = false;
  }
  counts.subtract(count_events(learnt.examples.with(fold), plan, learnt.map, 3, run));
  const LinearModel rest = model_of(counts, plan, learnt.map, learnt.labels, trainer.rules(learnt.labels));
  const Trained refit = fit_sheet(sheet.without(marked));
  EXPECT_EQ(probabilities_of(rest, sheet.without(kept)), probabilities_of(refit.model, sheet.without(kept)));
}

}  // namespace
}  // namespace plumb::naive_bayes_folds_test
