// Compiles every kernel once per target (Highway includes this file again for each) and chooses among the tables.
// Highway's own run-time choice is not used: it needs its library and keeps a mutable global.

// AVX2, AVX-512, NEON and one portable target (SCALAR, not EMU128, which g++ before 12.3 miscompiles); others would add
// size and no speed. Without PCLMUL, AES and F16C a target needs exactly the features that runs_avx2 and runs_avx512
// check.
#ifndef PLUMB_MATH_TARGETS
#define PLUMB_MATH_TARGETS
#ifdef PLUMB_WITHOUT_AVX512
#define PLUMB_LEFT_OUT HWY_AVX3
#else
#define PLUMB_LEFT_OUT 0
#endif
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | PLUMB_LEFT_OUT)
#define HWY_BROKEN_EMU128 1
#define HWY_COMPILE_ALL_ATTAINABLE
#define HWY_DISABLE_PCLMUL_AES
#define HWY_DISABLE_F16C
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plumb/math/kernels.cpp"
#include <hwy/foreach_target.h>

#include "plumb/math/kernels.h"

#include "plumb/math/column_sums-inl.h"
#include "plumb/math/dense-inl.h"
#include "plumb/math/gram-inl.h"
#include "plumb/math/lockstep-inl.h"
#include "plumb/math/sort-inl.h"
#include "plumb/math/sparse-inl.h"
#include "plumb/math/special-inl.h"

#include "plumb/base/choices.h"
#include "plumb/base/error.h"
#include "plumb/base/text.h"
#include "plumb/math/simd.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace plumb::math {
namespace HWY_NAMESPACE {

constexpr Kernels table(Simd simd) {
  return {.simd = simd,
#define PLUMB_MEMBER(name, f) .name = {for_many<f>, for_one<f>},
          PLUMB_FUNCTIONS(PLUMB_MEMBER)
#undef PLUMB_MEMBER
#define PLUMB_MEMBER(step, result, name, arguments, ...) .name = __VA_ARGS__,
              PLUMB_KERNELS(PLUMB_MEMBER)
#undef PLUMB_MEMBER
  };
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::math {
namespace {

constexpr Kernels scalar_table = N_SCALAR::table(Simd::scalar);
#if HWY_TARGETS & HWY_AVX2
constexpr Kernels avx2_table = N_AVX2::table(Simd::avx2);

// Also checks that the operating system saves the registers.
bool runs_avx2() noexcept {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
}
#endif
#if HWY_TARGETS & HWY_AVX3
constexpr Kernels avx512_table = N_AVX3::table(Simd::avx512);

bool runs_avx512() noexcept {
  return runs_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
}
#endif
#if HWY_TARGETS & HWY_NEON
constexpr Kernels neon_table = N_NEON::table(Simd::neon);  // part of every 64-bit Arm
#endif

constexpr Simd best_first[] = {Simd::avx512, Simd::avx2, Simd::neon, Simd::scalar};

const Kernels& choose() noexcept {
  if (const char* wanted = std::getenv("PLUMB_SIMD")) {
    for (const Simd simd : best_first) {
      const Kernels* const found = std::strcmp(wanted, name(simd)) == 0 ? kernels_for(simd) : nullptr;
      if (found != nullptr) return *found;
    }
  }
  for (const Simd simd : best_first) {
    if (const Kernels* const found = kernels_for(simd)) return *found;
  }
  return scalar_table;
}

}  // namespace

const char* name(Simd simd) noexcept {
  switch (simd) {
    case Simd::scalar: return "scalar";
    case Simd::avx2: return "avx2";
    case Simd::avx512: return "avx512";
    case Simd::neon: return "neon";
  }
  return "unknown";
}

void expect_known_simd() {
  const char* const wanted = std::getenv("PLUMB_SIMD");
  if (wanted == nullptr || *wanted == '\0') return;
  std::vector<std::string> names;
  for (const Simd simd : best_first) {
    if (std::strcmp(wanted, name(simd)) == 0) {
      if (kernels_for(simd) != nullptr) return;
      throw Error(ErrorCode::usage,
                  std::string("PLUMB_SIMD is ") + wanted + ", which this processor or build does not have",
                  "unset PLUMB_SIMD to use the best it has");
    }
    names.emplace_back(name(simd));
  }
  const std::string meant = nearest(wanted, names);
  throw Error(ErrorCode::usage, "PLUMB_SIMD is " + in_quotes(wanted) + "; " + one_of(names) + " was expected",
              meant.empty() ? "unset PLUMB_SIMD" : "PLUMB_SIMD=" + meant);
}

const Kernels* kernels_for(Simd simd) noexcept {
  switch (simd) {
    case Simd::scalar: return &scalar_table;
#if HWY_TARGETS & HWY_AVX2
    case Simd::avx2: return runs_avx2() ? &avx2_table : nullptr;
#endif
#if HWY_TARGETS & HWY_AVX3
    case Simd::avx512: return runs_avx512() ? &avx512_table : nullptr;
#endif
#if HWY_TARGETS & HWY_NEON
    case Simd::neon: return &neon_table;
#endif
    default: return nullptr;
  }
}

const Kernels& kernels() noexcept {
  static const Kernels& chosen = choose();
  return chosen;
}

}  // namespace plumb::math
#endif
