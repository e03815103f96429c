// The public interface from outside: every public call once, with its expected result.
// rows: B8
#include <plumb/plumb.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>

namespace {

void expect(bool holds, const char* what) {
  if (holds) return;
  std::cerr << "not so: " << what << "\n";
  std::exit(1);
}

}  // namespace

int main() try {
  std::ofstream("people.csv")
      << "height,city,weight\n1.6,Paris,55\n1.7,Oslo,63\n1.8,Paris,71\n1.9,Oslo,80\n1.75,Paris,67\n"
         "1.65,Oslo,60\n1.85,Paris,75\n1.72,Oslo,65\n1.68,Paris,61\n1.78,Oslo,70\n";
  std::ofstream("new.csv") << "height,city,shoes\n1.8,Paris,42\n1.6,Oslo,38\n";
  const plumb::Data people = plumb::read("people.csv", {.target = "weight"});

  // A file, a fit with held-out rows, its summary, saving and loading.
  const plumb::Fit fit = plumb::fit(people, plumb::Ridge{.l2 = 1.0}, {.test = 0.2, .seed = 42});
  expect(fit.summary().find("ridge") != std::string::npos, "the summary names the model");
  expect(!fit.heldout().empty() && !fit.baseline().empty(), "a fit is scored beside a baseline");
  fit.save("people.plumb");
  const plumb::Model model = plumb::load("people.plumb");
  const auto predictions = model.predict(plumb::read("new.csv"));
  expect(predictions.size() == 2, "every row is predicted");
  const double one = model.predict({{"height", 1.80}, {"city", "Paris"}}).value;
  expect(one == predictions[0].value, "a row by name is the row of the file");

  // Memory: dense in both orders, sparse, named columns: one line through three points.
  const std::vector<double> x = {1.7, 1.8, 1.9}, y = {60, 68, 77};
  const plumb::FitOptions all{.test = plumb::TestChoice::none()};
  const double slope = plumb::fit(plumb::dense(x.data(), 3, 1, y.data()), plumb::LeastSquares{}, all).weight("x1");
  expect(std::abs(slope - 85) < 1e-9, "least squares of three points");
  const auto column = plumb::dense(x.data(), 3, 1, y.data(), plumb::Order::column_major);
  expect(plumb::fit(column, plumb::LeastSquares{}, all).weight("x1") == slope, "column-major is the same");
  const std::vector<std::uint32_t> index = {0, 0, 0};
  const std::vector<std::uint64_t> offsets = {0, 1, 2, 3};
  const auto sparse = plumb::csr(x.data(), index.data(), offsets.data(), 3, 1, y.data());
  expect(std::abs(plumb::fit(sparse, plumb::LeastSquares{}, all).weight("f1") - slope) < 1e-9, "so is CSR");
  const auto named = plumb::columns({{"height", std::span(x)}, {"weight", std::span(y)}}, {.target = "weight"});
  expect(plumb::fit(named, plumb::LeastSquares{}, all).weight("height") == slope, "and named columns");

  // Row weights, given beside the rows, are weights and not a feature; a sparse row by name.
  const std::vector<double> twice = {2, 1, 1};
  plumb::MemoryRows weighted;
  weighted.values = plumb::DenseRows{x.data(), 3, 1};
  weighted.target = plumb::MemoryColumn{.values = std::span(y)};
  weighted.weight = plumb::MemoryColumn{.values = std::span(twice)};
  const plumb::Model heavy = plumb::fit(plumb::Data(weighted, {}), plumb::LeastSquares{}, all).model();
  expect(heavy.features() == std::vector<std::string>{"x1"}, "weights are no feature");
  expect(std::abs(heavy.weight("x1") - slope) > 1e-3, "and they count");
  const plumb::Model entries = plumb::fit(sparse, plumb::LeastSquares{}, all).model();
  expect(std::abs(entries.predict({{"f1", 1.8}}).value -
                  plumb::fit(named, plumb::LeastSquares{}, all).model().predict({{"height", 1.8}}).value) < 1e-9,
         "a sparse row by name");

  // Impossible requests are refused, and nothing crashes.
  const auto refused = [](const char* what, auto&& call) {
    try {
      call();
    } catch (const plumb::Error&) {
      return;
    }
    expect(false, what);
  };
  refused("no rows", [&] { plumb::fit(plumb::dense(x.data(), 0, 1, y.data()), plumb::LeastSquares{}, all); });
  refused("rows that are null", [&] { plumb::fit(plumb::dense(nullptr, 3, 1, y.data()), plumb::LeastSquares{}, all); });
  refused("no columns", [&] { plumb::fit(plumb::columns({}), plumb::LeastSquares{}, all); });
  refused("no offsets",
          [&] { plumb::fit(plumb::csr(x.data(), index.data(), nullptr, 3, 1, y.data()), plumb::LeastSquares{}, all); });
  refused("no entries", [&] {
    plumb::fit(plumb::csr(nullptr, nullptr, offsets.data(), 3, 1, y.data()), plumb::LeastSquares{}, all);
  });
  refused("nothing sparse",
          [&] { plumb::fit(plumb::csr(nullptr, nullptr, nullptr, 0, 1, y.data()), plumb::LeastSquares{}, all); });
  refused("no folds", [&] { plumb::cross_validate(people, plumb::LeastSquares{}, {.folds = 0}); });

  // A custom loss: the squared one, whose optimum least squares knows.
  plumb::CustomLoss squared;
  squared.name = "squares";
  squared.value = [](double s, double t) { return (s - t) * (s - t) / 2; };
  squared.slope = [](double s, double t) { return s - t; };
  squared.conjugate = [](double u, double t) { return u * t + u * u / 2; };
  squared.curve = [](double, double) { return 1.0; };
  squared.curve_bound = 1.0;
  for (const char* solver : {"auto", "newton", "lbfgs", "gradient-descent"}) {
    squared.solver = solver;
    const plumb::Fit own = plumb::fit(named, squared, all);
    expect(own.converged() && std::abs(own.weight("height") - slope) < 1e-3, "a loss of one's own");
  }
  expect(plumb::cross_validate(people, squared, {.folds = 5}).rows == 10, "is cross-validated");
  expect(plumb::compare(people, {plumb::LeastSquares{}, squared}, {.folds = 5}).models.size() == 2, "and compared");
  squared.curve = {};
  expect(std::abs(plumb::fit(named, squared, all).weight("height") - slope) < 1e-3, "also without its curve");
  squared.l2 = -1;
  refused("a penalty below 0", [&] { plumb::fit(named, squared, all); });
  squared.l2 = 0;
  squared.slope = [](double s, double t) { return 2 * (s - t); };
  refused("a slope that is not the value's", [&] { plumb::fit(named, squared, all); });

  // Evaluation, one call each.
  const plumb::Evaluation folds = plumb::cross_validate(people, plumb::LeastSquares{}, {.folds = 5});
  expect(folds.rows == 10 && !folds.text().empty() && folds.json().front() == '{', "cross-validation");
  expect(!plumb::evaluate(model, people).metrics.empty(), "evaluate");
  expect(plumb::compare(people, {plumb::LeastSquares{}, plumb::Ridge{.l2 = 1.0}}).models.size() == 2, "compare");
  const plumb::Tuned tuned = plumb::tune(people, plumb::Ridge{.l2 = 1.0}, {.grid = {"l2=0.01,1,100"}, .folds = 3});
  expect(tuned.chosen.size() == 1 && tuned.chosen[0].first == "l2", "tune");
  expect(!plumb::learning_curve(people, {plumb::LeastSquares{}}, {.sizes = {"4", "6"}, .repeats = 3}).points.empty(),
         "learning curve");
  expect(plumb::explain(model, people, 2).rows.size() == 2, "explain");

  // Classes: margins, samples, merging and forgetting.
  const std::vector<double> a = {0, 1, 2, 5, 6, 7};
  const std::vector<std::string> side = {"no", "no", "no", "yes", "yes", "yes"};
  const plumb::Data sides = plumb::dense(a.data(), 6, 1, side);
  const plumb::Data kept = plumb::dense(
      a.data(), 6, 1, {"no: a label", "no: a label", "no: a label", "yes: a label", "yes: a label", "yes: a label"});
  expect(plumb::fit(kept, plumb::Logistic{}, all).model().labels().size() == 2, "labels given in place are kept");
  const plumb::Margin margin = plumb::margin(sides);
  expect(margin.separable == true && std::abs(margin.low - 1.5) < 1e-3, "the margin of two classes");
  const plumb::NaiveBayes counting{.keep_statistics = true};
  const plumb::Model half = plumb::fit(plumb::dense(a.data(), 6, 1, side), counting, all).model();
  const plumb::Model whole = plumb::merge({half, half});
  expect(plumb::forget(whole, sides).weight("x1") == half.weight("x1"), "forgetting what was merged");
  expect(!plumb::sample(half, 3).empty(), "sampling");

  // Observed and stopped.
  std::uint64_t calls = 0;
  plumb::fit(people, plumb::LeastSquares{}, all,
             {.threads = 2, .watch = [&](const plumb::Progress&) { return ++calls > 0; }});
  expect(calls > 0, "an observer is called");
  try {
    plumb::fit(people, plumb::LeastSquares{}, all, {.watch = [](const plumb::Progress&) { return false; }});
    expect(false, "a stopped run throws");
  } catch (const plumb::Error& error) {
    expect(error.code() == plumb::ErrorCode::interrupted, "a stopped run is interrupted");
  }
  for (int after = 0; after < 40; ++after) {  // wherever it is stopped, it says so and ends
    int seen = 0;
    try {
      plumb::cross_validate(people, plumb::Recipe("huber"), {.folds = 3},
                            {.watch = [&](const plumb::Progress&) { return seen++ != after; }});
    } catch (const plumb::Error& error) {
      expect(error.code() == plumb::ErrorCode::interrupted, "stopped while judging");
    }
  }
  std::cout << "every public call works\n";
} catch (const plumb::Error& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
