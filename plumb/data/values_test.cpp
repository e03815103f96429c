#include "plumb/data/values.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "plumb/data/entry_sorter.h"

namespace plumb::values_test {
namespace {

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

// Runs of ones, floats and doubles, so that the form changes at any point.
rc::Gen<std::vector<double>> some_values() {
  return rc::gen::container<std::vector<double>>(
      rc::gen::oneOf(rc::gen::just(1.0), rc::gen::element(0.5, -0.0, 3.0, 0x1p-149, 3.4028234663852886e38),
                     rc::gen::element(0.1, 1e300, -5e-324, 3.4028234663852889e38,
                                      std::numeric_limits<double>::infinity(), std::nan("1"))));
}

RC_GTEST_PROP(ValuesProperty, EveryBitIsKeptHoweverTheValuesCome, ()) {
  const auto given = *some_values();
  const auto pushed = *rc::gen::inRange<std::size_t>(0, given.size() + 1);
  Values values;
  if (*rc::gen::arbitrary<bool>()) values.widen(Values::Form::bytes);
  for (std::size_t i = 0; i < pushed; ++i) values.push(given[i]);
  values.append(In(given).subspan(pushed));
  RC_ASSERT(values.size() == given.size());
  std::vector<double> decoded(given.size());
  values.decode(0, decoded);
  for (std::size_t i = 0; i < given.size(); ++i) {
    RC_ASSERT(bits(decoded[i]) == bits(given[i]));
    RC_ASSERT(bits(values[i]) == bits(given[i]));
  }
  const auto begin = *rc::gen::inRange<std::size_t>(0, given.size() + 1);
  const auto count = *rc::gen::inRange<std::size_t>(0, given.size() - begin + 1);
  std::vector<double> part(count);
  values.decode(begin, part);
  for (std::size_t i = 0; i < count; ++i) RC_ASSERT(bits(part[i]) == bits(given[begin + i]));
  std::vector<float> floats(count);
  if (values.form() != Values::Form::doubles) values.decode(begin, std::span(floats));
  for (std::size_t i = 0; i < count && values.form() != Values::Form::doubles; ++i)
    RC_ASSERT(bits(floats[i]) == bits(given[begin + i]));
}

TEST(Values, BytesStayBytesUntilOneIsNoCount) {
  Values values = Values::of(std::vector<std::uint8_t>{1, 255, 0});
  EXPECT_EQ(values.bytes(), 3u);
  values.push(7.0);
  values.append(std::vector<double>{2.0, 3.0});
  EXPECT_EQ(values.form(), Values::Form::bytes);
  values.truncate(5);
  Values widened = values;
  widened.push(256.0);
  EXPECT_EQ(widened.form(), Values::Form::floats);
  for (const double no_count : {-0.0, 0.5, -1.0}) {
    Values other = values;
    other.append(std::vector<double>{4.0, no_count});
    EXPECT_EQ(other.form(), Values::Form::floats);
    EXPECT_EQ(bits(other[6]), bits(no_count));
  }
  const std::vector<double> expected{1.0, 255.0, 0.0, 7.0, 2.0, 256.0};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(widened[i], expected[i]);
  values.push(0.1);
  EXPECT_EQ(values.form(), Values::Form::doubles);
  EXPECT_EQ(values[1], 255.0);
}

RC_GTEST_PROP(ValuesProperty, TheFormIsTheNarrowestThatKeepsThemAll, ()) {
  const auto given = *some_values();
  Values values;
  values.append(given);
  bool ones = true, floats = true;
  for (const double each : given) {
    ones = ones && each == 1;
    floats = floats && std::abs(each) <= 3.5e38 && static_cast<double>(static_cast<float>(each)) == each;
  }
  const auto expected = ones ? Values::Form::ones : floats ? Values::Form::floats : Values::Form::doubles;
  RC_ASSERT(values.form() == expected);
  RC_ASSERT(values.bytes() == given.size() * (ones ? 0u : floats ? 4u : 8u));
}

// The form may change inside a run of 16 or at its end, and a run that is not all floats is processed one by one.
TEST(Values, AppendedRunsKeepEveryBitWhereverTheFormWidens) {
  for (const double odd : {0.1, 1e300, -0.0, std::nan("1")})
    for (std::size_t at = 0; at < 40; ++at) {
      std::vector<double> given(40, 0.5);
      given[at] = odd;
      Values values;
      values.append(given);
      ASSERT_EQ(values.size(), 40u);
      EXPECT_EQ(values.form(), odd == 0 ? Values::Form::floats : Values::Form::doubles);
      for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(bits(values[i]), bits(given[i])) << odd << " " << at << " " << i;
    }
}

TEST(Values, AWiderFormHoldsTheSameValuesAndDoesNotNarrow) {
  Values values{1.0, 1.0};
  values.widen(Values::Form::floats);
  EXPECT_EQ(values.bytes(), 8u);
  values.push(2.0);
  values.widen(Values::Form::doubles);
  values.widen(Values::Form::ones);
  values.push(1.0);
  EXPECT_EQ(values.form(), Values::Form::doubles);
  EXPECT_EQ(std::vector<double>(values.doubles().begin(), values.doubles().end()),
            (std::vector<double>{1.0, 1.0, 2.0, 1.0}));
}

RC_GTEST_PROP(ValueWindowProperty, EveryPartIsWhatWasGivenInAnyOrderAndForm, ()) {
  const auto given = *some_values();
  const auto repeats = *rc::gen::inRange<std::size_t>(1, 600);  // so that a window ends before the values do
  std::vector<double> all;
  for (std::size_t i = 0; i < repeats; ++i) all.insert(all.end(), given.begin(), given.end());
  Values values;
  values.append(all);
  values.widen(*rc::gen::element(Values::Form::ones, Values::Form::bytes, Values::Form::floats, Values::Form::doubles));
  Values others{0.25, 1.0, 3.0};
  ValueWindow window;
  for (int part = 0; part < 20; ++part) {
    if (part % 5 == 4) {  // another column in between uses the same buffer
      window.look_at(others);
      RC_ASSERT(window.part(2, 1)[0] == 3.0);
    }
    if (part % 5 == 0 || part % 5 == 4) window.look_at(values);
    const auto begin = *rc::gen::inRange<std::size_t>(0, all.size() + 1);
    const auto count = *rc::gen::inRange<std::size_t>(0, all.size() - begin + 1);
    const In seen = window.part(begin, count);
    RC_ASSERT(seen.size() == count);
    for (std::size_t i = 0; i < count; ++i) RC_ASSERT(bits(seen[i]) == bits(all[begin + i]));
  }
}

TEST(Values, TruncatedValuesGoOnInTheFormTheyHave) {
  Values values;
  for (const double each : {1.0, 0.5, 0.1, 2.0}) values.push(each);
  values.truncate(1);
  values.push(1.0);
  EXPECT_EQ(values.size(), 2u);
  EXPECT_EQ(values.form(), Values::Form::doubles);
  EXPECT_EQ(values[0] + values[1], 2.0);
}

RC_GTEST_PROP(EntrySorterProperty, ARowIsSortedByIndexAndRowsBeforeItStay, ()) {
  const auto given = *rc::gen::container<std::vector<std::pair<std::uint32_t, std::uint8_t>>>(
      rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, 9), rc::gen::arbitrary<std::uint8_t>()));
  Entries entries;
  entries.index = {7, 3};
  entries.value.append(std::vector<double>{0.1, 0.2});
  for (const auto& [index, value] : given) {
    entries.index.push_back(index);
    entries.value.push(value);
  }
  EntrySorter().sort(entries, 2);
  auto expected = given;
  std::stable_sort(expected.begin(), expected.end(), [](auto a, auto b) { return a.first < b.first; });
  RC_ASSERT(entries.index[0] == 7u && entries.index[1] == 3u && entries.value[1] == 0.2);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    RC_ASSERT(entries.index[2 + i] == expected[i].first);
    RC_ASSERT(entries.value[2 + i] == static_cast<double>(expected[i].second));
  }
}

}  // namespace
}  // namespace plumb::values_test
