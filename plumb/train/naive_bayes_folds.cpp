#include "plumb/train/naive_bayes_folds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/base/error.h"
#include "plumb/math/special.h"

namespace plumb {
namespace {

bool seen(const EventCounts& counts, std::uint32_t feature) {
  const auto* const begin = counts.sums.data() + feature * counts.classes;
  return std::any_of(begin, begin + counts.classes, [](double sum) { return sum > 0.0; });
}

template <class Visit>
void for_each_value(const Row& x, Visit&& visit) {
  for (std::size_t i = 0; i < x.value.size(); ++i)
    if (x.value[i] != 0.0) visit(x.dense() ? static_cast<std::uint32_t>(i) : x.index[i], x.value[i]);
}

double value_of(const Row& x, std::uint32_t feature) {
  if (x.dense()) return x.value[feature];
  const auto found = std::lower_bound(x.index.begin(), x.index.end(), feature);
  const bool there = found != x.index.end() && *found == feature;
  return there ? x.value[static_cast<std::size_t>(found - x.index.begin())] : 0.0;
}

// A spread this far below that of all rows, or below the precision of their squares with some bits to spare, has fewer
// than ten certain digits after a difference of sums. If all rows together have no more, nothing is lost.
bool lost(double spread, double of_all, double squares_of_all) {
  const double sure = std::max(0x1p-30 * of_all, 0x1p-110 * squares_of_all);
  return of_all > sure && spread <= sure;
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
    const std::size_t g = i / all.classes, k = i % all.classes;
    if (rest.weight[k] > 0.0 && lost(rest.spread_of(g, k), all.spread_of(g, k), all.second[i].high)) return true;
  }
  return false;
}

LinearModel model_of(const EventCounts& counts, const EventPlan& plan, const FeatureMap& map,
                     std::span<const std::string> labels, const EstimateRules& rules) {
  if (!(counts.total_weight() > 0.0))
    throw Error(ErrorCode::data, "there are no rows to train on; at least one with a weight above 0 was expected");
  const EventPlan rest = without_unseen(plan, counts);
  EventEstimates estimates = estimate_events(counts, rest, map, labels, rules);
  // A class without remaining rows is unknown to that fit, however impossible the others are.
  constexpr std::int32_t kMoreThanFeatures = std::int32_t{1} << 30;
  for (std::size_t k = 0; k < counts.classes; ++k)
    if (!(counts.weight_of(k) > 0.0)) estimates.veto_base[k] = kMoreThanFeatures;
  return to_model(estimates, map, {labels.begin(), labels.end()});
}

WithoutRow::WithoutRow(const EventCounts& counts, const EventPlan& plan, const FeatureMap& map,
                       std::span<const std::string> labels, const EstimateRules& rules)
    : counts_(counts),
      plan_(plan),
      map_(map),
      labels_(labels),
      rules_(rules),
      classes_(counts.classes),
      gaussians_(counts, plan, rules) {
  for (std::size_t i = 0; i < counts.first.size(); ++i) {
    const math::DoubleDouble weight = counts.weight[i % classes_];
    mean_.push_back(weight.high > 0.0 ? static_cast<double>(counts.first[i].rounded() / weight) : 0.0);
    spread_.push_back(counts.spread_of(i / classes_, i % classes_));
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
    known.binary = binary;
    known.outcomes = group.features();
    known.a = smoothing(binary ? 2.0 : known.outcomes);
    // Impossible outcomes, a number of outcomes that changes the smoothing, and complements need a whole estimate.
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
  if (quick_) make_logs();
}

void WithoutRow::make_logs() {
  numbers_.features = static_cast<std::uint32_t>(2 * plan_.gaussians.size());
  for (const GaussianFeature& each : plan_.gaussians) {
    GaussianFeature& own = numbers_.gaussians.emplace_back(each);
    own.feature = static_cast<std::uint32_t>(2 * numbers_.gaussians.size() - 2);
    if (each.square) own.square = own.feature + 1;
  }
  const std::vector<double>& sums = counts_.sums;
  log1_.resize(sums.size());
  log0_.resize(plan_.has(Event::bernoulli) ? sums.size() : 0, 1.0);
  for (std::size_t i = 0; i < log1_.size(); ++i) {
    const std::uint32_t g = group_of_[i / classes_];
    if (g == kNone) continue;
    log1_[i] = sums[i] + groups_[g].a;
    if (!log0_.empty()) log0_[i] = std::max(left_of(counts_.weight_of(i % classes_), sums[i]), 0.0) + groups_[g].a;
  }
  math::log(log1_, log1_);
  math::log(log0_, log0_);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    group.log_whole = group.log_less = group.whole;
    for (double& each : group.log_whole) each += group.a * group.outcomes;
    for (double& each : group.log_less) each = std::max(left_of(each, 1.0), 0.0) + group.a * group.outcomes;
    math::log(group.log_whole, group.log_whole);
    math::log(group.log_less, group.log_less);
    if (plan_.groups[g].event != Event::bernoulli) continue;
    group.absent.resize(classes_);
    for (const EventGroup::Range& range : plan_.groups[g].ranges)
      for (std::size_t i = range.first * classes_; i < range.last * classes_; ++i)
        group.absent[i % classes_] += log0_[i];
  }
}

// Whether no other row has the feature, so that its factor disappears. A numbered feature stays if a higher one does.
bool WithoutRow::vanishes(std::uint32_t feature, std::size_t label, double amount) const {
  if (!plan_.groups[group_of_[feature]].learnt) return false;
  for (std::size_t k = 0; k < classes_; ++k)
    if (left_of(counts_.sums[feature * classes_ + k], k == label ? amount : 0.0) > 0.0) return false;
  return true;
}

// Whether a feature disappears if no other row has it, independent of the others.
bool WithoutRow::goes_alone(std::size_t g, std::uint32_t feature) const {
  return !plan_.groups[g].numbered || plan_.groups[g].is_zero(feature);
}

// For numbered features: one past the highest in another row.
std::uint32_t WithoutRow::end_without(std::size_t g, const Row& x, std::size_t label, double weight) const {
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

// sum_j x_j log((T_kj + a) / (S_k + a L)), where for the own class T and S are without the row. The logarithms of its
// entries are computed at once.
void WithoutRow::add_outcomes(const Row& x, std::size_t label, double weight, Room& room) const {
  double* const scores = room.scores.data();
  for (std::size_t g = 0; g < groups_.size(); ++g)
    room.sums[g] = {0.0, 0.0, 0.0, plan_.groups[g].numbered ? end_without(g, x, label, weight) : kNone};
  room.own.resize(x.value.size());
  room.logs.resize(x.value.size());
  double* const own = room.own.data();
  double* const rest = room.logs.data();
  std::size_t count = 0;
  double other = 0.0;  // of two classes, the one that is not the row's
  const double before = scores[label];
  constexpr std::size_t kAhead = 12;  // entries whose counts are prefetched
  std::size_t ahead = kAhead;
  for_each_value(x, [&](std::uint32_t j, double value) {
    if (!x.dense() && ahead < x.index.size()) {
      const std::size_t later = x.index[ahead++] * classes_;
      __builtin_prefetch(counts_.sums.data() + later);
      __builtin_prefetch(log1_.data() + later);
    }
    const std::uint32_t g = group_of_[j];
    if (g == kNone || groups_[g].binary) return;
    Room::Sums& sums = room.sums[g];
    sums.gone += weight * value;
    if (j >= sums.end) return;  // numbers are counted by their end
    const std::size_t i = j * classes_;
    const double left = left_of(counts_.sums[i + label], weight * value);
    if (!(left > 0.0) && goes_alone(g, j) && vanishes(j, label, weight * value)) {
      sums.lost += 1.0;
      return;
    }
    sums.drawn += value;
    if (classes_ == 2)
      other += value * log1_[i + 1 - label];
    else
      for (std::size_t k = 0; k < classes_; ++k) scores[k] += value * log1_[i + k];
    own[count] = value;
    rest[count++] = std::max(left, 0.0) + groups_[g].a;
  });
  const Out logs = Out(room.logs).first(count);
  math::log(logs, logs);
  double mine = before;
  for (std::size_t i = 0; i < count; ++i) mine += own[i] * logs[i];
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    const Room::Sums& sums = room.sums[g];
    if (sums.drawn == 0.0 || group.binary) continue;
    const double outcomes =
        (sums.end == kNone ? group.outcomes : static_cast<double>(sums.end - group.first)) - sums.lost;
    const bool known = outcomes == group.outcomes;
    const auto log_of = [&](std::size_t k, double gone) {
      return math::log(std::max(left_of(group.whole[k], gone), 0.0) + group.a * outcomes);
    };
    mine -= sums.drawn * (known && sums.gone == 1.0 ? group.log_less[label] : log_of(label, sums.gone));
    if (classes_ == 2) {
      other -= sums.drawn * (known ? group.log_whole[1 - label] : log_of(1 - label, 0.0));
      continue;
    }
    for (std::size_t k = 0; k < classes_; ++k) scores[k] -= sums.drawn * (known ? group.log_whole[k] : log_of(k, 0.0));
  }
  if (classes_ == 2) scores[1 - label] += other;
  scores[label] = mine;
}

// sum_j log p_kj or log(1 - p_kj). The features that the row lacks are summed once for all rows of a class and weight.
void WithoutRow::add_presence(std::size_t g, const Row& x, std::size_t label, double weight, Room& room) const {
  const Group& group = groups_[g];
  Room::Absent& known = room.absent[g];
  std::vector<double>& scores = room.scores;
  const double own = counts_.weight_of(label) - weight;
  const auto absent = [&](std::uint32_t j) { return left_of(own, counts_.sums[j * classes_ + label]); };
  if (known.label != label || known.weight != weight) {
    known = {label, weight, 0.0};
    for (const EventGroup::Range& range : plan_.groups[g].ranges)
      for (std::uint32_t j = range.first; j < range.last; ++j)
        if (absent(j) >= 0.0) known.sum += math::log(absent(j) + group.a);
  }
  double variables = group.outcomes;
  const bool numbered = plan_.groups[g].numbered;
  const std::uint32_t end = numbered ? end_without(g, x, label, weight) : 0;
  for (std::size_t k = 0; k < classes_; ++k) scores[k] += k == label ? known.sum : group.absent[k];
  for_each_value(x, [&](std::uint32_t j, double) {
    if (group_of_[j] != g) return;
    const bool gone = (numbered && j >= end) || (goes_alone(g, j) && vanishes(j, label, weight));
    if (gone) --variables;
    for (std::size_t k = 0; k < classes_; ++k) {
      const std::size_t i = j * classes_ + k;
      if (k != label) {
        scores[k] += (gone ? 0.0 : log1_[i]) - log0_[i];
      } else {
        if (!gone) scores[k] += math::log(std::max(left_of(counts_.sums[i], weight), 0.0) + group.a);
        if (absent(j) >= 0.0) scores[k] -= math::log(absent(j) + group.a);
      }
    }
  });
  // Numbers beyond the end that the row lacks: their absence is no longer a factor.
  for (std::uint32_t j = end; numbered && j < group.last; ++j) {
    if (value_of(x, j) != 0.0) continue;
    --variables;
    for (std::size_t k = 0; k < classes_; ++k)
      scores[k] -= k == label ? math::log(std::max(absent(j), 0.0) + group.a) : log0_[j * classes_ + k];
  }
  for (std::size_t k = 0; k < classes_; ++k)
    scores[k] -= variables * math::log((k == label ? own : counts_.weight_of(k)) + 2 * group.a);
}

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
  if (plan_.gaussians.empty()) return;
  room.numbers.clear();
  for (const GaussianFeature& each : plan_.gaussians) room.numbers.push_back(value_of(x, each.feature));
  if (gaussians_.usable() && gaussians_.add(room.numbers, label, weight, room.gaussians, room.scores)) return;
  room.lost = loses_digits(x, label, weight);
  if (!room.lost || room.anyway) estimate_numbers(x, label, weight, room);
}

