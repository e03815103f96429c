#include "plumb/report/memory_plan.h"

#include <gtest/gtest.h>

namespace plumb::memory_plan_test {
namespace {

Piece two_rows() {
  Piece piece;
  piece.rows = 2;
  piece.features = 100;
  piece.offsets = {0, 1, 3};
  piece.index = {5, 7, 99};
  piece.values = {1, 1, 1};
  return piece;
}

TEST(MemoryPlan, SaysSizeAndFormOfTheExamples) {
  MemoryPlan plan = MemoryPlan::of(Examples({two_rows()}, 100));
  plan.tables = 1'200'000'000;
  plan.trainer = 1600;
  EXPECT_EQ(
      plan.text(),
      "memory: 2 rows of 100 features, 3 values (sparse, ones); tables 1.2 GB, examples 36 bytes, trainer 1.6 kB");
  plan.budget = MemoryBudget(4'000'000'000);
  EXPECT_TRUE(plan.text().ends_with("trainer 1.6 kB; 4 GB granted")) << plan.text();
}

TEST(MemoryPlan, IsAnObjectInJsonWithNullForNoLimit) {
  MemoryPlan plan = MemoryPlan::of(Examples({two_rows()}, 100));
  for (const bool limited : {false, true}) {
    if (limited) plan.budget = MemoryBudget(5000);
    JsonWriter json(JsonWriter::Layout::compact);
    json.begin_object();
    plan.add_to(json);
    EXPECT_EQ(json.end_object().take(),
              std::string("{\"memory\":{\"tables\":0,\"examples\":36,\"trainer\":0,\"limit\":") +
                  (limited ? "5000" : "null") + "}}");
  }
}

}  // namespace
}  // namespace plumb::memory_plan_test
