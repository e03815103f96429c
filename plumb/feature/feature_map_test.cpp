// rows: R1 R2
#include "plumb/feature/feature_map.h"

#include <gtest/gtest.h>

#include <limits>
#include <tuple>

#include "plumb/base/error.h"
#include "plumb/base/testing.h"
#include "plumb/data/batch.h"
#include "plumb/feature/features_testing.h"

namespace plumb::feature_map_test {
namespace {

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

TEST_F(Features, AnOffsetIsTheLastFeatureAndNoOtherUnlessAskedFor) {
  options.offset = "x";
  learn();
  EXPECT_EQ(learnt.map.names(), (Names{"city=b", "city=", "z", "offset(x)"}));
  EXPECT_EQ(learnt.map.offset(), 3u);
  EXPECT_EQ(row(3), (Values{1, 0, 10, 4}));
  options.features = {"x"};
  learn();
  EXPECT_EQ(learnt.map.names(), (Names{"x", "offset(x)"}));
  EXPECT_EQ(row(3), (Values{4, 4}));
}

TEST_F(Features, NothingStandsInForAMissingOffset) {
  options.offset = "x";
  options.missing = Missing::mean;
  learn();
  for (const FeatureMap::Input& input : learnt.map.parts().inputs)
    EXPECT_EQ(input.fill.has_value(), input.name == "z") << input.name;
  MemorySource source(columns, table);
  for (const Selected& each : plan_features(source, options).selected)
    EXPECT_EQ(each.if_missing == IfMissing::keep, each.column == 1 || each.column == 2) << each.column;
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
  EXPECT_STREQ(error.what(), "row 1: feature \"x^3\" is too large: numbers end at 1.8e308");
  table.columns[0] = number({1, 1, 1e200, 1});
  table.file = "data.csv";
  table.lines = {{0, 2}, {2, 9}};
  EXPECT_STREQ(refusal().what(), "data.csv:9: feature \"x^3\" is too large: numbers end at 1.8e308");
}

TEST_F(Features, ThatOverflowOnlyOnTheWayAreNot) {
  table.columns[0] = number({1e200, 1, 1, 1});
  table.columns[2] = number({1e-300, 1, 1, 1});
  options.features = {"x^2*z"};
  learn();
  EXPECT_DOUBLE_EQ(row(0)[0], 1e100);
}

TEST_F(Features, AWeightThatCannotBeUsedIsRefusedWithItsRow) {
  options.weight = "z";
  table.file = "data.csv";
  table.lines = {{0, 2}};
  table.columns[2] = number({1, 0, 0.5, 1e-300});
  learn();
  EXPECT_EQ(piece.weights, (Values{1, 0, 0.5, 1e-300}));
  table.columns[2] = number({1, 0, -0.5, -1});
  EXPECT_STREQ(refusal().what(), "data.csv:4: the weight of this row is -0.5; at least 0 was expected");
  EXPECT_EQ(refusal().hint(), "a weight of 0 leaves the row out");
  table.columns[2] = number({1, 1e-310, -0.5, 1});
  EXPECT_STREQ(
      refusal().what(),
      "data.csv:3: the weight of this row, 1e-310, is too small to be used; 0 or at least 2.3e-308 was expected");
  table.columns[2] = number({1, 1, std::numeric_limits<double>::min(), -0.0});
  EXPECT_EQ(refusal().message(), "accepted");
}

TEST_F(Features, TheFirstBadRowIsNamedWhateverIsWrongWithIt) {
  options.weight = "z";
  options.features = {"x^3"};
  table.columns[2] = number({1, -1, 1, 1});
  table.columns[0] = number({1, 1, 1e200, 1});
  EXPECT_STREQ(refusal().what(), "row 2: the weight of this row is -1; at least 0 was expected");
  std::swap(table.columns[0].numbers.own()[1], table.columns[0].numbers.own()[2]);
  std::swap(table.columns[2].numbers.own()[1], table.columns[2].numbers.own()[2]);
  EXPECT_STREQ(refusal().what(), "row 2: feature \"x^3\" is too large: numbers end at 1.8e308");
}

TEST_F(Features, ACategoryTargetBecomesThePlacesOfItsSortedLabels) {
  options.target = "city";
  table.columns[1] = category({"b", "a", "c", "b"});
  learn();
  EXPECT_EQ(learnt.layout.labels, (Names{"a", "b", "c"}));
  EXPECT_EQ(piece.targets, (Values{1, 0, 2, 1}));
  table.columns[1] = category({"10", "9", "9.0", "10"});
  learn();
  EXPECT_EQ(learnt.layout.labels, (Names{"9", "10"}));
  EXPECT_EQ(piece.targets, (Values{1, 0, 0, 1}));
}

TEST_F(Features, ALabelThatTrainingDidNotSeeIsRefusedWithItsRow) {
  options.target = "city";
  table.columns[1] = category({"b", "a", "c", ""});
  RowSet rows(4);
  rows.add(0);
  rows.add(1);
  const auto said = [&](const RowSet& training) {
    try {
      learn({}, training);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(said(rows), "row 3: the label \"c\" is in none of the training rows");
  rows.add(2);
  EXPECT_EQ(said(rows), "row 4: the target is empty here; a label was expected");
}

// However the rows are cut into pieces, and whichever thread is first.
TEST_F(Features, TheUnseenValueNamedIsThatOfTheLowestRowAndTerm) {
  columns[0] = {"sex", Kind::category};
  const std::vector<std::string> sexes(64, "m"), cities(64, "a");
  for (const auto& [sex_row, city_row, expected] :
       {std::tuple{40, 33, "city=x33"}, std::tuple{20, 50, "sex=x20"}, std::tuple{30, 30, "sex=x30"}}) {
    std::vector<std::string> sex = sexes, city = cities;
    for (int row = sex_row; row < 64; ++row) sex[static_cast<std::size_t>(row)] = "x" + std::to_string(row);
    for (int row = city_row; row < 64; ++row) city[static_cast<std::size_t>(row)] = "x" + std::to_string(row);
    RowSet training(64);
    training.add(0);
    for (const std::size_t cut : {1u, 7u, 64u})
      for (const unsigned threads : sweep_of({1u, 2u, 7u})) {
        Tables tables;
        for (std::size_t from = 0; from < 64; from += cut) {
          const std::size_t to = std::min<std::size_t>(from + cut, 64);
          const auto part = [&](const std::vector<std::string>& all) {
            return category(
                {all.begin() + static_cast<std::ptrdiff_t>(from), all.begin() + static_cast<std::ptrdiff_t>(to)});
          };
          Table each;
          each.rows = to - from;
          each.first_row = from;
          const std::vector<double> numbers(to - from, 1.0);
          each.columns = {part(sex), part(city), number(numbers), number(numbers)};
          tables.pieces.push_back(each);
          tables.rows += each.rows;
        }
        MemorySource source(columns, table);
        const Learnt result = learn_features(tables, plan_features(source, options), training, {});
        Executor executor(threads);
        FeatureMap::Unseen found;
        result.map.apply(std::move(tables), result.layout, found, plumb::Run{executor});
        EXPECT_EQ(found.first, expected);
        EXPECT_EQ(found.values, static_cast<std::uint64_t>(128 - sex_row - city_row));
      }
  }
}

TEST_F(Features, UnknownColumnsAreRefusedWithTheNearestName) {
  options.drop = {"citty"};
  const Error error = refusal();
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_EQ(error.hint(), "did you mean --drop city?");
  options = {};
  options.target = "y";
  options.derive = {"citty^2"};
  EXPECT_EQ(refusal().hint(), "did you mean city?") << "not the whole expression";
}

TEST_F(Features, HintsCanBeTypedWhateverTheNames) {
  columns[1].name = "the city, or town";
  options.drop = {"the city or town"};
  EXPECT_EQ(refusal().hint(), "did you mean --drop '\"the city, or town\"'?") << "an option that takes a list";
  options = {};
  options.target = "the city or town";
  EXPECT_EQ(refusal().hint(), "did you mean --target 'the city, or town'?") << "an option that takes one name";
  options = {};
  columns.back().name = "it's";
  EXPECT_EQ(refusal().hint(), "-t 'it'\\''s'");
  options.target = "it's";
  options.derive = {"\"the city, or town\"^2"};
  EXPECT_EQ(refusal().hint(), "--numeric '\"the city, or town\"' reads it as numbers");
}

TEST_F(Features, ATargetOfTextIsNamedByItsFirstTextWhereNumbersAreNeeded) {
  const auto said = [&] {
    MemorySource source(columns, table);
    const Error error = not_a_numeric_target(source, plan_features(source, options), "least-squares");
    return std::string(error.what()) + " | " + error.hint();
  };
  options.target = "city";
  columns[1].first_text = "b";
  columns[1].first_text_place = {"data.csv", 2, 3};
  EXPECT_EQ(
      said(),
      "data.csv:2:3: the target column \"city\" holds \"b\", which is not a number; least-squares needs numbers | "
      "-m logistic predicts labels");
  columns[1].first_text = "";
  EXPECT_EQ(
      said(),
      "memory: the target column \"city\" is empty in the first rows; least-squares needs numbers | --target names "
      "another column");
  options.target = "y";
  options.categorical = {"y"};
  EXPECT_EQ(said(),
            "memory: the target column \"y\" is named by --categorical; least-squares needs numbers | leave out "
            "--categorical y");
}

TEST_F(Features, ContradictionsAreRefused) {
  for (const auto& change : std::vector<std::function<void(FeatureOptions&)>>{
           [](FeatureOptions& o) { o.features = {"y"}; },
           [](FeatureOptions& o) {
             o.features = {"x", "x"};
           },
           [](FeatureOptions& o) { o.features = {"x"}, o.drop = {"x"}; },
           [](FeatureOptions& o) { o.derive = {"city^2"}; },
           [](FeatureOptions& o) { o.categorical = {"x"}, o.numeric = {"x"}; },
           [](FeatureOptions& o) { o.weight = "y"; }, [](FeatureOptions& o) { o.drop = {"y"}; },
           [](FeatureOptions& o) { o.weight = "x", o.drop = {"x"}; }, [](FeatureOptions& o) { o.offset = "y"; },
           [](FeatureOptions& o) { o.offset = "city"; }, [](FeatureOptions& o) { o.offset = "q"; },
           [](FeatureOptions& o) { o.offset = "x", o.weight = "x"; },
           [](FeatureOptions& o) { o.offset = "x", o.drop = {"x"}; }}) {
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
  EXPECT_EQ(refusal().message(), "two features are called \"city=b\"; every feature needs a name of its own");
}

TEST_F(Features, SelectFromNamesTheMissingColumn) {
  learn();
  MemorySource other({{"x", Kind::number}, {"ctiy", Kind::category}, {"z", Kind::number}}, table);
  try {
    learnt.map.select_from(other);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_EQ(error.hint(), "did you mean \"ctiy\"?");
  }
}

TEST_F(Features, SelectFromFindsTargetAndWeightAndKeepsTheLabels) {
  learn();
  MemorySource other({{"y", Kind::number}, {"z", Kind::number}, {"city", Kind::category}, {"x", Kind::number}}, table);
  const TableLayout plain = learnt.map.select_from(other);
  EXPECT_EQ(plain.inputs, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_FALSE(plain.target || plain.weight);
  const TableLayout layout = learnt.map.select_from(other, {.target = "y", .labels = {"a", "b"}, .weight = "z"});
  EXPECT_EQ(layout.target, 3u);
  EXPECT_EQ(layout.weight, 4u);
  EXPECT_EQ(layout.labels, (Names{"a", "b"}));
  EXPECT_EQ(other.wanted()[3].column, 0u);
  EXPECT_EQ(other.wanted()[3].kind, Kind::category) << "a target with labels is a category";
  EXPECT_EQ(other.wanted()[4].column, 1u);
  EXPECT_TRUE(other.wanted()[4].needed);
  EXPECT_THROW(learnt.map.select_from(other, {.target = "none"}), Error);
}

TEST(FeatureMap, BrokenPartsAreRefused) {
  using Parts = FeatureMap::Parts;
  const FeatureMap::Input x{"x", Kind::number, {}}, c{"c", Kind::category, {"a", "b"}};
  const Term of_c = CategoryTerm{1, 0};
  EXPECT_NO_THROW(FeatureMap(Parts{{x, c}, {ProductTerm{{{0, 2}}}, of_c}}));
  for (const Parts& parts :
       {Parts{{x, x}, {}}, Parts{{{"x", Kind::number, {"a"}}}, {}}, Parts{{{"c", Kind::category, {"a", "a"}}}, {}},
        Parts{{x, c}, {ProductTerm{{{1, 1}}}}}, Parts{{x, c}, {ProductTerm{{{2, 1}}}}},
        Parts{{x, c}, {ProductTerm{{{0, 0}}}}}, Parts{{x, c}, {ProductTerm{{{0, 101}}}}},
        Parts{{x, c}, {CategoryTerm{0, {}}}}, Parts{{x, c}, {CategoryTerm{1, 2}}}, Parts{{x, c}, {of_c, of_c}},
        Parts{{x, c}, {ProductTerm{std::vector<Power>(65, {0, 1})}}}, Parts{{x, c}, {OffsetTerm{1}}},
        Parts{{x, c}, {OffsetTerm{2}}}, Parts{{x, c}, {OffsetTerm{0}, OffsetTerm{0}}}})
    EXPECT_THROW(FeatureMap{parts}, Error);
  const FormulaTerm formula{Formula::parse("log(x)"), {0}};
  EXPECT_NO_THROW(FeatureMap(Parts{{x, c}, {formula, CrossTerm{{0, {}}, {1, 1}}}}));
  for (const Term& term : std::initializer_list<Term>{
           FormulaTerm{formula.formula, {}}, FormulaTerm{formula.formula, {1}}, FormulaTerm{formula.formula, {2}},
           FormulaTerm{Formula::parse("log(y)"), {0}}, CrossTerm{{0, {}}, {0, {}}}, CrossTerm{{1, 0}, {1, 0}},
           CrossTerm{{0, {}}, {1, 2}}, CrossTerm{{0, 0}, {1, 0}}, CrossTerm{{0, {}}, {2, {}}}, ProductTerm{}})
    EXPECT_THROW(FeatureMap(Parts{{x, c}, {term}}), Error);
}

// Crosses by hand: a number with a category, two categories, and which levels have features.
TEST(FeatureMap, ACrossHasAFeatureForEveryPairOfLevels) {
  const FeatureMap::Input x{"x", Kind::number, {}}, c{"c", Kind::category, {"a", "b"}},
      d{"d", Kind::category, {"p", "q", "r"}};
  const FeatureMap map(
      {{x, c, d}, {CrossTerm{{0, {}}, {1, {}}}, CrossTerm{{1, 0}, {2, 1}}, CrossTerm{{2, {}}, {1, {}}}}});
  EXPECT_EQ(map.names(), (std::vector<std::string>{"x*c=a", "x*c=b", "c=b*d=p", "c=b*d=r", "d=p*c=a", "d=p*c=b",
                                                   "d=q*c=a", "d=q*c=b", "d=r*c=a", "d=r*c=b"}));
  Table table;
  table.rows = 3;
  table.columns = {{Kind::number, {2, 3, 0}, {}, {}},
                   {Kind::category, {}, {1, 0, 1}, {"a", "b"}},
                   {Kind::category, {}, {0, 1, 2}, {"r", "q", "new"}}};
  FeatureMap::Unseen unseen;
  const Piece piece = map.apply(table, {.inputs = {0, 1, 2}}, unseen);
  const auto dense = [&](std::uint64_t r) {
    std::vector<double> row(map.features());
    write_row(PieceRows(piece).row(r), row);
    return row;
  };
  EXPECT_EQ(dense(0), (std::vector<double>{0, 2, 0, 1, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(dense(1), (std::vector<double>{3, 0, 0, 0, 0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(dense(2), (std::vector<double>(10)));
  EXPECT_EQ(unseen.first, "d=new");
}

// Tiles are 256 rows: the error names the first bad row wherever it is, before a later row with another fault.
TEST(FeatureMap, AFormulaWithoutAValueNamesTheRow) {
  const FeatureMap map({{{"x", Kind::number, {}}}, {FormulaTerm{Formula::parse("log(x)"), {0}}}});
  for (const std::uint64_t bad : {0u, 1u, 255u, 256u, 300u, 511u}) {
    Table table;
    table.rows = 512;
    table.columns = {{Kind::number, std::vector<double>(512, 2.0), {}, {}},
                     {Kind::number, std::vector<double>(512, 1.0), {}, {}}};
    FeatureMap::Unseen unseen;
    const Piece good = map.apply(table, {.inputs = {0}}, unseen);
    EXPECT_EQ(good.values[bad], good.values[0]);
    table.columns[0].numbers.own()[bad] = -1;
    if (bad + 1 < 512) table.columns[1].numbers.own()[bad + 1] = -1;
    try {
      map.apply(table, {.inputs = {0}, .weight = 1}, unseen);
      FAIL() << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.message(), "row " + std::to_string(bad + 1) + ": log(x) has no finite value at x = -1");
    }
  }
}

}  // namespace
}  // namespace plumb::feature_map_test
