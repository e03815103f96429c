// How scores become labels and probabilities: ties, thresholds, vetoes, calibration, and every form of weights alike.
// rows: C1
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "plumb/base/random.h"
#include "plumb/model/model.h"

namespace plumb::predictor_test {
namespace {

// One row of weights per bias, over as many numeric features as needed.
LinearModel::Parts parts(Link link, std::vector<std::string> labels, std::vector<double> w, std::vector<double> bias) {
  const auto p = static_cast<std::uint32_t>(w.size() / bias.size());
  FeatureMap::Parts map;
  for (std::uint32_t j = 0; j < p; ++j) {
    map.inputs.push_back({"x" + std::to_string(j), Kind::number, {}});
    map.terms.push_back(ProductTerm{{{j, 1}}});
  }
  LinearModel::Parts parts;
  parts.map = FeatureMap(map);
  parts.weights = Weights::dense(bias.size(), p, std::move(w));
  parts.bias = std::move(bias);
  parts.link = link;
  parts.labels = std::move(labels);
  return parts;
}

std::size_t label(const LinearModel& model, const std::vector<double>& x) {
  return Predictor(model).predict({{}, x}).label;
}
std::vector<double> probabilities(const LinearModel& model, const Row& x) {
  Predictor predictor(model);
  predictor.predict(x);
  const In found = predictor.probabilities();
  return {found.begin(), found.end()};
}

TEST(Vote, ATieGoesToTheSecondLabel) {
  LinearModel::Parts p = parts(Link::vote, {"a", "b"}, {1, -1}, {0, 0});
  p.votes = {2, 2};
  EXPECT_EQ(label(LinearModel(p), {1}), 1u);
  EXPECT_EQ(label(LinearModel(p), {-1}), 1u);
  p.votes = {2, std::nextafter(2.0, 3.0)};
  EXPECT_EQ(label(LinearModel(p), {1}), 0u);
  EXPECT_EQ(label(LinearModel(p), {-1}), 1u);
}

TEST(Vote, AScoreOfZeroIsAVoteForTheSecondLabel) {
  LinearModel::Parts p = parts(Link::vote, {"a", "b"}, {1, 0}, {0, -1});
  p.votes = {3, 2};
  EXPECT_EQ(label(LinearModel(p), {0}), 1u) << "3 votes by a score of 0 against 2";
  EXPECT_EQ(label(LinearModel(p), {-0.0}), 1u);
  EXPECT_EQ(label(LinearModel(p), {-5e-324}), 0u);
}

TEST(Threshold, IsMetByAnEqualProbability) {
  LinearModel::Parts p = parts(Link::logistic, {"no", "yes"}, {1}, {0});
  for (const double score : {-3.0, -0.25, 0.5, 2.0}) {
    const std::vector<double> x = {score};
    p.threshold = probabilities(LinearModel(p), {{}, x})[1];
    EXPECT_EQ(label(LinearModel(p), x), 1u) << score;
    p.threshold = std::nextafter(p.threshold, 1.0);
    EXPECT_EQ(label(LinearModel(p), x), 0u) << score;
  }
  p.threshold = 0.0;
  EXPECT_EQ(label(LinearModel(p), {-1e9}), 1u);
  p.threshold = 1.0;
  EXPECT_EQ(label(LinearModel(p), {1.0}), 0u);
}

TEST(Threshold, OfOneHalfIsTheSignOfTheCalibratedScore) {
  LinearModel::Parts p = parts(Link::logistic, {"no", "yes"}, {1}, {0});
  EXPECT_EQ(label(LinearModel(p), {0.0}), 1u);
  EXPECT_EQ(label(LinearModel(p), {-1e-300}), 0u) << "a probability that rounds to one half";
  p.calibration = {2.0, -1.0};
  EXPECT_EQ(label(LinearModel(p), {0.5}), 1u);
  EXPECT_EQ(label(LinearModel(p), {0.5 - 1e-10}), 0u);
  p.link = Link::sign;
  p.threshold = 0.9;
  EXPECT_EQ(label(LinearModel(p), {0.0}), 1u) << "a sign knows neither threshold nor calibration";
  EXPECT_EQ(label(LinearModel(p), {-0.1}), 0u);
}

TEST(Threshold, OfZeroIsMetByWhatIsImpossibleToo) {
  LinearModel::Parts p = parts(Link::logistic, {"no", "yes"}, {1}, {0});
  p.vetoes = {{0, 1}, {0}, {1}};
  EXPECT_EQ(label(LinearModel(p), {1.0}), 0u);
  p.threshold = 0.0;
  EXPECT_EQ(label(LinearModel(p), {1.0}), 1u);
}

TEST(Vetoes, TheFewestWinWhateverTheScores) {
  for (const Link link : {Link::softmax, Link::sign}) {
    LinearModel::Parts p = parts(link, {"a", "b", "c"}, std::vector<double>(9), {1, 5, 9});
    p.vetoes = {{0, 2, 3, 5}, {0, 1, 0, 0, 2}, {2, 1, 1, 3, -3}};
    const LinearModel model(p);
    EXPECT_EQ(label(model, {1, 0, 0}), 1u) << "2, 1 and 3 vetoes";
    EXPECT_EQ(label(model, {1, 0, 1}), 2u) << "2, 1 and 0";
    EXPECT_EQ(label(model, {0, 1, 0}), 2u) << "1, 0 and 0: the larger score of those with none";
    EXPECT_EQ(label(model, {0, 0, 0}), 2u);
    p.bias = {1, 9, 9};
    EXPECT_EQ(label(LinearModel(p), {0, 1, 0}), 2u) << "and the last of equal scores";
    p.bias = {1, 9, 5};
    EXPECT_EQ(label(LinearModel(p), {0, 1, 0}), 1u);
  }
}

TEST(Vetoes, ProbabilitiesAreSharedByThoseWithTheFewest) {
  LinearModel::Parts p = parts(Link::softmax, {"a", "b", "c"}, std::vector<double>(6), {0, std::log(3.0), 7});
  p.vetoes = {{0, 1, 2, 4}, {0, 0, 0, 1}, {1, 1, 2, 1}};
  const LinearModel model(p);
  const std::vector<double> first = {1, 0}, second = {0, 1}, none = {0, 0};
  const std::vector<double> found = probabilities(model, {{}, first});
  EXPECT_NEAR(found[0], 0.25, 1e-15) << "one veto each for a and b, two for c";
  EXPECT_NEAR(found[1], 0.75, 1e-15);
  EXPECT_EQ(found[2], 0.0);
  EXPECT_EQ(probabilities(model, {{}, second})[2], 0.0);
  EXPECT_GT(probabilities(model, {{}, none})[2], 0.99);
}

TEST(Vetoes, OfOneRowMakeOneOfTwoLabelsCertain) {
  LinearModel::Parts p = parts(Link::logistic, {"a", "b"}, {0, 0}, {1});
  p.vetoes = {{0, 2}, {0, 1}, {1, -1}};
  const std::vector<double> second_out = {1, 0}, first_out = {0, 1}, both = {1, 1};
  EXPECT_EQ(probabilities(LinearModel(p), {{}, second_out}), (std::vector<double>{1, 0}));
  EXPECT_EQ(probabilities(LinearModel(p), {{}, first_out}), (std::vector<double>{0, 1}));
  EXPECT_NEAR(probabilities(LinearModel(p), {{}, both})[1], 1 / (1 + std::exp(-1.0)), 1e-15);
  p.link = Link::sign;
  EXPECT_EQ(label(LinearModel(p), second_out), 0u);
  EXPECT_EQ(label(LinearModel(p), first_out), 1u);
}

TEST(Vetoes, OfASparseRowAreThoseOfTheDenseRow) {
  LinearModel::Parts p = parts(Link::softmax, {"a", "b"}, std::vector<double>(12), {0, 0});
  p.vetoes = {{0, 3, 5}, {0, 2, 5, 1, 2}, {1, 10, 100, 1000, 10000}};
  const LinearModel model(p);
  for (unsigned present = 0; present < 64; ++present) {
    std::vector<double> x(6), value;
    std::vector<std::uint32_t> index;
    for (std::uint32_t j = 0; j < 6; ++j) {
      if ((present >> j & 1) == 0) continue;
      x[j] = j == 2 ? 0.0 : -1.5;  // a stored zero is not an event
      index.push_back(j);
      value.push_back(x[j]);
    }
    std::vector<std::int64_t> dense(2), sparse(2);
    model.vetoes({{}, x}, dense);
    model.vetoes({index, value}, sparse);
    EXPECT_EQ(dense, sparse);
    EXPECT_EQ(dense[0], (x[0] != 0 ? 1 : 0) + (x[5] != 0 ? 100 : 0));
    EXPECT_EQ(dense[1], x[1] != 0 ? 1000 : 0);
  }
}

// softmax(k s) of two scores is the logistic function of k times their difference.
TEST(Softmax, TheSlopeMultipliesTheScores) {
  LinearModel::Parts p = parts(Link::softmax, {"a", "b"}, {1, 3}, {0, 0});
  const std::vector<double> x = {0.5};
  for (const double slope : {0.25, 1.0, 4.0}) {
    p.calibration = {slope, 0.0};
    EXPECT_NEAR(probabilities(LinearModel(p), {{}, x})[1], 1 / (1 + std::exp(-slope)), 1e-15) << slope;
    p.calibration = {slope, 5.0};
    EXPECT_NEAR(probabilities(LinearModel(p), {{}, x})[1], 1 / (1 + std::exp(-slope)), 1e-15)
        << "what is added to every score changes nothing";
    EXPECT_EQ(label(LinearModel(p), x), 1u);
  }
}

// Small whole numbers, so that every order of addition gives the same bits.
TEST(Predictor, SaysTheSameOfEveryFormOfTheSameWeights) {
  constexpr std::uint32_t p = 9;
  const RandomKey random{29, 0};
  std::uint64_t draw = 0;
  const auto some = [&](double most) { return std::floor(most * random.uniform(draw++)); };
  for (int round = 0; round < 200; ++round) {
    const Link link = std::vector<Link>{Link::vote, Link::softmax, Link::sign, Link::logistic}[round % 4];
    const std::uint64_t rows = link == Link::logistic ? 1 : 3;
    SparseRows<double> sparse, changes;
    sparse.offsets = changes.offsets = {0};
    std::vector<double> dense(rows * p), bias;
    for (std::uint64_t r = 0; r < rows; ++r) {
      for (std::uint32_t j = 0; j < p; ++j) {
        const double w = some(3) == 0 ? some(7) - 3 : 0.0, before = r == 0 ? 0.0 : dense[(r - 1) * p + j];
        dense[r * p + j] = w;
        if (w != 0) sparse.index.push_back(j), sparse.values.push_back(w);
        if (w != before) changes.index.push_back(j), changes.values.push_back(w - before);
      }
      sparse.offsets.push_back(sparse.index.size());
      changes.offsets.push_back(changes.index.size());
      bias.push_back(some(5) - 2);
    }
    std::vector<std::string> labels = {"a", "b"};
    if (link == Link::softmax || link == Link::sign) labels.push_back("c");
    LinearModel::Parts each = parts(link, labels, dense, bias);
    if (link == Link::vote) each.votes = {1, some(4), some(4)};
    const LinearModel as_dense(each);
    each.weights = Weights::sparse(rows, p, sparse);
    const LinearModel as_sparse(each);
    each.weights = Weights::increments(rows, p, changes);
    const LinearModel as_increments(each);

    std::vector<double> x(p), value;
    std::vector<std::uint32_t> index;
    for (std::uint32_t j = 0; j < p; ++j) {
      x[j] = some(2) == 0 ? some(5) - 2 : 0.0;
      if (x[j] != 0) index.push_back(j), value.push_back(x[j]);
    }
    const std::size_t expected = label(as_dense, x);
    for (const LinearModel* model : {&as_dense, &as_sparse, &as_increments})
      for (const Row& row : {Row{{}, x}, Row{index, value}}) {
        EXPECT_EQ(Predictor(*model).predict(row).label, expected);
        if (link == Link::softmax || link == Link::logistic) {
          EXPECT_EQ(probabilities(*model, row), probabilities(as_dense, {{}, x}));
        }
      }
  }
}

}  // namespace
}  // namespace plumb::predictor_test
