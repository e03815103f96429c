// Passes of the perceptron in whole numbers: from weights that are whole, by steps of 1 along rows of counts, nothing
// is ever rounded, so 16 bits a weight say what doubles would until one outgrows them.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>

#include "plumb/math/tally.h"
#include "plumb/solver/online.h"
#include "plumb/solver/tally_rows.h"

namespace plumb {
namespace {

constexpr int kMostWeight = 0x7fff;

// The weights v by place while it lives, and how much room they have.
class WholeWeights {
 public:
  WholeWeights(std::vector<double>& v, std::span<const std::uint32_t> places, std::vector<std::int16_t>& room)
      : v_(v), places_(places), whole_(room) {
    whole_.assign(math::tally_places(static_cast<std::uint32_t>(v.size())), 0);
    for (std::size_t j = 0; j < v.size(); ++j) whole_[math::tally_place(places[j])] = static_cast<std::int16_t>(v[j]);
    most_ = largest(tallied());
    most_named_ = largest(named());
  }
  ~WholeWeights() {
    for (std::size_t j = 0; j < v_.size(); ++j) v_[j] = whole_[math::tally_place(places_[j])];
  }
  WholeWeights(const WholeWeights&) = delete;
  WholeWeights& operator=(const WholeWeights&) = delete;

  const std::int16_t* data() const noexcept { return whole_.data(); }

  // Whether a step along a row of such counts leaves them within 16 bits. How large they are is known from above, and
  // looked at again when that says no: of tallied columns, which count most, often, and they are few.
  bool has_room(int most, int most_named) noexcept {
    if (most_ + most > kMostWeight) most_ = largest(tallied());
    if (most_named_ + most_named > kMostWeight) most_named_ = largest(named());
    return most_ + most <= kMostWeight && most_named_ + most_named <= kMostWeight;
  }
  void move(const math::TallyRow& row, int sign, int most, int most_named) noexcept {
    math::tally_move(row, sign, whole_.data());
    most_ += most;
    most_named_ += most_named;
  }

 private:
  std::span<const std::int16_t> tallied() const noexcept { return std::span(whole_).first(math::kTallied); }
  std::span<const std::int16_t> named() const noexcept { return std::span(whole_).subspan(math::kTallied); }
  static int largest(std::span<const std::int16_t> weights) noexcept {
    int most = 0;
    for (const std::int16_t each : weights) most = std::max(most, std::abs(int{each}));
    return most;
  }

  std::vector<double>& v_;
  std::span<const std::uint32_t> places_;
  std::vector<std::int16_t>& whole_;
  int most_ = 0, most_named_ = 0;
};

}  // namespace

bool OnlineLearner::takes_tallies() const noexcept {
  constexpr double kMost = kMostWeight - 255;  // a step along any row has room
  return takes_counts() && rule_.update == Update::perceptron && rule_.rate == 1.0 && rule_.labels && scale_ == 1.0 &&
         bias_[0] == std::trunc(bias_[0]) && std::abs(bias_[0]) < 0x1p52 &&
         std::all_of(v_.begin(), v_.end(), [](double v) {
           return std::abs(v) <= kMost && v == std::trunc(v) && (v != 0.0 || !std::signbit(v));
         });
}

OnlineLearner::Pass OnlineLearner::pass(const TallyRows& rows, RowReader& reader, std::span<const std::uint64_t> order,
                                        Out owed, const OnPart& on_part) {
  constexpr std::size_t kAhead = 8, kPlacesAhead = 24;
  assert(takes_tallies() && owed.empty() != rule_.average);
  Pass pass;
  std::size_t t = 0;
  {
    WholeWeights w(v_, rows.places(), whole_room_);
    for (; t < order.size(); ++t) {
      if (t % kPart == 0 && on_part) on_part(t, pass);
      if (t + kPlacesAhead < order.size()) rows.expect_place(order[t + kPlacesAhead]);
      if (t + kAhead < order.size()) rows.expect(order[t + kAhead]);
      const std::uint64_t i = order[t];
      const math::TallyRow x = rows.row(i);
      const double sign = rows.sign(i);
      const double margin = sign * (math::tally_score(x, w.data()) + bias_[0]);
      if (margin <= rule_.margin) {
        if (!w.has_room(rows.most(i), rows.most_named(i))) break;
        w.move(x, rows.sign(i), rows.most(i), rows.most_named(i));
        if (rule_.average) owed[i] += sign * scales_;
        move_bias(0, sign);
        ++pass.updates;
      }
      pass.mistakes += margin <= 0.0 ? 1 : 0;
      ++seen_;
      scales_ += 1.0;
      count_ += 1.0;
    }
  }
  while (t < order.size()) {  // what is left, in doubles
    const std::size_t part = std::min(kPart - t % kPart, order.size() - t);
    const Pass more = this->pass(reader, order.subspan(t, part), owed);
    pass.mistakes += more.mistakes;
    pass.updates += more.updates;
    t += part;
    if (t < order.size() && on_part) on_part(t, pass);
  }
  return pass;
}

}  // namespace plumb
