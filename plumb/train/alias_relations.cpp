#include "plumb/train/alias_relations.h"

#include <cmath>
#include <variant>

#include "plumb/base/error.h"

namespace plumb {
AliasRelations::AliasRelations(const Record& record, std::size_t features) {
  const Statistic* const kept = find_statistic(record, kStatistic);
  if (kept == nullptr) return;
  const auto* const numbers = std::get_if<std::vector<double>>(&kept->values);
  const std::size_t width = features + 2;
  if (numbers == nullptr || numbers->size() != record.aliased.size() * width)
    throw Error(ErrorCode::model, "what features without a weight were made of is not of the model's shape");
  for (std::size_t i = 0; i < record.aliased.size(); ++i) {
    const auto begin = numbers->begin() + static_cast<std::ptrdiff_t>(i * width);
    relations_.push_back({record.aliased[i], {begin, begin + static_cast<std::ptrdiff_t>(width)}});
  }
}

std::optional<std::uint32_t> AliasRelations::broken(const Row& x) const noexcept {
  for (const auto& [feature, numbers] : relations_) {
    double own = 0.0, sum = numbers.front(), size = std::abs(numbers.front());
    for (std::size_t i = 0; i < x.value.size(); ++i) {
      const std::size_t j = x.dense() ? i : x.index[i];
      const double term = numbers[1 + j] * x.value[i];
      if (j == feature) own = x.value[i];
      sum += term;
      size += std::abs(term);
    }
    if (!(std::abs(own - sum) <= numbers.back() + kRounding * size)) return feature;
  }
  return std::nullopt;
}

}  // namespace plumb
