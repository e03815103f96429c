#include "plumb/train/custom_loss.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/objective/row_loss.h"
#include "plumb/train/logistic.h"
#include "plumb/train/trainer.h"

namespace plumb {
namespace {

class CustomRows final : public RowLoss {
 public:
  explicit CustomRows(const CustomLoss& loss) : loss_(loss) {}
  std::unique_ptr<RowLoss> copy() const override { return std::make_unique<CustomRows>(*this); }
  std::string_view name() const noexcept override { return loss_.name; }
  std::size_t outputs() const noexcept override { return 1; }
  bool numbers() const noexcept override { return !loss_.labels; }
  bool curved() const noexcept override { return true; }
  double curve_bound() const noexcept override { return loss_.curve_bound; }
  double slope_bound() const noexcept override {
    return std::max(std::abs(loss_.slope_low), std::abs(loss_.slope_high));
  }
  double value(In z, In y, In s) const override {
    double sum = 0.0;
    for (std::size_t i = 0; i < z.size(); ++i) sum += s[i] * loss_.value(z[i], target_of(y[i]));
    return sum;
  }
  double value(In z, In y, In s, Out slope, Out curve) const override {
    for (std::size_t i = 0; i < z.size(); ++i) {
      slope[i] = s[i] * loss_.slope(z[i], target_of(y[i]));
      curve[i] = curve_at(z[i], target_of(y[i]));
    }
    return value(z, y, s);
  }
  void curve_times(In curve, In s, In t, Out product) const override {
    for (std::size_t i = 0; i < t.size(); ++i) product[i] = s[i] * curve[i] * t[i];
  }
  void diagonal(In curve, In s, Out diagonal) const override {
    for (std::size_t i = 0; i < curve.size(); ++i) diagonal[i] = s[i] * curve[i];
  }
  void entry(In curve, In s, std::size_t, std::size_t, Out out) const override { diagonal(curve, s, out); }
  double excess(In z, In y, In s, In u) const override {
    double sum = 0.0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      const double slope = u[i] / s[i], target = target_of(y[i]);
      sum += s[i] * std::max(0.0, loss_.value(z[i], target) + loss_.conjugate(slope, target) - slope * z[i]);
    }
    return sum;
  }
  void mend(In, In s, Out u) const override {
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = std::clamp(u[i], s[i] * loss_.slope_low, s[i] * loss_.slope_high);
  }

 private:
  // Without a function of its own, from how the slope changes.
  double curve_at(double s, double y) const {
    if (loss_.curve) return loss_.curve(s, y);
    const double h = 1e-5 * (1.0 + std::abs(s));
    return std::max(0.0, (loss_.slope(s + h, y) - loss_.slope(s - h, y)) / (2 * h));
  }
  double target_of(double y) const noexcept { return !loss_.labels ? y : y == 0.0 ? -1.0 : 1.0; }
  CustomLoss loss_;
};

void expect(bool holds, const CustomLoss& loss, const std::string& what, double at, double y) {
  if (holds) return;
  throw Error(ErrorCode::usage, "the loss " + loss.name + " contradicts itself at " + number_text(at, 4) +
                                    " with target " + number_text(y, 4) + ": " + what);
}

// Checks each part against the value, at scores that are unlikely to be corners of a loss.
void check(const CustomLoss& loss) {
  if (loss.name.empty() || !loss.value || !loss.slope || !loss.conjugate)
    throw Error(ErrorCode::usage, "a custom loss needs a name, a value, a slope and a conjugate");
  if (!(loss.l2 >= 0.0) || !std::isfinite(loss.l2))
    throw Error(ErrorCode::usage, "l2 of the loss " + loss.name + " is " + number_text(loss.l2, 4) +
                                      "; a number of at least 0 was expected");
  constexpr double h = 1e-6, kLoose = 1e-4;
  for (const double y : loss.labels ? std::vector{-1.0, 1.0} : std::vector{0.0, 1.0, 3.0})
    for (double s = -4.03; s < 4.1; s += 0.31) {
      const double value = loss.value(s, y), slope = loss.slope(s, y), room = kLoose * (1.0 + std::abs(slope));
      expect(value >= 0.0 && std::isfinite(value), loss, "its value is not a number of at least 0", s, y);
      const double before = (value - loss.value(s - h, y)) / h, after = (loss.value(s + h, y) - value) / h;
      expect(before <= after + room, loss, "its value is not convex in the score", s, y);
      expect(slope >= before - room && slope <= after + room, loss,
             "its slope is " + number_text(slope, 4) + ", and its value changes by " + number_text(after, 4), s, y);
      expect(slope >= loss.slope_low - room && slope <= loss.slope_high + room, loss,
             "its slope is not between slope_low and slope_high", s, y);
      const double conjugate = loss.conjugate(slope, y), wanted = slope * s - value;
      expect(std::abs(conjugate - wanted) <= kLoose * (1.0 + std::abs(wanted)), loss,
             "its conjugate of the slope there is " + number_text(conjugate, 4) + "; slope * score - value is " +
                 number_text(wanted, 4),
             s, y);
      if (!loss.curve) continue;
      const double curve = loss.curve(s, y), loose = kLoose * (1.0 + std::abs(curve)) + 1e-9 / h;
      const double left = (slope - loss.slope(s - h, y)) / h, right = (loss.slope(s + h, y) - slope) / h;
      expect(curve >= std::min(left, right) - loose && curve <= std::max(left, right) + loose, loss,
             "its curve is " + number_text(curve, 4) + ", and its slope changes by " + number_text(right, 4), s, y);
      expect(curve <= loss.curve_bound * (1.0 + kLoose), loss, "its curve is more than curve_bound", s, y);
    }
}

ConvexOptions options_of(const CustomLoss& loss) {
  ConvexOptions options;
  options.l2 = {loss.l2};
  options.bias = loss.bias;
  options.tolerance = loss.tolerance;
  options.solver = loss.solver;
  return options;
}

class CustomTrainer final : public ConvexTrainer {
 public:
  explicit CustomTrainer(const CustomLoss& loss) : ConvexTrainer(row_loss(loss), options_of(loss)) {}
};

// The loss contains all settings.
class CustomSetup final : public TrainerSetup {
 public:
  explicit CustomSetup(const CustomLoss& loss) : loss_(loss) {}
  OptionGroup options() override { return {}; }
  std::unique_ptr<Trainer> make() const override { return std::make_unique<CustomTrainer>(loss_); }

 private:
  CustomLoss loss_;
};

struct OwnEntry {
  CustomLoss loss;
  TrainerEntry entry;
};

}  // namespace

std::unique_ptr<RowLoss> row_loss(const CustomLoss& loss) {
  check(loss);
  return std::make_unique<CustomRows>(loss);
}

std::shared_ptr<const TrainerEntry> custom_trainer(const CustomLoss& loss) {
  check(loss);
  const auto own = std::make_shared<OwnEntry>(OwnEntry{loss, {}});
  own->entry = {own->loss.name,
                "a loss of the caller's own",
                loss.labels ? Kind::category : Kind::number,
                true,
                Family::penalised,
                false,
                [loss] { return std::make_unique<CustomSetup>(loss); }};
  return {own, &own->entry};
}

}  // namespace plumb
