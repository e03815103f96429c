// From memory to a model, without a copy of the numbers: a matrix of two columns and labels, cross-validated, fitted on
// two threads, and used to predict one row.
#include <plumb/plumb.h>

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

int main() try {
  const std::uint64_t rows = 200;
  std::vector<double> x;
  std::vector<std::string> labels;
  for (std::uint64_t i = 0; i < rows; ++i) {
    const double a = std::sin(static_cast<double>(i)), b = std::cos(1.7 * static_cast<double>(i));
    x.insert(x.end(), {a, b});
    labels.push_back(a + 0.5 * b + 0.2 * std::sin(9.0 * static_cast<double>(i)) > 0 ? "above" : "below");
  }
  const plumb::Data data = plumb::dense(x.data(), rows, 2, labels);
  const plumb::Evaluation judged = plumb::cross_validate(data, plumb::Logistic{.l2 = 1.0}, {.folds = 5});
  std::cout << judged.metrics.front().name << " " << judged.metrics.front().value << "\n";
  const plumb::Fit fit = plumb::fit(data, plumb::Logistic{.l2 = 1.0}, {.test = 0.2, .seed = 42}, {.threads = 2});
  const plumb::Prediction one = fit.model().predict({{"x1", 0.3}, {"x2", -0.2}});
  std::cout << one.label << " with probability " << one.probabilities.at(one.label == "below" ? 1 : 0) << "\n";
} catch (const plumb::Error& error) {
  std::cerr << "error: " << error.what() << "\n";
  return 1;
}
