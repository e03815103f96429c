// The tables themselves: which one is chosen, and that all of them, here and on other machines, give the same bits.
#include "plumb/math/kernels.h"

#include "plumb/base/error.h"
#include "plumb/math/fingerprint.h"
#include "plumb/math/simd.h"
#include "plumb/math/testing.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

namespace plumb::math::kernels_test {
namespace {

TEST(Kernels, ScalarTableIsAlwaysThere) {
  ASSERT_NE(kernels_for(Simd::scalar), nullptr);
  EXPECT_EQ(kernels_for(Simd::scalar)->simd, Simd::scalar);
}

TEST(Kernels, TableIsTheOneAskedFor) {
  for (const Kernels* const table : testing::tables()) EXPECT_EQ(kernels_for(table->simd), table);
  EXPECT_EQ(kernels_for(kernels().simd), &kernels());
}

// A new value here means that results change for users: say so in the changelog.
TEST(Kernels, GiveTheSameBitsOnEveryMachine) {
  const std::map<std::string, std::uint64_t> expected = {
#include "/tmp/expected.inc"
  };
  for (const Kernels* const table : testing::tables())
    for (const auto& [kernel, print] : testing::fingerprints(*table)) {
      const auto found = expected.find(kernel);
      if (found == expected.end()) {
        ADD_FAILURE() << "a line is missing here: {\"" << kernel << "\", 0x" << std::hex << print << "},";
        continue;
      }
      EXPECT_EQ(print, found->second) << kernel << " of " << name(table->simd);
    }
}

// The choice is made once per process, so each case runs in a process of its own.
class PlumbSimd : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static void expect(const char* value, Simd simd) {
    setenv("PLUMB_SIMD", value, 1);
    EXPECT_EXIT(std::exit(kernels().simd == simd ? 0 : 1), ::testing::ExitedWithCode(0), "") << value;
    unsetenv("PLUMB_SIMD");
  }
};

TEST_F(PlumbSimd, NamesATable) {
  for (const Kernels* const table : testing::tables()) expect(name(table->simd), table->simd);
}

TEST_F(PlumbSimd, IsIgnoredWhereTheMachineCannotRunIt) {
  const Simd best = testing::tables().back()->simd;
  expect("no such thing", best);
  expect("", best);
  for (const Simd simd : {Simd::avx2, Simd::avx512, Simd::neon}) {
    if (kernels_for(simd) == nullptr) expect(name(simd), best);
  }
}

TEST_F(PlumbSimd, IsAnErrorForAProgramThatAsksIfItIsNoName) {
  unsetenv("PLUMB_SIMD");
  EXPECT_NO_THROW(expect_known_simd());
  for (const char* known : {"", "scalar", "avx2", "avx512", "neon"}) {
    setenv("PLUMB_SIMD", known, 1);
    EXPECT_NO_THROW(expect_known_simd()) << known;
  }
  const std::pair<const char*, const char*> cases[] = {
      {"foo", "unset PLUMB_SIMD"}, {"AVX2", "PLUMB_SIMD=avx2"}, {"scaler", "PLUMB_SIMD=scalar"}};
  for (const auto& [unknown, hint] : cases) {
    setenv("PLUMB_SIMD", unknown, 1);
    try {
      expect_known_simd();
      ADD_FAILURE() << unknown;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_EQ(error.message(),
                "PLUMB_SIMD is \"" + std::string(unknown) + "\"; one of avx512, avx2, neon, scalar was expected");
      EXPECT_EQ(error.hint(), hint);
    }
  }
  unsetenv("PLUMB_SIMD");
}

}  // namespace
}  // namespace plumb::math::kernels_test
