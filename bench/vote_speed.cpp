// The cost of voting by a perceptron's whole history relative to one hyperplane, as one line of JSON: vote_speed FILE
// FILE has the columns label and text. Both models are trained on all of it, and predict the same rows: "documents" is
// CPU time of reading the file, counting its words and predicting each row by votes, over that of the same with the
// averaged hyperplane; "in_memory" is the same for only predicting rows that are in memory as counts.
#include <cstdint>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "bench/library.h"
#include "bench/measure.h"

namespace {

struct Data {
  plumb::FeatureMap map;
  std::vector<std::string> labels;
  plumb::Examples examples;
};

plumb::ReadOptions reading() {
  plumb::ReadOptions reading;
  reading.columns = {"label", "text"};
  return reading;
}

Data read(const std::string& path, const plumb::Run& run) {
  const auto source = plumb::open_source({path}, reading());
  plumb::FeatureOptions options;
  options.target = "label";
  options.text = {"text"};
  const plumb::PerceptronTrainer trainer;
  const plumb::FeaturePlan plan = plumb::plan_features(*source, options, {}, plumb::Kind::category);
  source->select(plan.selected);
  plumb::Tables tables = plumb::read_all(*source, run);
  plumb::Learnt learnt = plumb::learn_features(tables, plan, plumb::RowSet(tables.rows, true), trainer.wishes(), run);
  plumb::FeatureMap::Unseen unseen;
  plumb::Examples examples = learnt.map.apply(std::move(tables), learnt.layout, unseen, run);
  return {std::move(learnt.map), std::move(learnt.layout.labels), std::move(examples)};
}

// CPU seconds from the file to its predictions.
double documents(const std::string& path, const plumb::LinearModel& model, const plumb::Run& run, std::uint64_t& sum) {
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 3; ++round) {
    const bench::Stopwatch watch;
    const auto source = plumb::open_source({path}, reading());
    const plumb::TableLayout layout = model.parts().map.select_from(*source);
    plumb::Table table;
    plumb::FeatureMap::Unseen unseen;
    plumb::Predictor predictor(model);
    while (source->next(table, run)) {
      const plumb::Piece piece = model.parts().map.apply(table, layout, unseen);
      plumb::PieceRows rows(piece);
      for (std::uint64_t r = 0; r < piece.rows; ++r) sum += predictor.predict(rows.row(r)).label;
    }
    least = std::min(least, watch.cpu());
  }
  return least;
}

// CPU seconds of one prediction.
double prediction(const plumb::LinearModel& model, const plumb::Examples& examples, std::uint64_t& sum) {
  constexpr std::uint64_t kRows = 1000;
  plumb::Predictor predictor(model);
  const double all = bench::best_seconds([&] {
    std::uint64_t left = kRows;
    examples.block(0).for_each([&](const plumb::Example& example) {
      if (left == 0) return;
      --left;
      sum += predictor.predict(example.x).label;
    });
  });
  return all / static_cast<double>(kRows);
}

int measure(int count, char** argument) {
  if (count != 2) throw std::runtime_error("vote_speed FILE");
  plumb::Executor executor(1);
  const plumb::Run run{executor};
  const Data data = read(argument[1], run);
  const auto trained = [&](plumb::Variant variant) {
    const plumb::PerceptronTrainer trainer(plumb::PerceptronOptions{.variant = variant});
    return trainer.train({data.examples, data.map, data.labels}, run).model;
  };
  const plumb::LinearModel plane = trained(plumb::Variant::averaged), votes = trained(plumb::Variant::voted);
  std::uint64_t sum = 0;
  const double plane_file = documents(argument[1], plane, run, sum),
               votes_file = documents(argument[1], votes, run, sum);
  const double plane_row = prediction(plane, data.examples, sum), votes_row = prediction(votes, data.examples, sum);
  const auto rows = static_cast<double>(data.examples.rows());
  plumb::JsonWriter json;
  json.begin_object().member("hypotheses", votes.rows()).member("distinct", votes.parts().weights.distinct());
  json.member("documents", votes_file / plane_file).member("in_memory", votes_row / plane_row);
  json.member("plane_document", plane_file / rows).member("votes_document", votes_file / rows);
  json.member("plane_row", plane_row).member("votes_row", votes_row).member("sum", sum).end_object();
  std::puts(json.take().c_str());
  return 0;
}

}  // namespace

int main(int count, char** argument) {
  return bench::guarded("vote_speed", [&] { return measure(count, argument); });
}
