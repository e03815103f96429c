#pragma once

#include "plumb/train/trainer.h"

namespace plumb {

struct RecipeMeanOptions {
  double add = 0.0;
  static OptionTable table();
};

class RecipeMeanTrainer final : public Trainer {
 public:
  explicit RecipeMeanTrainer(RecipeMeanOptions options = {}) : options_(options) {}
  std::uint64_t memory(const FitSize&, const Executor&) const override { return 0; }
  Trained train(const Problem& problem, const Run& run) const override;

 private:
  RecipeMeanOptions options_;
};

}  // namespace plumb
