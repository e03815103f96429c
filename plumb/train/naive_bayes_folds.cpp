#include "plumb/train/naive_bayes_folds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/math/special.h"

namespace plumb {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

bool seen(const EventCounts& counts, std::uint32_t feature) {
  const auto* const begin = counts.sums.data() + feature * counts.classes;
  return std::any_of(begin, begin + counts.classes, [](double sum) { return sum > 0.0; });
}

template <class Visit>
void for_each_value(const Row& x, Visit&& visit) {
  for (std::size_t i = 0; i < x.value.size(); ++i)
    if (x.value[i] != 0.0) visit(x.dense() ? static_cast<std::uint32_t>(i) : x.index[i], x.value[i]);
}

// Squares about the mean.
double spread_of(math::DoubleDouble first, math::DoubleDouble second, double weight) {
  return weight > 0.0 ? static_cast<double>(second - first * first / math::DoubleDouble(weight)) : 0.0;
}

// A spread this far below that of all rows, or below their squares, has fewer than ten sure digits after a difference
// of double-doubles. Where all rows together have no more, there was nothing to lose.
bool lost(double spread, double of_all, double squares_of_all) {
  const double sure = std::max(0x1p-55 * of_all, 0x1p-62 * squares_of_all);
  return of_all > sure && spread <= sure;
}

double value_of(const Row& x, std::uint32_t feature) {
  if (x.dense()) return x.value[feature];
  const auto found = std::lower_bound(x.index.begin(), x.index.end(), feature);
  const bool there = found != x.index.end() && *found == feature;
  return there ? x.value[static_cast<std::size_t>(found - x.index.begin())] : 0.0;
}

}  // namespace

EventPlan without_unseen(const EventPlan& plan, const EventCounts& counts) {
  EventPlan rest = plan;
  for (EventGroup& group : rest.groups) {
    if (!group.learnt) continue;
    std::vector<EventGroup::Range> ranges;
    const std::uint32_t first = group.ranges.front().first;
    for (const EventGroup::Range& range : group.ranges)
      for (std::uint32_t j = range.first; j < range.last; ++j) {
        if ((!group.numbered || group.is_zero(j)) && !seen(counts, j)) continue;
        if (!ranges.empty() && ranges.back().last == j) {
          ++ranges.back().last;
        } else {
          ranges.push_back({j, j + 1});
        }
      }
    while (group.numbered && !ranges.empty() && ranges.back().last - first > group.declared &&
           !seen(counts, ranges.back().last - 1)) {
      if (--ranges.back().last == ranges.back().first) ranges.pop_back();
    }
    group.has_zero = group.has_zero && !ranges.empty() && ranges.front().first == first;
    group.ranges = std::move(ranges);
  }
  std::erase_if(rest.groups, [](const EventGroup& group) { return group.ranges.empty(); });
  return rest;
}

bool digits_lost(const EventCounts& all, const EventCounts& rest) {
  for (std::size_t i = 0; i < all.first.size(); ++i) {
    const std::size_t k = i % all.classes;
    if (rest.weight[k] > 0.0 && lost(spread_of(rest.first[i], rest.second[i], rest.weight[k]),
                                     spread_of(all.first[i], all.second[i], all.weight[k]), all.second[i].high))
      return true;
  }
  return false;
}

LinearModel model_of(const EventCounts& counts, const EventPlan& plan, const FeatureMap& map,
                     std::span<const std::string> labels, const EstimateRules& rules) {
  const EventPlan rest = without_unseen(plan, counts);
  return to_model(estimate_events(counts, rest, map, labels, rules), map, {labels.begin(), labels.end()});
}

