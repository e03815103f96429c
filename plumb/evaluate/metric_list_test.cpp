// rows: E2
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "plumb/base/random.h"
#include "plumb/evaluate/class_metrics.h"
#include "plumb/evaluate/judged.h"
#include "plumb/evaluate/metrics.h"

namespace plumb::metric_list_test {
namespace {

TEST(MetricList, SaysOfEachMetricOneWayToFindItAndARange) {
  std::set<std::string_view> names;
  for (const bool labels : {false, true})
    for (const MetricEntry& entry : metrics_of(labels)) {
      EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
      EXPECT_LT(entry.least, entry.most) << entry.name;
      const int ways = (entry.of_row != nullptr) + (entry.of_numbers != nullptr) + (entry.of_classes != nullptr);
      EXPECT_EQ(ways, 1) << entry.name;
      EXPECT_EQ(entry.of_classes != nullptr, labels) << entry.name;
      EXPECT_EQ(find_entry(entry.name), &entry);
    }
  EXPECT_EQ(names.size(), metric_list().size());
  for (const bool labels : {false, true})
    for (const MetricUse use : {kHeadline, kError}) EXPECT_EQ(names_of(labels, use).size(), 1u);
}

TEST(MetricList, HasMetricsWithinTheirRangesAndInItsOrder) {
  Executor executor(1);
  const plumb::Run run{executor};
  const RandomKey key{3, 1};
  std::uint64_t next = 0;
  for (int set = 0; set < 20; ++set) {
    Predicted numbers;
    PredictedClasses classes;
    classes.labels = {"a", "b", "c"};
    classes.known = set % 2 == 0 ? 3 : 2;
    for (int i = 0; i < 30; ++i) {
      const double said = key.uniform(next++), is = key.uniform(next++);
      numbers.add(said, is, 1.0 + key.uniform(next++));
      classes.predicted.push_back(static_cast<std::uint32_t>(key.below(next++, classes.known)));
      classes.actual.push_back(static_cast<std::uint32_t>(key.below(next++, 3)));
      classes.weight.push_back(1.0);
    }
    for (const std::vector<Metric>& found :
         {regression_metrics(numbers, run, 200), class_metrics(classes, run, 200).metrics}) {
      ASSERT_FALSE(found.empty());
      const MetricEntry* last = nullptr;
      for (const Metric& metric : found) {
        const MetricEntry* const entry = find_entry(metric.name);
        ASSERT_NE(entry, nullptr) << metric.name;
        EXPECT_TRUE(last == nullptr || last < entry) << metric.name;
        EXPECT_GE(metric.value, entry->least) << metric.name;
        EXPECT_LE(metric.value, entry->most) << metric.name;
        last = entry;
      }
    }
  }
}

}  // namespace
}  // namespace plumb::metric_list_test
