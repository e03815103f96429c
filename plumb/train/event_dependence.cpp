#include "plumb/train/event_dependence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/math/distributions.h"
#include "plumb/math/sparse.h"
#include "plumb/math/special.h"
#include "plumb/train/event_counts.h"

namespace plumb {
namespace {

constexpr std::size_t kMostSums = std::size_t{1} << 18;  // of all classes together
constexpr double kMostWork = 3e6;                        // entries read and products added
constexpr std::size_t kMostPairs = 10;                   // number of stored pairs
constexpr double kLevel = 0.05;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

enum class Shape { levels, presence, number };

// A column, term or number. Each of its features has a slot in a row of products; slot 0 is 1 in every row.
struct Variable {
  double about_class = 0.0;  // about its information on the class, in nats
  Shape shape = Shape::presence;
  std::size_t gaussian = 0;             // for a number: its index
  std::vector<std::uint32_t> features;  // for a category its levels
  std::vector<std::uint32_t> slots = {};
};

// Half of Pearson's statistic of the counts T_kj against the shares of the classes, which is close to the mutual
// information: a rule for choosing, not a result.
double about_class(const EventCounts& counts, double total, std::span<const std::uint32_t> features, bool absence) {
  double statistic = 0.0;
  for (const std::uint32_t j : features) {
    double all = 0.0;
    for (std::size_t k = 0; k < counts.classes; ++k) all += counts.sums[j * counts.classes + k];
    for (std::size_t k = 0; k < counts.classes; ++k) {
      const double expected = all * counts.weight_of(k) / total, rest = counts.weight_of(k) - expected;
      const double off = counts.sums[j * counts.classes + k] - expected;
      if (expected > 0.0) statistic += off * off / expected;
      if (absence && rest > 0.0) statistic += off * off / rest;
    }
  }
  return 0.5 * statistic / total;
}

std::vector<Variable> variables_of(const EventPlan& plan, const EventCounts& counts) {
  std::vector<Variable> all;
  const double total = counts.total_weight();
  for (const EventGroup& group : plan.groups) {
    std::vector<std::uint32_t> features;
    for (const EventGroup::Range& range : group.ranges)
      for (std::uint32_t j = range.first; j < range.last; ++j) features.push_back(j);
    if (group.event == Event::categorical) {
      if (features.size() > 1) all.push_back({about_class(counts, total, features, false), Shape::levels, 0, features});
      continue;
    }
    for (const std::uint32_t& j : features) {
      const double* const sums = counts.sums.data() + j * counts.classes;
      if (std::any_of(sums, sums + counts.classes, [](double sum) { return sum > 0.0; }))
        all.push_back({about_class(counts, total, {&j, 1}, group.event == Event::bernoulli), Shape::presence, 0, {j}});
    }
  }
  for (std::size_t g = 0; g < plan.gaussians.size(); ++g) {
    const double around = counts.spread_of(g);
    double inside = 0.0;
    for (std::size_t k = 0; k < counts.classes; ++k) inside += counts.spread_of(g, k);
    if (around > 0.0 && inside > 0.0)
      all.push_back({0.5 * math::log(around / inside), Shape::number, g, {plan.gaussians[g].feature}});
  }
  return all;
}

// Keeps the most informative ones about the class, as long as there is space for their levels; in the order of their
// features.
void choose(std::vector<Variable>& all, std::size_t room) {
  const auto better = [](const Variable& a, const Variable& b) {
    return std::tuple(-a.about_class, a.shape, a.features[0]) < std::tuple(-b.about_class, b.shape, b.features[0]);
  };
  const std::size_t looked = std::min(all.size(), 4 * kMostDependenceVariables);
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(looked), all.end(), better);
  std::vector<Variable> kept;
  for (std::size_t i = 0; i < looked && kept.size() < kMostDependenceVariables; ++i) {
    if (all[i].features.size() > room) continue;
    room -= all[i].features.size();
    kept.push_back(std::move(all[i]));
  }
  std::sort(kept.begin(), kept.end(), [](const Variable& a, const Variable& b) { return a.features < b.features; });
  all = std::move(kept);
}

// The sums of products of the rows of one class, lower triangle.
struct ClassSums {
  const double* gram;
  std::size_t slots;

