#include "plumb/train/recipe_mean.h"

namespace plumb {

OptionTable RecipeMeanOptions::table() {
  return {option("recipe-add", &RecipeMeanOptions::add, "is added to the mean").value("X")};
}

Trained RecipeMeanTrainer::train(const Problem& problem, const Run&) const {
  double sum = 0.0;
  for (std::size_t b = 0; b < problem.examples.blocks(); ++b)
    problem.examples.block(b).for_each([&](const Example& example) { sum += example.target; });
  LinearModel::Parts parts;
  parts.map = problem.map;
  parts.weights = Weights::dense(1, problem.map.features(), std::vector<double>(problem.map.features(), 0.0));
  parts.bias = {sum / static_cast<double>(problem.examples.size()) + options_.add};
  return {LinearModel(std::move(parts)), Record{}, {}};
}

}  // namespace plumb
