// rows: N1 N2 N3 N4 N5 C1
#include "plumb/train/naive_bayes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "plumb/base/error.h"
#include "plumb/base/random.h"
#include "plumb/train/bayes_tables.h"
#include "plumb/train/naive_bayes_testing.h"

namespace plumb::naive_bayes_test {
namespace {

double number_in(const Record& record, const std::string& name) {
  const double* const found = find_number(record, name);
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr ? 0.0 : *found;
}

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : key_{seed, 0} {}
  double uniform() { return key_.uniform(next_++); }
  std::uint64_t below(std::uint64_t bound) { return key_.below(next_++, bound); }
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

 private:
  RandomKey key_;
  std::uint64_t next_ = 0;
};

Sheet random_sheet(std::uint64_t seed, std::size_t rows, std::size_t classes, bool weights) {
  Draws draw(seed);
  Sheet sheet;
  const double shift = seed % 3 == 0 ? 1000.0 : 0.0;
  for (std::size_t r = 0; r < rows; ++r) sheet.target.push_back(std::string(1, static_cast<char>('a' + r % classes)));
  for (const char* name : {"x", "z"}) {
    sheet.numbers.emplace_back(name, std::vector<double>());
    for (std::size_t r = 0; r < rows; ++r)
      sheet.numbers.back().second.push_back(shift + draw.normal() + static_cast<double>(r % classes));
  }
  for (const char* name : {"c", "d"}) {
    sheet.categories.emplace_back(name, std::vector<std::string>());
    for (std::size_t r = 0; r < rows; ++r)
      sheet.categories.back().second.push_back(std::string(1, static_cast<char>('p' + draw.below(2 + r % 3))));
  }
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<std::pair<std::uint32_t, double>>& row = sheet.entries.emplace_back();
    for (std::uint32_t j = 1; j <= 8; ++j)
      if (draw.below(3) == 0) row.emplace_back(j, static_cast<double>(1 + draw.below(4)));
    if (weights) sheet.weight.push_back(0.25 * static_cast<double>(1 + draw.below(8)));
  }
  return sheet;
}

// N5: hyperplanes give the posterior of the multiplied probabilities.
TEST(NaiveBayes, AsHyperplanesGivesThePosteriorThatIsMultipliedOut) {
  std::vector<NaiveBayesOptions> variants(10);
  variants[1].event = {"entries=bernoulli", "c=bernoulli"};
  variants[2].event = {"x=bernoulli"};
  variants[2].virtual_examples = 3;
  variants[3].variance = VarianceOf::feature;
  variants[4].variance = VarianceOf::class_only;
  variants[5].variance = VarianceOf::one;
  variants[5].divisor = VarianceDivisor::likelihood;
  variants[6].divisor = VarianceDivisor::likelihood;
  variants[6].smoothing = 0.01;
  variants[7].smoothing = 0;
  variants[8].smoothing = 0;
  variants[8].event = {"entries=bernoulli", "c=bernoulli"};
  variants[9].virtual_examples = 0;  // no smoothing
  std::uint64_t seed = 0, compared = 0;
  for (const NaiveBayesOptions& options : variants)
    for (const std::size_t classes : {2u, 3u, 5u})
      for (const bool weights : {false, true})
        for (int repeat = 0; repeat < 4; ++repeat) {
          if (options.event == std::vector<std::string>{"x=bernoulli"} && repeat % 2 == 1) continue;
          const Sheet sheet = random_sheet(++seed, 12 * classes, classes, weights);
          const Trained fit = fit_sheet(sheet, options);
          const Sheet fresh = random_sheet(1000 + seed, 12, classes, false);
          MultipliedOut exact(sheet, options);
          const auto found = probabilities_of(fit.model, fresh);
          for (std::size_t r = 0; r < fresh.rows(); ++r) {
            const auto joint = exact.log_joint(fresh, r);
            if (!std::isfinite(static_cast<double>(*std::max_element(joint.begin(), joint.end())))) continue;
            const auto expected = exact.posterior(fresh, r);
            double sum = 0;
            for (std::size_t k = 0; k < classes; ++k, ++compared) {
              EXPECT_NEAR(found[r][k], static_cast<double>(expected[k]), 1e-12 * (1 + exact.largest_term()))
                  << "seed " << seed << " row " << r << " class " << k;
              sum += found[r][k];
            }
            EXPECT_NEAR(sum, 1, 1e-14);
          }
        }
  EXPECT_GT(compared, 5000u);
}

