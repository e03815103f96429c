#include "plumb/train/number_sums.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plumb/math/column_sums.h"

namespace plumb {
namespace {

using math::DoubleDouble;

constexpr std::size_t kLooked = 9;     // rows that say what a column is summed about: two of them may be far off
constexpr std::uintptr_t kAhead = 32;  // rows: what comes later is asked for while others are summed

// Near most of the numbers. Where all are the same, steps are the last digits of the number, unless it has few.
math::MomentGrid grid_of(std::array<double, kLooked> x) {
  std::sort(x.begin(), x.end());
  const double centre = x[kLooked / 2];
  std::array<double, kLooked> off;
  std::transform(x.begin(), x.end(), off.begin(), [centre](double each) { return std::abs(each - centre); });
  std::sort(off.begin(), off.end());
  if (off[kLooked - 3] > 0.0) return math::MomentGrid::around(centre, off[kLooked - 3]);
  if (off.back() > 0.0) return math::MomentGrid::around(centre, off.back());
  const math::MomentGrid coarse = math::MomentGrid::around(centre, std::abs(centre));
  return coarse.about == centre ? coarse : math::MomentGrid::around(centre, 0x1p-40 * std::abs(centre));
}

}  // namespace

NumberSums::NumberSums(const EventPlan& plan, std::size_t classes, bool lasting)
    : plan_(plan), numbers_(plan.gaussians.size()), width_(math::in_eights(plan.gaussians.size())), of_class_(classes) {
  bool together = true;
  for (std::size_t g = 0; g < numbers_; ++g)
    together = together && plan.gaussians[g].feature == plan.gaussians[0].feature + g;
  in_place_ = lasting && together;
}

void NumberSums::add(In x, std::size_t label, EventCounts& counts) {
  Sums& own = of_class_[label];
  if (own.sums.empty()) {
    own.centre.resize(width_);
    own.about.resize(3 * width_);
    std::fill_n(own.about.begin() + static_cast<std::ptrdiff_t>(2 * width_), numbers_, -1.0);
    own.sums.resize(4 * width_);
    own.plain.resize(4 * width_);
    own.counted.resize(width_ / 8);
    if (!in_place_) own.copies.resize(kBatch * numbers_);
  }
  if (in_place_) {
    const double* const row = x.data() + plan_.gaussians[0].feature;
    own.row[own.waiting] = row;
    latest_ = row;
    stride_ = x.size();
  } else {
    double* const copy = own.copies.data() + own.waiting * numbers_;
    for (std::size_t g = 0; g < numbers_; ++g) copy[g] = x[plan_.gaussians[g].feature];
    own.row[own.waiting] = copy;
  }
  if (++own.waiting < kBatch) return;
  if (!own.chosen) choose(own);
  sum(own);
  // Sums that went the long way have rounding errors that grow with the square of their rows.
  const auto went_long = [&] {
    return std::any_of(own.counted.begin(), own.counted.end(),
                       [&](double rows) { return rows < static_cast<double>(own.rows); });
  };
  if (own.rows == kMostRows || (own.rows % kMostPlainRows == 0 && went_long())) move(own, label, counts);
}

void NumberSums::finish(EventCounts& counts) {
  for (std::size_t label = 0; label < of_class_.size(); ++label) {
    if (of_class_[label].sums.empty()) continue;
    sum(of_class_[label]);
    move(of_class_[label], label, counts);
  }
}

void NumberSums::choose(Sums& own) const {
  own.chosen = true;
  std::array<double, kLooked> looked;
  for (std::size_t g = 0; g < numbers_; ++g) {
    for (std::size_t i = 0; i < kLooked; ++i) looked[i] = own.row[i * (kBatch / kLooked)][g];
    const math::MomentGrid grid = grid_of(looked);
    own.centre[g] = grid.about;
    own.about[g] = grid.shift();
    own.about[width_ + g] = grid.back();
    own.about[2 * width_ + g] = grid.most();
  }
}

void NumberSums::sum(Sums& own) {
  math::moments_about_add(own.row.data(), own.waiting, numbers_, own.about.data(), own.sums.data(), own.plain.data(),
                          own.counted.data(), next_rows(own.waiting), stride_);
  own.rows += std::exchange(own.waiting, 0);
}

// Rows lie behind each other, so those that come next are known; to ask for what is past the end does no harm. As many
// are asked for as are summed, whichever class they are of.
const double* NumberSums::next_rows(std::size_t rows) {
  if (!in_place_) return nullptr;
  const auto latest = reinterpret_cast<std::uintptr_t>(latest_);
  const std::uintptr_t row = stride_ * sizeof(double);
  if (fetched_ <= latest || fetched_ > latest + 2 * kAhead * row) fetched_ = latest + kAhead * row;
  return reinterpret_cast<const double*>(std::exchange(fetched_, fetched_ + rows * row));
}

// sum x = sum d + n c, sum x^2 = sum d^2 + 2 c sum d + n c^2.
void NumberSums::move(Sums& own, std::size_t label, EventCounts& counts) const {
  double about = 0.0;
  for (const double each : own.counted) about += each;
  for (std::size_t g = 0; g < numbers_; ++g) {
    const std::size_t place = g * of_class_.size() + label;
    const auto sum = [&](const std::vector<double>& of, std::size_t first) {
      return math::two_sum(of[first * width_ + g], of[(first + 1) * width_ + g]);
    };
    const double c = own.centre[g], n = own.counted[g / 8];
    const DoubleDouble d = sum(own.sums, 0);
    counts.first[place] += sum(own.plain, 0) + (d + math::two_product(n, c));
    counts.second[place] += sum(own.plain, 2) + (sum(own.sums, 2) + (d * (2 * c) + math::two_product(c, c) * n));
  }
  // Where most columns went the long way, another look may help.
  if (about < 0.5 * static_cast<double>(own.rows * own.counted.size())) own.chosen = false;
  for (std::vector<double>* const each : {&own.sums, &own.plain, &own.counted})
    std::fill(each->begin(), each->end(), 0.0);
  own.rows = 0;
}

}  // namespace plumb
