// Naive Bayes, as one line of JSON: bayes_speed WORK THREADS ...
//   gaussian THREADS ROWS COLUMNS    a fit from memory; "sum" THREADS ROWS COLUMNS reads the same numbers once
//   predict THREADS ROWS COLUMNS     rows of 100 of the columns, multinomial, from memory; seconds of predicting alone
//   documents THREADS FILE           label<TAB>text lines to predictions; seconds without training
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/library.h"
#include "bench/measure.h"
#include "plumb/math/dense.h"

namespace {

class Draws {
 public:
  std::uint64_t next() { return (state_ = state_ * 6364136223846793005u + 1442695040888963407u) >> 11; }
  double uniform() { return static_cast<double>(next()) * 0x1p-53; }

 private:
  std::uint64_t state_ = 1;
};

constexpr std::uint64_t kPiece = 65536;

// Called before rows and models are freed, which is not part of the work.
struct Took {
  double wall = 0.0, cpu = 0.0;
  Took() = default;
  explicit Took(const bench::Stopwatch& watch) : wall(watch.wall()), cpu(watch.cpu()) {}
};

plumb::Examples dense_rows(std::uint64_t rows, std::uint32_t columns) {
  Draws draws;
  std::vector<plumb::Piece> pieces;
  for (std::uint64_t begin = 0; begin < rows; begin += kPiece) {
    plumb::Piece piece;
    piece.rows = std::min(kPiece, rows - begin);
    piece.features = columns;
    std::vector<double> values(piece.rows * columns);
    for (double& value : values) value = draws.uniform();
    for (std::uint64_t r = 0; r < piece.rows; ++r) piece.targets.push_back(static_cast<double>(draws.next() % 2));
    piece.values = plumb::Values::of(std::move(values));
    pieces.push_back(std::move(piece));
  }
  return plumb::Examples(std::move(pieces), columns);
}

plumb::Examples sparse_rows(std::uint64_t rows, std::uint32_t columns) {
  constexpr std::uint32_t kEntries = 100;
  Draws draws;
  std::vector<plumb::Piece> pieces;
  for (std::uint64_t begin = 0; begin < rows; begin += kPiece) {
    plumb::Piece piece;
    piece.rows = std::min(kPiece, rows - begin);
    piece.features = columns;
    piece.offsets = {0};
    for (std::uint64_t r = 0; r < piece.rows; ++r) {
      for (std::uint32_t i = 0; i < kEntries; ++i) {  // one of each hundredth part, so that they ascend
        const std::uint32_t width = columns / kEntries;
        piece.index.push_back(i * width + static_cast<std::uint32_t>(draws.next() % width));
        piece.values.push(static_cast<double>(1 + draws.next() % 3));  // in the form of the readers
      }
      piece.offsets.push_back(piece.index.size());
      piece.targets.push_back(static_cast<double>(draws.next() % 2));
    }
    pieces.push_back(std::move(piece));
  }
  return plumb::Examples(std::move(pieces), columns);
}

plumb::FeatureMap map_of(std::uint32_t columns) {
  plumb::FeatureMap::Parts parts;
  for (std::uint32_t j = 0; j < columns; ++j) {
    parts.inputs.push_back({"x" + std::to_string(j), plumb::Kind::number, {}});
    parts.terms.emplace_back(plumb::ProductTerm{{{j, 1}}});
  }
  return plumb::FeatureMap(std::move(parts));
}

double predicted_sum(const plumb::LinearModel& model, const plumb::Examples& examples, const plumb::Run& run) {
  double sum = 0.0;
  run.reduce(plumb::Phase::predicting, examples.blocks(), {&sum, 1}, [&](std::size_t b, plumb::Out out) {
    examples.block(b).for_each_run(
        [&](const plumb::Piece& piece, std::uint64_t begin, std::uint64_t end, std::uint64_t) {
          std::vector<std::uint32_t> labels(end - begin);
          plumb::predict_labels(model, piece, begin, labels);
          for (const std::uint32_t label : labels) out[0] += label;
        });
  });
  return sum;
}

double sum_of(const plumb::Examples& examples, const plumb::Run& run) {
  double sum = 0.0;
  run.reduce(plumb::Phase::fitting, examples.blocks(), {&sum, 1}, [&](std::size_t b, plumb::Out out) {
    examples.block(b).for_each([&](const plumb::Example& example) { out[0] += plumb::math::sum(example.x.value); });
  });
  return sum;
}

// Training is not timed.
double predicted_documents(const std::string& path, const plumb::Run& run, Took& took) {
  plumb::ReadOptions reading;
  reading.columns = {"label", "text"};
  const auto source = plumb::open_source({path}, reading);
  plumb::FeatureOptions options;
  options.target = "label";
  options.text = {"text"};
  const plumb::NaiveBayesTrainer trainer;
  const plumb::FeaturePlan plan = plumb::plan_features(*source, options, {}, plumb::Kind::category);
  source->select(plan.selected);
  plumb::Tables tables = plumb::read_all(*source, run);
  const plumb::Learnt learnt =
      plumb::learn_features(tables, plan, plumb::RowSet(tables.rows, true), trainer.wishes(), run);
  plumb::FeatureMap::Unseen unseen;
  const plumb::Examples examples = learnt.map.apply(std::move(tables), learnt.layout, unseen, run);
  const plumb::Trained fit = trainer.train({examples, learnt.map, learnt.layout.labels}, run);
  const bench::Stopwatch watch;
  const auto again = plumb::open_source({path}, reading);
  const plumb::TableLayout layout = fit.model.parts().map.select_from(*again);
  plumb::Table table;
  double sum = 0.0;
  while (again->next(table, run)) {
    const plumb::Piece piece = fit.model.parts().map.use_up(table, layout, unseen);
    std::vector<std::uint32_t> labels(piece.rows);
    plumb::predict_labels(fit.model, piece, 0, labels);
    for (const std::uint32_t label : labels) sum += label;
  }
  took = Took(watch);
  return sum;
}

int measure(int count, char** argument) {
  const std::string work = count > 1 ? argument[1] : "";
  if (count != (work == "documents" ? 4 : 5)) throw std::runtime_error("bayes_speed WORK THREADS ROWS COLUMNS or FILE");
  const auto number = [&](int i) { return static_cast<std::uint32_t>(plumb::parse_number(argument[i]).value); };
  plumb::Executor executor(number(2));
  const plumb::Run run{executor};
  const std::vector<std::string> labels = {"0", "1"};
  Took took;
  double result = 0.0;
  if (work == "documents") {
    result = predicted_documents(argument[3], run, took);
  } else if (work == "predict") {
    const plumb::Examples examples = sparse_rows(number(3), number(4));
    const plumb::FeatureMap map = map_of(number(4));
    const plumb::NaiveBayesTrainer trainer({.event = {"multinomial"}});
    const plumb::Trained fit = trainer.train({examples, map, labels}, run);
    const bench::Stopwatch watch;
    result = predicted_sum(fit.model, examples, run);
    took = Took(watch);
  } else {
    const plumb::Examples examples = dense_rows(number(3), number(4));
    const plumb::FeatureMap map = map_of(number(4));
    const plumb::NaiveBayesTrainer trainer({.variance = plumb::VarianceOf::feature});
    const bench::Stopwatch watch;
    result = work == "sum" ? sum_of(examples, run) : trainer.train({examples, map, labels}, run).record.objective;
    took = Took(watch);
  }
  plumb::JsonWriter json;
  json.begin_object().member("seconds", took.wall).member("cpu", took.cpu).member("result", result);
  std::puts(json.end_object().take().c_str());
  return 0;
}

}  // namespace

int main(int count, char** argument) {
  return bench::guarded("bayes_speed", [&] { return measure(count, argument); });
}
