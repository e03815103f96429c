#include "plumb/objective/loss.h"
#include "plumb/objective/row_loss.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace plumb::loss_test {
namespace {

template <class Use>
void for_every_loss(Use&& use) {
  std::apply([&](const auto&... each) { (use(each), ...); }, Losses{});
}

double score_of(int k) { return k / 16.0; }

TEST(Losses, AreNamedInTheOrderOfTheirList) {
  std::size_t place = 0;
  for_every_loss([&]<class L>(const L&) {
    EXPECT_EQ(EnumNames<Loss>::names[place], L::kName);
    with_loss(static_cast<Loss>(place), []<class M>(const M&) { EXPECT_EQ(L::kName, M::kName); });
    ++place;
  });
  EXPECT_EQ(place, std::size(EnumNames<Loss>::names));
}

TEST(Losses, SlopeIsTheDerivativeOfTheValue) {
  for_every_loss([]<class L>(const L&) {
    constexpr double h = 1e-5;
    for (const double y : {-1.0, 1.0})
      for (int k = -81; k <= 81; k += 2) {  // no corner: those are at multiples of 1
        const double s = score_of(k), slope = (L::value(s + h, y) - L::value(s - h, y)) / (2 * h);
        EXPECT_NEAR(L::slope(s, y), slope, 1e-9) << L::kName << " at " << s << " of " << y;
      }
  });
}

TEST(Losses, CurveIsTheDerivativeOfTheSlopeAndNeverNegative) {
  for_every_loss([]<class L>(const L&) {
    if constexpr (CurvedLoss<L>) {
      constexpr double h = 1e-5;
      for (const double y : {-1.0, 1.0})
        for (int k = -81; k <= 81; k += 2) {
          const double s = score_of(k);
          EXPECT_NEAR(L::curve(s, y), (L::slope(s + h, y) - L::slope(s - h, y)) / (2 * h), 1e-9) << L::kName;
          EXPECT_GE(L::curve(s, y), 0.0);
        }
    }
  });
}

RC_GTEST_PROP(Losses, AreConvex, ()) {
  const double a = score_of(*rc::gen::inRange(-400, 400)), b = score_of(*rc::gen::inRange(-400, 400));
  const double t = *rc::gen::inRange(0, 17) / 16.0, y = *rc::gen::element(-1.0, 1.0);
  for_every_loss([&]<class L>(const L&) {
    const double chord = t * L::value(a, y) + (1 - t) * L::value(b, y);
    RC_ASSERT(L::value(t * a + (1 - t) * b, y) <= chord + 1e-12 * (1 + chord));
  });
}

RC_GTEST_PROP(Losses, AndConjugateAreAtLeastTheProductWithEqualityAtTheSlope, ()) {
  const double s = score_of(*rc::gen::inRange(-200, 200)), u = score_of(*rc::gen::inRange(-64, 65));
  const double y = *rc::gen::element(-1.0, 1.0);
  for_every_loss([&]<class L>(const L&) {
    RC_ASSERT(L::value(s, y) + L::conjugate(u, y) - u * s >= -1e-12 * (1 + std::abs(u * s)));
    const double slope = L::slope(s, y);
    RC_ASSERT(std::abs(L::value(s, y) + L::conjugate(slope, y) - slope * s) <= 1e-12 * (1 + std::abs(slope * s)));
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

// The divergence of (t, 1/2, 1/2 - t) from (1/3, 1/3, 1/3), where t is lost beside 1/3, and from a share beyond the
// doubles.
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
