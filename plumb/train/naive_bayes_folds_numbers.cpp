// The numbers of a row that is left out, and the priors without it.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "plumb/math/special.h"
#include "plumb/train/left_out.h"
#include "plumb/train/naive_bayes_folds.h"

namespace plumb {

void WithoutRow::add_priors(std::size_t label, double weight, Room& room) const {
  room.base.resize(classes_);
  std::vector<double>& base = room.base[label];
  if (weight != 1.0 || base.empty()) {
    EventCounts rest;
    rest.classes = classes_;
    rest.weight = counts_.weight;
    rest.weight[label] -= weight;
    const EventEstimates estimates = estimate_events(rest, {}, map_, labels_, rules_);
    for (std::size_t k = 0; k < classes_; ++k)
      room.scores[k] = estimates.veto_base[k] > 0 ? -std::numeric_limits<double>::infinity()
                                                  : static_cast<double>(estimates.bias[k]);
    if (weight == 1.0) base = room.scores;
    return;
  }
  std::copy(base.begin(), base.end(), room.scores.begin());
}

// The priors too.
void WithoutRow::add_numbers(const Row& x, std::size_t label, double weight, Room& room) const {
  add_priors(label, weight, room);
  const std::vector<GaussianFeature>& gaussians = plan_.gaussians;
  if (gaussians.empty()) return;
  if (!bells_.usable()) {
    room.lost = loses_digits(x, label, weight);
    return room.lost && !room.anyway ? void() : estimate_numbers(x, label, weight, room);
  }
  const double* numbers = nullptr;
  std::size_t step = 1;
  if (x.dense() && step_ > 0) {
    numbers = x.value.data() + gaussians[0].feature;
    step = step_;
  } else {
    find_values(x, room);
    room.numbers.resize(gaussians.size());
    for (std::size_t g = 0; g < gaussians.size(); ++g) room.numbers[g] = room.values[numbers_.gaussians[g].feature];
    numbers = room.numbers.data();
  }
  if (bells_.add(numbers, step, label, weight, room.bells, room.scores)) return;
  room.lost = loses_digits(x, label, weight);
  if (!room.lost || room.anyway) estimate_numbers(x, label, weight, room);
}

void WithoutRow::find_values(const Row& x, Room& room) const {
  room.values.assign(numbers_.features, 0.0);
  left_out::for_each_value(x, [&](std::uint32_t j, double value) {
    if (place_[j] != kNone) room.values[place_[j]] = value;
  });
}

// The same from the sums of all other rows.
void WithoutRow::estimate_numbers(const Row& x, std::size_t label, double weight, Room& room) const {
  find_values(x, room);
  EventCounts& rest = room.rest;
  if (rest.classes == 0) {
    rest.classes = classes_;
    rest.weight = counts_.weight;
    rest.first = counts_.first;
    rest.second = counts_.second;
  }
  rest.weight[label] -= weight;
  for (std::size_t g = 0; g < numbers_.gaussians.size(); ++g) {
    rest.add_number(g * classes_ + label, -weight, room.values[numbers_.gaussians[g].feature]);
  }
  const EventEstimates estimates = estimate_events(rest, numbers_, map_, labels_, rules_);
  for (std::size_t k = 0; k < classes_; ++k) {
    math::DoubleDouble score = estimates.bias[k];
    for (std::uint32_t j = 0; j < numbers_.features; ++j)
      math::accumulate(score, estimates.weights[k * numbers_.features + j], room.values[j]);
    room.scores[k] = static_cast<double>(score);
    if (estimates.veto_base[k] > 0) room.scores[k] = -std::numeric_limits<double>::infinity();
  }
  rest.weight[label] = counts_.weight[label];
  for (std::size_t g = 0; g < numbers_.gaussians.size(); ++g) {
    rest.first[g * classes_ + label] = counts_.first[g * classes_ + label];
    rest.second[g * classes_ + label] = counts_.second[g * classes_ + label];
  }
}

bool WithoutRow::loses_digits(const Row& x, std::size_t label, double weight) const {
  const math::DoubleDouble left = counts_.weight[label] - weight;
  if (!(left.high > 0.0)) return false;
  for (std::size_t g = 0; g < plan_.gaussians.size(); ++g) {
    const std::size_t i = g * classes_ + label;
    const double value = left_out::value_of(x, plan_.gaussians[g].feature), off = value - mean_[i];
    // Its share of the spread; if much is left without it, so are the digits.
    if (weight * off * off * (counts_.weight_of(label) / left.high) < 0.999 * spread_[i]) continue;
    EventCounts rest;
    rest.classes = 1;
    rest.weight = {left};
    rest.first = {counts_.first[i]};
    rest.second = {counts_.second[i]};
    rest.add_number(0, -weight, value);
    if (left_out::lost(rest.spread_of(0, 0), spread_[i], counts_.second[i].high)) return true;
  }
  return false;
}

void WithoutRow::find_odds(const Piece& piece, std::uint64_t begin, Room& room,
                           std::span<BellsWithout::Odds> found) const {
  std::array<double, 2> prior;
  for (std::size_t label = 0; label < prior.size(); ++label) {
    if (room.base.size() != classes_ || room.base[label].empty()) {
      room.scores.resize(classes_);
      add_priors(label, 1.0, room);
    }
    prior[label] = room.base[label][1] - room.base[label][0];
  }
  const In targets = In(piece.targets).subspan(begin, found.size());
  const In weights = piece.weights.empty() ? In() : In(piece.weights).subspan(begin, found.size());
  bells_.find_odds(piece.values.doubles().data() + begin * piece.features + plan_.gaussians[0].feature, step_,
                   piece.features, targets, weights, room.bells, found);
  const bool by_weight = !weights.empty() && rules_.prior.empty();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t label = targets[i] == 1.0 ? 1 : 0;
    found[i].odds += prior[label];
    if (by_weight && weights[i] != 1.0) {
      // Of a class that loses 1, the base is (n - 1 + added); of one that loses the weight, n - weight + added.
      const double added = rules_.virtual_examples.value_or(0.0) / static_cast<double>(classes_);
      const double ratio = (static_cast<double>(counts_.weight[label] - 1.0) + added) /
                           (static_cast<double>(counts_.weight[label] - weights[i]) + added);
      found[i].ratio *= ratio * ratio;
    }
    if (!std::isfinite(found[i].odds) || !std::isfinite(found[i].ratio)) found[i].ratio = 0.0;
  }
}

}  // namespace plumb
