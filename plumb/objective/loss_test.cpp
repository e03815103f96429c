#include "plumb/objective/loss.h"
#include "plumb/objective/row_loss.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

namespace plumb::loss_test {
namespace {

template <class Use>
void for_every_loss(Use&& use) {
  for_each_loss([&](Loss, const auto& loss) { use(loss); });
}

// For classes -1 and 1; for numbers that the loss accepts.
template <class L>
std::vector<double> targets_of() {
  if (least_target<L>() == 0.0) return {0.0, 1.0, 3.0};
  return {-1.0, 1.0};
}

double score_of(int k) { return k / 16.0; }

TEST(Losses, AreNamedInTheOrderOfTheirList) {
  std::size_t place = 0;
  for_each_loss([&]<class L>(Loss loss, const L&) {
    EXPECT_EQ(static_cast<std::size_t>(loss), place);
    EXPECT_EQ(name_of(loss), L::kName);
    EXPECT_EQ(loss_kind<L>(), loss);
    with_loss(loss, []<class M>(const M&) { EXPECT_EQ(L::kName, M::kName); });
    ++place;
  });
  EXPECT_EQ(place, std::size(EnumNames<Loss>::names));
}

TEST(Losses, SlopeIsTheDerivativeOfTheValue) {
  for_every_loss([]<class L>(const L& loss) {
    constexpr double h = 1e-5;
    for (const double y : targets_of<L>())
      for (int k = -81; k <= 81; k += 2) {  // no corner: those are at multiples of 1
        const double s = score_of(k), slope = (loss.value(s + h, y) - loss.value(s - h, y)) / (2 * h);
        EXPECT_NEAR(loss.slope(s, y), slope, 1e-8 * (1 + std::abs(slope))) << L::kName << " at " << s << " of " << y;
      }
  });
}

TEST(Losses, CurveIsTheDerivativeOfTheSlopeAndNeverNegative) {
  for_every_loss([]<class L>(const L& loss) {
    if constexpr (CurvedLoss<L>) {
      constexpr double h = 1e-5;
      for (const double y : targets_of<L>())
        for (int k = -81; k <= 81; k += 2) {
          const double s = score_of(k), curve = (loss.slope(s + h, y) - loss.slope(s - h, y)) / (2 * h);
          EXPECT_NEAR(loss.curve(s, y), curve, 1e-8 * (1 + curve)) << L::kName;
          EXPECT_GE(loss.curve(s, y), 0.0);
          EXPECT_LE(loss.curve(s, y), curve_bound_of(loss)) << L::kName;
          EXPECT_LE(std::abs(loss.slope(s, y)), slope_bound_of(loss)) << L::kName;
        }
    }
  });
}

RC_GTEST_PROP(Losses, AreConvex, ()) {
  const double a = score_of(*rc::gen::inRange(-400, 400)), b = score_of(*rc::gen::inRange(-400, 400));
  const double t = *rc::gen::inRange(0, 17) / 16.0;
  const auto which = *rc::gen::inRange<std::size_t>(0, 2);
  for_every_loss([&]<class L>(const L& loss) {
    const double y = targets_of<L>()[which], chord = t * loss.value(a, y) + (1 - t) * loss.value(b, y);
    RC_ASSERT(loss.value(t * a + (1 - t) * b, y) <= chord + 1e-12 * (1 + chord));
  });
}

RC_GTEST_PROP(Losses, AndConjugateAreAtLeastTheProductWithEqualityAtTheSlope, ()) {
  const double s = score_of(*rc::gen::inRange(-200, 200)), u = score_of(*rc::gen::inRange(-64, 65));
  const auto which = *rc::gen::inRange<std::size_t>(0, 2);
  for_every_loss([&]<class L>(const L& loss) {
    const double y = targets_of<L>()[which];
    RC_ASSERT(loss.value(s, y) + loss.conjugate(u, y) - u * s >= -1e-12 * (1 + std::abs(u * s)));
    const double slope = loss.slope(s, y), size = 1 + std::abs(slope * s);
    RC_ASSERT(std::abs(loss.value(s, y) + loss.conjugate(slope, y) - slope * s) <= 1e-12 * size);
  });
}

// If the row is alone, w = a y x and the penalty is 1/2 w^2: the step must reach the minimum of both.
TEST(Losses, DualStepEndsWhereNoOtherStepIsBetter) {
  for_every_loss([]<class L>(const L& loss) {
    if constexpr (DualLoss<L>)
      for (const double norm : {0.1, 1.0, 7.0})
        for (const double weight : {1.0, 2.5}) {
          DualRow row;
          loss.dual_step(row, 0.0, norm, weight, 1e-12);
          const auto dual = [&](double a) { return a * a * norm / 2 + weight * loss.conjugate(-a / weight, 1.0); };
          for (const double other : {row.a * 0.999, row.a * 1.001, row.a + 1e-3})
            EXPECT_LE(dual(row.a), dual(other) + 1e-12) << L::kName << ' ' << norm << ' ' << weight;
        }
  });
}

TEST(Losses, ScaleSlopeIsTheDerivativeByTheScale) {
  for_every_loss([]<class L>(L loss) {
    if constexpr (ScaledLoss<L>)
      for (int k = -81; k <= 81; k += 2) {
        constexpr double h = 1e-6;
        L more = loss, less = loss;
        more.scale += h;
        less.scale -= h;
        const double s = score_of(k);
        EXPECT_NEAR(loss.scale_slope(s, 1.0), (more.value(s, 1.0) - less.value(s, 1.0)) / (2 * h), 1e-8);
        EXPECT_NEAR(loss.conjugate(0.7, 2.0), 1.4 + loss.scale * loss.dual_room(0.7), 1e-15);
      }
  });
}

TEST(Losses, StayFiniteWhereTheirValueIs) {
  for (const double s : {1e308, -1e308, 750.0, -750.0}) {
    EXPECT_EQ(LogisticLoss::value(s, 1.0), s < 0 ? -s : math::log1p_exp(-s));
    EXPECT_TRUE(std::isfinite(LogisticLoss::slope(s, -1.0)));
    EXPECT_TRUE(std::isfinite(LogisticLoss::curve(s, 1.0)));
    EXPECT_EQ(HingeLoss::value(s, -1.0), s > 0 ? 1.0 + s : 0.0);
  }
}

// The divergence of (t, 1/2, 1/2 - t) from (1/3, 1/3, 1/3), where t is lost beside 1/3, and from a share that
// underflows.
TEST(Losses, ExcessOfSlopesCountsSharesThatAreNextToNothing) {
  const double s[] = {1.0}, y[] = {1.0}, level[] = {0.0, 0.0, 0.0}, steep[] = {-800.0, 0.0, 0.0};
  for (const double t : {0.0, 1e-300, 1e-17}) {
    const double u[] = {t, -0.5, 0.5 - t};
    EXPECT_NEAR(softmax_loss(3, false)->excess(level, y, s, u), std::log(1.5), 1e-14) << t;
    EXPECT_NEAR(softmax_loss(3, false)->excess(steep, y, s, u), 0.0, 1e-13) << t;
  }
  const double u[] = {0.25, -0.5, 0.25};
  const double excess = 0.25 * (std::log(0.25) + 800 + std::log(2.0)) + 0.25 * std::log(0.5);
  EXPECT_NEAR(softmax_loss(3, false)->excess(steep, y, s, u), excess, 1e-12);
  const double far[] = {800.0}, half[] = {-0.5};
  EXPECT_NEAR(row_loss(Loss::logistic)->excess(far, y, s, half), 400 - std::log(2.0), 1e-12);
}

TEST(Losses, LogisticKeepsItsDigitsInBothTails) {
  for (const double s : {40.0, 300.0, 700.0}) {
    EXPECT_NEAR(LogisticLoss::value(s, 1.0) / std::exp(-s), 1.0, 1e-14);
    EXPECT_NEAR(LogisticLoss::slope(s, 1.0) / -std::exp(-s), 1.0, 1e-14);
    EXPECT_NEAR(LogisticLoss::curve(-s, 1.0) / std::exp(-s), 1.0, 1e-14);
  }
}

}  // namespace
}  // namespace plumb::loss_test
