// The speed of plumb/math on one core: math_speed [functions|arrays|gram|cholesky [scalar|avx2|avx512|neon]], and
// math_speed json: the few numbers of the table of ./run bench. Each time is the best of many, by the thread's clock,
// so a busy machine costs runs, not accuracy.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "bench/fma_peak.h"
#include "bench/measure.h"
#include "plumb/base/json_writer.h"
#include "plumb/math/cholesky.h"
#include "plumb/math/kernels.h"

namespace {

using namespace plumb::math;
using bench::best_seconds;

std::vector<double> numbers(std::size_t n, double low, double high) {
  std::mt19937_64 random(1);
  std::vector<double> result(n);
  for (double& x : result) x = low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
  return result;
}

void functions(const Kernels& k) {
  constexpr std::size_t n = 4096;
  const struct {
    const char* name;
    Kernels::Function function;
    double low, high;
  } all[] = {{"exp", k.exp, -20, 20},     {"expm1", k.expm1, -2, 2},       {"log", k.log, 1e-3, 1e3},
             {"log1p", k.log1p, -0.5, 2}, {"sigmoid", k.sigmoid, -20, 20}, {"log1p_exp", k.log1p_exp, -20, 20}};
  for (const auto& each : all) {
    const auto x = numbers(n, each.low, each.high);
    std::vector<double> y(n);
    const double many = best_seconds([&] { each.function.many(x.data(), y.data(), n); });
    const double one = best_seconds([&] {
      for (std::size_t i = 0; i < n; ++i) y[i] = each.function.one(x[i]);
    });
    std::printf("  %-24s %8.2f ns per number, %8.2f one by one\n", each.name, 1e9 * many / n, 1e9 * one / n);
  }
}

void arrays(const Kernels& k) {
  for (const std::size_t n : {1000u, 1000000u}) {
    const auto a = numbers(n, -1, 1);
    auto b = numbers(n, -1, 1);
    volatile double sink = 0;
    const auto show = [n](const char* name, double seconds, double bytes) {
      std::printf("  %-12s n %-9zu %8.3f ns per number, %6.1f GB/s\n", name, n, 1e9 * seconds / static_cast<double>(n),
                  1e-9 * bytes * static_cast<double>(n) / seconds);
    };
    show("sum", best_seconds([&] { sink = k.sum(a.data(), n); }), 8);
    show("dot", best_seconds([&] { sink = k.dot(a.data(), b.data(), n); }), 16);
    show("dot2", best_seconds([&] { sink = k.dot2(a.data(), b.data(), n).high; }), 16);
    show("axpy", best_seconds([&] { k.axpy(1e-9, a.data(), b.data(), n); }), 24);
    std::vector<std::uint32_t> index(n);
    for (std::size_t i = 0; i < n; ++i) index[i] = static_cast<std::uint32_t>(i);
    show("sparse_dot", best_seconds([&] { sink = k.sparse_dot(index.data(), a.data(), n, b.data()); }), 20);
    show("sparse_dot2", best_seconds([&] { sink = k.sparse_dot2(index.data(), a.data(), n, b.data()).high; }), 20);
    show("sparse_axpy", best_seconds([&] { k.sparse_axpy(1e-9, index.data(), a.data(), n, b.data()); }), 28);
  }
}

void factors(const Kernels& k) {
  for (const std::size_t p : {100u, 500u, 2000u}) {
    const auto x = numbers(2 * p * p, -1, 1);
    std::vector<double> gram(p * p), inverse(p);
    k.gram_add(x.data(), 2 * p, p, p, nullptr, gram.data(), p);
    const double factor = best_seconds([&] { Cholesky(gram, p, 1e-11, {}, k); });
    const Cholesky done(gram, p, 1e-11, {}, k);
    const double diagonal = best_seconds([&] { done.inverse_diagonal(inverse); });
    const double condition = best_seconds([&] { return done.condition_estimate(); });
    const double flops = static_cast<double>(p) * static_cast<double>(p) * static_cast<double>(p) / 3.0;
    std::printf("  cholesky p %-5zu %8.4f s (%.2f GFLOP/s), inverse diagonal %8.4f s, condition %8.4f s\n", p, factor,
                1e-9 * flops / factor, diagonal, condition);
  }
}

void grams(const Kernels& k) {
  for (const std::size_t p : {10u, 50u, 51u, 200u, 500u, 512u, 2000u}) {
    const std::size_t rows = std::max<std::size_t>(256, 2000000 / p);
    const auto x = numbers(rows * p, -1, 1);
    const auto r = numbers(rows, 0, 1);
    std::vector<double> gram(p * p), out(p), low(p), r_high(rows), r_low(rows);
    const double flops = static_cast<double>(rows) * static_cast<double>(p) * static_cast<double>(p + 1);
    const double plain = best_seconds([&] { k.gram_add(x.data(), rows, p, p, nullptr, gram.data(), p); });
    const double weighted = best_seconds([&] { k.gram_add(x.data(), rows, p, p, r.data(), gram.data(), p); });
    std::printf("  gram p %-5zu %8.2f GFLOP/s, weighted %8.2f\n", p, 1e-9 * flops / plain, 1e-9 * flops / weighted);
    const auto cells = static_cast<double>(rows * p);
    const double times = best_seconds([&] { k.transpose_times_add(x.data(), rows, p, p, r.data(), out.data()); });
    const double times_dd = best_seconds(
        [&] { k.transpose_times_dd_add(x.data(), rows, p, p, r.data(), r.data(), out.data(), low.data()); });
    const double residual = best_seconds(
        [&] { k.residuals(x.data(), rows, p, p, x.data(), x.data(), {}, r.data(), r_high.data(), r_low.data()); });
    std::printf("       X'r %.3f ns per cell, in double-double %.3f; residuals %.3f\n", 1e9 * times / cells,
                1e9 * times_dd / cells, 1e9 * residual / cells);
  }
}

double gram_speed(const Kernels& k, std::size_t p) {
  const std::size_t rows = 2'000'000 / p;
  const auto x = numbers(rows * p, -1, 1);
  std::vector<double> gram(p * p);
  const double seconds = best_seconds([&] { k.gram_add(x.data(), rows, p, p, nullptr, gram.data(), p); });
  return 1e-9 * static_cast<double>(rows * p * (p + 1)) / seconds;
}

double cholesky_speed(const Kernels& k, std::size_t p) {
  const auto x = numbers(2 * p * p, -1, 1);
  std::vector<double> gram(p * p);
  k.gram_add(x.data(), 2 * p, p, p, nullptr, gram.data(), p);
  const double seconds = best_seconds([&] { Cholesky(gram, p, 1e-11, {}, k); });
  return 1e-9 * static_cast<double>(p * p * p) / 3 / seconds;
}

double nanoseconds(const Kernels::Function& function, double low, double high) {
  const auto x = numbers(4096, low, high);
  std::vector<double> y(x.size());
  return 1e9 * best_seconds([&] { function.many(x.data(), y.data(), x.size()); }) / static_cast<double>(x.size());
}

void print_json(const Kernels& k) {
  plumb::JsonWriter json;
  json.begin_object()
      .member("exp", nanoseconds(k.exp, -20, 20))
      .member("log", nanoseconds(k.log, 1e-3, 1e3))
      .member("gram_50", gram_speed(k, 50))
      .member("gram_500", gram_speed(k, 500))
      .member("cholesky_500", cholesky_speed(k, 500))
      .member("fma_peak", bench::fma_peak(k.simd))
      .end_object();
  std::puts(json.take().c_str());
}

}  // namespace

int main(int count, char** argument) {
  if (count == 2 && std::strcmp(argument[1], "json") == 0) {
    print_json(kernels());
    return 0;
  }
  const auto wanted = [&](const char* what) { return count < 2 || std::strcmp(argument[1], what) == 0; };
  for (const Simd simd : {Simd::scalar, Simd::avx2, Simd::avx512, Simd::neon}) {
    const Kernels* const k = kernels_for(simd);
    if (k == nullptr || (count > 2 && std::strcmp(argument[2], name(simd)) != 0)) continue;
    std::printf("%s, at most %.1f GFLOP/s\n", name(simd), bench::fma_peak(simd));
    if (wanted("functions")) functions(*k);
    if (wanted("arrays")) arrays(*k);
    if (wanted("gram")) grams(*k);
    if (wanted("cholesky")) factors(*k);
  }
}