LeftOut::LeftOut(const EventCounts& counts, const EventPlan& plan, const FeatureMap& map,
                 std::span<const std::string> labels, const EstimateRules& rules)
    : counts_(counts),
      plan_(plan),
      map_(map),
      labels_(labels),
      rules_(rules),
      classes_(counts.classes),
      adder_(plan),
      scores_(counts.classes) {
  for (std::size_t i = 0; i < counts.first.size(); ++i) {
    const double weight = counts.weight[i % classes_];
    mean_.push_back(weight > 0.0 ? static_cast<double>(counts.first[i] / math::DoubleDouble(weight)) : 0.0);
    spread_.push_back(spread_of(counts.first[i], counts.second[i], weight));
  }
  const auto smoothing = [&](double outcomes) {
    return !rules.virtual_examples ? rules.smoothing
                                   : *rules.virtual_examples / (static_cast<double>(classes_) * outcomes);
  };
  group_of_.assign(plan.features, kNone);
  for (std::uint32_t g = 0; g < plan.groups.size(); ++g) {
    const EventGroup& group = plan.groups[g];
    Group& known = groups_.emplace_back();
    const bool binary = group.event == Event::bernoulli;
    known.a = smoothing(binary ? 2.0 : group.features());
    // Impossible outcomes, numbers of outcomes that change the smoothing, and complements are left to a whole estimate.
    quick_ = quick_ && known.a > 0.0 && group.event != Event::complement && !(binary && rules.beta.has_value()) &&
             !(group.learnt && rules.virtual_examples.has_value());
    known.whole.resize(classes_);
    if (group.numbered) {
      known.first = group.ranges.front().first;
      known.last = group.ranges.back().last;
    }
    for (const EventGroup::Range& range : group.ranges)
      for (std::uint32_t j = range.first; j < range.last; ++j) {
        group_of_[j] = g;
        for (std::size_t k = 0; k < classes_; ++k) known.whole[k] += counts.sums[j * classes_ + k];
      }
  }
  quick_ = quick_ && rules.virtual_classes.empty() && (plan.gaussians.empty() || rules.variance_add > 0.0);
  if (!quick_) {
    rest_ = counts;
    return;
  }
  rest_.classes = classes_;
  rest_.weight = counts.weight;
  rest_.first = counts.first;
  rest_.second = counts.second;
  place_.assign(plan.features, kNone);
  for (const GaussianFeature& each : plan.gaussians) {
    place_[each.feature] = numbers_.features++;
    GaussianFeature& own = numbers_.gaussians.emplace_back(each);
    own.feature = place_[each.feature];
    if (each.square) {
      place_[*each.square] = numbers_.features++;
      own.square = place_[*each.square];
    }
  }
  values_.resize(numbers_.features);
  log1_.resize(counts.sums.size());
  log0_.resize(plan.has(Event::bernoulli) ? counts.sums.size() : 0, 1.0);
  for (std::size_t i = 0; i < log1_.size(); ++i) {
    const std::uint32_t g = group_of_[i / classes_];
    if (g == kNone) continue;
    log1_[i] = counts.sums[i] + groups_[g].a;
    if (!log0_.empty()) log0_[i] = std::max(counts.weight[i % classes_] - counts.sums[i], 0.0) + groups_[g].a;
  }
  math::log(log1_, log1_);
  math::log(log0_, log0_);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (plan.groups[g].event != Event::bernoulli) continue;
    groups_[g].absent.resize(classes_);
    for (const EventGroup::Range& range : plan.groups[g].ranges)
      for (std::size_t i = range.first * classes_; i < range.last * classes_; ++i)
        groups_[g].absent[i % classes_] += log0_[i];
  }
}

// Whether no other row has the feature, so that no factor of it is left. One of many numbers stays if a higher one
// does.
bool LeftOut::vanishes(std::uint32_t feature, std::size_t label, double amount) const {
  if (!plan_.groups[group_of_[feature]].learnt) return false;
  for (std::size_t k = 0; k < classes_; ++k)
    if (counts_.sums[feature * classes_ + k] > (k == label ? amount : 0.0)) return false;
  return true;
}

// Whether a feature goes when no other row has it, whatever becomes of the others.
bool LeftOut::goes_alone(std::size_t g, std::uint32_t feature) const {
  return !plan_.groups[g].numbered || plan_.groups[g].is_zero(feature);
}

