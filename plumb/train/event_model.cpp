// The estimates of naive Bayes as hyperplanes: a row for each class, and with two classes their difference.
#include <algorithm>
#include <map>
#include <utility>

#include "plumb/train/event_estimates.h"

namespace plumb {

LinearModel to_model(EventEstimates& estimates, const FeatureMap& map, std::vector<std::string> labels) {
  const std::size_t classes = estimates.classes, p = estimates.features;
  const bool two = classes == 2;
  LinearModel::Parts parts;
  parts.map = map;
  parts.labels = std::move(labels);
  parts.link = two ? Link::logistic : Link::softmax;
  const std::size_t rows = two ? 1 : classes;
  std::vector<double> weights;
  if (two)
    for (std::size_t j = 0; j < p; ++j) weights.push_back(estimates.weights[p + j] - estimates.weights[j]);
  else
    weights.swap(estimates.weights);
  parts.weights = Weights::dense(rows, static_cast<std::uint32_t>(p), std::move(weights));
  if (two)
    parts.bias = {static_cast<double>(estimates.bias[1] - estimates.bias[0])};
  else
    for (const math::DoubleDouble bias : estimates.bias) parts.bias.push_back(static_cast<double>(bias));

  const bool any =
      std::any_of(estimates.vetoes.begin(), estimates.vetoes.end(), [](const auto& v) { return !v.empty(); });
  const bool based = std::any_of(estimates.veto_base.begin(), estimates.veto_base.end(), [](auto v) { return v != 0; });
  if (!any && !based) return LinearModel(std::move(parts));
  parts.vetoes.offsets = {0};
  for (std::size_t r = 0; r < rows; ++r) {
    std::map<std::uint32_t, std::int32_t> counts;
    for (const auto& [feature, count] : estimates.vetoes[two ? 1 : r]) counts[feature] += count;
    if (two)
      for (const auto& [feature, count] : estimates.vetoes[0]) counts[feature] -= count;
    for (const auto& [feature, count] : counts) {
      if (count == 0) continue;
      parts.vetoes.index.push_back(feature);
      parts.vetoes.values.push_back(count);
    }
    parts.vetoes.offsets.push_back(parts.vetoes.index.size());
    if (based)
      parts.veto_base.push_back(two ? estimates.veto_base[1] - estimates.veto_base[0] : estimates.veto_base[r]);
  }
  return LinearModel(std::move(parts));
}

}  // namespace plumb
