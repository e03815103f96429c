#include "plumb/select/data_checks.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <unordered_map>
#include <utility>

#include "plumb/base/digest.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"

namespace plumb {
namespace {

template <class Visit>
void for_each_digest(const Examples& examples, const Visit& visit) {
  std::vector<double> numbers;
  for (std::size_t b = 0; b < examples.blocks(); ++b)
    examples.block(b).for_each([&](const Example& e) {
      if (!(e.weight > 0)) return;
      numbers.assign(e.x.value.begin(), e.x.value.end());
      for (const std::uint32_t index : e.x.index) numbers.push_back(index);
      numbers.push_back(e.target);
      for (double& number : numbers) number += 0.0;  // -0 is 0
      visit(digest64(std::as_bytes(std::span(numbers))), e.number);
    });
}

}  // namespace

// The held-out rows are fewer, and often empty: they are the ones to store.
std::uint64_t rows_seen_before(const Examples& training, const Examples& heldout) {
  if (heldout.size() == 0) return 0;
  std::unordered_map<std::uint64_t, std::uint64_t> copies;
  for_each_digest(heldout, [&](std::uint64_t digest, std::uint64_t) { ++copies[digest]; });
  if (copies.empty()) return 0;
  std::uint64_t count = 0;
  for_each_digest(training, [&](std::uint64_t digest, std::uint64_t) {
    if (const auto found = copies.find(digest); found != copies.end()) count += std::exchange(found->second, 0);
  });
  return count;
}

std::uint64_t rows_in_several_folds(const Examples& examples, std::span<const std::uint32_t> fold) {
  constexpr std::uint64_t kSeveral = ~std::uint64_t{0};
  const auto part = [&](std::uint64_t row) { return fold.empty() ? row : fold[row]; };
  std::unordered_map<std::uint64_t, std::uint64_t> part_of;
  for_each_digest(examples, [&](std::uint64_t digest, std::uint64_t row) {
    const auto [at, fresh] = part_of.try_emplace(digest, part(row));
    if (!fresh && at->second != part(row)) at->second = kSeveral;
  });
  std::uint64_t count = 0;
  for_each_digest(examples, [&](std::uint64_t digest, std::uint64_t) { count += part_of.at(digest) == kSeveral; });
  return count;
}

std::string copies_text(std::uint64_t copies, std::uint64_t rows, const std::string& of, const std::string& like) {
  if (copies == 0) return "";
  return count_text(copies) + " of " + counted(rows, of) + (copies == 1 ? " is" : " are") + " the same as " + like +
         ", in every feature and the target: duplicates across the split can inflate the score; use --group to keep "
         "them together";
}

std::string imbalance_text(const std::vector<std::string>& labels, const std::vector<double>& weights) {
  const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (weights.size() < 2 || !(total > 0) || (*most < 10 * *least && *most < 0.9 * total)) return "";
  const auto name = [&](auto place) { return in_quotes(labels[static_cast<std::size_t>(place - weights.begin())]); };
  const auto share = [&](auto place) { return number_text(100 * *place / total, 3) + " %"; };
  return "classes are unbalanced: " + name(most) + " is " + share(most) + " of the rows, " + name(least) + " is " +
         share(least) + "; look at precision, recall and f1, because always predicting " + name(most) +
         " would be right " + share(most) + " of the time";
}

}  // namespace plumb
