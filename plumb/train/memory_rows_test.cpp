// A fit of rows in memory is the fit of a file with the same numbers, bit for bit.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plumb/base/file.h"
#include "plumb/base/number.h"
#include "plumb/data/memory_source.h"
#include "plumb/train/testing.h"

namespace plumb::memory_rows_test {
namespace {

// Weights and the bias after them.
std::vector<double> fitted(std::unique_ptr<Source> source) {
  Executor executor(2);
  const plumb::Run run{executor};
  const LeastSquaresTrainer trainer(LeastSquaresOptions{});
  const FeaturePlan plan = plan_features(*source, {.target = "y"});
  source->select(plan.selected);
  Tables tables = read_all(*source, run);
  const Learnt learnt = learn_features(tables, plan, RowSet(tables.rows, true), trainer.wishes(), run);
  FeatureMap::Unseen unseen;
  const Examples examples = learnt.map.apply(std::move(tables), learnt.layout, unseen, run);
  const Trained fit = trainer.train({examples, learnt.map}, run);
  std::vector<double> all = weights(fit);
  all.push_back(fit.model.parts().bias[0]);
  return all;
}

TEST(MemoryRows, AreFittedToTheBitsOfAFile) {
  constexpr std::size_t rows = 9000, columns = 3;
  const Data data = random_data(rows, columns, 26);
  std::vector<double> by_row, by_column(rows * columns);
  std::vector<std::uint32_t> index;
  std::vector<std::uint64_t> offsets = {0};
  std::string csv = "x1,x2,x3,y\n";
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      by_row.push_back(data.x[r][c]);
      by_column[c * rows + r] = data.x[r][c];
      csv += number_text(data.x[r][c]) + ",";
      index.push_back(static_cast<std::uint32_t>(c));
    }
    offsets.push_back(index.size());
    csv += number_text(data.y[r]) + "\n";
  }
  const std::string path = ::testing::TempDir() + "plumb_bits.csv";
  write_file_atomically(path, std::string_view(csv));
  const std::vector<double> expected = fitted(open_source({path}));
  ASSERT_EQ(expected.size(), columns + 1);
  const MemoryColumn y{.values = std::span(data.y)};
  EXPECT_EQ(fitted(open_memory({DenseRows{by_row.data(), rows, columns}, y})), expected);
  EXPECT_EQ(fitted(open_memory({DenseRows{by_column.data(), rows, columns, false}, y})), expected);
  EXPECT_EQ(fitted(open_memory({CsrRows{by_row.data(), index.data(), offsets.data(), rows, columns}, y})), expected);
}

}  // namespace
}  // namespace plumb::memory_rows_test
