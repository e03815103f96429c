// t = U^-T z by its definition, one row and eight at a time, and what a basis refuses to be made of.
#include "plumb/train/basis.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/error.h"

namespace plumb {
namespace {

// With a bias and two features: U = (2 1 3; 0 4 5; 0 0 6), in units of 1, 2^3 and 2^-2.
Basis small() { return Basis({{3, -2}, {0.5, -1.0}, {2, 1, 3, 4, 5, 6}}); }

TEST(Basis, WhitensByForwardSubstitution) {
  const std::vector<double> x = {16.0, 0.5};  // z = (1, 16/8 - 0.5, 0.5 * 4 + 1)
  std::vector<double> t(3);
  small().whiten({{}, x}, t);
  EXPECT_DOUBLE_EQ(t[0], 1.0 / 2);
  EXPECT_DOUBLE_EQ(t[1], (1.5 - 0.5) / 4);
  EXPECT_DOUBLE_EQ(t[2], (3.0 - 1.5 - 1.25) / 6);
  EXPECT_EQ(small().rank(), 3u);
  EXPECT_TRUE(small().bias());
  EXPECT_DOUBLE_EQ(small().squares(0), 16);
  EXPECT_DOUBLE_EQ(small().squares(1), 25 + 36);
}

TEST(Basis, TakesWhatASparseRowLeavesOutAsZero) {
  const std::vector<double> dense = {0.0, 0.5}, value = {0.5};
  const std::vector<std::uint32_t> index = {1};
  std::vector<double> a(3), b(3), empty(3), zeros(3);
  small().whiten({{}, dense}, a);
  small().whiten({index, value}, b);
  EXPECT_EQ(a, b);
  small().whiten({{}, {}}, empty);
  small().whiten({{}, std::vector<double>{0.0, 0.0}}, zeros);
  EXPECT_EQ(empty, zeros);
}

TEST(Basis, WhitensEightRowsToTheSameBitsAsOneAndSolvesBack) {
  const Basis basis = small();
  std::vector<double> eight(24), t(3);
  std::vector<std::vector<double>> rows;
  for (int lane = 0; lane < 8; ++lane) rows.push_back({0.3 * lane - 1, 1.0 / (lane + 3)});
  for (std::size_t lane = 0; lane < 8; ++lane) basis.place({{}, rows[lane]}, eight, lane);
  basis.whiten_eight(eight);
  for (std::size_t lane = 0; lane < 8; ++lane) {
    basis.whiten({{}, rows[lane]}, t);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(eight[8 * i + lane], t[i]);
  }
  const std::vector<double> before = eight;
  basis.solve_eight(basis.columns(), eight);
  for (std::size_t lane = 0; lane < 8; ++lane) {  // U u = t
    EXPECT_NEAR(2 * eight[lane] + eight[8 + lane] + 3 * eight[16 + lane], before[lane], 1e-15);
    EXPECT_NEAR(4 * eight[8 + lane] + 5 * eight[16 + lane], before[8 + lane], 1e-15);
    EXPECT_NEAR(6 * eight[16 + lane], before[16 + lane], 1e-15);
  }
}

TEST(Basis, PassesOverAliasedColumns) {
  const Basis basis({{0, 0}, {0, 0}, {2, 0, 3, 0, 0, 6}});
  EXPECT_EQ(basis.rank(), 2u);
  std::vector<double> t(3);
  basis.whiten({{}, std::vector<double>{7.0, 9.0}}, t);
  EXPECT_EQ(t, (std::vector<double>{0.5, 0.0, 1.25}));
}

TEST(Basis, RefusesWhatIsNone) {
  const auto made = [](Basis::Parts parts) { return Basis(std::move(parts)); };
  EXPECT_THROW(made({{0, 0}, {0, 0}, {1, 2, 3, 4}}), Error) << "no triangle";
  EXPECT_THROW(made({{0, 0}, {0}, {1, 2, 3}}), Error);
  EXPECT_THROW(made({{0}, {0}, {-1}}), Error);
  EXPECT_THROW(made({{0}, {0}, {std::nan("")}}), Error);
  EXPECT_THROW(made({{5000}, {0}, {1}}), Error);
  EXPECT_FALSE(made({{0}, {0}, {1}}).bias());
}

}  // namespace
}  // namespace plumb