// Of numbered features: one past the highest that another row has.
std::uint32_t LeftOut::end_without(std::size_t g, const Row& x, std::size_t label, double weight) const {
  const Group& group = groups_[g];
  const bool binary = plan_.groups[g].event == Event::bernoulli;
  std::uint32_t end = group.last;
  while (end > group.first + plan_.groups[g].declared) {
    const double held = value_of(x, end - 1);
    if (!vanishes(end - 1, label, weight * (binary && held != 0.0 ? 1.0 : held))) break;
    --end;
  }
  return end;
}

// sum_j x_j log((T_kj + a) / (S_k + a L)), where of the own class T and S are less the row.
void LeftOut::add_outcomes(std::size_t g, const Row& x, std::size_t label, double weight) {
  const Group& group = groups_[g];
  const bool numbered = plan_.groups[g].numbered;
  const std::uint32_t end = numbered ? end_without(g, x, label, weight) : 0;
  double outcomes = numbered ? end - group.first : plan_.groups[g].features(), drawn = 0.0, gone = 0.0;
  for_each_value(x, [&](std::uint32_t j, double value) {
    if (group_of_[j] != g) return;
    gone += weight * value;
    if (numbered && j >= end) return;  // numbers are counted by their end
    if (goes_alone(g, j) && vanishes(j, label, weight * value)) {
      --outcomes;
      return;
    }
    drawn += value;
    for (std::size_t k = 0; k < classes_; ++k)
      scores_[k] +=
          value * (k == label ? math::log(std::max(counts_.sums[j * classes_ + k] - weight * value, 0.0) + group.a)
                              : log1_[j * classes_ + k]);
  });
  for (std::size_t k = 0; k < classes_; ++k)
    scores_[k] -= drawn * math::log(std::max(group.whole[k] - (k == label ? gone : 0.0), 0.0) + group.a * outcomes);
}

// sum_j log p_kj or log(1 - p_kj). The features that the row lacks are summed once for all rows of a class and weight.
void LeftOut::add_presence(std::size_t g, const Row& x, std::size_t label, double weight) {
  Group& group = groups_[g];
  const double own = counts_.weight[label] - weight;
  const auto absent = [&](std::uint32_t j) { return own - counts_.sums[j * classes_ + label]; };
  if (group.label != label || group.weight != weight) {
    group.label = label;
    group.weight = weight;
    group.absent_without = 0.0;
    for (const EventGroup::Range& range : plan_.groups[g].ranges)
      for (std::uint32_t j = range.first; j < range.last; ++j)
        if (absent(j) >= 0.0) group.absent_without += math::log(absent(j) + group.a);
  }
  double variables = plan_.groups[g].features();
  const bool numbered = plan_.groups[g].numbered;
  const std::uint32_t end = numbered ? end_without(g, x, label, weight) : 0;
  for (std::size_t k = 0; k < classes_; ++k) scores_[k] += k == label ? group.absent_without : group.absent[k];
  for_each_value(x, [&](std::uint32_t j, double) {
    if (group_of_[j] != g) return;
    const bool gone = (numbered && j >= end) || (goes_alone(g, j) && vanishes(j, label, weight));
    if (gone) --variables;
    for (std::size_t k = 0; k < classes_; ++k) {
      const std::size_t i = j * classes_ + k;
      if (k != label) {
        scores_[k] += (gone ? 0.0 : log1_[i]) - log0_[i];
      } else {
        if (!gone) scores_[k] += math::log(std::max(counts_.sums[i] - weight, 0.0) + group.a);
        if (absent(j) >= 0.0) scores_[k] -= math::log(absent(j) + group.a);
      }
    }
  });
  // Numbers beyond the end that the row lacks: their absence is no factor any more.
  for (std::uint32_t j = end; numbered && j < group.last; ++j) {
    if (value_of(x, j) != 0.0) continue;
    --variables;
    for (std::size_t k = 0; k < classes_; ++k)
      scores_[k] -= k == label ? math::log(std::max(absent(j), 0.0) + group.a) : log0_[j * classes_ + k];
  }
  for (std::size_t k = 0; k < classes_; ++k)
    scores_[k] -= variables * math::log((k == label ? own : counts_.weight[k]) + 2 * group.a);
}

