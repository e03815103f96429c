#include "plumb/train/number_sums.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plumb/math/column_sums.h"

namespace plumb {
namespace {

using math::DoubleDouble;

constexpr std::size_t kLooked = 9;     // rows that decide a column's centre: two of them may be outliers
constexpr std::uintptr_t kAhead = 32;  // rows: what comes later is asked for while others are summed

// Without a branch: which of two is less is unpredictable.
void sort(std::array<double, kLooked>& x) {
  constexpr std::array<std::array<std::uint8_t, 2>, 25> pairs = {
      {{0, 3}, {1, 7}, {2, 5}, {4, 8}, {0, 7}, {2, 4}, {3, 8}, {5, 6}, {0, 2}, {1, 3}, {4, 5}, {7, 8}, {1, 4},
       {3, 6}, {5, 7}, {0, 1}, {2, 4}, {3, 5}, {6, 8}, {2, 3}, {4, 5}, {6, 7}, {1, 2}, {3, 4}, {5, 6}}};
  for (const auto& [i, j] : pairs) {
    const double a = x[i], b = x[j];
    x[i] = std::min(a, b);
    x[j] = std::max(a, b);
  }
}

// Near most of the numbers. If all are equal, steps are the last digits of the number, unless it has few.
math::MomentGrid grid_of(std::array<double, kLooked> x) {
  sort(x);
  const double centre = x[kLooked / 2];
  // The farthest is the first or the last; without it, the same holds for the next.
  std::size_t first = 0, last = kLooked - 1;
  const auto farthest = [&] { return std::max(centre - x[first], x[last] - centre); };
  const double most = farthest();
  for (int i = 0; i < 2; ++i) centre - x[first] > x[last] - centre ? ++first : --last;
  if (farthest() > 0.0) return math::MomentGrid::around(centre, farthest());
  if (most > 0.0) return math::MomentGrid::around(centre, most);
  const math::MomentGrid coarse = math::MomentGrid::around(centre, std::abs(centre));
  return coarse.about == centre ? coarse : math::MomentGrid::around(centre, 0x1p-40 * std::abs(centre));
}

// sum x = sum d + n c, sum x^2 = sum d^2 + 2 c sum d + n c^2, where n is the sum of weights. Each term is added by
// itself, so that sums about numbers far from 0 keep their digits.
void add_about(double c, DoubleDouble n, DoubleDouble first, DoubleDouble second, std::size_t place,
               EventCounts& counts) {
  counts.first[place] += first;
  math::accumulate(counts.first[place], n, c);
  math::TripleDouble& squares = counts.second[place];
  squares += second;
  math::accumulate(squares, first, 2 * c);
  const DoubleDouble square = math::two_product(c, c);
  math::accumulate(squares, n, square.low);
  math::accumulate(squares, n, square.high);
}

}  // namespace

NumberSums::NumberSums(const EventPlan& plan, std::size_t classes, bool lasting, bool fetches)
    : plan_(plan),
      numbers_(plan.gaussians.size()),
      width_(math::in_eights(plan.gaussians.size())),
      fetches_(fetches),
      of_class_(classes) {
  // Consecutive numbers, or numbers each followed by its square, can be summed in place.
  const std::size_t step = numbers_ > 1 && plan.gaussians[1].feature == plan.gaussians[0].feature + 2 ? 2 : 1;
  in_place_ = lasting;
  for (std::size_t g = 0; g < numbers_; ++g)
    in_place_ = in_place_ && plan.gaussians[g].feature == plan.gaussians[0].feature + step * g;
  if (in_place_) step_ = step;
}

void NumberSums::prepare(Sums& own) const {
  if (!own.sums.empty()) return;
  own.choice.centre.resize(width_);
  own.choice.about.resize(3 * width_);
  own.sums.resize(4 * width_);
  own.plain.resize(4 * width_);
  own.counted.resize(width_ / 8);
  own.look_at = kMostPlainRows;
}

void NumberSums::add(In x, std::size_t label, EventCounts& counts) {
  Sums& own = of_class_[label];
  if (in_place_) {
    const double* const row = x.data() + plan_.gaussians[0].feature;
    own.row[own.waiting] = row;
    latest_ = row;
    stride_ = x.size();
  } else {
    own.copies.resize(kBatch * numbers_);
    double* const copy = own.copies.data() + own.waiting * numbers_;
    for (std::size_t g = 0; g < numbers_; ++g) copy[g] = x[plan_.gaussians[g].feature];
    own.row[own.waiting] = copy;
  }
  if (++own.waiting < kBatch) return;
  own.waiting = 0;
  add_rows(own.row, label, counts, next_rows(kBatch), stride_);
}

void NumberSums::add_rows(std::span<const double* const> rows, std::size_t label, EventCounts& counts,
                          const double* next, std::size_t stride) {
  Sums& own = of_class_[label];
  prepare(own);
  if (!own.chosen && own.rows == 0) choose(own, rows);
  math::moments_about_add(rows.data(), step_, rows.size(), numbers_, own.choice.about.data(), own.sums.data(),
                          own.plain.data(), own.counted.data(), next, stride);
  own.rows += rows.size();
  if (own.rows < own.look_at) return;
  own.look_at += kMostPlainRows;
  // Sums without a grid have rounding errors that grow with the square of their rows.
  const bool went_long = std::any_of(own.counted.begin(), own.counted.end(),
                                     [&](double count) { return count < static_cast<double>(own.rows); });
  if (own.rows >= kMostRows || went_long) move(own, label, counts);
}

void NumberSums::add_weighted(In x, std::size_t label, double weight) {
  Sums& own = of_class_[label];
  const double* row = x.data() + plan_.gaussians[0].feature;
  if (!in_place_) {
    gathered_.resize(numbers_);
    for (std::size_t g = 0; g < numbers_; ++g) gathered_[g] = x[plan_.gaussians[g].feature];
    row = gathered_.data();
  }
  if (own.weighted.empty()) {
    own.weighted.resize(4 * width_);
    own.centre.resize(width_);
    for (std::size_t g = 0; g < numbers_; ++g) own.centre[g] = row[step_ * g];
  }
  own.weight += weight;
  math::weighted_moments_add(row, step_, numbers_, weight, own.centre, own.weighted);
}

void NumberSums::finish(EventCounts& counts) {
  for (std::size_t label = 0; label < of_class_.size(); ++label) {
    Sums& own = of_class_[label];
    if (own.waiting > 0) add_rows({own.row.data(), std::exchange(own.waiting, 0)}, label, counts, nullptr, 0);
    if (!own.sums.empty()) move(own, label, counts);
    if (own.weighted.empty()) continue;
    for (std::size_t g = 0; g < numbers_; ++g) {
      const double* const of = own.weighted.data() + g;
      add_about(own.centre[g], own.weight, {of[0], of[width_]}, {of[2 * width_], of[3 * width_]},
                g * of_class_.size() + label, counts);
    }
    own.weighted.clear();
    own.weight = {};
  }
}

void NumberSums::choose(Sums& own, std::span<const double* const> rows) const {
  own.chosen = true;
  if (rows.size() < kLooked) {  // too few for a grid: about the first of them, without one
    for (std::size_t g = 0; g < numbers_; ++g) {
      own.choice.about[g] = 0.0;
      own.choice.about[width_ + g] = own.choice.centre[g] = rows[0][step_ * g];
      own.choice.about[2 * width_ + g] = -1.0;
    }
    return;
  }
  std::array<double, kLooked> looked;
  for (std::size_t g = 0; g < numbers_; ++g) {
    for (std::size_t i = 0; i < kLooked; ++i) looked[i] = rows[i][step_ * g];
    const math::MomentGrid grid = grid_of(looked);
    own.choice.centre[g] = grid.about;
    own.choice.about[g] = grid.shift();
    own.choice.about[width_ + g] = grid.back();
    own.choice.about[2 * width_ + g] = grid.most();
  }
}

// Rows are consecutive, so the next ones are known; prefetching past the end does no harm. As many are prefetched as
// are summed, whichever class they belong to.
const double* NumberSums::next_rows(std::size_t rows) {
  if (!in_place_ || !fetches_) return nullptr;
  const auto latest = reinterpret_cast<std::uintptr_t>(latest_);
  const std::uintptr_t row = stride_ * sizeof(double);
  if (fetched_ <= latest || fetched_ > latest + 2 * kAhead * row) fetched_ = latest + kAhead * row;
  return reinterpret_cast<const double*>(std::exchange(fetched_, fetched_ + rows * row));
}

void NumberSums::move(Sums& own, std::size_t label, EventCounts& counts) const {
  double about = 0.0;
  for (const double each : own.counted) about += each;
  const auto rows = static_cast<double>(own.rows);
  for (std::size_t g = 0; g < numbers_; ++g) {
    const auto sum = [&](std::size_t first) {
      const std::size_t high = first * width_ + g, low = high + width_;
      return math::two_sum(own.sums[high], own.sums[low]) + math::two_sum(own.plain[high], own.plain[low]);
    };
    add_about(own.choice.centre[g], rows, sum(0), sum(2), g * of_class_.size() + label, counts);
  }
  // If most columns were summed without a grid, another choice of centres may help.
  if (about < 0.5 * static_cast<double>(own.rows * own.counted.size())) own.chosen = false;
  for (std::vector<double>* const each : {&own.sums, &own.plain, &own.counted})
    std::fill(each->begin(), each->end(), 0.0);
  own.rows = 0;
  own.look_at = kMostPlainRows;
}

}  // namespace plumb
