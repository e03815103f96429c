// Training of logistic regression from memory, as one line of JSON:
//   logistic_speed FILE.libsvm THREADS SOLVER [TOLERANCE]     rows of a file, l2 = 1, no bias
//   logistic_speed dense THREADS SOLVER [TOLERANCE]     500,000 x 54, columns in units of 1 to 10,000, l2 = 1, a bias
// The clock starts when the rows are in memory and stops when the weights are done: making the matrix counts.
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "bench/library.h"
#include "bench/measure.h"
#include "plumb/objective/objective.h"
#include "plumb/solver/solver.h"

namespace {

struct Rows {
  plumb::Examples examples;
  std::size_t classes;
};

Rows read(const std::string& path, const plumb::Run& run) {
  const std::unique_ptr<plumb::Source> source = plumb::open_source({path}, {});
  plumb::FeatureOptions features;
  const plumb::FeaturePlan plan = plumb::plan_features(*source, features, {}, plumb::Kind::category);
  source->select(plan.selected);
  plumb::Tables tables = plumb::read_all(*source, run);
  const plumb::Classes classes = plumb::classes_of(tables, plan.inputs.size());
  const plumb::RowSet all(tables.rows, true);
  plumb::Learnt learnt = plumb::learn_features(tables, plan, all, {.full_coding = true}, run);
  learnt.layout.labels = classes.among(all, "");
  learnt.layout.known_labels = learnt.layout.labels.size();
  plumb::FeatureMap::Unseen unseen;
  const std::size_t count = learnt.layout.labels.size();
  return {learnt.map.apply(std::move(tables), learnt.layout, unseen, run), count};
}

Rows dense() {
  constexpr std::uint64_t kRows = 500'000;
  constexpr std::uint32_t kColumns = 54;
  const plumb::RandomKey key{7, 0};
  std::uint64_t draw = 0;
  plumb::Piece piece;
  piece.features = kColumns;
  piece.rows = kRows;
  for (std::uint64_t i = 0; i < kRows; ++i) {
    double score = 0.0;
    for (std::uint32_t j = 0; j < kColumns; ++j) {
      const double x = 2 * key.uniform(draw++) - 1;
      score += (j % 3 - 1.0) * x / 2;
      piece.values.push(x * std::pow(10.0, 4.0 * j / (kColumns - 1)));
    }
    piece.targets.push_back(key.uniform(draw++) < 1 / (1 + std::exp(-score)) ? 1.0 : 0.0);
  }
  std::vector<plumb::Piece> pieces;
  pieces.push_back(std::move(piece));
  return {plumb::Examples(std::move(pieces), kColumns), 2};
}

int measure(int count, char** argument) {
  if (count < 4) throw plumb::Error(plumb::ErrorCode::usage, "FILE THREADS SOLVER [TOLERANCE] were expected");
  plumb::Executor executor(static_cast<unsigned>(plumb::parse_number(argument[2]).value));
  const plumb::Run run{executor, plumb::RandomKey{42, 0}};
  const bool generated = std::string(argument[1]) == "dense";
  const Rows rows = generated ? dense() : read(argument[1], run);
  const double tolerance = count > 4 ? plumb::parse_number(argument[4]).value : 1e-6;
  const bench::Stopwatch clock;
  const plumb::DesignMatrix x(rows.examples, generated, {}, {}, run);
  const double made = clock.wall();
  std::vector<double> ridge(x.columns());
  for (std::size_t j = 0; j < ridge.size(); ++j) ridge[j] = std::ldexp(1.0, -2 * x.exponent(j));
  if (x.bias()) ridge.back() = 0.0;
  plumb::Objective f(
      x, rows.classes == 2 ? plumb::row_loss(plumb::Loss::logistic) : plumb::softmax_loss(rows.classes, false), ridge,
      run);
  const std::string name = argument[3];
  const plumb::SolverEntry& solver = name == "auto" ? *plumb::choose_solver(f).solver : plumb::find_solver(name);
  const plumb::Solution solution =
      solver.minimise(f, std::vector<double>(f.size()), {.tolerance = tolerance, .iterations = solver.iterations});
  const double seconds = clock.wall(), cpu = clock.cpu();
  plumb::JsonWriter json;
  json.begin_object()
      .member("seconds", seconds)
      .member("cpu", cpu)
      .member("matrix", made)
      .member("rows", x.rows())
      .member("entries", x.entries())
      .member("solver", solver.name)
      .member("iterations", solution.iterations)
      .member("passes", f.passes())
      .member("objective", solution.point.value)
      .member("gap", solution.gap / solution.point.value)
      .end_object();
  std::puts(json.take().c_str());
  return 0;
}

}  // namespace

int main(int count, char** argument) {
  return bench::guarded("logistic_speed", [&] { return measure(count, argument); });
}
