#include "plumb/train/dependence_measure.h"

#include <array>
#include <cmath>
#include <limits>

#include "plumb/base/span.h"
#include "plumb/math/distributions.h"
#include "plumb/math/special.h"

namespace plumb::dependence {

double x_log_x(double x) { return x > 0.0 ? x * math::log(x) : 0.0; }

double chance_of(double statistic, double mean, double variance) {
  if (!(mean > 0.0) || !(variance > 1e-9 * mean)) return 1.0;
  const double unit = variance / (2 * mean);
  return math::ChiSquare{mean / unit}.upper(statistic / unit);
}

namespace {

// A number and a variable of so many degrees of freedom, of which this share of the number's variance follows: twice
// the nats with Bartlett's factor, N = n - 1 - (freedom + 2)/2, are chi-square but for freedom^3/48 N^2. Where that is
// not little, as levels have hardly a row each, the ratio of what follows to what does not is an F if the two are
// independent and the number is a bell curve; with its chance p, -2 ln p is chi-square with 2 degrees of freedom
// (Fisher). Where every level has one row, all of the variance follows, whatever the number is: nothing is told.
Told of_bells(double rows, double squared_correlation, double freedom) {
  const double rest = rows - 1 - freedom, factor = rows - 2 - freedom / 2;
  if (!(rest > 0.0)) return {};
  const double share = std::clamp(squared_correlation, 0.0, 1 - std::numeric_limits<double>::epsilon());
  const double nats = -0.5 * math::log1p(-share);
  if (freedom == 1.0 || factor >= 5 * freedom)
    return {rows * nats, 2 * std::max(factor, 0.0) * nats, freedom, 2 * freedom};
  const double chance = math::FRatio{freedom, rest}.upper(share / freedom / ((1 - share) / rest));
  constexpr double kLeastChance = 1e-300;
  return {rows * nats, -2 * math::log(std::max(chance, kLeastChance)), 2.0, 4.0};
}

// What is known of a margin of a table: how many levels have rows, and the sum of one over these rows.
struct Margin {
  double levels = 0.0, inverse = 0.0;

  explicit Margin(In of) {
    for (const double each : of) {
      if (!(each > 0.0)) continue;
      ++levels;
      inverse += 1 / each;
    }
  }
};

// Pearson's statistic of a table, with its very mean and variance over all tables of these margins; `squares` is the
// sum of cell^2 / (row * column). Where there are few rows for each cell neither it nor twice the nats is chi-square.
// Haldane, Biometrika 31 (1940); Zelterman, JASA 82 (1987).
void add_pearson(double squares, const Margin& a, const Margin& b, double rows, Told& told) {
  if (!(rows > 3.0) || a.levels < 2 || b.levels < 2) return;
  told.statistic = rows * std::max(squares - 1, 0.0);
  told.mean = rows / (rows - 1) * (a.levels - 1) * (b.levels - 1);
  const auto even = [&](const Margin& of) { return (of.levels - 1) * (rows - of.levels) / (rows - 1); };
  const auto uneven = [&](const Margin& of) { return (rows * of.inverse - of.levels * of.levels) / (rows - 2); };
  told.variance = 2 * rows / (rows - 3) * (even(a) - uneven(a)) * (even(b) - uneven(b)) +
                  rows * rows / (rows - 1) * uneven(a) * uneven(b);
}

// The table of two discrete variables; what no slot holds is a level of its own, absence.
Told of_levels(const ClassSums& sums, const Variable& a, const Variable& b) {
  const auto cells = [&](const Variable& v) { return v.slots.size() + (v.shape == Shape::presence ? 1 : 0); };
  const std::size_t rows = cells(a), columns = cells(b);
  std::vector<double> table(rows * columns), left(rows), right(columns);
  const auto fill = [&](const Variable& v, std::vector<double>& margin) {
    double rest = sums.rows();
    for (std::size_t i = 0; i < v.slots.size(); ++i) rest -= margin[i] = sums.sum(v.slots[i]);
    if (v.shape == Shape::presence) margin.back() = std::max(rest, 0.0);
  };
  fill(a, left);
  fill(b, right);
  for (std::size_t i = 0; i < a.slots.size(); ++i)
    for (std::size_t j = 0; j < b.slots.size(); ++j) table[i * columns + j] = sums.product(a.slots[i], b.slots[j]);
  if (b.shape == Shape::presence)
    for (std::size_t i = 0; i < a.slots.size(); ++i)
      table[i * columns + 1] = std::max(left[i] - table[i * columns], 0.0);
  if (a.shape == Shape::presence)
    for (std::size_t j = 0; j < columns; ++j) table[columns + j] = std::max(right[j] - table[j], 0.0);
  Told told{x_log_x(sums.rows())};
  for (const double cell : table) told.nats += x_log_x(cell);
  for (const double each : left) told.nats -= x_log_x(each);
  for (const double each : right) told.nats -= x_log_x(each);
  told.nats = std::max(told.nats, 0.0);
  double squares = 0.0;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      if (const double cell = table[i * columns + j]; cell > 0.0) squares += cell / left[i] * (cell / right[j]);
  add_pearson(squares, Margin(left), Margin(right), sums.rows(), told);
  return told;
}

// The correlation ratio: the share of the number's variance that lies between the levels.
Told of_number_and_levels(const ClassSums& sums, std::uint32_t number, const Variable& levels) {
  const double around = sums.variance(number);
  if (!(around > 0.0)) return {};
  double between = -sums.sum(number) * sums.sum(number) / sums.rows();
  double rest_rows = sums.rows(), rest_sum = sums.sum(number), seen = 0.0;
  for (const std::uint32_t slot : levels.slots) {
    const double rows = sums.sum(slot), sum = sums.product(number, slot);
    rest_rows -= rows;
    rest_sum -= sum;
    if (!(rows > 0.0)) continue;
    between += sum * sum / rows;
    ++seen;
  }
  if (levels.shape == Shape::presence && rest_rows > 0.0) {
    between += rest_sum * rest_sum / rest_rows;
    ++seen;
  }
  if (seen < 2) return {};
  return of_bells(sums.rows(), between / around, seen - 1);
}

Told of_numbers(const ClassSums& sums, std::uint32_t a, std::uint32_t b) {
  const double left = sums.variance(a), right = sums.variance(b);
  if (!(left > 0.0) || !(right > 0.0)) return {};
  const double r = sums.spread(a, b) / std::sqrt(left) / std::sqrt(right);
  return of_bells(sums.rows(), r * r, 1.0);
}

}  // namespace

Told told_by(const ClassSums& sums, const Variable& a, const Variable& b) {
  if (!(sums.rows() > 0.0)) return {};
  if (a.shape == Shape::number && b.shape == Shape::number) return of_numbers(sums, a.slots[0], b.slots[0]);
  if (a.shape == Shape::number) return of_number_and_levels(sums, a.slots[0], b);
  if (b.shape == Shape::number) return of_number_and_levels(sums, b.slots[0], a);
  return of_levels(sums, a, b);
}

// The margins of a variable that is there or not.
struct Pairs::Presence {
  double there, absent;
  double x_log_there, x_log_absent;
  Margin margin;