TEST(NaiveBayes, ReportsTheLikelihoodsOfItsTrainingRows) {
  const Sheet sheet = random_sheet(5, 60, 3, true);
  const Trained fit = fit_sheet(sheet);
  MultipliedOut exact(sheet, {});
  long double joint = 0, conditional = 0;
  for (std::size_t r = 0; r < sheet.rows(); ++r) {
    const auto k = static_cast<std::size_t>(sheet.target[r][0] - 'a');
    joint += sheet.weight[r] * exact.log_joint(sheet, r)[k];
    conditional += sheet.weight[r] * std::log(exact.posterior(sheet, r)[k]);
  }
  EXPECT_NEAR(number_in(fit.record, "joint_log_likelihood"), static_cast<double>(joint), 1e-9);
  EXPECT_NEAR(number_in(fit.record, "conditional_log_likelihood"), static_cast<double>(conditional), 1e-9);
}

TEST(NaiveBayes, GivesTheSameBitsForAnyThreads) {
  const Sheet sheet = random_sheet(8, 9000, 3, true);
  const Trained one = fit_sheet(sheet, {.keep_statistics = true});
  for (const unsigned threads : {2u, 7u}) {
    const Trained other = fit_sheet(sheet, {.keep_statistics = true}, threads);
    EXPECT_EQ(model_bytes(one.model, one.record), model_bytes(other.model, other.record)) << threads;
  }
}

// N2: deck 004's table, 1/18 with the correction: 0 high of 15 with 3 levels.
TEST(Smoothing, LaplaceAddsOneToEachLevel) {
  Sheet sheet;
  sheet.declared["x"] = {"low", "medium", "high"};
  sheet.categories.emplace_back("x", std::vector<std::string>());
  for (const auto& [level, label, count] : {std::tuple("low", "no", 2), std::tuple("medium", "no", 13),
                                            std::tuple("high", "yes", 5), std::tuple("low", "yes", 5)})
    for (int i = 0; i < count; ++i) {
      sheet.categories[0].second.emplace_back(level);
      sheet.target.emplace_back(label);
    }
  const Trained fit = fit_sheet(sheet);
  const Statistic* const reference = find_statistic(fit.record, "bayes.reference");
  ASSERT_NE(reference, nullptr);
  const auto& numbers = std::get<std::vector<double>>(reference->values);
  EXPECT_EQ(fit.model.parts().map.name(2), "x=high");
  EXPECT_NEAR(std::exp(numbers[3]), 1.0 / 18, 1e-16) << "P(x = high | no)";
  EXPECT_NEAR(std::exp(numbers[1]), 3.0 / 18, 1e-16);
  const auto& prior = std::get<std::vector<double>>(find_statistic(fit.record, "bayes.prior")->values);
  EXPECT_EQ(prior, (std::vector<double>{15.0 / 25, 10.0 / 25})) << "smoothing leaves the classes alone";
}

TEST(Smoothing, VirtualExamplesOfAsManyAsCellsAreLaplace) {
  const Sheet sheet = [] {
    Sheet s = random_sheet(11, 40, 2, false);
    s.numbers.clear();
    s.entries.clear();
    s.categories.resize(1);
    return s;
  }();
  const Trained plain = fit_sheet(sheet, {.smoothing = 1, .prior = {"uniform"}});
  const double cells = 2.0 * plain.model.features();
  const Trained virtually = fit_sheet(sheet, {.virtual_examples = cells, .prior = {"uniform"}});
  for (std::uint32_t j = 0; j < plain.model.features(); ++j)
    EXPECT_NEAR(plain.model.parts().weights.dense_values()[j], virtually.model.parts().weights.dense_values()[j],
                1e-14);
  const Trained counted = fit_sheet(sheet, {.virtual_examples = 10});
  const auto& prior = std::get<std::vector<double>>(find_statistic(counted.record, "bayes.prior")->values);
  EXPECT_NEAR(prior[0], (20 + 5.0) / (40 + 10), 1e-16) << "(N_b + m/k) / (N + m)";
}

