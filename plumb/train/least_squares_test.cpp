// rows: R1 R2 R3
#include "plumb/train/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

#include "plumb/base/error.h"
#include "plumb/base/testing.h"
#include "plumb/math/double_double.h"
#include "plumb/model/model_file.h"
#include "plumb/train/testing.h"

namespace plumb::least_squares_test {
namespace {

using math::DoubleDouble;

Data height_weight(int power = 1) {
  Data data;
  const double h[] = {1.47, 1.50, 1.52, 1.55, 1.57, 1.60, 1.63, 1.65, 1.68, 1.70, 1.73, 1.75, 1.78, 1.80, 1.83};
  const double w[] = {52.2, 53.1, 54.4, 55.8, 57.2, 58.5, 59.9, 61.2, 63.0, 64.4, 66.2, 68.0, 69.9, 72.1, 74.4};
  for (int i = 0; i < 15; ++i) {
    data.x.push_back({std::pow(h[i], power)});
    data.y.push_back(w[i]);
  }
  return data;
}

// An independent solver: normal equations with a leading 1, Gauss-Jordan elimination with pivoting, all in
// double-double.
std::vector<double> solved_by_elimination(const Data& data) {
  const std::size_t q = data.x[0].size() + 1;
  std::vector<std::vector<DoubleDouble>> a(q, std::vector<DoubleDouble>(q + 1));
  for (std::size_t r = 0; r < data.x.size(); ++r) {
    std::vector<double> z = {1.0};
    z.insert(z.end(), data.x[r].begin(), data.x[r].end());
    z.push_back(data.y[r]);
    const double s = data.s.empty() ? 1.0 : data.s[r];
    for (std::size_t i = 0; i < q; ++i)
      for (std::size_t j = 0; j <= q; ++j) a[i][j] = a[i][j] + math::two_product(z[i], z[j]) * s;
  }
  for (std::size_t k = 0; k < q; ++k) {
    std::size_t best = k;
    for (std::size_t i = k; i < q; ++i)
      if (std::abs(a[i][k].high) > std::abs(a[best][k].high)) best = i;
    std::swap(a[k], a[best]);
    for (std::size_t i = 0; i < q; ++i) {
      if (i == k) continue;
      const DoubleDouble f = a[i][k] / a[k][k];
      for (std::size_t j = k; j <= q; ++j) a[i][j] = a[i][j] - f * a[k][j];
    }
  }
  std::vector<double> solution;
  for (std::size_t k = 0; k < q; ++k) solution.push_back((a[k][q] / a[k][k]).high);
  return solution;
}

// Exact rational arithmetic on these doubles gave the reference values.
TEST(LeastSquares, HeightAgainstWeightIsExactToTheLastDigits) {
  const Trained line = fit(height_weight());
  EXPECT_DOUBLE_EQ(line.model.parts().bias[0], -38.88305356882207570);
  EXPECT_DOUBLE_EQ(weights(line)[0], 61.12866734783243754);
  expect_close(2 * line.record.objective, 7.691268792876911183, 1e-15);
  expect_close(number_of(line, "residual_sd"), 0.7691788225052296832, 1e-15);
  expect_close(number_of(line, "r_squared"), 0.9888591108561904881, 1e-15);
  expect_close(line.record.standard_errors.bias[0], 2.977102905325113374, 1e-12);
  expect_close(line.record.standard_errors.weights[0], 1.799558497207046154, 1e-12);
  EXPECT_TRUE(line.record.converged);
  EXPECT_LE(line.record.certificate.value, 1e-25);
}

TEST(LeastSquares, WithoutABiasTheLineGoesThroughZero) {
  const Trained line = fit(height_weight(), false);
  EXPECT_EQ(line.model.parts().bias[0], 0.0);
  EXPECT_DOUBLE_EQ(weights(line)[0], 37.67752574707940017);
  expect_close(2 * line.record.objective, 108.6136923552853357, 1e-15);
  EXPECT_TRUE(line.record.standard_errors.bias.empty());
}

TEST(LeastSquares, HeightCubedFitsBetter) {
  const Trained cube = fit(height_weight(3));
  expect_close(cube.model.parts().bias[0], 27.90197610499675, 1e-13);
  expect_close(weights(cube)[0], 7.485532010153308, 1e-13);
  EXPECT_LT(cube.record.objective, fit(height_weight()).record.objective / 4);
}

// f(t) = t^2 is the objective of two rows (1, 0) without a bias: at rate 0.2 every step leaves 0.6 of t.
TEST(LeastSquares, DescendsFromAGivenStartStepByStep) {
  const Trained fit = fit_with({{{1}, {1}}, {0, 0}, {}}, {.bias = false,
                                                          .solver = "gradient-descent",
                                                          .step = StepRule::fixed,
                                                          .stop = StopRule::change,
                                                          .rate = 0.2,
                                                          .max_iterations = 5,
                                                          .start = std::vector<double>{-1.0}});
  const std::vector<double> expected = {-1, -0.6, -0.36, -0.216, -0.1296, -0.07776};
  ASSERT_EQ(fit.trace.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(fit.trace[k].weights[0], expected[k], 1e-15) << k;
}

TEST(LeastSquares, DescendsToTheClosedForm) {
  const Data data{{{1, 5}, {2, 3}, {4, 4}, {7, 1}, {8, 2}}, {3, 1, 4, 1, 5}, {}};
  for (const double l2 : {0.0, 2.0}) {
    const Trained exact = fit_with(data, {.l2 = l2});
    for (const char* solver : {"gradient-descent", "newton", "conjugate-gradient", "lbfgs"}) {
      const Trained fit = fit_with(data, {.l2 = l2, .solver = solver, .start = std::vector<double>{1, -1, 9}});
      EXPECT_TRUE(fit.record.converged) << solver;
      for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(weights(fit)[j], weights(exact)[j], 1e-4) << solver;
    }
  }
  EXPECT_THROW(fit_with(data, {.solver = "lbfgs", .start = std::vector<double>{1}}), Error);
  EXPECT_THROW(LeastSquaresTrainer({.start = std::vector<double>{1}}), Error);
  EXPECT_THROW(LeastSquaresTrainer({.l2 = {0.0, true}, .solver = "lbfgs"}), Error);
}

TEST(LeastSquares, TwoPointsMakeALineAndNoErrors) {
  const Trained line = fit(Data{{{1}, {3}}, {2, 8}, {}});
  EXPECT_EQ(weights(line)[0], 3.0);
  EXPECT_EQ(line.model.parts().bias[0], -1.0);
  EXPECT_EQ(line.record.objective, 0.0);
  EXPECT_TRUE(line.record.standard_errors.empty());
  EXPECT_EQ(line.warnings.size(), 1u);
}

TEST(LeastSquares, AgreesWithAnotherSolverToTheLastBits) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Data data = random_data(20 + 7 * seed, 1 + seed % 9, seed);
    if (seed % 3 == 1) {
      for (std::size_t r = 0; r < data.y.size(); ++r) data.s.push_back(0.25 * static_cast<double>(r % 5));
    }
    if (seed % 3 == 2) {  // columns far from 0 and of very different sizes
      for (auto& x : data.x)
        for (std::size_t j = 0; j < x.size(); ++j) x[j] = std::ldexp(x[j] + 1000, 40 * static_cast<int>(j) - 100);
    }
    const std::vector<double> reference = solved_by_elimination(data);
    for (const bool sparse : {false, true}) {
      const Trained found = fit(examples_of(data, 1000, sparse));
      const std::vector<double> w = weights(found);
      double scale = 0;  // what the bias is a difference of
      for (std::size_t j = 0; j < w.size(); ++j) {
        expect_close(w[j], reference[j + 1], 1e-14);
        scale += std::abs(w[j] * data.x[0][j]);
      }
      EXPECT_NEAR(found.model.parts().bias[0], reference[0], 1e-14 * (std::abs(reference[0]) + scale)) << seed;
      EXPECT_TRUE(found.record.converged);
      EXPECT_TRUE(found.record.aliased.empty());
    }
  }
}

TEST(LeastSquares, ResidualsAreOrthogonalToEveryFeature) {
  const Data data = random_data(500, 6, 5);
  const Trained found = fit(data);
  const std::vector<double> w = weights(found);
  DoubleDouble sum;
  std::vector<DoubleDouble> with(6);
  for (std::size_t r = 0; r < data.y.size(); ++r) {
    DoubleDouble residual = DoubleDouble(data.y[r]) - found.model.parts().bias[0];
    for (std::size_t j = 0; j < 6; ++j) residual = residual - math::two_product(w[j], data.x[r][j]);
    sum = sum + residual;
    for (std::size_t j = 0; j < 6; ++j) with[j] = with[j] + residual * data.x[r][j];
  }
  EXPECT_LE(std::abs(sum.high), 500 * 1e-15);
  for (const DoubleDouble& each : with) EXPECT_LE(std::abs(each.high), 500 * 1e-15);
}

TEST(LeastSquares, ThreadsPiecesAndReadingChangeNoBit) {
  const Data data = random_data(20000, 5, 11);
  for (const bool sparse : {false, true}) {
    const Trained reference = fit(examples_of(data, 20000, sparse));
    const std::string bytes = model_bytes(reference.model, reference.record);
    for (const unsigned threads : sweep_of({1u, 2u, 3u, 7u}))
      for (const std::size_t cut : {std::size_t{999}, std::size_t{4096}, std::size_t{20000}}) {
        const Trained again = fit(examples_of(data, cut, sparse), true, threads);
        EXPECT_EQ(model_bytes(again.model, again.record), bytes) << threads << " threads, pieces of " << cut;
      }
  }
}

TEST(LeastSquares, AWeightOfKIsKCopiesOfTheRow) {
  Data weighted = random_data(60, 3, 3), copied;
  for (std::size_t r = 0; r < 60; ++r) {
    const std::size_t k = r % 4;
    weighted.s.push_back(static_cast<double>(k));
    for (std::size_t i = 0; i < k; ++i) {
      copied.x.push_back(weighted.x[r]);
      copied.y.push_back(weighted.y[r]);
    }
  }
  const Trained a = fit(weighted), b = fit(copied);
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_DOUBLE_EQ(weights(a)[j], weights(b)[j]);
    expect_close(a.record.standard_errors.weights[j], b.record.standard_errors.weights[j], 1e-12);
  }
  expect_close(a.record.objective, b.record.objective, 1e-14);
}

