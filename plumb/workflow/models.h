// The models that can be fitted, each with its options: plumb::Ridge{.l2 = 1.0}. Names and defaults are those of the
// command line.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/train/convex_options.h"
#include "plumb/train/custom_loss.h"
#include "plumb/train/least_squares_options.h"
#include "plumb/train/naive_bayes_options.h"
#include "plumb/train/perceptron_options.h"

namespace plumb {

class TrainerSetup;
struct TrainerEntry;

using LeastSquares = LeastSquaresOptions;
using Logistic = LogisticOptions;
using Perceptron = PerceptronOptions;
using NaiveBayes = NaiveBayesOptions;

// Least squares with a penalty.
struct Ridge {
  Strength l2 = {0.0, true};  // chosen by leave-one-out if not given
  bool bias = true;
};
// The linear support vector machine, with the hinge or the squared hinge loss.
struct Hinge {
  Strength l2 = 1.0;
  bool bias = true;
  double tolerance = 1e-6;
};
struct SquaredHinge {
  Strength l2 = 1.0;
  bool bias = true;
  double tolerance = 1e-6;
};
// Robust regression; the threshold is in units of a robust scale.
struct Huber {
  double threshold = 1.345;
  Strength l2 = 0.0;
  bool bias = true;
};
// Regression of counts, with a log link.
struct Poisson {
  Strength l2 = 0.0;
  bool bias = true;
};

// A model to fit: any of the above, or its command-line name with options as text: Recipe("hinge", {{"l2", "auto"},
// {"solver", "newton"}}).
class Recipe {
 public:
  Recipe();  // -m auto: fit() and cross_validate() choose from the rows; elsewhere the usual model of the target
  Recipe(std::string_view name, const std::vector<std::pair<std::string, std::string>>& options = {});
  Recipe(const char* name) : Recipe(std::string_view(name)) {}
  Recipe(const LeastSquares& options);
  Recipe(const Ridge& options);
  Recipe(const Logistic& options);
  Recipe(const Hinge& options);
  Recipe(const SquaredHinge& options);
  Recipe(const Perceptron& options);
  Recipe(const NaiveBayes& options);
  Recipe(const Huber& options);
  Recipe(const Poisson& options);
  Recipe(const CustomLoss& loss);

  const std::string& name() const noexcept { return name_; }  // empty: not named
  // Options as the command line would give them.
  const std::vector<std::pair<std::string, std::string>>& options() const noexcept { return options_; }
  // For a custom loss; otherwise null.
  const std::shared_ptr<const TrainerEntry>& own() const noexcept { return own_; }

 private:
  std::string name_;
  std::shared_ptr<const TrainerEntry> own_;
  std::vector<std::pair<std::string, std::string>> options_;
};

}  // namespace plumb