// The priors too.
void LeftOut::add_numbers(const Row& x, std::size_t label, double weight) {
  std::fill(values_.begin(), values_.end(), 0.0);
  for_each_value(x, [&](std::uint32_t j, double value) {
    if (place_[j] != kNone) values_[place_[j]] = value;
  });
  rest_.weight[label] -= weight;
  for (std::size_t g = 0; g < numbers_.gaussians.size(); ++g) {
    const double value = values_[numbers_.gaussians[g].feature];
    rest_.first[g * classes_ + label] -= math::two_product(weight, value);
    rest_.second[g * classes_ + label] -= math::two_product(value, value) * weight;
  }
  const EventEstimates estimates = estimate_events(rest_, numbers_, map_, labels_, rules_);
  for (std::size_t k = 0; k < classes_; ++k) {
    math::DoubleDouble score = estimates.bias[k];
    for (std::uint32_t j = 0; j < numbers_.features; ++j)
      math::accumulate(score, estimates.weights[k * numbers_.features + j], values_[j]);
    scores_[k] = static_cast<double>(score);
    if (estimates.veto_base[k] > 0) scores_[k] = -std::numeric_limits<double>::infinity();
  }
  rest_.weight[label] = counts_.weight[label];
  for (std::size_t g = 0; g < numbers_.gaussians.size(); ++g) {
    rest_.first[g * classes_ + label] = counts_.first[g * classes_ + label];
    rest_.second[g * classes_ + label] = counts_.second[g * classes_ + label];
  }
}

bool LeftOut::loses_digits(const Row& x, std::size_t label, double weight) const {
  const double left = counts_.weight[label] - weight;
  if (!(left > 0.0)) return false;
  for (std::size_t g = 0; g < plan_.gaussians.size(); ++g) {
    const std::size_t i = g * classes_ + label;
    const double value = value_of(x, plan_.gaussians[g].feature), off = value - mean_[i];
    // Its share of the spread; if much is left without it, so are the digits.
    if (weight * off * off * (counts_.weight[label] / left) < 0.999 * spread_[i]) continue;
    const math::DoubleDouble first = counts_.first[i] - math::two_product(weight, value);
    const math::DoubleDouble second = counts_.second[i] - math::two_product(value, value) * weight;
    if (lost(spread_of(first, second, left), spread_[i], counts_.second[i].high)) return true;
  }
  return false;
}

LinearModel LeftOut::without(const Row& x, std::size_t label, double weight) {
  if (!quick_) {
    EventCounts before = rest_;
    adder_.add(x, label, -weight, rest_);
    LinearModel model = model_of(rest_, plan_, map_, labels_, rules_);
    rest_ = std::move(before);
    return model;
  }
  add_numbers(x, label, weight);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (plan_.groups[g].event == Event::bernoulli) {
      add_presence(g, x, label, weight);
    } else {
      add_outcomes(g, x, label, weight);
    }
  }
  LinearModel::Parts parts;
  parts.labels = {labels_.begin(), labels_.end()};
  const bool two = classes_ == 2;
  parts.link = two ? Link::logistic : Link::softmax;
  const std::size_t rows = two ? 1 : classes_;
  parts.weights = Weights::dense(rows, 0, {});
  std::vector<std::int32_t> impossible;
  for (double& score : scores_) {
    impossible.push_back(std::isfinite(score) ? 0 : 1);
    if (impossible.back() != 0) score = 0.0;
  }
  parts.bias = two ? std::vector{scores_[1] - scores_[0]} : scores_;
  if (std::any_of(impossible.begin(), impossible.end(), [](std::int32_t count) { return count != 0; })) {
    parts.vetoes.offsets.assign(rows + 1, 0);
    parts.veto_base = two ? std::vector{impossible[1] - impossible[0]} : impossible;
  }
  return LinearModel(std::move(parts));
}

}  // namespace plumb
