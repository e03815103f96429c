// A custom loss: log cosh of the residual, which is quadratic for small residuals and linear for large ones, so that
// outliers pull no harder than other rows. The loss provides its value, its slope and its conjugate; the fit then has
// the same solvers, certificate, cross-validation and model file as any other.
//   c++ -std=c++20 custom_loss.cpp $(pkg-config --cflags --libs plumb) -o custom_loss
#include <plumb/plumb.h>

#include <cmath>
#include <iostream>
#include <vector>

namespace {

double log_cosh(double r) { return std::abs(r) + std::log1p(std::exp(-2 * std::abs(r))) - std::log(2.0); }
double x_log_x(double x) { return x > 0 ? x * std::log(x) : 0.0; }

plumb::CustomLoss log_cosh_loss() {
  plumb::CustomLoss loss;
  loss.name = "log-cosh";
  loss.value = [](double score, double y) { return log_cosh(score - y); };
  loss.slope = [](double score, double y) { return std::tanh(score - y); };
  loss.curve = [](double score, double y) { return 1 - std::pow(std::tanh(score - y), 2); };
  // The largest of slope * score - value over all scores: at score = y + atanh(slope).
  loss.conjugate = [](double slope, double y) { return slope * y + (x_log_x(1 + slope) + x_log_x(1 - slope)) / 2; };
  loss.slope_low = -1;
  loss.slope_high = 1;
  loss.curve_bound = 1;
  return loss;
}

}  // namespace

int main() try {
  // y = 2 x + 1, except for one mistyped row.
  const std::vector<double> x = {0, 1, 2, 3, 4, 5, 6, 7}, y = {1.1, 2.9, 5.0, 7.2, 90.0, 10.9, 13.1, 15.0};
  const plumb::Data data = plumb::dense(x.data(), x.size(), 1, y.data());
  const plumb::FitOptions all{.test = plumb::TestChoice::none()};
  const plumb::Fit fit = plumb::fit(data, log_cosh_loss(), all);
  std::cout << "log cosh: " << fit.weight("x1") << " x + " << fit.model().bias()
            << (fit.converged() ? ", certified" : ", short of the optimum") << "\n"
            << "squares:  " << plumb::fit(data, plumb::LeastSquares{}, all).weight("x1") << " x\n";
} catch (const plumb::Error& error) {
  std::cerr << "error: " << error.what() << "\n";
  return 1;
}
