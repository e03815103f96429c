#include "plumb/train/custom_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/error.h"
#include "plumb/objective/row_loss.h"

namespace plumb::custom_loss_test {
namespace {

CustomLoss logistic() {
  CustomLoss loss;
  loss.name = "own-logistic";
  loss.labels = true;
  loss.value = [](double s, double y) { return std::log1p(std::exp(-y * s)); };
  loss.slope = [](double s, double y) { return -y / (1 + std::exp(y * s)); };
  loss.curve = [](double s, double y) { return 1 / ((1 + std::exp(y * s)) * (1 + std::exp(-y * s))); };
  loss.conjugate = [](double u, double y) {
    const double a = -u * y;
    const auto term = [](double p) { return p > 0 ? p * std::log(p) : 0.0; };
    return a < 0 || a > 1 ? kInfinity : term(a) + term(1 - a);
  };
  loss.slope_low = -1;
  loss.slope_high = 1;
  loss.curve_bound = 0.25;
  return loss;
}

TEST(CustomLoss, OverRowsIsTheListedLossItCopies) {
  const std::unique_ptr<RowLoss> own = row_loss(logistic()), listed = row_loss(Loss::logistic);
  const std::vector<double> z = {-2.0, 0.5, 3.0}, y = {0.0, 1.0, 0.0}, s = {1.0, 2.0, 0.5}, u = {0.3, -0.2, 0.4};
  std::vector<double> slope(3), curve(3), slope_listed(3), curve_listed(3);
  EXPECT_NEAR(own->value(z, y, s, slope, curve), listed->value(z, y, s, slope_listed, curve_listed), 1e-14);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(slope[i], slope_listed[i], 1e-14);
    EXPECT_NEAR(curve[i], curve_listed[i], 1e-14);
  }
  EXPECT_NEAR(own->excess(z, y, s, u), listed->excess(z, y, s, u), 1e-13);
}

TEST(CustomLoss, ThatContradictsItselfIsRefused) {
  const auto refused = [](auto&& change) {
    CustomLoss loss = logistic();
    change(loss);
    EXPECT_THROW(row_loss(loss), Error);
  };
  EXPECT_NO_THROW(row_loss(logistic()));
  refused([](CustomLoss& l) { l.slope = [](double s, double y) { return y / (1 + std::exp(y * s)); }; });
  refused([](CustomLoss& l) { l.conjugate = [](double u, double) { return u * u; }; });
  refused([](CustomLoss& l) { l.curve = [](double, double) { return 1.0; }; });
  refused([](CustomLoss& l) { l.curve_bound = 0.2; });
  refused([](CustomLoss& l) { l.slope_low = -0.5; });
  refused([](CustomLoss& l) { l.value = [](double s, double) { return std::sin(s) + 1; }; });
  refused([](CustomLoss& l) { l.value = [](double s, double y) { return std::log1p(std::exp(-y * s)) - 1; }; });
  refused([](CustomLoss& l) { l.conjugate = {}; });
  refused([](CustomLoss& l) { l.name = ""; });
}

}  // namespace
}  // namespace plumb::custom_loss_test
