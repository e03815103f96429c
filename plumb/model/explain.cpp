#include "plumb/model/explain.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "plumb/base/error.h"

namespace plumb {
namespace {

// For voters, the first of those with the most votes that voted like the decision. Without any vote, none. With more
// than two labels, the hyperplane of such a voter for the label.
std::uint64_t leading_voter(const LinearModel::Parts& parts, In scores, std::size_t label) {
  const std::vector<double>& votes = parts.votes;
  const std::vector<std::uint32_t>& chains = parts.weights.chains();
  std::optional<std::uint64_t> leading;
  double most = 0.0;
  if (chains.empty()) {
    for (std::uint64_t r = 0; r < scores.size(); ++r)
      if ((scores[r] >= 0) == (label == 1) && (!leading || votes[r] > votes[*leading])) leading = r;
    return leading.value_or(0);
  }
  std::vector<double> planes(parts.labels.size());
  std::uint64_t own = 0;  // the label's hyperplane at the time
  for (std::uint64_t r = 0; r < scores.size(); ++r) {
    planes[chains[r]] = scores[r];
    if (chains[r] == label) own = r;
    if (chains[own] != label || (leading && votes[r] <= most)) continue;
    bool wins = true;  // the last of equals
    for (std::size_t k = 0; k < planes.size(); ++k)
      wins = wins && (k <= label ? planes[label] >= planes[k] : planes[label] > planes[k]);
    if (!wins) continue;
    leading = own;
    most = votes[r];
  }
  return leading.value_or(own);
}

// The non-zero features of x that rule this label out.
std::vector<std::uint32_t> ruling_out(const LinearModel& model, const Row& x, std::size_t label) {
  const bool one_row = model.rows() == 1;
  const auto index = model.parts().vetoes.row_index(one_row ? 0 : label);
  const auto counts = model.parts().vetoes.row_values(one_row ? 0 : label);
  const bool against_first = one_row && label == 0;  // for which the only row counts below 0
  const auto holds = [&](std::uint32_t feature) {
    if (x.dense()) return x.value[feature] != 0.0;
    const auto found = std::lower_bound(x.index.begin(), x.index.end(), feature);
    return found != x.index.end() && *found == feature &&
           x.value[static_cast<std::size_t>(found - x.index.begin())] != 0.0;
  };
  std::vector<std::uint32_t> features;
  for (std::size_t i = 0; i < index.size(); ++i)
    if ((against_first ? counts[i] < 0 : counts[i] > 0) && holds(index[i])) features.push_back(index[i]);
  return features;
}

// The labels that have more vetoes than the predicted one.
std::vector<RuledOut> others_ruled_out(const LinearModel& model, const Row& x, std::size_t predicted) {
  std::vector<std::int64_t> counts(model.rows());
  model.vetoes(x, counts);
  std::vector<RuledOut> found;
  for (std::size_t label = 0; label < model.parts().labels.size(); ++label) {
    if (label == predicted) continue;
    // With two labels the only row counts the vetoes of the second, minus those of the first.
    const std::int64_t more = model.rows() > 1 ? counts[label] - counts[predicted]
                              : label == 1     ? counts[0]
                                               : -counts[0];
    if (more > 0) found.push_back({label, ruling_out(model, x, label)});
  }
  return found;
}

}  // namespace

Explanation explain(const LinearModel& model, const Row& x) {
  const LinearModel::Parts& parts = model.parts();
  Predictor predictor(model);
  Explanation explanation;
  explanation.prediction = predictor.predict(x);
  std::vector<double> voters(parts.link == Link::vote ? model.rows() : 0);
  if (!voters.empty()) model.scores(x, voters);
  const In scores = voters.empty() ? predictor.scores() : In(voters);
  if (parts.link == Link::vote)
    explanation.model_row = leading_voter(parts, scores, explanation.prediction.label);
  else if (model.rows() > 1)
    explanation.model_row = explanation.prediction.label;
  explanation.score = scores[explanation.model_row];
  explanation.bias = parts.bias[explanation.model_row];

  if (model.has_vetoes()) {
    if (const std::size_t label = predictor.label_by_scores(); label != explanation.prediction.label)
      explanation.vetoes = DecidedByVetoes{label, ruling_out(model, x, label)};
    else
      explanation.ruled_out = others_ruled_out(model, x, label);
  }

  for (std::size_t label = 0; label < parts.labels.size() && model.has_vetoes(); ++label) {
    explanation.impossible.push_back({label, ruling_out(model, x, label)});
    if (!explanation.impossible.back().features.empty()) continue;
    explanation.impossible.clear();
    break;
  }

  std::vector<double> w(model.features());
  parts.weights.row(explanation.model_row, w);
  if (parts.link == Link::softmax) {
    const auto mean = [](In of) { return std::accumulate(of.begin(), of.end(), 0.0) / static_cast<double>(of.size()); };
    const std::vector<double> means = mean_weights(parts.weights);
    for (std::size_t j = 0; j < w.size(); ++j) w[j] -= means[j];
    explanation.mean_score = mean(scores);
    explanation.score -= *explanation.mean_score;
    explanation.bias -= mean(parts.bias);
  }
  double size = std::abs(explanation.bias);  // while this is finite, so is every partial sum of the contributions
  const auto add = [&](std::uint32_t feature, double value) {
    const double contribution = w[feature] * value;
    size += std::abs(contribution);
    if (contribution != 0.0) explanation.contributions.push_back({feature, value, w[feature], contribution});
  };
  if (x.dense()) {
    for (std::uint32_t feature = 0; feature < x.value.size(); ++feature) add(feature, x.value[feature]);
  } else {
    for (std::size_t k = 0; k < x.index.size(); ++k) add(x.index[k], x.value[k]);
  }
  if (!std::isfinite(size) || !std::isfinite(explanation.score) ||
      !std::all_of(scores.begin(), scores.end(), [](double s) { return std::isfinite(s); }))
    throw Error(ErrorCode::data,
                "the prediction is too large for a number; the row is far outside of what the model was trained on");
  std::stable_sort(
      explanation.contributions.begin(), explanation.contributions.end(),
      [](const Contribution& a, const Contribution& b) { return std::abs(a.contribution) > std::abs(b.contribution); });
  return explanation;
}

std::vector<double> mean_weights(const Weights& weights) {
  std::vector<double> means(weights.features()), row(weights.features());
  for (std::uint64_t r = 0; r < weights.rows(); ++r) {
    weights.row(r, row);
    for (std::size_t j = 0; j < row.size(); ++j) means[j] += row[j];
  }
  for (double& each : means) each /= static_cast<double>(weights.rows());
  return means;
}

RestOfContributions rest_after(const Explanation& explanation, std::uint64_t top) noexcept {
  RestOfContributions rest;
  if (top == 0) return rest;
  for (std::size_t k = top; k < explanation.contributions.size(); ++k, ++rest.count)
    rest.contribution += explanation.contributions[k].contribution;
  return rest;
}

}  // namespace plumb
