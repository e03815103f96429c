#include "plumb/workflow/fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

namespace plumb::fit_test {
namespace {

struct Numbers {
  std::vector<double> x, y;
};

Numbers two_values(int rows) {
  Numbers found;
  for (int i = 0; i < rows; ++i) {
    found.x.push_back(std::sin(i));
    found.y.push_back(i % 3 == 0 || std::sin(i) > 0.4 ? 1 : 0);
  }
  return found;
}

// Doubles of 0 and 1 are labels to a file reader, so they are in memory too; a model that predicts numbers decides
// otherwise.
TEST(Fit, TakesFewDifferentNumbersForLabelsAsAFileDoes) {
  const Numbers rows = two_values(60);
  const Data data = dense(rows.x.data(), 60, 1, rows.y.data());
  const Model model = fit(data).model();
  EXPECT_EQ(model.labels(), (std::vector<std::string>{"0", "1"}));
  EXPECT_TRUE(fit(data, LeastSquares{}).model().labels().empty());
  const std::string path = ::testing::TempDir() + "two.csv";
  std::ofstream file(path);
  file.precision(17);
  file << "x1,y\n";
  for (int i = 0; i < 60; ++i)
    file << rows.x[static_cast<std::size_t>(i)] << ',' << rows.y[static_cast<std::size_t>(i)] << '\n';
  file.close();
  EXPECT_EQ(fit(read(path, {.target = "y"})).weight("x1"), model.weight("x1"));
  const std::vector<double> many(rows.x);
  EXPECT_TRUE(fit(dense(rows.y.data(), 60, 1, many.data())).model().labels().empty())
      << "many different ones are numbers";
}

TEST(Fit, IsNotScoredIfTheObserverStoppedIt) {
  const Numbers rows = two_values(200);
  const Data data = dense(rows.x.data(), 200, 1, rows.y.data());
  const Recipe slow("logistic",
                    {{"solver", "gradient-descent"}, {"step", "fixed"}, {"rate", "1e-6"}, {"max-iterations", "1000"}});
  int steps = 0;
  bool going = true, scored = false;
  const Fit stopped = fit(data, slow, {}, {.watch = [&](const Progress& progress) {
                            going = going && !(progress.phase == Phase::fitting && ++steps > 40);
                            scored = scored || (!going && progress.phase == Phase::evaluating && progress.done > 0);
                            return going;
                          }});
  EXPECT_FALSE(stopped.converged());
  EXPECT_TRUE(stopped.heldout().empty());
  EXPECT_FALSE(scored);
  EXPECT_EQ(stopped.warnings().back(), "the held-out rows were not scored, because the fit was stopped on request");
}

}  // namespace
}  // namespace plumb::fit_test
