#include "plumb/train/event_dependence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/math/dense.h"
#include "plumb/math/sparse.h"
#include "plumb/math/special.h"
#include "plumb/train/dependence_measure.h"
#include "plumb/train/event_counts.h"
#include "plumb/train/presence_pairs.h"

namespace plumb {
namespace {

constexpr std::size_t kMostSums = std::size_t{1} << 18;  // of all classes together
constexpr double kMostWork = 1e7;                        // entries looked at and products added
constexpr std::size_t kMostPairs = 10;                   // that are kept
constexpr double kLevel = 0.05;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

using dependence::ClassSums, dependence::Shape, dependence::Told, dependence::Variable, dependence::x_log_x;

bool is_presence(const Variable& variable) { return variable.shape == Shape::presence; }

struct Candidate {
  double about_class = 0.0;  // what it tells of the class, in nats
  Shape shape = Shape::presence;
  std::uint32_t place = 0;  // the group of levels, the feature that is there or not, or the gaussian
  std::uint32_t slots = 1;  // that it takes
};

bool better(const Candidate& a, const Candidate& b) {
  return std::tuple(-a.about_class, a.shape, a.place) < std::tuple(-b.about_class, b.shape, b.place);
}

// Everything that could be looked at, with I(variable; class) from the counts alone. The best of them are kept, which
// are enough unless they have too many levels: a text has hundreds of thousands.
class Candidates {
 public:
  Candidates(const EventPlan& plan, const EventCounts& counts)
      : counts_(counts), classes_(counts.classes), total_(counts.total_weight()) {
    for (std::uint32_t g = 0; g < plan.groups.size(); ++g) {
      const EventGroup& group = plan.groups[g];
      if (group.event == Event::categorical) {
        add_levels(g, group);
        continue;
      }
      for (const EventGroup::Range& range : group.ranges) add_presences(group.event, range);
    }
    for (std::uint32_t g = 0; g < plan.gaussians.size(); ++g) add_number(g);
  }

  std::uint64_t count() const noexcept { return count_; }
  // The best first.
  std::vector<Candidate> take() {
    std::sort_heap(best_.begin(), best_.end(), better);
    return std::move(best_);
  }

 private:
  static constexpr std::size_t kMost = 4 * kMostDependenceVariables;

  // The worst of those that are kept is in front.
  void add(const Candidate& candidate) {
    ++count_;
    if (best_.size() == kMost) {
      if (!better(candidate, best_.front())) return;
      std::pop_heap(best_.begin(), best_.end(), better);
      best_.pop_back();
    }
    best_.push_back(candidate);
    std::push_heap(best_.begin(), best_.end(), better);
  }

  double sum(std::uint32_t j, std::size_t k) const { return counts_.sums[j * classes_ + k]; }

  // sum T_kj ln(T_kj N / (N_k T_j)) / N over levels and classes.
  void add_levels(std::uint32_t g, const EventGroup& group) {
    double nats = x_log_x(total_);
    for (std::size_t k = 0; k < classes_; ++k) nats -= x_log_x(counts_.weight_of(k));
    for (const EventGroup::Range& range : group.ranges)
      for (std::uint32_t j = range.first; j < range.last; ++j) {
        double all = 0.0;
        for (std::size_t k = 0; k < classes_; ++k) {
          nats += x_log_x(sum(j, k));
          all += sum(j, k);
        }
        nats -= x_log_x(all);
      }
    if (group.features() > 1) add({nats / total_, Shape::levels, g, group.features()});
  }

