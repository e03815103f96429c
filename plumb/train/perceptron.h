// The perceptron: example by example, an update at every mistake. Plain (the last weights), averaged (the mean of all)
// or voted (all of them, each with as many votes as examples it survived). Rules, the mistake bound and its proof:
// docs/perceptron.md.
#pragma once

#include <cstdint>

#include "plumb/train/perceptron_options.h"
#include "plumb/train/trainer.h"

namespace plumb {

class PerceptronTrainer final : public Trainer {
 public:
  // Throws Error(usage) for options that contradict each other.
  explicit PerceptronTrainer(PerceptronOptions options = {});
  Wishes wishes() const override { return {.bias = options_.bias}; }
  std::uint64_t memory(const FitSize& size, const Executor& executor) const override;
  Trained train(const Problem& problem, const Run& run) const override;

 private:
  PerceptronOptions options_;
};

}  // namespace plumb