  double rows() const { return gram[0]; }
  double sum(std::uint32_t a) const { return gram[a * slots]; }
  double product(std::uint32_t a, std::uint32_t b) const { return gram[std::max(a, b) * slots + std::min(a, b)]; }
  double spread(std::uint32_t a, std::uint32_t b) const { return product(a, b) - sum(a) * sum(b) / rows(); }
  // 0 if only rounding is left of the squares.
  double variance(std::uint32_t a) const {
    const double spread_of = spread(a, a);
    return spread_of > 1e-12 * product(a, a) ? spread_of : 0.0;
  }
};

struct Told {
  double nats = 0.0;  // times the weight of the rows
  // A statistic that is large for dependent variables, and its mean and variance under independence.
  double statistic = 0.0, mean = 0.0, variance = 0.0;
};

// The p-value of the statistic: for the gamma distribution with that mean and variance, which is chi-square if the
// variance is twice the mean.
double chance_of(double statistic, double mean, double variance) {
  if (!(mean > 0.0) || !(variance > 1e-9 * mean)) return 1.0;
  const double unit = variance / (2 * mean);
  return math::ChiSquare{mean / unit}.upper(statistic / unit);
}

// A variable with that many degrees of freedom explains a share of a number's variance. The ratio of the explained to
// the rest is an F if the two are independent and the number is Gaussian; for its p-value p, -2 ln p is chi-square with
// 2 degrees of freedom (Fisher). If every level has one row, all of the variance is explained, whatever the number is.
Told of_number(double rows, double squared_correlation, double freedom) {
  const double rest = rows - 1 - freedom;
  if (!(rest > 0.0)) return {};
  constexpr double kLeastChance = 1e-300;
  const double share = std::clamp(squared_correlation, 0.0, 1 - std::numeric_limits<double>::epsilon());
  const double chance = math::FRatio{freedom, rest}.upper(share / freedom / ((1 - share) / rest));
  return {-0.5 * rows * math::log1p(-share), -2 * math::log(std::max(chance, kLeastChance)), 2.0, 4.0};
}

double x_log_x(double x) { return x > 0.0 ? x * math::log(x) : 0.0; }

// How many rows have each level. A row without a slot has a level of its own, absence.
std::vector<double> margin(const ClassSums& sums, const Variable& v) {
  std::vector<double> rows;
  double rest = sums.rows();
  for (const std::uint32_t slot : v.slots) {
    rows.push_back(sums.sum(slot));
    rest -= rows.back();
  }
  if (v.shape == Shape::presence) rows.push_back(std::max(rest, 0.0));
  return rows;
}

// Pearson's statistic of the table of two discrete variables, with its mean and variance over all tables of these
// margins: with few rows for each cell neither it nor twice the nats is chi-square. Haldane, Biometrika 31 (1940);
// Zelterman, JASA 82 (1987).
Told of_levels(const ClassSums& sums, const Variable& a, const Variable& b) {
  const std::vector<double> left = margin(sums, a), right = margin(sums, b);
  const double n = sums.rows();
  std::vector<double> rest = right;  // of each column the rows without a slot of a
  Told told{x_log_x(n)};
  double squares = 0.0;
  const auto add_cell = [&](std::size_t i, std::size_t j, double cell) {
    told.nats += x_log_x(cell);
    if (cell > 0.0) squares += cell / left[i] * (cell / right[j]);
  };
  for (std::size_t i = 0; i < a.slots.size(); ++i) {
    double absent = left[i];
    for (std::size_t j = 0; j < b.slots.size(); ++j) {
      const double cell = sums.product(a.slots[i], b.slots[j]);
      add_cell(i, j, cell);
      absent -= cell;
      rest[j] -= cell;
    }
    if (b.shape != Shape::presence) continue;
    add_cell(i, 1, std::max(absent, 0.0));
    rest[1] -= absent;
  }
  if (a.shape == Shape::presence)
    for (std::size_t j = 0; j < right.size(); ++j) add_cell(1, j, std::max(rest[j], 0.0));
  for (const std::vector<double>* each : {&left, &right})
    for (const double rows : *each) told.nats -= x_log_x(rows);
  told.nats = std::max(told.nats, 0.0);
  double levels[2] = {}, inverse[2] = {};
  for (const std::size_t side : {0u, 1u})
    for (const double rows : side == 0 ? left : right) {
      levels[side] += rows > 0.0 ? 1 : 0;
      inverse[side] += rows > 0.0 ? 1 / rows : 0.0;
    }
  if (!(n > 3.0) || levels[0] < 2 || levels[1] < 2) return told;
  told.statistic = n * std::max(squares - 1, 0.0);
  told.mean = n / (n - 1) * (levels[0] - 1) * (levels[1] - 1);
  const auto even = [&](int side) { return (levels[side] - 1) * (n - levels[side]) / (n - 1); };
  const auto uneven = [&](int side) { return (n * inverse[side] - levels[side] * levels[side]) / (n - 2); };
  told.variance =
      2 * n / (n - 3) * (even(0) - uneven(0)) * (even(1) - uneven(1)) + n * n / (n - 1) * uneven(0) * uneven(1);
  return told;
}

// The correlation ratio: the share of the number's variance between the levels.
Told of_number_and_levels(const ClassSums& sums, std::uint32_t number, const Variable& levels) {
  const double around = sums.variance(number);
  if (!(around > 0.0)) return {};
  const std::vector<double> rows = margin(sums, levels);
  double between = -sums.sum(number) * sums.sum(number) / sums.rows(), rest = sums.sum(number), seen = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double sum = i < levels.slots.size() ? sums.product(number, levels.slots[i]) : rest;
    rest -= sum;
    if (!(rows[i] > 0.0)) continue;
    between += sum * sum / rows[i];
    ++seen;
  }
  return seen < 2 ? Told() : of_number(sums.rows(), between / around, seen - 1);
}

