// Losses of one score s against one target y: two or three scalar functions each, and the conjugate that makes dual
// bounds of them. Classes are y = -1 and y = +1; m = y s is the margin. Softmax, which has a score per class, is apart
// (softmax.h). A new loss is a struct here and a line in kLosses.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "plumb/base/option_types.h"
#include "plumb/math/special.h"

namespace plumb {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// value >= 0 is convex in s, slope is its derivative (a subgradient at a corner), and conjugate(u, y) is
// sup_s u s - value(s, y): infinite for a u that is no slope. So value + conjugate >= u s, with equality at u = slope.
template <class L>
concept ScalarLoss = requires(double s, double y, double u) {
  { L::kName } -> std::convertible_to<std::string_view>;
  { L::value(s, y) } -> std::same_as<double>;
  { L::slope(s, y) } -> std::same_as<double>;
  { L::conjugate(u, y) } -> std::same_as<double>;
};
// The second derivative, never negative; where it jumps, the one from the right. It is what Newton's method needs.
template <class L>
concept CurvedLoss = ScalarLoss<L> && requires(double s, double y) {
  { L::curve(s, y) } -> std::same_as<double>;
};

// log(1 + e^-m), of the probability 1 / (1 + e^-m) that the model gives the class of the row.
struct LogisticLoss {
  static constexpr std::string_view kName = "logistic";
  static double value(double s, double y) noexcept { return math::log1p_exp(-y * s); }
  static double slope(double s, double y) noexcept { return -y * math::sigmoid(-y * s); }
  // sigma(m) sigma(-m), from one exponential: 1 - sigma would have no digits left where m is large.
  static double curve(double s, double) noexcept {
    const double e = math::exp(-std::abs(s));
    return e / ((1.0 + e) * (1.0 + e));
  }
  // a log a + (1 - a) log(1 - a) with a = -y u in [0, 1]
  static double conjugate(double u, double y) noexcept {
    const double a = -y * u;
    if (!(a >= 0.0 && a <= 1.0)) return kInfinity;
    return (a > 0.0 ? a * math::log(a) : 0.0) + (a < 1.0 ? (1.0 - a) * math::log1p(-a) : 0.0);
  }
};

// max(0, 1 - m)
struct HingeLoss {
  static constexpr std::string_view kName = "hinge";
  static double value(double s, double y) noexcept { return std::fmax(0.0, 1.0 - y * s); }
  static double slope(double s, double y) noexcept { return y * s < 1.0 ? -y : 0.0; }
  static double conjugate(double u, double y) noexcept {
    const double a = -y * u;
    return a >= 0.0 && a <= 1.0 ? -a : kInfinity;
  }
};

// max(0, 1 - m)^2
struct SquaredHingeLoss {
  static constexpr std::string_view kName = "squared-hinge";
  static double value(double s, double y) noexcept {
    const double short_of = std::fmax(0.0, 1.0 - y * s);
    return short_of * short_of;
  }
  static double slope(double s, double y) noexcept { return -2.0 * y * std::fmax(0.0, 1.0 - y * s); }
  static double curve(double s, double y) noexcept { return y * s < 1.0 ? 2.0 : 0.0; }
  static double conjugate(double u, double y) noexcept {
    const double a = -y * u;
    return a >= 0.0 ? a * (a / 4.0 - 1.0) : kInfinity;
  }
};

// (s - y)^2 / 2, of any y
struct SquaredLoss {
  static constexpr std::string_view kName = "squared";
  static double value(double s, double y) noexcept { return (s - y) * (s - y) / 2.0; }
  static double slope(double s, double y) noexcept { return s - y; }
  static double curve(double, double) noexcept { return 1.0; }
  static double conjugate(double u, double y) noexcept { return u * (u / 2.0 + y); }
};

// max(0, -m): a row on the wrong side, or on the boundary, moves the weights by y x, as the perceptron's rule says.
struct PerceptronLoss {
  static constexpr std::string_view kName = "perceptron";
  static double value(double s, double y) noexcept { return std::fmax(0.0, -y * s); }
  static double slope(double s, double y) noexcept { return y * s <= 0.0 ? -y : 0.0; }
  static double conjugate(double u, double y) noexcept {
    const double a = -y * u;
    return a >= 0.0 && a <= 1.0 ? 0.0 : kInfinity;
  }
};

// THE list of losses, in the order of the names below.
using Losses = std::tuple<LogisticLoss, HingeLoss, SquaredHingeLoss, SquaredLoss, PerceptronLoss>;
enum class Loss { logistic, hinge, squared_hinge, squared, perceptron };

template <>
struct EnumNames<Loss> {
  static constexpr std::string_view names[] = {LogisticLoss::kName, HingeLoss::kName, SquaredHingeLoss::kName,
                                               SquaredLoss::kName, PerceptronLoss::kName};
};

// use(LogisticLoss{}) for Loss::logistic, and so on: one choice by name, then code that knows its loss.
template <class Use>
decltype(auto) with_loss(Loss loss, Use&& use) {
  switch (loss) {
    case Loss::hinge: return use(HingeLoss{});
    case Loss::squared_hinge: return use(SquaredHingeLoss{});
    case Loss::squared: return use(SquaredLoss{});
    case Loss::perceptron: return use(PerceptronLoss{});
    case Loss::logistic: break;
  }
  return use(LogisticLoss{});
}

}  // namespace plumb
