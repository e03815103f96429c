#include "plumb/train/separation_words.h"

#include <vector>

#include "plumb/base/text.h"

namespace plumb {

std::string separation_words(const Separation& found, const FeatureMap& map, const std::string& way_out) {
  if (found.kind == Separation::Kind::none) return {};
  constexpr std::size_t kMostNamed = 5;
  std::vector<std::string> names;
  for (const std::size_t j : found.columns)
    if (j < map.features()) names.push_back(in_quotes(map.name(static_cast<std::uint32_t>(j))));
  const std::size_t all = names.size();
  if (all > kMostNamed) names.resize(kMostNamed);
  const std::string by = (names.empty() ? "the bias" : listed(names)) +
                         (all > kMostNamed ? " and " + count_text(all - kMostNamed) + " more" : "");
  if (found.kind == Separation::Kind::undecided)
    return "the weights of " + by +
           " keep growing, as with separable classes, but separability was neither proved nor ruled out; the weights "
           "saved are those where the solver stopped; " +
           way_out;
  return std::string("the classes are ") +
         (found.kind == Separation::Kind::complete ? "separated" : "separable except for rows on the boundary") +
         " by " + by +
         ", so without a penalty the weights grow without bound; the weights saved are those where the solver "
         "stopped; " +
         way_out;
}

}  // namespace plumb