TEST(LeastSquares, RowOrderAndColumnOrderChangeNothingButRounding) {
  const Data data = random_data(300, 4, 8);
  Data turned = data;
  std::reverse(turned.x.begin(), turned.x.end());
  std::reverse(turned.y.begin(), turned.y.end());
  for (auto& x : turned.x) std::swap(x[0], x[3]);
  const std::vector<double> a = weights(fit(data)), b = weights(fit(turned));
  EXPECT_DOUBLE_EQ(a[0], b[3]);
  EXPECT_DOUBLE_EQ(a[1], b[1]);
  EXPECT_DOUBLE_EQ(a[3], b[0]);
}

TEST(LeastSquares, PowersOfTwoInTheUnitsChangeNoBit) {
  const Data data = random_data(100, 3, 9);
  Data scaled = data;
  for (auto& x : scaled.x) x[1] = std::ldexp(x[1], 70);
  for (double& y : scaled.y) y = std::ldexp(y, -9);
  const std::vector<double> a = weights(fit(data)), b = weights(fit(scaled));
  EXPECT_EQ(b[0], std::ldexp(a[0], -9));
  EXPECT_EQ(b[1], std::ldexp(a[1], -79));
  EXPECT_EQ(b[2], std::ldexp(a[2], -9));
}

TEST(LeastSquares, ColumnsThatAddNothingHaveNoWeightAndAreNamed) {
  Data data = random_data(50, 2, 4);
  for (auto& x : data.x) {
    x.push_back(7.0);              // constant
    x.push_back(x[0] - 3 * x[1]);  // a combination
    x.push_back(0.0);              // nothing at all
  }
  const Trained found = fit(data);
  EXPECT_EQ(found.record.aliased, (std::vector<std::uint32_t>{2, 3, 4}));
  EXPECT_EQ(number_of(found, "rank"), 3.0);
  ASSERT_EQ(found.warnings.size(), 3u);
  EXPECT_NE(found.warnings[2].find("0 in every row"), std::string::npos);
  const std::vector<double> w = weights(found), expected = solved_by_elimination(random_data(50, 2, 4));
  EXPECT_EQ(w[2], 0.0);
  EXPECT_EQ(w[3], 0.0);
  EXPECT_DOUBLE_EQ(w[0], expected[1]);
  EXPECT_DOUBLE_EQ(w[1], expected[2]);
}

