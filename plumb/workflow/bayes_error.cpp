// The Bayes error of a known naive Bayes: rows are drawn from it, and the probability that its best label is wrong is
// averaged, which varies less than counting mistakes does.
#include <algorithm>
#include <cmath>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/train/bayes_sample.h"
#include "plumb/workflow/calls.h"
#include "plumb/workflow/model.h"

namespace plumb {
namespace {

constexpr std::uint64_t kRowsAtOnce = 4096;
constexpr std::uint32_t kWords = 20;

// Sampled rows as columns of the model's kinds.
class SampledColumns {
 public:
  SampledColumns(const BayesSampler& sampler, const std::vector<FeatureMap::Input>& inputs)
      : sampler_(sampler), inputs_(inputs) {
    for (const FeatureMap::Input& input : inputs)
      if (input.kind == Kind::sparse)
        throw Error(ErrorCode::usage, "the Bayes error is that of columns, and the model was trained on sparse entries",
                    "plumb sample draws rows of them");
  }

  Data rows(std::uint64_t first, std::uint64_t count) {
    numbers_.assign(inputs_.size(), {});
    texts_.assign(inputs_.size(), {});
    for (std::uint64_t i = first; i < first + count; ++i) {
      BayesSampler::Row row = sampler_.row(i);
      for (std::size_t c = 0; c < inputs_.size(); ++c)
        if (inputs_[c].kind == Kind::number)
          numbers_[c].push_back(parse_number(row.fields[c]).value);
        else
          texts_[c].push_back(std::move(row.fields[c]));
    }
    std::vector<MemoryColumn> found;
    for (std::size_t c = 0; c < inputs_.size(); ++c)
      if (inputs_[c].kind == Kind::number)
        found.push_back({inputs_[c].name, std::span<const double>(numbers_[c])});
      else
        found.push_back({inputs_[c].name, std::span<const std::string>(texts_[c])});
    return columns(std::move(found));
  }

 private:
  const BayesSampler& sampler_;
  const std::vector<FeatureMap::Input>& inputs_;
  std::vector<std::vector<double>> numbers_;
  std::vector<std::vector<std::string>> texts_;
};

}  // namespace

BayesError bayes_error(const Model& model, std::uint64_t rows, std::uint64_t seed, const Running& running) {
  const BayesSampler sampler(model.saved(), RandomKey{seed, 0}, kWords);
  SampledColumns sampled(sampler, model.saved().model.parts().map.parts().inputs);
  double sum = 0.0, squares = 0.0;
  for (std::uint64_t first = 0; first < rows; first += kRowsAtOnce)
    model.predict(
        sampled.rows(first, std::min(kRowsAtOnce, rows - first)),
        [&](const Prediction& each) {
          const double wrong = 1.0 - *std::max_element(each.probabilities.begin(), each.probabilities.end());
          sum += wrong;
          squares += wrong * wrong;
        },
        running);
  const auto n = static_cast<double>(rows);
  const double mean = sum / n, variance = std::max(0.0, squares / n - mean * mean);
  const double half = 1.959963984540054 * std::sqrt(variance / std::max(1.0, n - 1.0));
  return {mean, std::max(0.0, mean - half), std::min(1.0, mean + half), rows};
}

}  // namespace plumb
