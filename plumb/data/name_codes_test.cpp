#include "plumb/data/name_codes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace plumb::name_codes_test {
namespace {

RC_GTEST_PROP(NameCodesProperty, NamesAreNumberedInOrderOfFirstAppearance, ()) {
  const auto given = *rc::gen::container<std::vector<std::string>>(
      rc::gen::container<std::string>(rc::gen::element('a', 'b', '\0', '\xff')));
  NameCodes codes;
  std::vector<std::string> names;
  std::map<std::string, std::uint32_t> expected;
  for (const std::string& name : given) {
    const auto code = expected.emplace(name, static_cast<std::uint32_t>(expected.size())).first->second;
    RC_ASSERT(codes.code(name, names) == code);
    RC_ASSERT(names[code] == name);
  }
  RC_ASSERT(names.size() == expected.size());
}

TEST(NameCodes, ManyNamesThatDifferInOneByteAreAllTheirOwn) {
  NameCodes codes;
  std::vector<std::string> names;
  for (int round = 0; round < 2; ++round)
    for (std::uint32_t i = 0; i < 100000; ++i) ASSERT_EQ(codes.code("namespace^feature" + std::to_string(i), names), i);
  EXPECT_EQ(names.size(), 100000u);
}

}  // namespace
}  // namespace plumb::name_codes_test
