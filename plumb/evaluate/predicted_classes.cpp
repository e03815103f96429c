#include "plumb/evaluate/predicted_classes.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace plumb {

PredictedClasses::PredictedClasses(const LinearModel& model)
    : labels(model.parts().labels),
      known(labels.size()),
      probable(model.parts().link == Link::logistic || model.parts().link == Link::softmax) {}

void PredictedClasses::add(Predictor& predictor, const Row& x, double target, double counts) {
  if (!(counts > 0)) return;
  const auto is = static_cast<std::uint32_t>(target);
  const auto said = static_cast<std::uint32_t>(predictor.predict(x).label);
  predicted.push_back(said);
  actual.push_back(is);
  weight.push_back(counts);
  if (known == 2) {
    scores.push_back(predictor.decision());
  } else if ((rows() + 1) * known <= kMostScores) {
    // Of each label against the others: its probability, or how far its score lies above the best of the others.
    const In found = probable ? predictor.probabilities() : predictor.label_scores();
    for (std::size_t k = 0; k < known; ++k) {
      double best = 0.0;
      if (!probable) {
        best = -std::numeric_limits<double>::infinity();
        for (std::size_t j = 0; j < known; ++j)
          if (j != k) best = std::max(best, found[j]);
      }
      scores.push_back(found[k] - best);
    }
  }
  if (!probable) return;
  log_loss.push_back(is < known ? -predictor.log_probability(is) : std::numeric_limits<double>::infinity());
  const In p = predictor.probabilities();
  double distance = 0.0;
  for (std::uint32_t k = 0; k < known; ++k) distance += (p[k] - (k == is)) * (p[k] - (k == is));
  if (is >= known) distance += 1.0;
  brier.push_back(known == 2 ? distance / 2 : distance);
  confidence.push_back(p[said]);
}

void PredictedClasses::append(PredictedClasses&& more) {
  const auto join = [](auto& all, auto& part) {
    all.insert(all.end(), part.begin(), part.end());
    part = {};
  };
  join(predicted, more.predicted);
  join(actual, more.actual);
  join(weight, more.weight);
  join(scores, more.scores);
  join(log_loss, more.log_loss);
  join(brier, more.brier);
  join(confidence, more.confidence);
  if (rows() * scores_per_row() > kMostScores && known != 2) scores = {};
  if (more.labels.size() > labels.size()) labels = std::move(more.labels);
}

PredictedClasses predict_classes(const LinearModel& model, const Examples& examples,
                                 const std::vector<std::string>& labels, const Run& run) {
  std::vector<PredictedClasses> blocks(examples.blocks(), PredictedClasses(model));
  run.for_each(Phase::evaluating, blocks.size(), [&](std::size_t b) {
    Predictor predictor(model);
    examples.block(b).for_each([&](const Example& e) { blocks[b].add(predictor, e.x, e.target, e.weight); });
  });
  PredictedClasses all(model);
  for (PredictedClasses& block : blocks) all.append(std::move(block));
  all.labels = labels;
  return all;
}

std::vector<double> class_weights(const Examples& examples, std::size_t classes, const Run& run) {
  std::vector<double> weights(classes);
  run.reduce(Phase::evaluating, examples.blocks(), weights, [&](std::size_t b, Out out) {
    examples.block(b).for_each([&](const Example& e) {
      const auto k = static_cast<std::size_t>(e.target);
      if (k < classes) out[k] += e.weight;
    });
  });
  return weights;
}

}  // namespace plumb
