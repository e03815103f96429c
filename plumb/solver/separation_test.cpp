#include "plumb/solver/separation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/random.h"
#include "plumb/solver/solver.h"

namespace plumb::separation_test {
namespace {

using Kind = Separation::Kind;

// A fit without a penalty, and the result of the search for separation.
struct Trial {
  Separation found;
  Solution solution;
};

Trial look(const Piece& piece, std::size_t classes, bool reference = false, const char* solver = "newton") {
  Executor executor(1);
  const plumb::Run run{executor};
  const DesignMatrix x(Examples({piece}, piece.features), true, {}, {}, run);
  Objective f(x, classes == 2 ? row_loss(Loss::logistic) : softmax_loss(classes - (reference ? 1 : 0), reference),
              std::vector<double>(x.columns()), run);
  const SolverEntry& entry = find_solver(solver);
  Trial trial;
  trial.solution = entry.minimise(f, std::vector<double>(f.size()), {.iterations = entry.iterations});
  const bool certified = trial.solution.gap <= 1e-6 * trial.solution.point.value;
  trial.found = find_separation(f, trial.solution.point, certified);
  return trial;
}

void add(Piece& piece, std::initializer_list<double> x, double target) {
  piece.features = static_cast<std::uint32_t>(x.size());
  for (const double each : x) piece.values.push(each);
  piece.targets.push_back(target);
  ++piece.rows;
}

TEST(Separation, ByAFeatureOfOneClassAloneIsSeenAmongAnyNumberOfFeatures) {
  const RandomKey key{1, 0};
  std::uint64_t at = 0;
  Piece piece;  // sparse
  piece.features = 3000;
  piece.offsets.push_back(0);
  for (std::uint32_t i = 0; i < 8000; ++i) {
    const double y = key.uniform(at++) < 0.5 ? 1 : 0;
    if (y == 1 && i % 100 == 0) {
      piece.index.push_back(7);
      piece.values.push(1.0);
    }
    piece.index.push_back(10 + static_cast<std::uint32_t>(key.below(at++, 2990)));
    piece.values.push(key.uniform(at++) < 0.5 ? 1.0 : -1.0);
    piece.offsets.push_back(piece.values.size());
    piece.targets.push_back(y);
    ++piece.rows;
  }
  const Trial trial = look(piece, 2);
  EXPECT_EQ(trial.found.kind, Kind::quasi);
  EXPECT_NE(std::find(trial.found.columns.begin(), trial.found.columns.end(), 7u), trial.found.columns.end());
}

TEST(Separation, OfOneClassAmongThreeByAFeatureThatItNeverHas) {
  const RandomKey key{2, 0};
  for (const bool reference : {false, true})
    for (const double lacking : {0.0, 2.0}) {
      Piece piece;
      for (std::uint64_t i = 0; i < 90; ++i) {
        const auto y = static_cast<double>(i % 3);
        add(piece, {key.uniform(3 * i), y != lacking && i % 2 == 0 ? 1.0 : 0.0}, y);
      }
      const Trial trial = look(piece, 3, reference);
      EXPECT_EQ(trial.found.kind, Kind::quasi) << reference << lacking;
      EXPECT_EQ(trial.found.columns, std::vector<std::size_t>{1}) << reference << lacking;
    }
}

// Numbers with few digits, so that rows lie on the hyperplane exactly.
TEST(Separation, AlongSeveralColumnsIsProvedForTwoAndThreeClasses) {
  const RandomKey key{3, 0};
  for (const std::size_t classes : {2, 3}) {
    Piece piece;
    for (std::uint64_t i = 0; i < 120; ++i) {
      const double r = std::ldexp(static_cast<double>(key.below(2 * i, 2048)), -10) - 1;
      const auto y = static_cast<double>(i % classes);
      const double s = y == 1 && i % 5 == 0 ? 1 + std::ldexp(static_cast<double>(i), -8) : 0.0;
      add(piece, {3 * r, s - r, key.uniform(2 * i + 1)}, y);
    }
    const Trial trial = look(piece, classes);
    EXPECT_EQ(trial.found.kind, Kind::quasi) << classes;
    EXPECT_EQ(trial.found.columns, (std::vector<std::size_t>{0, 1})) << classes;
  }
}

// Only a part of 1e-6 to 1e-11 of a column separates the classes, so that weights of that many digits do it.
TEST(Separation, ByWhatTellsNearlyEqualColumnsApartIsFound) {
  const RandomKey key{9, 0};
  for (const double part : {1e-6, 1e-9, 1e-11})
    for (const char* solver : {"newton", "lbfgs", "conjugate-gradient"}) {
      Piece piece;
      for (std::uint64_t i = 0; i < 30; ++i) {
        const double a = 2 * key.uniform(2 * i) - 1, y = i % 2 == 0 ? 1.0 : 0.0;
        add(piece, {a, a + part * (y - 0.5 + 0.4 * key.uniform(2 * i + 1))}, y);
      }
      EXPECT_EQ(look(piece, 2, false, solver).found.kind, Kind::complete) << part << ' ' << solver;
    }
}

// Two rows in the gap between the classes are on the wrong side, by 3e-9 of the range: there is an optimum.
TEST(Separation, IsNotClaimedWhereTwoRowsAreTheWrongWayRoundByNextToNothing) {
  const RandomKey key{4, 0};
  for (const std::size_t classes : {2, 3}) {
    Piece piece;
    for (std::uint64_t i = 0; i < 60; ++i)
      add(piece, {(i % 2 == 0 ? 0.0 : 3000.0) + key.uniform(2 * i), 2 * key.uniform(2 * i + 1) - 1},
          static_cast<double>(i % 2));
    add(piece, {1500.00001, 0.0}, 0);
    add(piece, {1500.0, 0.0}, 1);
    if (classes == 3)
      for (std::uint64_t i = 0; i < 60; ++i)
        add(piece, {3000.0 * key.uniform(200 + 2 * i), 2 * key.uniform(201 + 2 * i) - 1}, 2);
    const Trial trial = look(piece, classes);
    EXPECT_EQ(trial.found.kind, Kind::none) << classes;
    if (classes == 2) {
      EXPECT_NEAR(trial.solution.point.value, 2 * std::log(2.0), 1e-6);
    }
  }
}

TEST(Separation, IsFoundWhereASlowSolverHasNotGoneFar) {
  const RandomKey key{5, 0};
  Piece piece;  // the sum of two columns, which touch
  for (std::uint64_t i = 0; i < 80; ++i) {
    const double r = std::ldexp(static_cast<double>(key.below(i, 1024)), -10), s = i % 2 == 1 && i % 3 == 0 ? 0.5 : 0.0;
    add(piece, {r, s + 1 - r}, static_cast<double>(i % 2));
  }
  for (const char* solver : {"newton", "lbfgs", "conjugate-gradient", "sgd", "gis", "iis"})
    EXPECT_EQ(look(piece, 2, false, solver).found.kind, Kind::quasi) << solver;
}

// Along x0 - x1: (1, 0) is of class 1 alone, (0, 1) of class 0, and rows with equal values lie on the hyperplane.
TEST(Separation, OfFewRowsByADifferenceOfColumnsIsProved) {
  const char* const rows[] = {"10001", "11001", "11001", "00010", "00101", "10001", "11111", "10001",
                              "00001", "00000", "00011", "01000", "00000", "10101", "00100", "00000",
                              "10101", "01000", "11100", "00000", "00111", "11001", "00100", "00011"};
  Piece piece;
  for (const char* const row : rows)
    add(piece, {row[0] - 48.0, row[1] - 48.0, row[2] - 48.0, row[3] - 48.0}, row[4] - 48.0);
  const Trial trial = look(piece, 2);
  EXPECT_EQ(trial.found.kind, Kind::quasi);
  EXPECT_EQ(trial.found.columns, (std::vector<std::size_t>{0, 1}));
}

// The direction of few zeros and ones is whole numbers times a power of two, so its margins can be computed without
// rounding.
TEST(Separation, NamesEveryColumnThatTheProofNeeds) {
  Piece piece;  // the first column has two labels at -1, but beside 100000 the weight of the second is small
  add(piece, {-1, -1}, 0);
  add(piece, {-1, 0}, 1);
  add(piece, {100000, 0}, 1);
  add(piece, {0, -2}, 1);
  const Trial trial = look(piece, 2);
  EXPECT_EQ(trial.found.kind, Kind::complete);
  const std::vector<std::size_t>& columns = trial.found.columns;
  EXPECT_TRUE(columns.size() >= 2 && columns[0] == 0 && columns[1] == 1);
}

TEST(Separation, OfFewRowsIsAlwaysDecidedAndTheDirectionIsAProof) {
  const RandomKey key{6, 0};
  std::uint64_t at = 0;
  std::size_t seen[4] = {};
  for (int set = 0; set < 300; ++set) {
    const std::size_t classes = 2 + set % 2;
    const bool reference = set % 4 == 1;
    Piece piece;
    for (std::size_t i = 0, rows = 6 + key.below(at++, 14); i < rows; ++i) {
      const auto bit = [&] { return static_cast<double>(key.below(at++, 2)); };
      const double a = bit(), b = bit(), c = bit();
      add(piece, {a, b, c}, i < classes ? static_cast<double>(i) : static_cast<double>(key.below(at++, classes)));
    }
    const Trial trial = look(piece, classes, reference);
    Executor executor(1);
    const plumb::Run run{executor};
    const DesignMatrix x(Examples({piece}, piece.features), true, {}, {}, run);
    const Objective f(x,
                      classes == 2 ? row_loss(Loss::logistic) : softmax_loss(classes - (reference ? 1 : 0), reference),
                      std::vector<double>(x.columns()), run);
    const Separation& found = trial.found;
    EXPECT_NE(found.kind, Kind::undecided) << set;
    ++seen[static_cast<std::size_t>(found.kind)];
    if (found.kind == Kind::none) {  // then an optimum exists, and was reached
      EXPECT_LE(trial.solution.gap, 1e-6 * trial.solution.point.value) << set;
      continue;
    }
    bool right = false, on_plane = false;
    for (std::size_t i = 0; i < x.rows(); ++i) {
      std::vector<double> z(classes);
      for (std::size_t k = 0; k < f.outputs(); ++k)
        for (std::size_t j = 0; j < x.columns(); ++j)
          z[f.outputs() == 1 ? 1 : k] += x.row(i).value[j] * found.direction[k * x.columns() + j];
      const auto own = static_cast<std::size_t>(x.targets()[i]);
      for (std::size_t k = 0; k < classes; ++k) {
        if (k == own) continue;
        constexpr double kRounding = 1e-14;  // the direction was proved before it was rounded to doubles
        EXPECT_GE(z[own], z[k] - kRounding) << set;
        (z[own] > z[k] + kRounding ? right : on_plane) = true;
      }
    }
    EXPECT_TRUE(right) << set;
    EXPECT_EQ(on_plane, found.kind == Kind::quasi) << set;
  }
  for (const Kind kind : {Kind::none, Kind::complete, Kind::quasi}) EXPECT_GT(seen[static_cast<std::size_t>(kind)], 3u);
}

}  // namespace
}  // namespace plumb::separation_test