Told told_by(const ClassSums& sums, const Variable& a, const Variable& b) {
  if (!(sums.rows() > 0.0)) return {};
  if (a.shape == Shape::number && b.shape == Shape::number) {
    const double left = sums.variance(a.slots[0]), right = sums.variance(b.slots[0]);
    if (!(left > 0.0) || !(right > 0.0)) return {};
    const double r = sums.spread(a.slots[0], b.slots[0]) / std::sqrt(left) / std::sqrt(right);
    return of_number(sums.rows(), r * r, 1.0);
  }
  if (a.shape == Shape::number) return of_number_and_levels(sums, a.slots[0], b);
  if (b.shape == Shape::number) return of_number_and_levels(sums, b.slots[0], a);
  return of_levels(sums, a, b);
}

// For two numbers, over all classes.
std::optional<double> pooled_correlation(std::span<const ClassSums> sums, const Variable& a, const Variable& b) {
  if (a.shape != Shape::number || b.shape != Shape::number) return {};
  double both = 0.0, left = 0.0, right = 0.0;
  for (const ClassSums& each : sums) {
    if (!(each.rows() > 0.0)) continue;
    both += each.spread(a.slots[0], b.slots[0]);
    left += each.variance(a.slots[0]);
    right += each.variance(b.slots[0]);
  }
  if (!(left > 0.0) || !(right > 0.0)) return {};
  return std::clamp(both / std::sqrt(left) / std::sqrt(right), -1.0, 1.0);
}

}  // namespace

