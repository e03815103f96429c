// For the tests of inference by maximum likelihood: fits that keep their curvature, and data drawn from the model.
#pragma once

#include <cmath>

#include "plumb/infer/inference.h"
#include "plumb/infer/likelihood_inference.h"
#include "plumb/objective/poisson_loss.h"
#include "plumb/train/logistic.h"
#include "plumb/train/loss_trainer.h"
#include "plumb/train/testing.h"

namespace plumb {

inline const std::vector<std::string> kTwoLabels = {"no", "yes"};
inline const std::vector<std::string> kThreeLabels = {"a", "b", "c"};

// Labels drawn from a logistic or softmax model with weights near 1.
inline Data drawn_classes(std::size_t n, std::size_t p, std::size_t classes, std::uint64_t seed) {
  Data data;
  const RandomKey key{seed, 0};
  std::uint64_t draw = 0;
  for (std::size_t r = 0; r < n; ++r) {
    data.x.emplace_back();
    double score = 0.2;
    for (std::size_t j = 0; j < p; ++j) {
      data.x[r].push_back(2 * key.uniform(draw++) - 1);
      score += (j % 2 == 0 ? 1.0 : -0.7) * data.x[r][j];
    }
    const double chance = 1 / (1 + std::exp(-score)), u = key.uniform(draw++);
    data.y.push_back(classes == 2 ? (u < chance ? 1 : 0)
                                  : std::floor(static_cast<double>(classes) * std::min(0.999, (u + chance) / 2)));
  }
  return data;
}

inline Trained inferred_classes(const Data& data, const std::vector<std::string>& labels, LogisticOptions options = {},
                                InferenceOptions inference = {}, unsigned threads = 1, bool sparse = false,
                                std::span<const std::uint32_t> clusters = {}) {
  options.l2 = {0.0};
  Executor executor(threads);
  const plumb::Run run{executor};
  const Examples examples = examples_of(data, 1000, sparse);
  const FeatureMap map = numbers(examples.features());
  Problem problem{examples, map, labels};
  problem.infers = true;
  const LogisticTrainer trainer(options);
  Trained fit = trainer.train(problem, run);
  add_inference(fit, examples, inference, run, {clusters, &trainer});
  return fit;
}

inline Trained inferred_counts(const Data& data, bool bias = true, InferenceOptions inference = {}) {
  LossOptions<PoissonLoss> options;
  options.bias = bias;
  Executor executor(1);
  const plumb::Run run{executor};
  const Examples examples = examples_of(data);
  const FeatureMap map = numbers(examples.features());
  Problem problem{examples, map};
  problem.infers = true;
  Trained fit = LossTrainer<PoissonLoss>(options).train(problem, run);
  add_inference(fit, examples, inference, run);
  return fit;
}

}  // namespace plumb
