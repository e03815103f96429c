// The tables themselves: which one is chosen, and that all of them, here and on other machines, give the same bits.
#include "plumb/math/kernels.h"

#include "plumb/math/fingerprint.h"
#include "plumb/math/testing.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace plumb::math {
namespace {

TEST(Kernels, ScalarTableIsAlwaysThere) {
  ASSERT_NE(kernels_for(Simd::scalar), nullptr);
  EXPECT_EQ(kernels_for(Simd::scalar)->simd, Simd::scalar);
}

TEST(Kernels, TableIsTheOneAskedFor) {
  for (const Kernels* const table : testing::tables()) EXPECT_EQ(kernels_for(table->simd), table);
  EXPECT_EQ(kernels_for(kernels().simd), &kernels());
}

// Made on x86-64 (scalar and AVX2, g++ and clang++) and on aarch64 (scalar and NEON). A new value here means that
// results change for users: say so in the changelog.
TEST(Kernels, GiveTheSameBitsOnEveryMachine) {
  for (const Kernels* const table : testing::tables()) {
    EXPECT_EQ(testing::fingerprint(*table), 0x216dddc7b0571b02u) << name(table->simd);
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

}  // namespace
}  // namespace plumb::math