  Presence(double rows, double sum)
      : there(sum),
        absent(std::max(rows - sum, 0.0)),
        x_log_there(x_log_x(there)),
        x_log_absent(x_log_x(absent)),
        margin(std::array{there, absent}) {}
};

Pairs::Pairs(const std::vector<ClassSums>& sums, const std::vector<Variable>& variables)
    : sums_(sums), variables_(variables), presences_(sums.size()) {
  const auto is_presence = [](const Variable& variable) { return variable.shape == Shape::presence; };
  presences_alone_ = std::all_of(variables.begin(), variables.end(), is_presence);
  for (std::size_t k = 0; k < sums.size() && presences_alone_; ++k)
    for (const Variable& each : variables) presences_[k].emplace_back(sums[k].rows(), sums[k].sum(each.slots[0]));
}

Pairs::~Pairs() = default;

// What told_by finds of two presences, number by number in the same order.
std::vector<Told> Pairs::told_of(std::size_t a) const {
  const std::size_t count = variables_.size() - a - 1;
  std::vector<Told> told(count);
  if (!presences_alone_) {
    for (std::size_t i = 0; i < count; ++i)
      for (const ClassSums& each : sums_) told[i].add(told_by(each, variables_[a], variables_[a + 1 + i]));
    return told;
  }
  std::vector<double> cells(4 * count), logs(4 * count);
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    const double rows = sums_[k].rows();
    if (!(rows > 0.0)) continue;
    const Presence& left = presences_[k][a];
    for (std::size_t i = 0; i < count; ++i) {
      const Presence& right = presences_[k][a + 1 + i];
      double* const cell = cells.data() + 4 * i;
      cell[0] = sums_[k].product(variables_[a].slots[0], variables_[a + 1 + i].slots[0]);
      cell[1] = std::max(left.there - cell[0], 0.0);
      cell[2] = std::max(right.there - cell[0], 0.0);
      cell[3] = std::max(right.absent - cell[1], 0.0);
    }
    math::log(cells, logs);
    const double x_log_rows = x_log_x(rows);
    for (std::size_t i = 0; i < count; ++i) {
      const Presence& right = presences_[k][a + 1 + i];
      const double* const cell = cells.data() + 4 * i;
      Told one{x_log_rows};
      for (std::size_t c = 0; c < 4; ++c) one.nats += cell[c] > 0.0 ? cell[c] * logs[4 * i + c] : 0.0;
      for (const double each : {left.x_log_there, left.x_log_absent, right.x_log_there, right.x_log_absent})
        one.nats -= each;
      one.nats = std::max(one.nats, 0.0);
      double squares = 0.0;
      for (std::size_t c = 0; c < 4; ++c)
        if (cell[c] > 0.0)
          squares +=
              cell[c] / (c < 2 ? left.there : left.absent) * (cell[c] / (c % 2 == 0 ? right.there : right.absent));
      add_pearson(squares, left.margin, right.margin, rows, one);
      told[i].add(one);
    }
  }
  return told;
}

std::optional<double> pooled_correlation(const std::vector<ClassSums>& sums, const Variable& a, const Variable& b) {
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

}  // namespace plumb::dependence
