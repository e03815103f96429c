// The parts of a loss of one score s against one target y. Classes are y = -1 and y = +1, and m = y s is the margin; a
// loss with kNumbers takes any y. A loss is a struct in a file of its own, NAME_loss.h, and a line in THE list
// (loss.h). Its functions are static unless it has parameters, which are its members.
#pragma once

#include <concepts>
#include <limits>
#include <string_view>

#include "plumb/math/special.h"

namespace plumb {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// value >= 0 is convex in s, slope is its derivative (a subgradient at a corner), and conjugate(u, y) is sup_s u s -
// value(s, y): infinite for a u that is not a possible slope. So value + conjugate >= u s, with equality at u = slope.
template <class L>
concept ScalarLoss = std::default_initializable<L> && requires(const L& l, double s, double y, double u) {
  { L::kName } -> std::convertible_to<std::string_view>;
  { l.value(s, y) } -> std::same_as<double>;
  { l.slope(s, y) } -> std::same_as<double>;
  { l.conjugate(u, y) } -> std::same_as<double>;
};
// The second derivative, never negative; where it jumps, the one from the right. Newton's method needs it.
template <class L>
concept CurvedLoss = ScalarLoss<L> && requires(const L& l, double s, double y) {
  { l.curve(s, y) } -> std::same_as<double>;
};

// The dual variable of a row in coordinate descent: a >= 0 means the slope -y a. The loss may keep anything in u.
struct DualRow {
  double a = 0.0;
  double u = -1.0;
};
// A loss of classes whose dual has a step along one row: dual_step moves row.a to where the dual is largest, given the
// margin, the square `norm` of the row's length and its weight; dual_off returns the row's distance from the optimum.
template <class L>
concept DualLoss = ScalarLoss<L> && requires(const L& l, DualRow& row, double x) {
  l.dual_step(row, x, x, x, x);
  { l.dual_off(row, row, x, x) } -> std::same_as<double>;
};

// A loss with a scale of its own that is fitted beside the weights: jointly convex, and scale_slope is its derivative.
// Its conjugate is `scale` times dual_room(u), except for a term without the scale.
template <class L>
concept ScaledLoss = ScalarLoss<L> && requires(L& l, double s, double y, double u) {
  { l.scale } -> std::convertible_to<double>;
  { l.scale_slope(s, y) } -> std::same_as<double>;
  { l.dual_room(u) } -> std::same_as<double>;
};

// Optional parts, with their defaults.
template <class L>
constexpr bool takes_numbers() {
  return requires { L::kNumbers; };
}
template <class L>
constexpr bool is_probabilistic() {  // 1 - |slope| is a probability
  return requires { L::kProbabilistic; };
}
template <class L>
constexpr double least_target() {
  if constexpr (requires { L::kLeastTarget; }) return L::kLeastTarget;
  return -kInfinity;
}
// Bounds on the derivative of a slope and on its size.
template <class L>
constexpr double curve_bound_of(const L& l) {
  if constexpr (requires { l.curve_bound(); }) return l.curve_bound();
  return kInfinity;
}
template <class L>
constexpr double slope_bound_of(const L& l) {
  if constexpr (requires { l.slope_bound(); }) return l.slope_bound();
  return kInfinity;
}
// The possible slope nearest to u.
template <class L>
double nearest_slope(const L& l, double u, double y) {
  if constexpr (requires { l.nearest_slope(u, y); }) return l.nearest_slope(u, y);
  return u;
}

// A loss with kModel is a model by itself: -m NAME fits it.
struct LossModel {
  std::string_view meaning;  // one line of help
  bool log_link = false;     // a prediction is e^score, not the score
  // As in plumb/train/traits.h.
  std::string_view distribution, scoring, strengths, weaknesses;
};
template <class L>
concept ModelLoss = ScalarLoss<L> && requires {
  { L::kModel } -> std::convertible_to<LossModel>;
};

}  // namespace plumb
