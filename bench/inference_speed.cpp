// What Wald results add to a fit of logistic regression without a penalty, in Newton steps, as one line of JSON:
//   inference_speed THREADS ROWS COLUMNS
// The three CPU times are of the same rows in memory, in turn, the best of a few each: a fit, a fit with all that
// `train --inference wald` adds, and one Newton step at the optimum (a linear system, then the landing with its matrix).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/library.h"
#include "bench/measure.h"
#include "plumb/infer/inference.h"
#include "plumb/objective/objective.h"
#include "plumb/solver/newton_system.h"

namespace {

plumb::Examples drawn(std::uint64_t rows, std::uint32_t columns) {
  const plumb::RandomKey key{7, 0};
  std::uint64_t draw = 0;
  plumb::Piece piece;
  piece.features = columns;
  piece.rows = rows;
  for (std::uint64_t i = 0; i < rows; ++i) {
    double score = 0.0;
    for (std::uint32_t j = 0; j < columns; ++j) {
      const double x = 2 * key.uniform(draw++) - 1;
      score += (j % 3 - 1.0) * x / 2;
      piece.values.push(x);
    }
    piece.targets.push_back(key.uniform(draw++) < 1 / (1 + std::exp(-score)) ? 1.0 : 0.0);
  }
  std::vector<plumb::Piece> pieces;
  pieces.push_back(std::move(piece));
  return plumb::Examples(std::move(pieces), columns);
}

plumb::FeatureMap columns_of(std::uint32_t columns) {
  plumb::FeatureMap::Parts parts;
  for (std::uint32_t j = 0; j < columns; ++j) {
    parts.inputs.push_back({"x" + std::to_string(j), plumb::Kind::number, {}});
    parts.terms.push_back(plumb::ProductTerm{{{j, 1}}});
  }
  return plumb::FeatureMap(parts);
}

double step_seconds(const plumb::Examples& examples, const plumb::LinearModel& model, const plumb::Run& run) {
  plumb::DesignMatrix x(examples, true, {}, {}, run);
  x.centre();
  plumb::Objective f(x, plumb::row_loss(plumb::Loss::logistic), std::vector<double>(x.columns()), run);
  std::vector<double> w(model.features());
  model.parts().weights.row(0, w);
  w.push_back(0.9 * model.parts().bias[0]);
  std::vector<double> hessian;
  const plumb::Objective::Point point = f.at(x.from_units(w), &hessian);
  plumb::NewtonSystem system(f);
  const bench::Stopwatch clock;
  const plumb::NewtonSystem::Direction direction = system.solve(point, false, 0.0, std::move(hessian));
  const plumb::Objective::Landing landing = f.land(point, direction.d, plumb::Objective::Beside::hessian);
  return clock.cpu() + (std::isfinite(landing.point.value) ? 0.0 : plumb::kInfinity);
}

int measure(int count, char** argument) {
  if (count != 4) throw plumb::Error(plumb::ErrorCode::usage, "THREADS ROWS COLUMNS were expected");
  const auto number = [&](int i) { return static_cast<std::uint32_t>(plumb::parse_number(argument[i]).value); };
  plumb::Executor executor(number(1));
  const plumb::Run run{executor, plumb::RandomKey{42, 0}};
  const plumb::Examples examples = drawn(number(2), number(3));
  const plumb::FeatureMap map = columns_of(number(3));
  const std::vector<std::string> labels = {"no", "yes"};
  plumb::LogisticOptions options;
  options.l2 = {0.0};
  const plumb::LogisticTrainer trainer(options);
  constexpr int kRounds = 7;
  double fit = plumb::kInfinity, inferred = plumb::kInfinity, step = plumb::kInfinity;
  for (int round = 0; round < kRounds; ++round) {
    const bench::Stopwatch alone;
    const plumb::Trained plain = trainer.train({examples, map, labels}, run);
    fit = std::min(fit, alone.cpu());
    const bench::Stopwatch both;
    plumb::Problem problem{examples, map, labels};
    problem.infers = true;
    plumb::Trained full = trainer.train(problem, run);
    plumb::add_inference(full, examples, {}, run);
    inferred = std::min(inferred, both.cpu());
    if (full.record.standard_errors.empty()) throw plumb::Error(plumb::ErrorCode::internal, "there are no errors");
    step = std::min(step, step_seconds(examples, plain.model, run));
  }
  plumb::JsonWriter json;
  json.begin_object()
      .member("fit", fit)
      .member("with_inference", inferred)
      .member("step", step)
      .member("steps", (inferred - fit) / step)
      .end_object();
  std::puts(json.take().c_str());
  return 0;
}

}  // namespace

int main(int count, char** argument) {
  return bench::guarded("inference_speed", [&] { return measure(count, argument); });
}