// The same from the sums of all other rows.
void WithoutRow::estimate_numbers(const Row& x, std::size_t label, double weight, Room& room) const {
  EventCounts& rest = room.rest;
  rest.classes = classes_;
  rest.weight = counts_.weight;
  rest.first = counts_.first;
  rest.second = counts_.second;
  rest.weight[label] -= weight;
  for (std::size_t g = 0; g < room.numbers.size(); ++g) rest.add_number(g * classes_ + label, -weight, room.numbers[g]);
  const EventEstimates estimates = estimate_events(rest, numbers_, map_, labels_, rules_);
  for (std::size_t k = 0; k < classes_; ++k) {
    math::DoubleDouble score = estimates.bias[k];
    const double* const weights = estimates.weights.data() + k * numbers_.features;
    for (std::size_t g = 0; g < room.numbers.size(); ++g) {
      math::accumulate(score, weights[2 * g], room.numbers[g]);
      if (const auto square = plan_.gaussians[g].square)
        math::accumulate(score, weights[2 * g + 1], value_of(x, *square));
    }
    room.scores[k] = estimates.veto_base[k] > 0 ? -std::numeric_limits<double>::infinity() : static_cast<double>(score);
  }
}

bool WithoutRow::loses_digits(const Row& x, std::size_t label, double weight) const {
  const math::DoubleDouble left = counts_.weight[label] - weight;
  if (!(left.high > 0.0)) return false;
  for (std::size_t g = 0; g < plan_.gaussians.size(); ++g) {
    const std::size_t i = g * classes_ + label;
    const double value = value_of(x, plan_.gaussians[g].feature), off = value - mean_[i];
    // Its share of the spread; if most remains without it, so do the digits.
    if (weight * off * off * (counts_.weight_of(label) / left.high) < 0.999 * spread_[i]) continue;
    EventCounts rest;
    rest.classes = 1;
    rest.weight = {left};
    rest.first = {counts_.first[i]};
    rest.second = {counts_.second[i]};
    rest.add_number(0, -weight, value);
    if (lost(rest.spread_of(0, 0), spread_[i], counts_.second[i].high)) return true;
  }
  return false;
}

