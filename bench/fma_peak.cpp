// Compiled once per instruction set, as plumb/math/kernels.cpp is.
#ifndef BENCH_FMA_PEAK_TARGETS
#define BENCH_FMA_PEAK_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#define HWY_BROKEN_EMU128 1
#define HWY_COMPILE_ALL_ATTAINABLE
#define HWY_DISABLE_PCLMUL_AES
#define HWY_DISABLE_F16C
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/fma_peak.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "bench/fma_peak.h"
#include "bench/measure.h"

HWY_BEFORE_NAMESPACE();
namespace bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Twelve chains: more than latency (4 or 5 cycles) times two units, fewer than registers. They start from different
// numbers, or the compiler would merge them; each tends to 1, so no number becomes slow or infinite.
HWY_ATTR double fma_peak() {
  constexpr int steps = 2'000'000;
  const hn::ScalableTag<double> lanes;
  const auto a = hn::Set(lanes, 0.75), b = hn::Set(lanes, 0.25);
  auto s0 = a, s1 = a + b, s2 = s1 + b, s3 = s2 + b, s4 = s3 + b, s5 = s4 + b, s6 = s5 + b, s7 = s6 + b, s8 = s7 + b;
  auto s9 = s8 + b, s10 = s9 + b, s11 = s10 + b;
  double best = 1e300;
  for (const double end = thread_seconds() + 0.5; thread_seconds() < end;) {
    const double begin = thread_seconds();
    for (int i = 0; i < steps; ++i) {
      s0 = hn::MulAdd(s0, a, b), s1 = hn::MulAdd(s1, a, b), s2 = hn::MulAdd(s2, a, b), s3 = hn::MulAdd(s3, a, b);
      s4 = hn::MulAdd(s4, a, b), s5 = hn::MulAdd(s5, a, b), s6 = hn::MulAdd(s6, a, b), s7 = hn::MulAdd(s7, a, b);
      s8 = hn::MulAdd(s8, a, b), s9 = hn::MulAdd(s9, a, b), s10 = hn::MulAdd(s10, a, b), s11 = hn::MulAdd(s11, a, b);
    }
    best = std::min(best, thread_seconds() - begin);
  }
  const auto sum = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8 + s9 + s10 + s11;
  volatile double seen = hn::GetLane(sum);
  static_cast<void>(seen);
  return 1e-9 * 2 * 12 * steps * static_cast<double>(hn::Lanes(lanes)) / best;
}

}  // namespace bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bench {

double fma_peak(plumb::math::Simd simd) {
  switch (simd) {
#if HWY_TARGETS & HWY_AVX2
    case plumb::math::Simd::avx2: return N_AVX2::fma_peak();
#endif
#if HWY_TARGETS & HWY_AVX3
    case plumb::math::Simd::avx512: return N_AVX3::fma_peak();
#endif
#if HWY_TARGETS & HWY_NEON
    case plumb::math::Simd::neon: return N_NEON::fma_peak();
#endif
    default: return N_SCALAR::fma_peak();
  }
}

}  // namespace bench
#endif
