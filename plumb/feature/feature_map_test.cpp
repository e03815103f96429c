// rows: R1 R2
#include "plumb/feature/feature_map.h"

#include <gtest/gtest.h>

#include "plumb/base/error.h"

namespace plumb {
namespace {

// A source over tables in memory.
class MemorySource final : public Source {
 public:
  MemorySource(std::vector<ColumnInfo> columns, Table table) : columns_(std::move(columns)), table_(std::move(table)) {}
  const std::vector<ColumnInfo>& columns() const noexcept override { return columns_; }
  const std::vector<std::string>& notes() const noexcept override { return notes_; }
  void select(std::vector<Selected> wanted) override { wanted_ = std::move(wanted); }
  bool next(Table& piece, const Run&) override {
    if (done_) return false;
    done_ = true;
    piece.rows = table_.rows;
    piece.columns.clear();
    for (const Selected& each : wanted_) piece.columns.push_back(table_.columns[each.column]);
    return true;
  }
  std::string digest() const override { return ""; }
  const std::string& name() const noexcept override { return name_; }

 private:
  std::vector<ColumnInfo> columns_;
  Table table_;
  std::vector<Selected> wanted_;
  std::vector<std::string> notes_;
  std::string name_ = "memory";
  bool done_ = false;
};

Column number(std::vector<double> values) { return {Kind::number, std::move(values), {}, {}}; }
Column category(const std::vector<std::string>& values) {
  Column column{Kind::category, {}, {}, {}};
  for (const std::string& value : values) {
    const auto found = std::find(column.levels.begin(), column.levels.end(), value);
    column.codes.push_back(static_cast<std::uint32_t>(found - column.levels.begin()));
    if (found == column.levels.end()) column.levels.push_back(value);
  }
  return column;
}

class Features : public ::testing::Test {
 protected:
  Features() {
    table.rows = 4;
    table.columns = {number({1, 2, 3, 4}), category({"b", "a", "", "b"}), number({2, 0.5, -1, 10}),
                     number({10, 20, 30, 40})};
    columns = {{"x", Kind::number},
               {"city", Kind::category},
               {"z", Kind::number},
               {"y", Kind::number}};
    options.target = "y";
  }

  // Learns on `rows` and applies to all.
  void learn(const Wishes& wishes = {}, std::optional<RowSet> rows = {}) {
    MemorySource source(columns, table);
    const FeaturePlan plan = plan_features(source, options);
    source.select(plan.selected);
    Executor executor;
    Tables tables = read_all(source, plumb::Run{executor});
    learnt = learn_features(tables, plan, rows.value_or(RowSet(table.rows, true)), wishes);
    piece = learnt.map.apply(tables.pieces[0], learnt.layout, unseen);
  }
  std::vector<double> row(std::uint64_t r) const {
    std::vector<double> x(learnt.map.features());
    const Row row = piece.row(r);
    if (row.dense()) return {row.value.begin(), row.value.end()};
    for (std::size_t k = 0; k < row.index.size(); ++k) x[row.index[k]] = row.value[k];
    return x;
  }
  Error refusal() {
    try {
      learn();
    } catch (const Error& error) {
      return error;
    }
    return Error(ErrorCode::internal, "accepted");
  }