TEST(LeastSquares, FewerRowsThanFeaturesFitEveryRowAndSaySo) {
  const Data data = random_data(4, 9, 2);
  const Trained found = fit(data), dropped = fit_with(data, {.rank = RankRule::drop});
  EXPECT_EQ(number_of(found, "rank"), 4.0);
  EXPECT_TRUE(found.record.aliased.empty());
  EXPECT_EQ(dropped.record.aliased.size(), 6u);
  for (const Trained* each : {&found, &dropped}) {
    EXPECT_LE(each->record.objective, 1e-25);
    EXPECT_TRUE(each->record.standard_errors.empty());
    EXPECT_FALSE(each->warnings.empty());
  }
}

// Weights of least length are a combination of the rows (less their mean), and any others of as good a fit are longer.
TEST(LeastSquares, OfManySolutionsMinNormIsTheShortest) {
  for (const std::size_t rows : {6u, 40u}) {
    Data data = random_data(rows, 9, 5);
    for (auto& x : data.x) {
      x[8] = x[0] + 3 * x[1];
      x[5] = 1000 * x[2];
    }
    const Trained found = fit_with(data, {.rank = RankRule::min_norm}),
                  dropped = fit_with(data, {.rank = RankRule::drop});
    const std::vector<double> w = weights(found), v = weights(dropped);
    EXPECT_LT(std::inner_product(w.begin(), w.end(), w.begin(), 0.0),
              std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
    // The directions that change no prediction are orthogonal to w.
    EXPECT_NEAR(w[0] + 3 * w[1] - w[8], 0.0, 1e-9 * std::abs(w[0] + 3 * w[1]) + 1e-12);
    EXPECT_NEAR(1000 * w[2] - w[5], 0.0, 1e-9 * std::abs(w[5]) + 1e-9);
    EXPECT_NEAR(found.record.objective, dropped.record.objective, 1e-12 * (1 + dropped.record.objective));
  }
}

TEST(LeastSquares, RidgeSolvesThePenalisedEquations) {
  Data data = random_data(60, 4, 8);
  data.s.assign(60, 1.0);
  for (std::size_t i = 0; i < 60; ++i) data.s[i] = 0.5 + static_cast<double>(i % 3);
  const double l2 = 2.5;
  const Trained found = fit_with(data, {.l2 = {l2, false}, .penalty_factor = {"x1=3", "x2=0"}});
  const std::vector<double> w = weights(found);
  const double factor[] = {1, 3, 0, 1};
  double error_sum = 0.0;
  std::vector<double> slope(4);
  for (std::size_t i = 0; i < 60; ++i) {
    double r = data.y[i] - found.model.parts().bias[0];
    for (std::size_t j = 0; j < 4; ++j) r -= w[j] * data.x[i][j];
    error_sum += data.s[i] * r;
    for (std::size_t j = 0; j < 4; ++j) slope[j] += data.s[i] * r * data.x[i][j];
  }
  EXPECT_NEAR(error_sum, 0.0, 1e-12);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(slope[j], l2 * factor[j] * w[j], 1e-12) << j;
  EXPECT_EQ(number_of(found, "l2"), l2);
  EXPECT_LT(number_of(found, "effective_weights"), 5.0);
}

// l2 w^2 is a row more for each weight: sqrt(l2) in its column, 0 in the others and in the target.
TEST(LeastSquares, RidgeWithoutBiasIsLeastSquaresWithARowMoreForEachWeight) {
  Data data = random_data(30, 3, 9), more = data;
  for (std::size_t j = 0; j < 3; ++j) {
    more.x.push_back({0, 0, 0});
    more.x.back()[j] = 2;
    more.y.push_back(0);
  }
  const Trained ridge = fit_with(data, {.bias = false, .l2 = {4.0, false}}), plain = fit_with(more, {.bias = false});
  for (std::size_t j = 0; j < 3; ++j) EXPECT_DOUBLE_EQ(weights(ridge)[j], weights(plain)[j]);
  EXPECT_DOUBLE_EQ(ridge.record.objective, plain.record.objective);
}

// Exact leave-one-out: each row predicted by a fit without it.
TEST(LeastSquares, TheChosenPenaltyHasTheLeastLeaveOneOutError) {
  Data data = random_data(25, 8, 12);
  for (std::size_t i = 0; i < 25; ++i) data.y[i] = data.x[i][0] + 5 * random_data(25, 1, 99).x[i][0];
  const Trained chosen = fit_with(data, {.l2 = {0.0, true}});
  Executor executor(1);
  const FeatureMap map = numbers(8);
  const std::vector<double> units = unit_penalties(examples_of(data), map, plumb::Run{executor});
  std::vector<std::string> factors;
  for (std::uint32_t j = 0; j < 8; ++j) factors.push_back(map.name(j) + "=" + number_text(units[j]));
  const auto left_out_error = [&](double l2) {
    double total = 0.0;
    for (std::size_t i = 0; i < 25; ++i) {
      Data rest = data;
      rest.x.erase(rest.x.begin() + static_cast<std::ptrdiff_t>(i));
      rest.y.erase(rest.y.begin() + static_cast<std::ptrdiff_t>(i));
      const Trained fit = fit_with(rest, {.l2 = {l2, false}, .penalty_factor = factors});
      double r = data.y[i] - fit.model.parts().bias[0];
      for (std::size_t j = 0; j < 8; ++j) r -= weights(fit)[j] * data.x[i][j];
      total += r * r;
    }
    return std::sqrt(total / 25);
  };
  const double l2 = number_of(chosen, "l2"), least = left_out_error(l2);
  EXPECT_GT(l2, 0.0);
  expect_close(number_of(chosen, "ridge_loo_rmse"), least, 1e-10);
  for (const double other : {l2 / 100, l2 / 2, l2 * 2, l2 * 100}) EXPECT_LE(least, left_out_error(other)) << other;
}

// The true error rises with l2 from 0 on; by less than rounding at first.
TEST(LeastSquares, WhereNoPenaltyIsNeededTheChosenFitIsThePlainOne) {
  const Trained chosen = fit_with(height_weight(), {.l2 = {0.0, true}}), plain = fit(height_weight());
  EXPECT_EQ(find_number(chosen.record, "l2"), nullptr);
  EXPECT_EQ(weights(chosen), weights(plain));
  EXPECT_EQ(chosen.record.standard_errors.weights, plain.record.standard_errors.weights);
  ASSERT_EQ(chosen.warnings.size(), 1u);
  EXPECT_NE(chosen.warnings[0].find("chose no penalty"), std::string::npos);
  expect_close(number_of(chosen, "ridge_loo_rmse"), 0.87242341, 1e-6);
}

// With a column twice there is no plain fit: the smallest penalty is chosen, with a warning.
TEST(LeastSquares, WhereThereIsNoPlainFitTheLeastPenaltyIsChosen) {
  Data data = height_weight();
  for (std::vector<double>& x : data.x) x.push_back(x[0]);
  const Trained chosen = fit_with(data, {.l2 = {0.0, true}});
  const Statistic* const path = find_statistic(chosen.record, "ridge_path");
  ASSERT_NE(path, nullptr);
  EXPECT_EQ(number_of(chosen, "l2"), std::get<std::vector<double>>(path->values)[0]);
  ASSERT_EQ(chosen.warnings.size(), 1u);
  EXPECT_NE(chosen.warnings[0].find("chose the smallest penalty tried"), std::string::npos);
}

TEST(LeastSquares, NoFeaturesGiveTheMean) {
  const Trained found = fit(Data{{{}, {}, {}}, {1, 2, 6}, {}});
  EXPECT_EQ(found.model.parts().bias[0], 3.0);
  EXPECT_EQ(found.record.objective, 7.0);
  expect_close(found.record.standard_errors.bias[0], std::sqrt(7.0 / 3), 1e-15);
}

TEST(LeastSquares, AConstantTargetIsFittedExactly) {
  Data data = random_data(30, 2, 6);
  data.y.assign(30, 5.5);
  const Trained found = fit(data);
  EXPECT_EQ(found.model.parts().bias[0], 5.5);
  EXPECT_EQ(weights(found), (std::vector<double>{0, 0}));
  EXPECT_TRUE(found.record.converged);
}

TEST(LeastSquares, NothingToTrainOnIsRefused) {
  EXPECT_THROW(fit(Data{}), Error);
  EXPECT_THROW(fit(Data{{{1}, {2}}, {1, 2}, {0, 0}}), Error);
  EXPECT_THROW(fit(Data{{{1}, {2}}, {1, 2}, {1, -1}}), Error);
}

// Units from one end of a double's range to the other: everything scales by powers of two, to the last bit. One-hot
// rows, sparse and dense, with and without a bias: the same weights and standard errors, although no zero of a sparse
// row is stored and its columns are not shifted.
TEST(LeastSquares, SparseRowsGiveTheErrorsOfDenseOnes) {
  const RandomKey random{77, 0};
  for (const bool bias : {true, false}) {
    Data data;
    for (std::uint64_t r = 0; r < 300; ++r) {
      std::vector<double> x(8);
      const auto level = static_cast<std::size_t>(random.uniform(3 * r) * 7);
      if (level < 6 || !bias) x[level] = 1;
      x[7] = 5 + random.uniform(3 * r + 1);
      data.x.push_back(x);
      data.y.push_back(static_cast<double>(level) + 2 * x[7] + random.uniform(3 * r + 2));
    }
    const Trained dense = fit(examples_of(data, 1000, false), bias), sparse = fit(examples_of(data, 1000, true), bias);
    for (std::size_t j = 0; j < 8; ++j) {
      EXPECT_DOUBLE_EQ(weights(dense)[j], weights(sparse)[j]) << j;
      expect_close(sparse.record.standard_errors.weights[j], dense.record.standard_errors.weights[j], 1e-12);
    }
    if (bias) {
      EXPECT_DOUBLE_EQ(dense.model.parts().bias[0], sparse.model.parts().bias[0]);
      expect_close(sparse.record.standard_errors.bias[0], dense.record.standard_errors.bias[0], 1e-12);
    }
    EXPECT_EQ(dense.record.aliased, sparse.record.aliased);
  }
}

// The rest of a column after the columns before it decides: a rest that rounding of the data could make counts as 0.
TEST(LeastSquares, ColumnsAreKeptDownToTheRankTolerance) {
  for (const auto& [left, kept] : {std::pair{1e-5, true}, {1e-8, true}, {1e-12, true}, {1e-15, false}}) {
    Data data = random_data(200, 2, 13);
    for (auto& x : data.x) x[1] = x[0] + left * x[1];
    EXPECT_EQ(fit(data).record.aliased.empty(), kept) << left;
  }
}

TEST(LeastSquares, APenaltyCannotBeChosenByOneRow) {
  try {
    fit_with(Data{{{1, 2}}, {3}, {}}, {.l2 = {0.0, true}});
    FAIL() << "chosen";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data);
  }
}

TEST(LeastSquares, TooManyFeaturesAreRefused) {
  EXPECT_NO_THROW(LeastSquaresTrainer::expect_trainable(16'384, false));
  try {
    LeastSquaresTrainer::expect_trainable(16'385, false);
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::resources);
  }
}

TEST(LeastSquares, CanBeStoppedInEveryPass) {
  const Data data = random_data(9000, 3, 40);
  std::uint64_t reports = 0;
  Executor executor(1);
  plumb::Run run{executor};
  run.watch = [&](const Progress&) { return ++reports > 0; };
  const Examples examples = examples_of(data);
  const FeatureMap map = numbers(3);
  LeastSquaresTrainer().train({examples, map}, run);
  const std::uint64_t all = reports;
  EXPECT_GT(all, 10u);
  std::uint64_t allowed = 0;
  run.watch = [&](const Progress&) { return allowed-- > 0; };
  for (std::uint64_t stop = 0; stop < 10; ++stop) {
    allowed = stop;
    EXPECT_THROW(LeastSquaresTrainer().train({examples, map}, run), Error) << stop;
  }
}

}  // namespace
}  // namespace plumb::least_squares_test