Dependence find_dependence(const Examples& examples, const EventPlan& plan, const EventCounts& counts, const Run& run) {
  Dependence found;
  std::vector<Variable> variables = variables_of(plan, counts);
  found.of_variables = variables.size();
  const std::size_t classes = counts.classes;
  const auto room =
      static_cast<std::size_t>(std::sqrt(static_cast<double>(kMostSums / std::max<std::size_t>(classes, 1))));
  if (room < 3) return found;
  choose(variables, std::min(kMostDependenceSlots, room - 1));
  found.variables = variables.size();
  if (variables.size() < 2) return found;

  std::vector<std::uint32_t> slot_of(plan.features, kNone);
  std::vector<const Variable*> owner = {nullptr};  // [slot]
  for (Variable& each : variables)
    for (const std::uint32_t j : each.features) {
      slot_of[j] = static_cast<std::uint32_t>(owner.size());
      each.slots.push_back(slot_of[j]);
      owner.push_back(&each);
    }
  const std::size_t size = owner.size(), square = size * size;
  // Numbers are centred by the mean of their class, so that squares keep their digits. A sparse row does not store its
  // zeros, which must not become minus a mean.
  const auto centre = [&](const Variable& v, std::size_t k) {
    return examples.sparse() ? 0.0 : counts.mean_of(v.gaussian, k);
  };
  const auto rows = static_cast<double>(examples.size()), held = static_cast<double>(variables.size() + 1);
  const double products = examples.sparse() ? 136.0 : held * held / 2;  // a sparse row has some 16 of the features
  const double work = static_cast<double>(examples.entries()) + rows * products;
  const auto stride = static_cast<std::uint64_t>(std::ceil(std::max(work / kMostWork, 1.0)));
  std::vector<double> total(classes * square + 1);
  run.reduce(Phase::fitting, examples.blocks(), total, [&](std::size_t b, Out out) {
    std::vector<std::pair<std::uint32_t, double>> held_by_row;
    std::vector<std::uint32_t> index;
    std::vector<double> value;
    examples.block(b).for_each_of(stride, [&](const Example& example) {
      if (example.weight == 0.0) return;
      const auto label = static_cast<std::size_t>(example.target);
      const Row& x = example.x;
      held_by_row.assign(1, {0, 1.0});
      for (std::size_t i = 0; i < x.value.size(); ++i) {
        const std::uint32_t slot = slot_of[x.dense() ? i : x.index[i]];
        if (slot == kNone) continue;
        const Variable& its = *owner[slot];
        if (its.shape == Shape::number)
          held_by_row.emplace_back(slot, x.value[i] - centre(its, label));
        else if (x.value[i] > 0.0)
          held_by_row.emplace_back(slot, 1.0);
      }
      std::sort(held_by_row.begin(), held_by_row.end());
      index.clear();
      value.clear();
      for (const auto& [slot, number] : held_by_row) {
        index.push_back(slot);
        value.push_back(number);
      }
      math::sparse_gram_add(index, value, example.weight, size, out.data() + label * square);
      out.back() += 1.0;
    });
  });
  found.rows = static_cast<std::uint64_t>(total.back());
  double weight = 0.0;
  for (std::size_t k = 0; k < classes; ++k) weight += total[k * square];
  if (!(weight > 0.0)) return found;
  // Significance depends on the number of rows, so weights are scaled to be 1 on average.
  for (double& each : total) each *= static_cast<double>(found.rows) / weight;
  std::vector<ClassSums> sums;
  for (std::size_t k = 0; k < classes; ++k) sums.push_back({total.data() + k * square, size});

  struct Judged {
    std::size_t a, b;
    Told told;
  };
  std::vector<Judged> judged;
  for (std::size_t a = 0; a < variables.size(); ++a)
    for (std::size_t b = a + 1; b < variables.size(); ++b) {
      Told all;
      for (const ClassSums& each : sums) {
        const Told one = told_by(each, variables[a], variables[b]);
        all = {all.nats + one.nats, all.statistic + one.statistic, all.mean + one.mean, all.variance + one.variance};
      }
      if (all.mean > 0.0 && all.statistic > all.mean && std::isfinite(all.nats)) judged.push_back({a, b, all});
    }
  std::stable_sort(judged.begin(), judged.end(),
                   [](const Judged& a, const Judged& b) { return a.told.nats > b.told.nats; });
  const double pairs = 0.5 * static_cast<double>(variables.size() * (variables.size() - 1));
  for (const auto& [a, b, told] : judged) {
    if (found.pairs.size() == kMostPairs) break;
    if (chance_of(told.statistic, told.mean, told.variance) * pairs > kLevel) continue;
    // For rare features the gamma distribution may have too short a tail: twice the nats must be large as well.
    if (variables[a].shape == Shape::presence && variables[b].shape == Shape::presence &&
        chance_of(2 * told.nats, told.mean, 2 * told.mean) * pairs > kLevel)
      continue;
    found.pairs.push_back({variables[a].features[0], variables[b].features[0],
                           told.nats / static_cast<double>(found.rows),
                           pooled_correlation(sums, variables[a], variables[b])});
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
  constexpr double kNoNumber = 2.0;  // a correlation cannot be larger
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
