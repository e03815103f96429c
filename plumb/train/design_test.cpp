// Many rows are fitted in units and around means from three of their blocks: whatever those blocks hide, the fit is
// that of all rows.
#include "plumb/train/design.h"

#include <functional>

#include "plumb/train/normal_equations.h"
#include "plumb/train/testing.h"

namespace plumb::design_test {
namespace {

constexpr std::size_t kRows = 9 * kBlockRows;
constexpr std::size_t kColumns = 10;  // enough that a Gram matrix in double-double is not free
bool looked_at(std::size_t row) {
  const std::size_t block = row / kBlockRows;
  return block == 0 || block == 4 || block == 8;
}

Data many_rows() {
  Data data = random_data(kRows, kColumns, 11);
  const RandomKey key{12, 0};
  for (std::size_t r = 0; r < kRows; ++r) data.y[r] += key.uniform(r);
  return data;
}

NormalSolution solve(const Examples& examples, bool bias, double refined_cells, double digits = 0) {
  Executor executor(2);
  return solve_normal_equations(examples, {.bias = bias, .digits = digits, .refined_cells = refined_cells},
                                plumb::Run{executor});
}

// From a first sample, refined or not.
void expect_the_fit_of_all_rows(const Data& data, bool bias = true) {
  const Examples examples = examples_of(data);
  const NormalSolution all = solve(examples, bias, 1e7);
  for (const double digits : {6.0, 15.0}) {
    const NormalSolution some = solve(examples, bias, 1.0, digits);
    const double close = std::pow(10.0, -digits);
    EXPECT_EQ(some.factor.aliased(), all.factor.aliased());
    EXPECT_GE(some.digits, digits);
    EXPECT_EQ(some.moments.rows, all.moments.rows);
    EXPECT_EQ(some.moments.zero, all.moments.zero);
    for (std::size_t j = 0; j < all.weights.size(); ++j) expect_close(some.weights[j], all.weights[j], close);
    expect_close(some.bias, all.bias, close);
    for (const auto number : {&NormalSolution::squared_error, &NormalSolution::squared_target}) {
      const int units = 2 * (some.moments.target_unit.exponent - all.moments.target_unit.exponent);
      expect_close(std::ldexp(some.*number, units), all.*number, close);
    }
  }
}

TEST(FirstLook, IsEnoughForPlainData) {
  expect_the_fit_of_all_rows(many_rows());
  expect_the_fit_of_all_rows(many_rows(), false);
}

TEST(FirstLook, ColumnsThatItSeesNothingOfAreStillFitted) {
  using Change = std::function<double(std::size_t row, double x)>;
  for (const Change& change :
       {Change([](std::size_t row, double x) { return looked_at(row) ? 0.0 : x; }),
        Change([](std::size_t row, double x) { return looked_at(row) ? 7.0 : x; }),
        Change([](std::size_t row, double x) { return looked_at(row) ? 1e-200 * x : x; }),
        Change([](std::size_t row, double x) { return looked_at(row) ? x : 1e-200 * x; }),
        Change([](std::size_t row, double x) { return looked_at(row) ? x : 1e200 * x; }),
        Change([](std::size_t row, double x) { return looked_at(row) ? 1e200 * x : x; }),
        Change([](std::size_t row, double x) { return static_cast<double>(row) + x; }),
        Change([](std::size_t row, double x) { return x + (looked_at(row) ? 1000 : 0); }),
        Change([](std::size_t, double) { return 3.25; }), Change([](std::size_t, double) { return 0.0; })}) {
    Data data = many_rows();
    for (std::size_t r = 0; r < kRows; ++r) data.x[r][1] = change(r, data.x[r][1]);
    expect_the_fit_of_all_rows(data);
    expect_the_fit_of_all_rows(data, false);
  }
}

TEST(FirstLook, ColumnsThatDifferInItsBlocksAloneAreNotTheSame) {
  Data data = many_rows();
  for (std::size_t r = 0; r < kRows; ++r)
    if (looked_at(r)) data.x[r][2] = data.x[r][1];
  expect_the_fit_of_all_rows(data);
  for (std::size_t r = 0; r < kRows; ++r) data.x[r][2] = data.x[r][1];  // and now they are
  expect_the_fit_of_all_rows(data);
}

TEST(FirstLook, TheDigitsOfSmallWeightsAreStatedToo) {
  Data data = many_rows();
  for (std::size_t r = 0; r < kRows; ++r)
    data.y[r] -= 3 * data.x[r][2] * (1 - 1e-5);  // its weight is some 1e-5 of the others
  const Examples examples = examples_of(data);
  const NormalSolution all = solve(examples, true, 1e7), some = solve(examples, true, 1.0, 3.0);
  EXPECT_EQ(some.passes, 0u);
  for (std::size_t j = 0; j < kColumns; ++j)
    expect_close(some.weights[j], all.weights[j], std::pow(10.0, -some.digits));
}

TEST(FirstLook, WhereItsBlocksHoldNoTrainingRowsAllRowsAreLookedAt) {
  const Data data = many_rows();
  RowSet rows(kRows);
  Data kept;
  for (std::size_t r = 0; r < kRows; ++r) {
    if (looked_at(r)) continue;
    rows.add(r);
    kept.x.push_back(data.x[r]);
    kept.y.push_back(data.y[r]);
  }
  const NormalSolution subset = solve(examples_of(data).with(rows), true, 1.0);
  const NormalSolution whole = solve(examples_of(kept), true, 1e7);
  for (std::size_t j = 0; j < kColumns; ++j) expect_close(subset.weights[j], whole.weights[j], 1e-9);
}

}  // namespace
}  // namespace plumb::design_test
