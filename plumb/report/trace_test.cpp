#include "plumb/report/trace.h"

#include <gtest/gtest.h>

#include <limits>

namespace plumb::trace_test {
namespace {

TEST(Trace, HasALineForEveryStepAndNoNumberWhereNothingIsProved) {
  const SolverStep steps[] = {{0, 2.5, 1.0, 0.25, 1.0, std::numeric_limits<double>::infinity(), {0.0, 1.5}},
                              {1, 2.0, 0.0, 0.0, 3.0, 0.125, {0.5, -1.0}}};
  EXPECT_EQ(trace_csv(steps),
            "iteration,loss,gradient_norm,step,passes,gap,weight1,weight2\n"
            "0,2.5,1,0.25,1,,0,1.5\n"
            "1,2,0,0,3,0.125,0.5,-1\n");
}

TEST(Trace, OfAnOnlineFitHasTheNormOfItsWeights) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const SolverStep steps[] = {{1, 7.0, none, 1.0, 1.0, std::numeric_limits<double>::infinity(), {}, 2.5}};
  EXPECT_EQ(trace_csv(steps), "iteration,loss,gradient_norm,step,passes,gap,norm\n1,7,,1,1,,2.5\n");
  JsonWriter json(JsonWriter::Layout::compact);
  json.begin_object();
  add_trace(json, steps);
  EXPECT_NE(json.end_object().take().find("\"gradient_norm\":null,\"step\":1,\"passes\":1,\"gap\":null,\"norm\":2.5"),
            std::string::npos);
}

}  // namespace
}  // namespace plumb::trace_test
