#include "plumb/report/solver_comparison.h"

#include <gtest/gtest.h>

#include <limits>

namespace plumb::solver_comparison_test {
namespace {

SolverComparison two_solvers() {
  SolverComparison comparison{"logistic", "class", 120, 1, {}, {"gis needs a bias"}, {}};
  comparison.solvers.push_back(
      {"newton", 4, 12, 0.25, 10.0, 1e-9, true, {{0, 20, 1, 1, 1, 1, {0, 0}}, {1, 10, 0, 0, 3, 1e-9, {1, 2}}}});
  comparison.solvers.push_back({"sgd",
                                1,
                                2,
                                0.5,
                                11.0,
                                std::numeric_limits<double>::infinity(),
                                false,
                                {{0, 20, 1, 1, 1, 1, {0, 0}}, {1, 11, 0, 0, 3, 1, {1, 1}}}});
  return comparison;
}

TEST(SolverComparison, IsATableInWhichWhatFellShortSaysSo) {
  EXPECT_EQ(to_text(two_solvers(), Style{false, 100}),
            "2 solvers of logistic: class from 1 feature on 120 rows\n"
            "solver  steps  passes  seconds  objective  above best  certified gap\n"
            "newton      4      12     0.25         10           0  1e-09\n"
            "sgd         1       2      0.5         11       0.091  none, short of the optimum\n"
            "  left out  gis needs a bias\n");
}

TEST(SolverComparison, HasTheWayOfEachSolverWhereThereAreTwoWeights) {
  EXPECT_EQ(solver_figure(two_solvers()).panels.size(), 2u);
  SolverComparison many = two_solvers();
  for (SolvedBy& solved : many.solvers)
    for (SolverStep& step : solved.trace) step.weights.clear();
  EXPECT_EQ(solver_figure(many).panels.size(), 1u);
  EXPECT_NE(to_svg(solver_figure(two_solvers())).find("newton"), std::string::npos);
}

TEST(SolverComparison, WritesNullWhereNothingIsProved) {
  EXPECT_NE(to_json(two_solvers()).find("\"gap\": null"), std::string::npos);
}

}  // namespace
}  // namespace plumb::solver_comparison_test