// N2: 10 of 40 heads; 5 virtual heads of 15 flips make it 15/55; Laplace is Beta(2,2).
TEST(Smoothing, BetaAddsVirtualFlips) {
  Sheet sheet;
  sheet.numbers.emplace_back("heads", std::vector<double>());
  for (int i = 0; i < 80; ++i) {
    sheet.numbers[0].second.push_back(i < 10 || i >= 60 ? 1 : 0);
    sheet.target.emplace_back(i < 40 ? "a" : "b");
  }
  const auto heads = [&](NaiveBayesOptions options) {
    options.event = {"bernoulli"};
    const Trained fit = fit_sheet(sheet, options);
    const double weight = std::get<std::vector<double>>(find_statistic(fit.record, "bayes.reference")->values)[1];
    return 1 / (1 + std::exp(-weight));
  };
  EXPECT_NEAR(heads({.smoothing = 0}), 10.0 / 40, 1e-15);
  EXPECT_NEAR(heads({.beta = {6, 11}}), 15.0 / 55, 1e-15);
  EXPECT_NEAR(heads({.beta = {2, 2}}), heads({.smoothing = 1}), 1e-15);
  EXPECT_NEAR(heads({.smoothing = 1}), 11.0 / 42, 1e-15);
}

TEST(Smoothing, FadesAsRowsGrow) {
  double last = 1;
  for (const std::size_t copies : {1u, 10u, 100u}) {
    Sheet sheet;
    sheet.categories.emplace_back("c", std::vector<std::string>());
    for (std::size_t i = 0; i < copies; ++i)
      for (const char* level : {"p", "p", "p", "q"})
        for (const char* label : {"a", "b"}) {
          sheet.categories[0].second.emplace_back(level);
          sheet.target.emplace_back(label);
        }
    const Trained fit = fit_sheet(sheet, {.smoothing = 5});
    const double p = std::exp(std::get<std::vector<double>>(find_statistic(fit.record, "bayes.reference")->values)[1]);
    EXPECT_LT(std::abs(p - 0.75), last);
    last = std::abs(p - 0.75);
  }
  EXPECT_LT(last, 0.01);
}

