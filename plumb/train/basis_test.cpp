// t = U^-T z by its definition, one row and eight at a time, and invalid inputs of a basis.
#include "plumb/train/basis.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/error.h"
#include "plumb/train/eight_rows.h"

namespace plumb::basis_test {
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

TEST(EightRows, WhitenToTheSameBitsAsOneAndSolveBack) {
  const Basis basis = small();
  std::vector<double> t(3);
  std::vector<std::vector<double>> rows;
  for (int lane = 0; lane < 8; ++lane) rows.push_back({0.3 * lane - 1, 1.0 / (lane + 3)});
  EightRows eight(basis, false);
  for (std::size_t lane = 0; lane < 8; ++lane) eight.place({{}, rows[lane]}, {}, {}, lane);
  eight.whiten();
  for (std::size_t lane = 0; lane < 8; ++lane) {
    basis.whiten({{}, rows[lane]}, t);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(eight.number(i, lane).high, t[i]);
    EXPECT_EQ(eight.distance(lane).high, t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
  }
  eight.solve();
  for (std::size_t lane = 0; lane < 8; ++lane) {  // U u = t
    basis.whiten({{}, rows[lane]}, t);
    const double u0 = eight.number(0, lane).high, u1 = eight.number(1, lane).high, u2 = eight.number(2, lane).high;
    EXPECT_NEAR(2 * u0 + u1 + 3 * u2, t[0], 1e-15);
    EXPECT_NEAR(4 * u1 + 5 * u2, t[1], 1e-15);
    EXPECT_NEAR(6 * u2, t[2], 1e-15);
    EXPECT_NEAR(eight.bias_pull(lane).high, u0 - 0.5 * u1 + u2, 1e-15);
  }
}

// U = (1, 1; 0, 2^-40) with low parts: a double would be off by 2^-13 of t_1.
TEST(EightRows, KeepTheLowPartsOfRootAndRow) {
  const Basis basis({{0}, {0.0}, {1, 1, 0x1p-40}, {0, 0x1p-60, 0}});
  const std::vector<double> x = {1.0}, low = {0x1p-70};
  const std::vector<std::uint32_t> of = {0};
  EightRows eight(basis, true);
  for (std::size_t lane = 0; lane < 8; ++lane) eight.place({{}, x}, low, of, lane);
  eight.whiten();
  EXPECT_EQ(eight.number(0, 3), math::DoubleDouble(1.0));
  EXPECT_EQ(eight.number(1, 3), math::DoubleDouble(0x1p-30 - 0x1p-20));
  std::vector<double> high(2), t_low(2);
  basis.whiten({{}, x}, low, of, high, t_low);
  EXPECT_EQ(math::DoubleDouble(high[1], t_low[1]), eight.number(1, 3));
  eight.solve();
  EXPECT_EQ(eight.number(1, 3), math::DoubleDouble(0x1p10 - 0x1p20));
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
  EXPECT_THROW(made({{0}, {0}, {1}, {1e-20, 0}}), Error) << "low parts of another root";
  EXPECT_FALSE(made({{0}, {0}, {1}}).bias());
}

}  // namespace
}  // namespace plumb::basis_test
