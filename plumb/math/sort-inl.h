// Keys of 32 bits in ascending order. Runs of up to 16 times as many as a register holds go through Highway's sorting
// networks, which have no branches; then runs are merged. The result is the same on every target, because equal keys
// are indistinguishable.

#if defined(PLUMB_MATH_SORT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_MATH_SORT_INL_H
#undef PLUMB_MATH_SORT_INL_H
#else
#define PLUMB_MATH_SORT_INL_H
#endif

#include "plumb/math/lanes-inl.h"

#include <hwy/contrib/sort/sorting_networks-inl.h>
#include <hwy/contrib/sort/traits-inl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace plumb::math {
namespace HWY_NAMESPACE {

// Networks under a sanitizer would compile for minutes.
#undef PLUMB_SORT_NETWORKS
#if VQSORT_ENABLED && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PLUMB_SORT_NETWORKS
#endif

#ifdef PLUMB_SORT_NETWORKS
namespace sorting = hwy::HWY_NAMESPACE;
using KeysTag = sorting::SortTag<std::uint32_t>;
constexpr std::size_t kSortedAtOnce = hwy::SortConstants::BaseCaseNum(sorting::MaxLanes(KeysTag()));

PLUMB_LANES void sort_run(std::uint32_t* keys, std::size_t n) {
  if (n < 2) return;
  constexpr std::size_t rows = hwy::SortConstants::kMaxRows, lanes = sorting::MaxLanes(KeysTag());
  std::size_t columns = 1;
  while (columns * rows < n) columns *= 2;
  HWY_ALIGN std::uint32_t room[kSortedAtOnce + lanes];  // one extra register, because they are read whole
  std::copy_n(keys, n, room);
  std::fill(room + n, room + columns * rows + lanes, ~std::uint32_t{0});
  const sorting::detail::SharedTraits<sorting::detail::TraitsLane<sorting::detail::OrderAscending<std::uint32_t>>>
      order;
  sorting::detail::SortingNetwork(order, room, columns);
  std::copy_n(room, n, keys);
}
#else
constexpr std::size_t kSortedAtOnce = 64;

inline void sort_run(std::uint32_t* keys, std::size_t n) { std::sort(keys, keys + n); }
#endif

// Merges n and m keys, where m is n, n - 1 or n + 1. From both ends at once: two chains of steps, and no branch. As
// many steps as the shorter has keys never leave either; at most one key in the middle remains.
inline void merge_runs(const std::uint32_t* a, std::size_t n, const std::uint32_t* b, std::size_t m,
                       std::uint32_t* out) noexcept {
  const std::uint32_t *a_last = a + n - 1, *b_last = b + m - 1;
  std::uint32_t* out_last = out + n + m - 1;
  for (std::size_t steps = std::min(n, m); steps > 0; --steps) {
    const std::uint32_t x = *a, y = *b, u = *a_last, v = *b_last;
    // x <= y and v < u as bits: the compiler would make a branch of a comparison, and half of its predictions would
    // fail.
    const std::uint64_t first = (std::uint64_t{x} - y - 1) >> 63, last = (std::uint64_t{v} - u) >> 63;
    *out++ = y ^ ((x ^ y) & static_cast<std::uint32_t>(0 - first));
    *out_last-- = v ^ ((u ^ v) & static_cast<std::uint32_t>(0 - last));
    a += first;
    b += 1 - first;
    a_last -= last;
    b_last -= 1 - last;
  }
  if (n != m) *out = a == a_last ? *a : *b;
}

inline const std::uint32_t* sort_keys(std::uint32_t* keys, std::size_t n, std::uint32_t* room) noexcept {
  std::size_t runs = 1;
  while (runs * kSortedAtOnce < n) runs *= 2;
  const auto begin = [&](std::size_t run) PLUMB_LANES_ATTR { return run * n / runs; };
  for (std::size_t i = 0; i < runs; ++i) sort_run(keys + begin(i), begin(i + 1) - begin(i));
  std::uint32_t *from = keys, *to = room;
  for (; runs > 1; runs /= 2, std::swap(from, to))
    for (std::size_t i = 0; i < runs; i += 2)
      merge_runs(from + begin(i), begin(i + 1) - begin(i), from + begin(i + 1), begin(i + 2) - begin(i + 1),
                 to + begin(i));
  return from;
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::math
HWY_AFTER_NAMESPACE();

#endif
