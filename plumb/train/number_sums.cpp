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

NumberSums::NumberSums(const EventPlan& plan, std::size_t classes, bool lasting, bool fetches)
    : plan_(plan),
      numbers_(plan.gaussians.size()),
      width_(math::in_eights(plan.gaussians.size())),
      fetches_(fetches),
      of_class_(classes) {
  // Numbers that lie behind each other, or each before its square, can be summed where they are.
  const std::size_t step = numbers_ > 1 && plan.gaussians[1].feature == plan.gaussians[0].feature + 2 ? 2 : 1;
  in_place_ = lasting;
  for (std::size_t g = 0; g < numbers_; ++g)
    in_place_ = in_place_ && plan.gaussians[g].feature == plan.gaussians[0].feature + step * g;
  if (in_place_) step_ = step;
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
  if (!own.chosen) choose(own, label);
  sum(own);
  // Sums that went the long way have rounding errors that grow with the square of their rows.
  const auto went_long = [&] {
    return std::any_of(own.counted.begin(), own.counted.end(),
                       [&](double rows) { return rows < static_cast<double>(own.rows); });
  };
  if (own.rows == kMostRows || (own.rows % kMostPlainRows == 0 && went_long())) move(own, label, counts);
}

void NumberSums::add_weighted(In x, std::size_t label, double weight) {
  std::vector<double>& sums = of_class_[label].weighted;
  sums.resize(4 * width_);
  const double* row = x.data() + plan_.gaussians[0].feature;
  if (!in_place_) {
    gathered_.resize(numbers_);
    for (std::size_t g = 0; g < numbers_; ++g) gathered_[g] = x[plan_.gaussians[g].feature];
    row = gathered_.data();
  }
  math::weighted_moments_add(row, step_, numbers_, weight, sums);
}

void NumberSums::finish(EventCounts& counts) {
  for (std::size_t label = 0; label < of_class_.size(); ++label) {
    Sums& own = of_class_[label];
    if (!own.sums.empty()) {
      sum(own);
      move(own, label, counts);
    }
    if (own.weighted.empty()) continue;
    for (std::size_t g = 0; g < numbers_; ++g) {
      const std::size_t place = g * of_class_.size() + label;
      const double* const of = own.weighted.data() + g;
      counts.first[place] += DoubleDouble{of[0], of[width_]};
      counts.second[place] += DoubleDouble{of[2 * width_], of[3 * width_]};
    }
    own.weighted.clear();
  }
}

void NumberSums::choose(Sums& own, std::size_t label) {
  own.chosen = true;
  if (like_ != nullptr && like_->of_class_[label].chosen && !std::exchange(own.copied, true)) {
    own.centre = like_->of_class_[label].centre;
    own.about = like_->of_class_[label].about;
    return;
  }
  std::array<double, kLooked> looked;
  for (std::size_t g = 0; g < numbers_; ++g) {
    for (std::size_t i = 0; i < kLooked; ++i) looked[i] = own.row[i * (kBatch / kLooked)][step_ * g];
    const math::MomentGrid grid = grid_of(looked);
    own.centre[g] = grid.about;
    own.about[g] = grid.shift();
    own.about[width_ + g] = grid.back();
    own.about[2 * width_ + g] = grid.most();
  }
}

void NumberSums::sum(Sums& own) {
  math::moments_about_add(own.row.data(), step_, own.waiting, numbers_, own.about.data(), own.sums.data(),
                          own.plain.data(), own.counted.data(), next_rows(own.waiting), stride_);
  own.rows += std::exchange(own.waiting, 0);
}

// Rows lie behind each other, so those that come next are known; to ask for what is past the end does no harm. As many
// are asked for as are summed, whichever class they are of.
const double* NumberSums::next_rows(std::size_t rows) {
  if (!in_place_ || !fetches_) return nullptr;
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