// N4: smoothing 0.
TEST(Smoothing, OfNoneKeepsImpossibleThingsImpossible) {
  Sheet sheet;
  sheet.categories.emplace_back("c", std::vector<std::string>{"p", "p", "q", "q", "p", "q"});
  sheet.categories.emplace_back("d", std::vector<std::string>{"u", "v", "u", "v", "u", "u"});
  sheet.target = {"a", "a", "b", "b", "c", "c"};
  const Trained fit = fit_sheet(sheet, {.smoothing = 0});
  Sheet rows;
  rows.categories = {{"c", {"p", "q", "q"}}, {"d", {"v", "v", "u"}}};
  rows.target = {"a", "a", "a"};
  const auto found = probabilities_of(fit.model, rows);
  EXPECT_EQ(found[0], (std::vector<double>{1, 0, 0})) << "p is not in b, v not in c";
  EXPECT_EQ(found[1], (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(found[2][0], 0);
  EXPECT_NEAR(found[2][1], 0.5, 1e-15) << "q, u: 1 * 1/2 in b, 1/2 * 1 in c";
}

// p = q: an irrelevant feature.
TEST(NaiveBayes, AFeatureThatTellsNothingHasWeightZero) {
  Sheet sheet;
  sheet.numbers.emplace_back("x", std::vector<double>{1, 0, 0, 1, 0, 0});
  sheet.target = {"a", "a", "a", "b", "b", "b"};
  const Trained fit = fit_sheet(sheet, {.event = {"bernoulli"}});
  EXPECT_EQ(fit.model.parts().weights.dense_values()[0], 0.0);
  EXPECT_EQ(fit.model.parts().map.name(0), "x>0");
}

// Whatever the numbers of rows: 1 of 4 and 2 of 8 are the same share, and a tie is a tie.
TEST(NaiveBayes, EqualSharesOfClassesOfDifferentSizesHaveEqualWeights) {
  Draws draw(11);
  for (int round = 0; round < 200; ++round) {
    const std::size_t one = 1 + draw.below(9), rest = 1 + draw.below(9), times = 2 + draw.below(7);
    Sheet sheet;
    sheet.numbers.emplace_back("x", std::vector<double>());
    sheet.categories.emplace_back("c", std::vector<std::string>());
    for (std::size_t copy = 0; copy < 1 + times; ++copy)
      for (std::size_t r = 0; r < one + rest; ++r) {
        sheet.target.emplace_back(copy == 0 ? "a" : "b");
        sheet.numbers[0].second.push_back(r < one ? 1.0 : 0.0);
        sheet.categories[0].second.push_back(r < one ? "p" : "q");
        sheet.entries.push_back({{1, static_cast<double>(one)}, {2, static_cast<double>(rest)}});
      }
    const Trained fit = fit_sheet(sheet, {.event = {"x=bernoulli"}, .smoothing = 0, .prior = {"uniform"}});
    for (const double weight : fit.model.parts().weights.dense_values()) EXPECT_EQ(weight, 0.0) << round;
    EXPECT_EQ(fit.model.parts().bias[0], 0.0) << round;
  }
}

// Sums of such weights are rounded, and the rounding error is not a share of a class.
TEST(Smoothing, OfNoneIsNotFooledByWeightsThatAreNoWholeNumbers) {
  Sheet sheet;
  sheet.numbers.emplace_back("x", std::vector<double>{1, 1, 1, 1, 1});
  sheet.target = {"a", "a", "a", "a", "b"};
  sheet.weight = {2.7, 0.1, 2.7, 0.3, 1};
  const Trained fit = fit_sheet(sheet, {.event = {"bernoulli"}, .smoothing = 0});
  Sheet absent;
  absent.numbers.emplace_back("x", std::vector<double>{0});
  absent.target = {"a"};
  EXPECT_NEAR(probabilities_of(fit.model, absent)[0][0], 5.8 / 6.8, 1e-15) << "impossible in both: the priors decide";
}

TEST(NaiveBayes, HasNoJointLikelihoodOfRowsThatItHoldsForImpossible) {
  Sheet sheet;
  sheet.categories.emplace_back("c", std::vector<std::string>{"p", "q", "p", "q"});
  sheet.target = {"a", "a", "b", "b"};
  const NaiveBayesOptions options{.keep_statistics = true};
  NaiveBayesTrainer trainer(options);
  const LearntSheet learnt(sheet, trainer);
  Executor executor(1);
  const EventPlan plan = trainer.plan(learnt.map);
  const EventCounts counts = count_events(learnt.examples, plan, learnt.map, 2, plumb::Run{executor});
  EXPECT_NE(find_number(trainer.fit(counts, plan, learnt.map, learnt.labels).record, "joint_log_likelihood"), nullptr);
  trainer = NaiveBayesTrainer({.prior = {"p.csv"}});
  trainer.set_prior({0.0, 1.0});
  EXPECT_EQ(find_number(trainer.fit(counts, plan, learnt.map, learnt.labels).record, "joint_log_likelihood"), nullptr);
}

// N5: shared variance.
TEST(NaiveBayes, OfOneVarianceForAllClassesIsTheTextbookLine) {
  Sheet sheet;
  sheet.numbers.emplace_back("x", std::vector<double>{1, 2, 3, 5, 6, 7, 9});
  sheet.target = {"a", "a", "a", "b", "b", "b", "b"};
  const Trained fit = fit_sheet(sheet, {.variance = VarianceOf::feature, .variance_add = 0});
  const double m0 = 2, m1 = 6.75, v = (2 + 8.75) / 5;
  ASSERT_EQ(fit.model.features(), 1u);
  EXPECT_NEAR(fit.model.parts().weights.dense_values()[0], (m1 - m0) / v, 1e-14);
  EXPECT_NEAR(fit.model.parts().bias[0], std::log(4.0 / 3) + (m0 * m0 - m1 * m1) / (2 * v), 1e-13);
}

TEST(NaiveBayes, AClassOfOneRowTakesThePooledVariance) {
  Sheet sheet;
  sheet.numbers.emplace_back("x", std::vector<double>{1, 2, 3, 9});
  sheet.target = {"a", "a", "a", "b"};
  const Trained fit = fit_sheet(sheet, {.variance_add = 0});
  const auto& variance = std::get<std::vector<double>>(find_statistic(fit.record, "bayes.variance")->values);
  EXPECT_NEAR(variance[0], 1, 1e-15);
  EXPECT_NEAR(variance[1], 2.0 / 2, 1e-15) << "2 in all, of 4 rows and 2 classes";
  ASSERT_EQ(fit.warnings.size(), 1u);
  EXPECT_EQ(fit.warnings[0], "class \"b\" has too few rows for its own variances; pooled variances are used");
}

// Weights such as 0.3 have a rounded sum: beside columns far from 0 that rounding must not be noticeable.
TEST(NaiveBayes, WeighsRowsOfColumnsFarFromZero) {
  const auto variances = [](double shift, NaiveBayesOptions options) {
    Sheet sheet;
    Draws draw(3);
    sheet.numbers.emplace_back("x", std::vector<double>());
    for (std::size_t r = 0; r < 40; ++r) {
      sheet.numbers[0].second.push_back(shift + static_cast<double>(draw.below(1000)) / 256);
      sheet.target.emplace_back(r % 2 == 0 ? "a" : "b");
      sheet.weight.push_back(0.1 * static_cast<double>(1 + draw.below(30)));
    }
    const Trained fit = fit_sheet(sheet, options);
    return std::get<std::vector<double>>(find_statistic(fit.record, "bayes.variance")->values);
  };
  for (const VarianceOf variance : {VarianceOf::class_feature, VarianceOf::feature, VarianceOf::one}) {
    const NaiveBayesOptions options{.variance = variance, .variance_add = 0};
    const std::vector<double> near = variances(0, options), far = variances(0x1p30, options);
    ASSERT_EQ(near.size(), far.size());
    for (std::size_t i = 0; i < near.size(); ++i) EXPECT_NEAR(far[i], near[i], 1e-12 * near[i]);
  }
}

TEST(NaiveBayes, AConstantColumnSaysNothing) {
  Sheet sheet;
  sheet.numbers.emplace_back("x", std::vector<double>{4, 4, 4, 4});
  sheet.target = {"a", "a", "b", "b"};
  const Trained fit = fit_sheet(sheet);
  for (const auto& row : probabilities_of(fit.model, sheet)) EXPECT_EQ(row, (std::vector<double>{0.5, 0.5}));
  ASSERT_EQ(fit.warnings.size(), 1u);
  EXPECT_TRUE(fit.warnings[0].starts_with("feature \"x\" is constant")) << fit.warnings[0];
}

// Sums of such weights are rounded, one after another or in parts: the rounding error is not a variance.
TEST(NaiveBayes, AConstantColumnSaysNothingWhateverTheWeights) {
  Draws draw(12);
  for (int round = 0; round < 50; ++round) {
    const double x =
        std::ldexp(1.0 + static_cast<double>(draw.below(1000)) / 997, static_cast<int>(draw.below(40)) - 20);
    Sheet sheet;
    sheet.numbers.emplace_back("x", std::vector<double>(9, x));
    for (std::size_t r = 0; r < 9; ++r) {
      sheet.target.emplace_back(r % 2 == 0 ? "a" : "b");
      sheet.weight.push_back(0.1 * static_cast<double>(1 + draw.below(9)));
    }
    const Trained fit = fit_sheet(sheet, {.prior = {"uniform"}, .variance_add = round % 2 == 0 ? 0.0 : 1e-9});
    for (const auto& row : probabilities_of(fit.model, sheet)) EXPECT_EQ(row, (std::vector<double>{0.5, 0.5})) << round;
  }
}

TEST(NaiveBayes, RefusesWhatItCannotCount) {
  const auto message = [](const Sheet& sheet, NaiveBayesOptions options) -> std::string {
    try {
      fit_sheet(sheet, std::move(options));
      return "";
    } catch (const Error& error) {
      return error.message();
    }
  };
  Sheet sheet;
  sheet.numbers.emplace_back("x", std::vector<double>{1, -2, 3});
  sheet.target = {"a", "a", "b"};
  EXPECT_EQ(message(sheet, {.event = {"multinomial"}}),
            "feature \"x\" is -2 in row 2; a count of at least 0 was expected");
  EXPECT_EQ(message(sheet, {.event = {"categorical"}}),
            "column \"x\" holds numbers, which --event categorical has no use for");
  EXPECT_EQ(message(sheet, {.event = {"y=gaussian"}}),
            "--event names column \"y\", which is not there; the columns are x");
  EXPECT_TRUE(message(sheet, {.event = {"gauss"}}).starts_with("there is no event \"gauss\""));
  sheet.numbers[0].second = {1, 1, 3};
  EXPECT_TRUE(
      message(sheet, {.variance_add = 0}).starts_with("feature \"x\" has the same value in every row of class"));
  sheet.target = {"a", "a", "a"};
  EXPECT_EQ(message(sheet, {}), "every row is of class \"a\"; at least two classes were expected");
}

// Deck 001: six binary attributes, 12 parameters beside the prior.
TEST(NaiveBayes, CountsItsParameters) {
  Sheet sheet;
  for (const char* name : {"Sky", "Temp", "Humid", "Wind", "Water", "Forecast"}) {
    sheet.declared[name] = {"yes", "no"};
    sheet.categories.emplace_back(name, std::vector<std::string>{"yes", "yes", "no", "yes"});
  }
  sheet.target = {"yes", "yes", "no", "yes"};
  const Trained fit = fit_sheet(sheet);
  EXPECT_EQ(number_in(fit.record, "parameters"), 13);
  EXPECT_EQ(std::get<std::vector<double>>(find_statistic(fit.record, "bayes.prior")->values)[1], 0.75);
}

TEST(Complement, WeighsWhatOtherClassesHold) {
  Sheet sheet;
  sheet.entries = {{{1, 2}, {2, 1}}, {{2, 3}}, {{3, 4}, {1, 1}}};
  sheet.target = {"a", "b", "c"};
  const Trained fit = fit_sheet(sheet, {.event = {"complement"}});
  // Others of a: 0+1, 3, 4 -> with 1 added to each: 2, 4, 5 of 11.
  EXPECT_NEAR(fit.model.parts().weights.dense_values()[0], std::log(11.0 / 2), 1e-15);
  EXPECT_NEAR(fit.model.parts().weights.dense_values()[2], std::log(11.0 / 5), 1e-15);
  EXPECT_EQ(fit.model.parts().bias, (std::vector<double>{0, 0, 0})) << "no prior";
}

TEST(Complement, WithoutSmoothingHasTheTablesOfWhatOtherClassesHold) {
  Sheet sheet;
  sheet.entries = {{{1, 2}, {2, 1}}, {{2, 1}, {3, 1}}, {{2, 1}, {3, 1}, {4, 1}}};
  sheet.target = {"a", "b", "c"};
  Trained fit = fit_sheet(sheet, {.event = {"complement"}, .smoothing = 0});
  fit.record.options = {{"event", "complement"}};
  const BayesTables tables = *bayes_tables({fit.model, fit.record});
  const std::vector<double> expected = {0,       2.0 / 5, 2.0 / 5, 1.0 / 5, 2.0 / 6, 2.0 / 6,
                                        1.0 / 6, 1.0 / 6, 2.0 / 5, 2.0 / 5, 1.0 / 5, 0};
  ASSERT_EQ(tables.probability.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(tables.probability[i], expected[i], 1e-15) << i;
}

}  // namespace
}  // namespace plumb::naive_bayes_test
