#include "plumb/train/moments.h"

#include <algorithm>
#include <cmath>

namespace plumb {

Moments find_moments(const Examples& examples, const Run& run) {
  Moments total(examples.features());
  const std::size_t p = total.p;
  run.executor.reduce(
      examples.blocks(), std::span<double>(total.numbers),
      [&](std::size_t b, Out out) {
        Moments here(p);
        examples.block(b).for_each([&](const Example& e) {
          if (e.weight < 0) here.bad_weights() = 1;
          if (e.weight != 1) here.weighted() = 1;
          if (!(e.weight > 0)) return;
          here.rows() += 1;
          here.weight() += e.weight;
          here.target_sum() += e.weight * e.target;
          here.largest_target() = std::max(here.largest_target(), std::abs(e.target));
          const Out entries = here.entries(), sums = here.sums(), largest = here.largest();
          for (std::size_t k = 0; k < e.x.value.size(); ++k) {
            const std::size_t j = e.x.dense() ? k : e.x.index[k];
            entries[j] += 1;
            sums[j] += e.weight * e.x.value[k];
            largest[j] = std::max(largest[j], std::abs(e.x.value[k]));
          }
        });
        std::copy(here.numbers.begin(), here.numbers.end(), out.begin());
      },
      [&](std::span<double> left, std::span<const double> right) {
        for (std::size_t i = 0; i < left.size(); ++i) {
          const bool is_maximum = (i >= 2 * p && i < 3 * p) || i >= 3 * p + 3;
          left[i] = is_maximum ? std::max(left[i], right[i]) : left[i] + right[i];
        }
      });
  return total;
}

}  // namespace plumb