bool WithoutRow::score(const Row& x, std::size_t label, double weight, Room& room) const {
  room.lost = !quick_ && loses_digits(x, label, weight);
  if (!quick_) return false;
  room.scores.resize(classes_);
  room.sums.resize(groups_.size());
  room.absent.resize(groups_.size());
  add_numbers(x, label, weight, room);
  if (!groups_.empty()) add_outcomes(x, label, weight, room);
  for (std::size_t g = 0; g < groups_.size(); ++g)
    if (plan_.groups[g].event == Event::bernoulli) add_presence(g, x, label, weight, room);
  return true;
}

LinearModel WithoutRow::without(const Row& x, std::size_t label, double weight, Room& room) const {
  room.anyway = true;
  const bool scored = score(x, label, weight, room);
  room.anyway = false;
  if (!scored) {
    room.rest = counts_;
    EventAdder(plan_).add(x, label, -weight, room.rest);
    return model_of(room.rest, plan_, map_, labels_, rules_);
  }
  LinearModel::Parts parts;
  parts.labels = {labels_.begin(), labels_.end()};
  const bool two = classes_ == 2;
  parts.link = two ? Link::logistic : Link::softmax;
  const std::size_t rows = two ? 1 : classes_;
  parts.weights = Weights::dense(rows, 0, {});
  std::vector<std::int32_t> impossible;
  std::vector<double> scores = room.scores;
  for (double& score : scores) {
    impossible.push_back(std::isfinite(score) ? 0 : 1);
    if (impossible.back() != 0) score = 0.0;
  }
  parts.bias = two ? std::vector{scores[1] - scores[0]} : scores;
  if (std::any_of(impossible.begin(), impossible.end(), [](std::int32_t count) { return count != 0; })) {
    parts.vetoes.offsets.assign(rows + 1, 0);
    parts.veto_base = two ? std::vector{impossible[1] - impossible[0]} : impossible;
  }
  return LinearModel(std::move(parts));
}

}  // namespace plumb
