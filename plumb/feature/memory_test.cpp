// From rows in memory to examples: borrowed numbers stay borrowed, and files with the same numbers give the same bits.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plumb/base/file.h"
#include "plumb/base/number.h"
#include "plumb/data/memory_source.h"
#include "plumb/feature/feature_map.h"

namespace plumb::memory_test {
namespace {

const std::vector<double> kX = {1.7, 60.5, 1.8, 68.25, 1.9, 77.125, 1.65, 0.1, 2.0, 3.0, 1.5, -4.0};  // 6 rows
const std::vector<double> kY = {1, 2, 4, 8, 16, 32};

struct Made {
  FeatureMap map;
  Examples examples;
  Executor executor{2};

  explicit Made(std::unique_ptr<Source> source, const FeatureOptions& options = {.target = "y"}) : examples({}, 0) {
    const plumb::Run run{executor};
    const FeaturePlan plan = plan_features(*source, options);
    source->select(plan.selected);
    Tables tables = read_all(*source, run);
    Learnt learnt = learn_features(tables, plan, RowSet(tables.rows, true), {}, run);
    map = std::move(learnt.map);
    FeatureMap::Unseen unseen;
    examples = map.apply(std::move(tables), learnt.layout, unseen, run);
  }
  const Piece& piece() const {
    const Piece* first = nullptr;
    examples.block(0).for_each_place([&](const Piece& piece, std::uint64_t) { first = first ? first : &piece; });
    return *first;
  }
  std::string text() const {
    std::string text;
    for (const std::string& name : map.names()) text += name + " ";
    for (std::size_t b = 0; b < examples.blocks(); ++b)
      examples.block(b).for_each([&](const Example& row) {
        text += "\n" + number_text(row.target) + " |";
        for (std::size_t k = 0; k < row.x.value.size(); ++k)
          text += " " + (row.x.dense() ? "" : std::to_string(row.x.index[k]) + ":") + number_text(row.x.value[k]);
      });
    return text;
  }
};

std::unique_ptr<Source> matrix(bool row_major = true, std::vector<double> values = kX) {
  const auto owner = std::make_shared<const std::vector<double>>(std::move(values));
  return open_memory({DenseRows{owner->data(), 6, 2, row_major}, MemoryColumn{.values = std::span(kY)}, {}, owner});
}

std::vector<double> by_column() {
  std::vector<double> values;
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t r = 0; r < 6; ++r) values.push_back(kX[2 * r + c]);
  return values;
}

std::unique_ptr<Source> csv() {
  std::string text = "x1,x2,y\n";
  for (std::size_t r = 0; r < 6; ++r)
    text += number_text(kX[2 * r]) + "," + number_text(kX[2 * r + 1]) + "," + number_text(kY[r]) + "\n";
  const std::string path = ::testing::TempDir() + "plumb_memory.csv";
  write_file_atomically(path, std::string_view(text));
  return open_source({path});
}

TEST(Memory, AMatrixByRowsIsBorrowedByTheExamples) {
  const Made made(open_memory({DenseRows{kX.data(), 6, 2}, MemoryColumn{.values = std::span(kY)}}));
  std::size_t rows = 0;
  made.examples.block(0).for_each([&](const Example& row) {
    EXPECT_EQ(row.x.value.data(), kX.data() + 2 * rows);
    EXPECT_EQ(row.target, kY[rows++]);
  });
  EXPECT_EQ(rows, 6u);
  EXPECT_EQ(made.piece().bytes(), 6 * sizeof(double)) << "the targets";
  const std::vector<float> floats(kX.begin(), kX.end());
  const Made narrow(open_memory({DenseRows{floats.data(), 6, 2}, MemoryColumn{.values = std::span(kY)}}));
  EXPECT_EQ(narrow.piece().values.floats().data(), floats.data());
}

const std::vector<double> kValues = {1.5, 2, 3, 4, 5, 6};
const std::vector<std::uint32_t> kIndex = {0, 2, 1, 2, 3, 4};
const std::vector<std::uint64_t> kOffsets = {0, 2, 2, 6};

std::unique_ptr<Source> sparse(std::vector<std::string> names) {
  return open_memory({CsrRows{kValues.data(), kIndex.data(), kOffsets.data(), 3, 5, std::move(names)},
                      MemoryColumn{.values = std::span(kY).first(3)}});
}

TEST(Memory, SparseRowsAreBorrowedByTheExamples) {
  for (const std::vector<std::string>& names : {std::vector<std::string>{}, {"a", "b", "c", "d", "e"}}) {
    const Made made(sparse(names));
    EXPECT_EQ(made.piece().index.data(), kIndex.data());
    EXPECT_EQ(made.piece().values.doubles().data(), kValues.data());
    EXPECT_EQ(made.text(), (names.empty() ? "f1 f2 f3 f4 f5 " : "a b c d e ") +
                               std::string("\n1 | 0:1.5 2:2\n2 |\n4 | 1:3 2:4 3:5 4:6"));
  }
  EXPECT_EQ(Made(sparse({"e", "d", "c", "b", "a"})).text(), "a b c d e \n1 | 2:2 4:1.5\n2 |\n4 | 0:6 1:5 2:4 3:3")
      << "features stand in the order of their names";
}

// No row has column 1, so f2 is not a feature, as with a file.
TEST(Memory, SparseRowsHaveTheFeaturesOfAFile) {
  const std::vector<std::int32_t> index = {0, 2, 3, 4, 5, 6}, offsets = {0, 2, 6};
  const Made made(open_memory({CsrRows{kValues.data(), index.data(), offsets.data(), 2, 9},
                               MemoryColumn{"label", std::span(kY).first(2)}}),
                  {.target = "label", .target_kind = TargetKind::number});
  const std::string path = ::testing::TempDir() + "plumb_memory.libsvm";
  write_file_atomically(path, std::string_view("1 1:1.5 3:2\n2 4:3 5:4 6:5 7:6\n"));
  EXPECT_EQ(made.text(), "f1 f3 f4 f5 f6 f7 \n1 | 0:1.5 1:2\n2 | 2:3 3:4 4:5 5:6");
  EXPECT_EQ(Made(open_source({path}), {.target = "label", .target_kind = TargetKind::number}).text(), made.text());
}

TEST(Memory, FilesAndEveryLayoutGiveTheSameExamples) {
  const std::string expected = Made(csv()).text();
  EXPECT_NE(expected.find("\n2 | 1.8 68.25"), expected.npos) << expected;
  EXPECT_EQ(Made(matrix()).text(), expected);
  EXPECT_EQ(Made(matrix(false, by_column())).text(), expected);
  const std::vector<double> columns = by_column();
  EXPECT_EQ(Made(open_memory({std::vector<MemoryColumn>{{"x1", std::span(columns).first(6)},
                                                        {"x2", std::span(columns).last(6)}},
                              MemoryColumn{.values = std::span(kY)}}))
                .text(),
            expected);
}

// One column less, another order, formulas, scales, and missing values: nothing can be borrowed.
TEST(Memory, WhatIsMadeOfAMatrixIsWhatIsMadeOfAFile) {
  for (const FeatureOptions& options :
       {FeatureOptions{.target = "y", .features = {"x2"}}, FeatureOptions{.target = "y", .features = {"x2", "x1"}},
        FeatureOptions{.target = "y", .derive = {"x1^2", "log(x1) + x2", "x1*x2"}},
        FeatureOptions{.target = "y", .scale = Scaling::standard}, FeatureOptions{.target = "y", .categorical = {"x1"}},
        FeatureOptions{.target = "y", .weight = "x1"}, FeatureOptions{.target = "y", .offset = "x1"}}) {
    const std::string expected = Made(csv(), options).text();
    EXPECT_EQ(Made(matrix(), options).text(), expected);
    EXPECT_EQ(Made(matrix(false, by_column()), options).text(), expected);
  }
  std::vector<double> some = kX;
  some[2] = std::numeric_limits<double>::quiet_NaN();
  const std::string filled = Made(matrix(true, some), {.target = "y", .missing = Missing::zero}).text();
  EXPECT_NE(filled.find("\n2 | 0 68.25\n4 | 1.9 77.125"), filled.npos) << filled;
}

}  // namespace
}  // namespace plumb::memory_test
