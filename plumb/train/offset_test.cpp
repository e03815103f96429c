// An offset is a known part of the target: a fit with it is the fit of the rest, bit for bit.
#include "plumb/train/offset.h"

#include "plumb/train/logistic.h"
#include "plumb/train/testing.h"

namespace plumb::offset_test {
namespace {

// The last of p features is the offset.
FeatureMap with_offset(std::size_t p) {
  FeatureMap::Parts parts = numbers(p).parts();
  parts.terms.back() = OffsetTerm{static_cast<std::uint32_t>(p - 1)};
  return FeatureMap(parts);
}

Trained fit_offset(const Data& data, const LeastSquaresOptions& options, bool sparse = false, unsigned threads = 1) {
  Executor executor(threads);
  const Examples examples = examples_of(data, 1000, sparse);
  return LeastSquaresTrainer(options).train({examples, with_offset(examples.features())}, plumb::Run{executor});
}

Data random_with_offset(std::size_t n, std::size_t p, std::uint64_t seed) {
  Data data = random_data(n, p, seed);
  const RandomKey key{seed, 9};
  for (std::size_t r = 0; r < n; ++r) {
    data.x[r].push_back(std::floor(100 * key.uniform(r)) * (r % 3 == 0 ? 0 : 1));
    data.y[r] += data.x[r].back();
  }
  return data;
}

Data rest_of(Data data) {
  for (std::size_t r = 0; r < data.x.size(); ++r) {
    data.y[r] -= data.x[r].back();
    data.x[r].pop_back();
  }
  return data;
}

void expect_same_but_for_the_offset(const Trained& fit, const Trained& rest) {
  std::vector<double> w = weights(rest);
  w.push_back(1.0);
  EXPECT_EQ(weights(fit), w);
  EXPECT_EQ(fit.model.parts().bias, rest.model.parts().bias);
  EXPECT_EQ(fit.record.fit, rest.record.fit);
  EXPECT_EQ(fit.record.aliased, rest.record.aliased);
  EXPECT_EQ(fit.record.objective, rest.record.objective);
  EXPECT_EQ(fit.warnings, rest.warnings);
  std::vector<double> errors = rest.record.standard_errors.weights;
  if (!errors.empty()) errors.push_back(0.0);
  EXPECT_EQ(fit.record.standard_errors.weights, errors);
  EXPECT_EQ(fit.record.standard_errors.bias, rest.record.standard_errors.bias);
}

TEST(Offset, IsTheValueOfItsFeature) {
  const std::vector<std::uint32_t> index = {2, 5};
  const std::vector<double> value = {7, 8};
  EXPECT_EQ(Offset().of({index, In(value)}), 0.0);
  EXPECT_EQ(Offset(2).of({index, In(value)}), 7.0);
  EXPECT_EQ(Offset(5).of({index, In(value)}), 8.0);
  EXPECT_EQ(Offset(3).of({index, In(value)}), 0.0);
  EXPECT_EQ(Offset(6).of({index, In(value)}), 0.0);
  EXPECT_EQ(Offset(1).of({{}, In(value)}), 8.0);
}

TEST(Offset, AFitWithItIsTheFitOfTheRest) {
  Data weighted = random_with_offset(300, 4, 2), few = random_with_offset(4, 6, 3);
  for (std::size_t r = 0; r < weighted.x.size(); ++r) weighted.s.push_back(0.5 + static_cast<double>(r % 4));
  Data dependent = random_with_offset(50, 3, 4);
  for (auto& x : dependent.x) x[2] = x[0] - x[1];
  const LeastSquaresOptions plain, no_bias{.bias = false}, ridge{.l2 = {2.5}}, automatic{.l2 = {0.0, true}},
      shortest{.rank = RankRule::min_norm}, drop{.rank = RankRule::drop};
  for (const Data& data : {random_with_offset(200, 3, 1), weighted, few, dependent, random_with_offset(9000, 2, 5)})
    for (const LeastSquaresOptions& options : {plain, no_bias, ridge, automatic, shortest, drop})
      expect_same_but_for_the_offset(fit_offset(data, options), fit_with(rest_of(data), options));
}

TEST(Offset, SparseRowsAndThreadsChangeNothing) {
  const Data data = random_with_offset(9000, 3, 6);
  const Trained one = fit_offset(data, {});
  EXPECT_EQ(weights(fit_offset(data, {}, false, 7)), weights(one));
  const std::vector<double> sparse = weights(fit_offset(data, {}, true));
  for (std::size_t j = 0; j < sparse.size(); ++j) expect_close(sparse[j], weights(one)[j], 1e-14);
}

// Large enough that the Gram matrix alone decides.
TEST(Offset, AlsoWhereNothingIsRefined) {
  const Data data = random_with_offset(3000, 5, 7);
  LeastSquaresOptions options;
  options.digits = 6;
  expect_same_but_for_the_offset(fit_offset(data, options), fit_with(rest_of(data), options));
}

// The column of an offset is 0 in the matrix: it is not a combination of others, however slight the penalty.
TEST(Offset, OfALogisticFitIsNoColumnOfItsOwn) {
  Data data = random_with_offset(200, 3, 9);
  for (std::size_t i = 0; i < data.y.size(); ++i) data.y[i] = (data.y[i] > 0.0) != (i % 5 == 0) ? 1.0 : 0.0;
  const Examples examples = examples_of(data);
  LogisticOptions options;
  options.l2.value = 1e-30;
  Executor executor(1);
  const std::vector<std::string> labels = {"0", "1"};
  const Trained fit =
      LogisticTrainer(options).train({examples, with_offset(examples.features()), labels}, plumb::Run{executor});
  EXPECT_TRUE(fit.record.converged);
}

TEST(Offset, ThatMakesTheTargetTooLargeIsRefused) {
  Data data = random_with_offset(20, 1, 8);
  data.y[3] = 1.7e308;
  data.x[3].back() = -1.7e308;
  EXPECT_THROW(fit_offset(data, {}), Error);
}

}  // namespace
}  // namespace plumb::offset_test
