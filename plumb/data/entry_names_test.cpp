#include "plumb/data/entry_names.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace plumb::entry_names_test {
namespace {

// A piece of one row that holds the given names, or numbers.
Table piece_of(std::vector<std::string> names, std::vector<std::uint32_t> numbers = {}) {
  Table table{.rows = 1, .columns = {Column{.kind = Kind::sparse}}};
  Entries& entries = table.columns[0].entries;
  for (std::uint32_t i = 0; i < names.size(); ++i) numbers.push_back(i);
  entries.names = std::move(names);
  for (const std::uint32_t number : numbers) {
    entries.index.push_back(number);
    entries.value.push(1.0);
  }
  entries.offsets.push_back(entries.index.size());
  return table;
}

TEST(EntryNames, PutNumbersInOrderAndThenNamesBytewise) {
  const Tables tables{{piece_of({"z", "f10", "a^b", "f2"}), piece_of({"f010", "f2", "f", "F2"})}, 2};
  const EntryNames names(tables, 0);
  EXPECT_EQ(names.names(), (std::vector<std::string>{"f2", "f10", "F2", "a^b", "f", "f010", "z"}));
  EXPECT_EQ(names.size(), 7u);
  const auto places = names.places(tables.pieces[0].columns[0].entries);
  EXPECT_EQ((std::vector<std::uint32_t>{places[0], places[1], places[2], places[3]}),
            (std::vector<std::uint32_t>{6, 1, 3, 0}));
}

TEST(EntryNames, GiveTheNumberThreeAndTheNameF3OnePlace) {
  const Tables tables{{piece_of({}, {3, 7}), piece_of({"f7", "f3"})}, 2};
  const EntryNames names(tables, 0);
  EXPECT_EQ(names.names(), (std::vector<std::string>{"f3", "f7"}));
  EXPECT_EQ(names.places(tables.pieces[0].columns[0].entries)[7], 1u);
  EXPECT_EQ(names.places(tables.pieces[1].columns[0].entries)[0], 1u);
}

RC_GTEST_PROP(EntryNames, FindEveryNumberInItsPlace, ()) {
  std::set<std::uint32_t> numbers;
  for (const std::uint32_t least : {0u, 70'000'000u, 4'294'900'000u})
    for (const std::uint32_t number :
         *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 65'000)))
      numbers.insert(least + number);
  const Tables tables{{piece_of({}, {numbers.begin(), numbers.end()})}, 1};
  const EntryNames names(tables, 0);
  const auto places = names.places(tables.pieces[0].columns[0].entries);
  const std::vector<std::string> all = names.names();
  RC_ASSERT(all.size() == numbers.size());
  for (const std::uint32_t number : numbers) RC_ASSERT(all[places[number]] == numbered_name(number));
}

TEST(NumberInName, IsThatOfTheOneSpelling) {
  EXPECT_EQ(number_in_name("f0"), 0u);
  EXPECT_EQ(number_in_name("f31"), 31u);
  EXPECT_EQ(number_in_name("f4294967294"), 4294967294u);
  for (const char* name :
       {"", "f", "3", "f03", "f00", "F3", "f3 ", "f 3", "f+3", "f-3", "f3a", "f4294967295", "f99999999999999999999"})
    EXPECT_EQ(number_in_name(name), std::nullopt) << name;
}

TEST(FeatureNumbers, KeepThoseInNamesAndGiveTheOthersTheFreeOnes) {
  const std::vector<std::string> names = {"b", "f2", "a", "f0", "c"};
  EXPECT_EQ(feature_numbers(names), (std::vector<std::uint32_t>{1, 2, 3, 0, 4}));
}

RC_GTEST_PROP(FeatureNumbers, AreAllDifferent, ()) {
  const auto drawn = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("f1", "f2", "f3", "f5", "f8", "a", "b", "c", "d", "f01"));
  const std::set<std::string> names(drawn.begin(), drawn.end());
  const std::vector<std::string> given(names.begin(), names.end());
  const std::vector<std::uint32_t> numbers = feature_numbers(given);
  RC_ASSERT(std::set<std::uint32_t>(numbers.begin(), numbers.end()).size() == names.size());
}

}  // namespace
}  // namespace plumb::entry_names_test
