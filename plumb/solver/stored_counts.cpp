#include "plumb/solver/stored_counts.h"

#include <algorithm>
#include <utility>

namespace plumb {

bool may_be_counts(const RowTable& rows) noexcept {
  constexpr std::uint64_t kFirst = 16;
  bool fits = rows.floats();
  for (std::uint64_t i = 0; fits && i < std::min(rows.size(), kFirst); ++i)
    StoredCounts(rows[i]).for_each([&](std::uint32_t, std::uint32_t count) { fits &= is_count(count); });
  return fits;
}

// Of many rows one in kCounted tells well enough which features most of them have.
std::vector<std::uint32_t> places_by_use(const RowTable& rows) {
  constexpr std::uint64_t kFew = 4096, kCounted = 8;
  const std::uint64_t step = rows.size() > kFew ? kCounted : 1;
  std::vector<std::uint32_t> found(rows.examples().features());
  for (std::uint64_t i = 0; i < rows.size(); i += step)
    for (const std::uint32_t j : StoredCounts(rows[i]).index) ++found[j];
  // Sorted by counts, which are small numbers: first[c] is the place of the next feature that c rows have.
  std::vector<std::uint32_t> first(rows.size() / step + 2);
  for (const std::uint32_t each : found) ++first[each];
  std::uint32_t before = 0;
  for (std::size_t c = first.size(); c-- > 0;) before += std::exchange(first[c], before);
  std::vector<std::uint32_t> places(found.size());
  for (std::size_t j = 0; j < found.size(); ++j) places[j] = first[found[j]]++;
  return places;
}

}  // namespace plumb