  // Of draws the counts are those of draws, not of rows: it is a rule for choosing, not a result. For each feature
  // these are the terms x ln x: of every class, there and (if that counts) not there, and of all. There may be many
  // features, so their logarithms are taken some at once.
  void add_presences(Event event, const EventGroup::Range& range) {
    constexpr std::uint32_t at_once = 256;
    const std::size_t sides = event == Event::bernoulli ? 2 : 1, terms = sides * (classes_ + 1);
    std::vector<double> share(classes_), x(at_once * terms), logs(at_once * terms);
    for (std::size_t k = 0; k < classes_; ++k) share[k] = counts_.weight_of(k) / total_;
    for (std::uint32_t from = range.first; from < range.last; from += std::min(at_once, range.last - from)) {
      const std::uint32_t count = std::min(at_once, range.last - from);
      std::fill(x.begin(), x.end(), 0.0);
      for (std::uint32_t i = 0; i < count; ++i) {
        double* const its = x.data() + i * terms;
        double all = 0.0;
        for (std::size_t k = 0; k < classes_; ++k) all += sum(from + i, k);
        for (std::size_t k = 0; k < classes_; ++k) {
          if (share[k] == 0.0) continue;
          its[k * sides] = sum(from + i, k) / share[k];
          if (sides > 1) its[k * sides + 1] = std::max(counts_.weight_of(k) - sum(from + i, k), 0.0) / share[k];
        }
        its[classes_ * sides] = all;
        if (sides > 1) its[classes_ * sides + 1] = std::max(total_ - all, 0.0);
      }
      math::log(x, logs);
      for (std::uint32_t i = 0; i < count; ++i) {
        const auto x_log_x_at = [&](std::size_t term) {
          const double value = x[i * terms + term];
          return value > 0.0 ? value * logs[i * terms + term] : 0.0;
        };
        if (x[i * terms + classes_ * sides] == 0.0) continue;
        double nats = 0.0;
        for (std::size_t k = 0; k < classes_; ++k)
          for (std::size_t side = 0; side < sides && share[k] != 0.0; ++side)
            nats += x_log_x_at(k * sides + side) * share[k];
        nats -= x_log_x_at(classes_ * sides) + (sides > 1 ? x_log_x_at(classes_ * sides + 1) : 0.0);
        add({nats / total_, Shape::presence, from + i});
      }
    }
  }

  // 1/2 ln(variance / variance within classes).
  void add_number(std::uint32_t g) {
    const double around = counts_.spread_of(g);
    double inside = 0.0;
    for (std::size_t k = 0; k < classes_; ++k) inside += counts_.spread_of(g, k);
    if (!(around > 0.0) || !(inside > 0.0)) return;
    add({0.5 * math::log(around / inside), Shape::number, g});
  }

  const EventCounts& counts_;
  const std::size_t classes_;
  const double total_;
  std::uint64_t count_ = 0;
  std::vector<Candidate> best_;
};

// Those that say most about the class, as long as there is room for their levels; in the order of their features.
std::vector<Variable> chosen(const std::vector<Candidate>& candidates, std::size_t room, const EventPlan& plan) {
  std::vector<Variable> variables;
  for (auto each = candidates.begin(); each != candidates.end(); ++each) {
    if (variables.size() == kMostDependenceVariables) break;
    if (each->slots > room) continue;
    room -= each->slots;
    Variable& variable = variables.emplace_back();
    variable.shape = each->shape;
    if (each->shape == Shape::number) {
      variable.gaussian = each->place;
      variable.features = {plan.gaussians[each->place].feature};
    } else if (each->shape == Shape::presence) {
      variable.features = {each->place};
    } else {
      for (const EventGroup::Range& range : plan.groups[each->place].ranges)
        for (std::uint32_t j = range.first; j < range.last; ++j) variable.features.push_back(j);
    }
  }
  std::sort(variables.begin(), variables.end(),
            [](const Variable& a, const Variable& b) { return a.features < b.features; });
  return variables;
}

// Sums of products of rows, class by class in row order. Rows that have every slot wait for some more of their class:
// many at once are several times as fast, with the same bits.
class Products {
 public:
  Products(std::size_t slots, std::size_t classes, double* sums) : slots_(slots), sums_(sums), full_(classes) {}

  void add(std::span<const std::uint32_t> index, In value, double weight, std::size_t label) {
    Full& full = full_[label];
    if (index.size() != slots_) {
      flush(label);
      math::sparse_gram_add(index, value, weight, slots_, sums_ + label * slots_ * slots_);
      return;
    }
    full.rows.insert(full.rows.end(), value.begin(), value.end());
    full.weights.push_back(weight);
    if (full.weights.size() == kMostRows) flush(label);
  }
  void finish() {
    for (std::size_t label = 0; label < full_.size(); ++label) flush(label);
  }

