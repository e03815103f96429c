// Passes of online learners over sparse rows, as one line of JSON: online_speed [ROWS [FEATURES [ENTRIES]]] Rows are
// like counted words: entries drawn by Zipf's law, small counts, labels by a hyperplane with noise. Beside them a bare
// loop of gathers and multiply-adds over the same rows. A learner's pass, NAME: a tenth of the extra time of twenty
// passes over ten, like a peer's. NAME_of_ten: a tenth of the whole time of ten, with the copy of the rows, their
// orders, and the amounts owed to the average.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/library.h"
#include "bench/measure.h"
#include "plumb/solver/count_rows.h"
#include "plumb/solver/online.h"

namespace {

plumb::Examples made(std::uint64_t rows, std::uint32_t features, std::uint32_t entries) {
  const plumb::RandomKey key{7, 0};
  std::uint64_t draw = 0;
  plumb::Piece piece;
  piece.features = features;
  piece.offsets.push_back(0);
  std::vector<double> counts(features);
  for (std::uint64_t r = 0; r < rows; ++r) {
    std::vector<std::uint32_t> seen;
    for (std::uint32_t t = 0; t < 2 * entries; ++t) {  // about half of them are repeats
      const auto j = static_cast<std::uint32_t>(std::pow(static_cast<double>(features), key.uniform(draw++))) - 1;
      if (counts[j]++ == 0) seen.push_back(j);
    }
    std::sort(seen.begin(), seen.end());
    double score = 0.0;
    for (const std::uint32_t j : seen) {
      piece.index.push_back(j);
      piece.values.push(counts[j]);
      score += counts[j] * (key.with_stream(1).uniform(j) - 0.5);
      counts[j] = 0;
    }
    piece.offsets.push_back(piece.index.size());
    piece.targets.push_back(score + 4.0 * (key.uniform(draw++) - 0.5));
    ++piece.rows;
  }
  std::vector<double> sorted = piece.targets;
  std::sort(sorted.begin(), sorted.end());
  for (double& each : piece.targets) each = each > sorted[rows / 2] ? 1.0 : 0.0;  // as many of each label
  std::vector<plumb::Piece> pieces;
  pieces.push_back(std::move(piece));
  return plumb::Examples(std::move(pieces), features);
}

double pass_seconds(const plumb::OnlineRule& rule, const plumb::RowTable& rows,
                    plumb::RowOrder kind = plumb::RowOrder::shuffled) {
  plumb::OnlineLearner learner(rule, rows.examples().features(), 1);
  plumb::RowReader reader(rows);
  const std::vector<std::uint64_t> order = plumb::order_of(kind, 0, rows.size(), plumb::RandomKey{1, 0}, 0);
  std::vector<double> owed(learner.can_owe() ? rows.size() : 0);
  return bench::best_seconds([&] { learner.pass(reader, order, owed); });
}

// As in plumb/train/perceptron.cpp: the copy, the passes, each in an order of its own, and the average.
double passes_seconds(const plumb::OnlineRule& rule, const plumb::RowTable& rows, const plumb::Run& run,
                      std::uint64_t passes) {
  return bench::best_seconds([&] {
    plumb::OnlineLearner learner(rule, rows.examples().features(), 1);
    const std::optional<plumb::CountRows> copy = plumb::CountRows::of(rows, run);
    std::vector<double> owed(rule.average ? rows.size() : 0);
    plumb::RowReader reader(rows);
    for (std::uint64_t pass = 0; pass < passes; ++pass) {
      const auto order = plumb::order_of(plumb::RowOrder::shuffled, 0, rows.size(), plumb::RandomKey{1, 0}, pass);
      learner.pass(*copy, order, owed);
    }
    learner.settle(reader, owed);
  });
}

// Four parallel sums, the best that a compiler can do without a gather. The order is known, so a row two steps ahead is
// prefetched meanwhile, line by line.
double gather_seconds(const plumb::RowTable& rows, plumb::RowOrder kind, double& sink) {
  constexpr std::size_t kAhead = 2;
  std::vector<double> w(rows.examples().features(), 0.5);
  const std::vector<std::uint64_t> order = plumb::order_of(kind, 0, rows.size(), plumb::RandomKey{1, 0}, 0);
  const plumb::Piece& piece = *rows[0].piece;  // made() makes one, and counts are floats
  const std::uint32_t* const index = piece.index.data();
  const float* const values = piece.values.floats().data();
  return bench::best_seconds([&] {
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::size_t later = piece.offsets[order[std::min(i + kAhead, order.size() - 1)]];
      double sum[4] = {};
      std::size_t k = piece.offsets[order[i]];
      const std::size_t end = piece.offsets[order[i] + 1];
      for (; k + 8 <= end; k += 8, later += 8) {
        __builtin_prefetch(index + later);
        __builtin_prefetch(values + later);
        for (std::size_t l = 0; l < 8; ++l) sum[l % 4] += double{values[k + l]} * w[index[k + l]];
      }
      for (; k < end; ++k) sum[0] += double{values[k]} * w[index[k]];
      sink += sum[0] + sum[1] + sum[2] + sum[3];
    }
  });
}

int measure(int count, char** argument) {
  const auto number = [&](int i, double otherwise) {
    return i < count ? plumb::parse_number(argument[i]).value : otherwise;
  };
  const plumb::Examples examples =
      made(static_cast<std::uint64_t>(number(1, 25'000)), static_cast<std::uint32_t>(number(2, 75'000)),
           static_cast<std::uint32_t>(number(3, 140)));
  const plumb::RowTable rows(examples);
  double sink = 0.0;
  plumb::JsonWriter json;
  json.begin_object().member("rows", examples.size()).member("entries", examples.entries());
  json.member("gather", gather_seconds(rows, plumb::RowOrder::given, sink));
  json.member("gather_shuffled", gather_seconds(rows, plumb::RowOrder::shuffled, sink));
  plumb::Executor executor(1);
  const plumb::Run run{executor};
  json.member("copying", bench::best_seconds([&] { plumb::CountRows::of(rows, run); }));
  json.member("perceptron_given", pass_seconds({}, rows, plumb::RowOrder::given));
  const auto passes = [&](const std::string& name, const plumb::OnlineRule& rule) {
    json.member(name + "_uncopied", pass_seconds(rule, rows));
    const double ten = passes_seconds(rule, rows, run, 10), twenty = passes_seconds(rule, rows, run, 20);
    json.member(name, (twenty - ten) / 10);
    json.member(name + "_of_ten", ten / 10);
  };
  passes("perceptron", {});
  passes("averaged", {.average = true});
  passes("logistic_averaged", {.update = plumb::Update::loss, .rate = 0.01, .average = true});
  passes("pa1", {.update = plumb::Update::pa1});
  json.member("arow", pass_seconds({.update = plumb::Update::arow}, rows));
  json.member("sink", sink).end_object();
  std::puts(json.take().c_str());
  return 0;
}

}  // namespace

int main(int count, char** argument) {
  return bench::guarded("online_speed", [&] { return measure(count, argument); });
}
