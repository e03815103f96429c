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
      {"axpy", 0xf20662d82ee1183f},
      {"count_axpy", 0x8795f0bde4299d7c},
      {"count_dot", 0x1299b32b2971f314},
      {"dot", 0x6f33ee76ef6a4e1e},
      {"dot2", 0x41b56bb1a9cc8b8e},
      {"dots", 0x225076765e438344},
      {"dots_by_row", 0x430c87a86304269b},
      {"eliminate8", 0x3ec8cc1495f0f6ea},
      {"eliminate8_dd", 0xb16c627dbf9cce57},
      {"exp", 0x04e3e5414377bab3},
      {"expm1", 0xe7b0e59cad0d92bc},
      {"gram_add", 0xb3795fd7d1023cf1},
      {"gram_pack", 0xac1a9260620b5687},
      {"gram_panels_add", 0x204465723ce44d35},
      {"index_range", 0x5aef998bc15effe8},
      {"left_out8", 0x81c197b71dcfcd63},
      {"lockstep_axpys_exact", 0xec04a13319d9cf8b},
      {"lockstep_dots", 0x94eb9ca8fb6404f1},
      {"lockstep_dots_exact", 0x7ed9eafaaef9d9a0},
      {"lockstep_logistic", 0xd2e7c5023e21b213},
      {"log", 0xa4b78206306d9e41},
      {"log1p", 0x8ce6460f0250a13f},
      {"log1p_exp", 0x1d8142420fb2857c},
      {"log_sigmoid", 0x06bfcf8dd3551986},
      {"log_sigmoid_sum", 0xc6ec277d4a5f4ab3},
      {"log_sum_exp", 0x00fd6bad99a40979},
      {"moments_about_add", 0xb4d705699bf3a08a},
      {"odds_losses", 0x29c0e84c0f33d7d8},
      {"residuals", 0x48bcd6ba066103be},
      {"scale", 0x9020a7b987f50bf9},
      {"scale_shift", 0xfd9220d736a2cadd},
      {"sigmoid", 0x46caec59ce0cdd4b},
      {"softmax", 0x84d14a3ac58ed8c3},
      {"sort_keys", 0xfda71aa5abb968ad},
      {"sparse_axpy", 0x618667b88310bb08},
      {"sparse_axpy_float", 0xcf2a96a22397fa95},
      {"sparse_axpys", 0x9bcbebcc14250472},
      {"sparse_dot", 0xb30a50ab8c95f76f},
      {"sparse_dot2", 0x010196e1b0e47b7e},
      {"sparse_dot_byte", 0x340eb11e27f67f2e},
      {"sparse_dot_float", 0x7d8f584c9655b576},
      {"sparse_dots", 0x321440d0bb5ba5be},
      {"sparse_gram_add", 0x956fe0c87383d182},
      {"sparse_sum", 0x0f90952840f5b17a},
      {"sparse_sums", 0x1be4c47f0104accc},
      {"squares_about", 0x98e9ff598b3775eb},
      {"sum", 0x1ac938a080e9079a},
      {"times8", 0x4e8952b1d9ecb17b},
      {"transpose_times_add", 0x8e34de3b67efbbca},
      {"transpose_times_dd_add", 0xef15a04692dcc8d0},
      {"weighted_moments_add", 0x3a6c085a7dc743e1},
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

// The choice is made once per process, so each case runs in its own process.
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
  for (const char* known : {"", "scalar"}) {
    setenv("PLUMB_SIMD", known, 1);
    EXPECT_NO_THROW(expect_known_simd()) << known;
  }
  for (const Simd simd : {Simd::avx2, Simd::avx512, Simd::neon}) {
    setenv("PLUMB_SIMD", name(simd), 1);
    if (kernels_for(simd) != nullptr)
      EXPECT_NO_THROW(expect_known_simd()) << name(simd);
    else
      EXPECT_THROW(expect_known_simd(), Error) << name(simd);
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