  Table table;
  std::vector<ColumnInfo> columns;
  FeatureOptions options;
  Learnt learnt;
  Piece piece;
  FeatureMap::Unseen unseen;
};

using Names = std::vector<std::string>;
using Values = std::vector<double>;

TEST_F(Features, AreTheColumnsInFileOrderWithTheFirstLevelAsBase) {
  learn();
  EXPECT_EQ(learnt.map.names(), (Names{"x", "city=b", "city=", "z"}));
  EXPECT_EQ(row(0), (Values{1, 1, 0, 2}));
  EXPECT_EQ(row(1), (Values{2, 0, 0, 0.5}));
  EXPECT_EQ(row(2), (Values{3, 0, 1, -1}));
  EXPECT_EQ(piece.targets, (Values{10, 20, 30, 40}));
}

TEST_F(Features, FullCodingOrNoBiasKeepsEveryLevel) {
  learn({.bias = true, .full_coding = true});
  EXPECT_EQ(learnt.map.names(), (Names{"x", "city=a", "city=b", "city=", "z"}));
  learn({.bias = false, .full_coding = false});
  EXPECT_EQ(learnt.map.names(), (Names{"x", "city=a", "city=b", "city=", "z"}));
}

TEST_F(Features, FollowTheOrderAskedForThenTheDerivedOnes) {
  options.features = {"z", "x^3", "city"};
  options.derive = {"x*z"};
  learn();
  EXPECT_EQ(learnt.map.names(), (Names{"z", "x^3", "city=b", "city=", "x*z"}));
  EXPECT_EQ(row(3), (Values{10, 64, 1, 0, 40}));
}

TEST_F(Features, LevelsAreLearntFromTrainingRowsAndOthersAreCounted) {
  RowSet rows(4);
  rows.add(0);
  rows.add(1);
  learn({}, rows);
  EXPECT_EQ(learnt.map.names(), (Names{"x", "city=b", "z"}));
  EXPECT_EQ(row(2), (Values{3, 0, -1}));
  EXPECT_EQ(unseen.values, 1u);
  EXPECT_EQ(unseen.first, "city=");
}

TEST_F(Features, LevelsThatAreNumbersAreSortedAsNumbers) {
  table.columns[1] = category({"10", "9", "", "2"});
  learn({.bias = true, .full_coding = true});
  EXPECT_EQ(learnt.map.names(), (Names{"x", "city=2", "city=9", "city=10", "city=", "z"}));
}

TEST_F(Features, ProductsAreRoundedOnce) {
  table.columns[0] = number({0.1, 1.1, 1.3, 1e100});
  options.features = {"x^3"};
  learn();
  EXPECT_EQ(row(0)[0], 0.0010000000000000002);
  EXPECT_EQ(row(2)[0], 2.197) << "rounded at every step it would be 2.1970000000000005";
  EXPECT_EQ(row(3)[0], 1e300);
}

TEST_F(Features, ThatOverflowAreRefused) {
  table.columns[0] = number({1e200, 1, 1, 1});
  options.features = {"x^3"};
  const Error error = refusal();
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_EQ(error.message(), "feature \"x^3\" is too large for a number in one of the rows");
}

TEST_F(Features, UnknownColumnsAreRefusedWithTheNearestName) {
  options.drop = {"citty"};
  const Error error = refusal();
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_EQ(error.hint(), "did you mean --drop city?");
}

TEST_F(Features, ContradictionsAreRefused) {
  for (const auto& change : std::vector<std::function<void(FeatureOptions&)>>{
           [](FeatureOptions& o) { o.target = ""; }, [](FeatureOptions& o) { o.features = {"y"}; },
           [](FeatureOptions& o) {
             o.features = {"x", "x"};
           },
           [](FeatureOptions& o) { o.features = {"x"}, o.drop = {"x"}; },
           [](FeatureOptions& o) { o.derive = {"city^2"}; },
           [](FeatureOptions& o) { o.categorical = {"x"}, o.numeric = {"x"}; },
           [](FeatureOptions& o) { o.weight = "y"; }}) {
    options = FeatureOptions{};
    options.target = "y";
    change(options);
    EXPECT_EQ(refusal().code(), ErrorCode::usage);
  }
}

TEST_F(Features, TextThatIsDifferentInEveryRowIsLeftOutUnlessAskedFor) {
  table.rows = 60;
  std::vector<std::string> names;
  std::vector<double> numbers;
  for (int i = 0; i < 60; ++i) names.push_back("name" + std::to_string(i)), numbers.push_back(i);
  table.columns = {number(numbers), category(names), number(numbers), number(numbers)};
  learn();
  EXPECT_EQ(learnt.map.names(), (Names{"x", "z"}));
  ASSERT_EQ(learnt.warnings.size(), 1u);
  EXPECT_EQ(row(7), (Values{7, 7})) << "the columns behind the one left out keep their places";
  options.features = {"city", "z"};
  learn();
  EXPECT_EQ(learnt.map.features(), 60u);
  EXPECT_TRUE(learnt.map.sparse());
}

TEST_F(Features, NamesThatMeetAreRefused) {
  columns[0].name = "city=b";
  EXPECT_EQ(refusal().code(), ErrorCode::data);
}

TEST_F(Features, SelectFromNamesTheMissingColumn) {
  learn();
  MemorySource other({{"x", Kind::number}, {"ctiy", Kind::category}, {"z", Kind::number}},
                     table);
  try {
    learnt.map.select_from(other);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_EQ(error.hint(), "did you mean \"ctiy\"?");
  }
}

TEST(FeatureMap, BrokenPartsAreRefused) {
  using Parts = FeatureMap::Parts;
  const FeatureMap::Input x{"x", Kind::number, {}}, c{"c", Kind::category, {"a", "b"}};
  const FeatureMap::Term of_c{{}, 1, 0};
  EXPECT_NO_THROW(FeatureMap(Parts{{x, c}, {{{{0, 2}}, 0, {}}, of_c}}));
  for (const Parts& parts :
       {Parts{{x, x}, {}}, Parts{{{"x", Kind::number, {"a"}}}, {}}, Parts{{{"c", Kind::category, {"a", "a"}}}, {}},
        Parts{{x, c}, {{{{1, 1}}, 0, {}}}}, Parts{{x, c}, {{{{2, 1}}, 0, {}}}}, Parts{{x, c}, {{{{0, 0}}, 0, {}}}},
        Parts{{x, c}, {{{{0, 101}}, 0, {}}}}, Parts{{x, c}, {{{}, 0, {}}}}, Parts{{x, c}, {{{}, 1, 2}}},
        Parts{{x, c}, {of_c, of_c}}, Parts{{x, c}, {{std::vector<FeatureMap::Power>(65, {0, 1}), 0, {}}}}})
    EXPECT_THROW(FeatureMap{parts}, Error);
}

}  // namespace
}  // namespace plumb
