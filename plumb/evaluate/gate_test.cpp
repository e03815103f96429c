// rows: E2
#include "plumb/evaluate/gate.h"

#include <gtest/gtest.h>

#include "plumb/base/error.h"

namespace plumb::gate_test {
namespace {

const std::vector<Metric> kFound = {{"rmse", 2.0, {}, {}}, {"mae", 1.5, {}, {}}, {"r2", 0.75, {}, {}}};

TEST(Gate, R2IsAtLeastItsBoundAndErrorsAreAtMostTheirs) {
  EXPECT_TRUE(judge(read_gate("r2=0.75"), kFound).met);
  EXPECT_FALSE(judge(read_gate("r2=0.76"), kFound).met);
  EXPECT_TRUE(judge(read_gate("rmse=2"), kFound).met);
  EXPECT_FALSE(judge(read_gate("rmse=1.9"), kFound).met);
  EXPECT_FALSE(judge(read_gate("mae = 1e-3"), kFound).met);
  EXPECT_EQ(read_gate("r2=0.75").text(), "r2 at least 0.75");
  EXPECT_EQ(read_gate("mae=2").text(), "mae at most 2");
}

TEST(Gate, AMetricThatTheRowsDoNotDefineKeepsNoBound) {
  const GateResult result = judge(read_gate("r2=-1e300"), {kFound[0]});
  EXPECT_FALSE(result.met);
  EXPECT_FALSE(result.value.has_value());
}

TEST(Gate, AskForAMetricAndANumber) {
  for (const char* bad : {"r2", "r2=", "r2=high", "accuracy=0.9", "=1", "", "r3=0.5"}) {
    try {
      read_gate(bad);
      ADD_FAILURE() << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_NE(error.hint().find("--fail-under r"), std::string::npos) << error.hint();
    }
  }
}

}  // namespace
}  // namespace plumb::gate_test