 private:
  static constexpr std::size_t kMostRows = 32;
  struct Full {
    std::vector<double> rows, weights;
  };

  void flush(std::size_t label) {
    Full& full = full_[label];
    if (full.weights.empty()) return;
    math::gram_add(full.rows.data(), full.weights.size(), slots_, slots_, full.weights.data(),
                   sums_ + label * slots_ * slots_);
    full.rows.clear();
    full.weights.clear();
  }

  const std::size_t slots_;
  double* const sums_;
  std::vector<Full> full_;
};

// What each feature adds to a row of slots.
struct Slots {
  std::vector<std::uint32_t> of;       // [feature]: which, or kNone
  std::vector<std::uint32_t> feature;  // [slot]; kNone for the first, which is 1 in every row
  std::vector<Shape> shape;            // [slot]
  std::vector<double> centre;          // [slot][class]: near the mean, so that squares keep their digits
  std::size_t count = 1;
};

Slots place(std::vector<Variable>& variables, const EventCounts& counts, std::uint32_t features, bool sparse) {
  Slots slots;
  slots.of.assign(features, kNone);
  for (const Variable& each : variables)
    for (const std::uint32_t j : each.features) slots.of[j] = 0;
  slots.feature.push_back(kNone);
  for (std::uint32_t j = 0; j < features; ++j)
    if (slots.of[j] != kNone) {
      slots.of[j] = static_cast<std::uint32_t>(slots.count++);
      slots.feature.push_back(j);
    }
  slots.shape.resize(slots.count);
  slots.centre.resize(slots.count * counts.classes);
  for (Variable& each : variables) {
    for (const std::uint32_t j : each.features) {
      each.slots.push_back(slots.of[j]);
      slots.shape[slots.of[j]] = each.shape;
    }
    // A sparse row does not store its zeros, and they are not to become minus a centre.
    if (each.shape != Shape::number || sparse) continue;
    for (std::size_t k = 0; k < counts.classes; ++k)
      if (counts.weight_of(k) > 0.0)
        slots.centre[each.slots[0] * counts.classes + k] =
            counts.first[each.gaussian * counts.classes + k].high / counts.weight_of(k);
  }
  return slots;
}

}  // namespace

Dependence find_dependence(const Examples& examples, const EventPlan& plan, const EventCounts& counts, const Run& run,
                           const std::function<void(std::size_t)>& look_first) {
  Dependence found;
  Candidates candidates(plan, counts);
  found.of_variables = candidates.count();
  const std::size_t classes = counts.classes;
  const auto room =
      static_cast<std::size_t>(std::sqrt(static_cast<double>(kMostSums / std::max<std::size_t>(classes, 1))));
  if (room < 3) return found;
  std::vector<Variable> variables = chosen(candidates.take(), std::min(kMostDependenceSlots, room - 1), plan);
  found.variables = variables.size();
  if (variables.size() < 2) return found;
  const Slots slots = place(variables, counts, plan.features, examples.sparse());
  const std::size_t size = slots.count, square = size * size;
  // A sparse row has few of the chosen features; 16 of them make 136 products. A dense one has a level of each.
  const auto rows = static_cast<double>(examples.size()), held = static_cast<double>(variables.size() + 1);
  const double products = examples.sparse() ? 136.0 : held * held / 2;
  const double work = static_cast<double>(examples.entries()) + rows * products;
  const auto stride = static_cast<std::uint64_t>(std::ceil(std::max(work / kMostWork, 1.0)));
  const bool numbers_alone =
      !examples.sparse() &&
      std::all_of(variables.begin(), variables.end(), [](const Variable& v) { return v.shape == Shape::number; });
  const bool presences_alone =
      examples.sparse() && !examples.weighted() &&
      std::none_of(variables.begin(), variables.end(), [](const Variable& v) { return v.shape == Shape::number; });
  std::vector<double> total(classes * square + 1);
  const auto add_block = [&](std::size_t b, Out out) {
    if (look_first) look_first(b);
    std::vector<std::uint32_t> index, places;
    std::vector<double> value;
    Products products(size, classes, out.data());
    if (numbers_alone) {
      for (std::uint32_t slot = 0; slot < size; ++slot) index.push_back(slot);
      value.assign(size, 1.0);
    }
    examples.block(b).for_each_of(stride, [&](const Example& example) {
      if (example.weight == 0.0) return;
      const auto label = static_cast<std::size_t>(example.target);
      if (numbers_alone) {
        for (std::size_t slot = 1; slot < size; ++slot)
          value[slot] = example.x.value[slots.feature[slot]] - slots.centre[slot * classes + label];
        products.add(index, value, example.weight, label);
        out[classes * square] += 1.0;
        return;
      }
      index.assign(1, 0);
      value.assign(1, 1.0);
      const Row& x = example.x;
      // Whether a feature was chosen is not to be guessed, so those that were are found without a branch.
      places.resize(x.value.size() + 1);
      std::size_t count = 0;
      for (std::size_t i = 0; i < x.value.size(); ++i) {
        places[count] = static_cast<std::uint32_t>(i);
        count += slots.of[x.dense() ? i : x.index[i]] != kNone ? 1 : 0;
      }
      for (std::size_t p = 0; p < count; ++p) {
        const std::size_t i = places[p];
        const std::uint32_t slot = slots.of[x.dense() ? i : x.index[i]];
        const bool number = slots.shape[slot] == Shape::number;
        if (!number && !(x.value[i] > 0.0)) continue;
        index.push_back(slot);
        value.push_back(number ? x.value[i] - slots.centre[slot * classes + label] : 1.0);
      }
      products.add(index, value, example.weight, label);
      out[classes * square] += 1.0;
    });
    products.finish();
  };
  if (presences_alone) {
    PresencePairs pairs = count_presence_pairs(examples, classes, slots.of, size, stride, run, look_first);
    total = std::move(pairs.counts);
    total.push_back(static_cast<double>(pairs.rows));
  } else {
    // From the last rows to the first: those that were counted last may still be in the last cache.
    const std::size_t blocks = examples.blocks();
    run.reduce(Phase::fitting, blocks, total, [&](std::size_t b, Out out) { add_block(blocks - 1 - b, out); });
  }
  found.rows = static_cast<std::uint64_t>(total.back());
  std::vector<ClassSums> sums;
  double weight = 0.0;
  for (std::size_t k = 0; k < classes; ++k) weight += total[k * square];
  if (!(weight > 0.0)) return found;
  // What is chance hangs on how many rows there are, so weights are to be 1 on average.
  const double share = static_cast<double>(found.rows) / weight;
  for (double& each : total) each *= share;
  for (std::size_t k = 0; k < classes; ++k) sums.emplace_back(total.data() + k * square, size);
  const double pairs = 0.5 * static_cast<double>(variables.size() * (variables.size() - 1));
  struct Judged {
    std::size_t a, b;
    Told told;
  };
  std::vector<std::vector<Told>> told_of(variables.size());
  const dependence::Pairs all_pairs(sums, variables);
  run.executor.for_each(variables.size(), [&](std::size_t a) { told_of[a] = all_pairs.told_of(a); });
  std::vector<Judged> judged;
  judged.reserve(static_cast<std::size_t>(pairs));
  for (std::size_t a = 0; a < variables.size(); ++a)
    for (std::size_t i = 0; i < told_of[a].size(); ++i)
      if (const Told& all = told_of[a][i]; all.mean > 0.0 && std::isfinite(all.nats))
        judged.push_back({a, a + 1 + i, all});
  // Those with most nats first, and of equal ones as they come. Few are looked at, mostly.
  const auto later = [](const Judged& a, const Judged& b) {
    return std::tuple(-a.told.nats, a.a, a.b) > std::tuple(-b.told.nats, b.a, b.b);
  };
  std::make_heap(judged.begin(), judged.end(), later);
  Told chance;
  for (auto end = judged.end(); end != judged.begin() && found.pairs.size() < kMostPairs;) {
    std::pop_heap(judged.begin(), end, later);
    const Judged& each = *--end;
    const Told& told = each.told;
    if (told.statistic <= told.mean) continue;  // most are, and their tails need not be known
    // What is chance for one pair is so for another of the same distribution that is no farther out: of numbers, all.
    if (told.mean == chance.mean && told.variance == chance.variance && told.statistic <= chance.statistic) continue;
    if (dependence::chance_of(told.statistic, told.mean, told.variance) * pairs > kLevel) {
      chance = told;
      continue;
    }
    // Of what is rarely there the gamma distribution may end too soon: twice the nats must be large as well.
    if (is_presence(variables[each.a]) && is_presence(variables[each.b]) &&
        dependence::chance_of(2 * told.nats, told.mean, 2 * told.mean) * pairs > kLevel)
      continue;
    found.pairs.push_back({variables[each.a].features[0], variables[each.b].features[0],
                           told.nats / static_cast<double>(found.rows),
                           dependence::pooled_correlation(sums, variables[each.a], variables[each.b])});
  }
  return found;
}

void add_dependence(Record& record, const Dependence& dependence) {
  if (dependence.variables < 2) return;
  record.statistics.push_back(
      {"dependence.of",
       {3},
       std::vector<double>{static_cast<double>(dependence.rows), static_cast<double>(dependence.variables),
                           static_cast<double>(dependence.of_variables)}});
  std::vector<double> pairs;
  constexpr double kNoNumber = 2.0;  // no correlation is
  for (const DependentPair& pair : dependence.pairs)
    pairs.insert(pairs.end(), {static_cast<double>(pair.left), static_cast<double>(pair.right), pair.nats,
                               pair.correlation.value_or(kNoNumber)});
  if (!pairs.empty()) record.statistics.push_back({"dependence.pairs", {dependence.pairs.size(), 4}, std::move(pairs)});
}

std::optional<Dependence> kept_dependence(const Record& record, const EventPlan& plan) {
  const auto numbers = [&](const char* name) -> const std::vector<double>* {
    const Statistic* const found = find_statistic(record, name);
    return found == nullptr ? nullptr : std::get_if<std::vector<double>>(&found->values);
  };
  const auto* const of = numbers("dependence.of");
  if (of == nullptr) return {};
  const auto whole = [](double value, double end) { return value >= 0 && value < end && std::trunc(value) == value; };
  const auto expect = [](bool good) {
    if (!good) throw Error(ErrorCode::model, "the statistics of dependence contradict the model");
  };
  constexpr double kEnd = 9007199254740992.0;
  expect(of->size() == 3 && whole((*of)[0], kEnd) && whole((*of)[1], kEnd) && whole((*of)[2], kEnd));
  Dependence found{static_cast<std::uint64_t>((*of)[0]),
                   static_cast<std::uint64_t>((*of)[1]),
                   static_cast<std::uint64_t>((*of)[2]),
                   {}};
  const auto* const pairs = numbers("dependence.pairs");
  if (pairs == nullptr) return found;
  expect(pairs->size() % 4 == 0);
  for (std::size_t i = 0; i < pairs->size(); i += 4) {
    const double* const each = pairs->data() + i;
    expect(whole(each[0], plan.features) && whole(each[1], plan.features) && std::isfinite(each[2]));
    found.pairs.push_back({static_cast<std::uint32_t>(each[0]), static_cast<std::uint32_t>(each[1]), each[2],
                           std::abs(each[3]) <= 1.0 ? std::optional(each[3]) : std::nullopt});
  }
  return found;
}

std::string variable_name(const EventPlan& plan, const FeatureMap& map, std::uint32_t feature) {
  for (const EventGroup& group : plan.groups)
    if (group.event == Event::categorical)
      for (const EventGroup::Range& range : group.ranges)
        if (feature >= range.first && feature < range.last) return group.name;
  return map.name(feature);
}

}  // namespace plumb
