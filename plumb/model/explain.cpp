#include "plumb/model/explain.h"

#include <algorithm>
#include <cmath>

namespace plumb {

Explanation explain(const LinearModel& model, std::uint64_t r, const Row& x) {
  std::vector<double> scores(model.rows()), w(model.features());
  model.scores(x, scores);
  model.parts().weights.row(r, w);
  Explanation explanation;
  explanation.score = scores[r];
  explanation.bias = model.parts().bias[r];
  const auto add = [&](std::uint32_t feature, double value) {
    const double contribution = w[feature] * value;
    if (contribution != 0.0) explanation.contributions.push_back({feature, value, w[feature], contribution});
  };
  if (x.dense()) {
    for (std::uint32_t feature = 0; feature < x.value.size(); ++feature) add(feature, x.value[feature]);
  } else {
    for (std::size_t k = 0; k < x.index.size(); ++k) add(x.index[k], x.value[k]);
  }
  std::stable_sort(
      explanation.contributions.begin(), explanation.contributions.end(),
      [](const Contribution& a, const Contribution& b) { return std::abs(a.contribution) > std::abs(b.contribution); });
  return explanation;
}

}  // namespace plumb
