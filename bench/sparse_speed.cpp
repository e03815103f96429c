// A lasso path of 100 penalties with 10 folds from memory, as one line of JSON: sparse_speed THREADS ROWS COLUMNS. The
// target is a sum of 50 columns and noise; all columns share a part.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "bench/library.h"
#include "bench/measure.h"

namespace {

plumb::Examples made(std::uint64_t rows, std::uint32_t columns) {
  constexpr std::uint32_t kTrue = 50;
  std::uint64_t state = 1;
  const auto uniform = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-52 - 1.0;
  };
  plumb::Piece piece;
  piece.rows = rows;
  piece.features = columns;
  std::vector<double> values(rows * columns);
  for (std::uint64_t r = 0; r < rows; ++r) {
    const double common = 0.5 * uniform();
    double y = 20 * uniform();
    for (std::uint32_t j = 0; j < columns; ++j) {
      const double x = common + uniform();
      values[r * columns + j] = x;
      if (j % (columns / kTrue) == 0) y += x;
    }
    piece.targets.push_back(y);
  }
  piece.values = plumb::Values::of(std::move(values));
  return plumb::Examples({std::move(piece)}, columns);
}

int measure(int count, char** argument) {
  if (count != 4) throw std::runtime_error("sparse_speed THREADS ROWS COLUMNS");
  const auto number = [&](int i) { return static_cast<std::uint64_t>(plumb::parse_number(argument[i]).value); };
  const auto columns = static_cast<std::uint32_t>(number(3));
  const plumb::Examples examples = made(number(2), columns);
  plumb::FeatureMap::Parts parts;
  for (std::uint32_t j = 0; j < columns; ++j) {
    parts.inputs.push_back({"x" + std::to_string(j), plumb::Kind::number, {}});
    parts.terms.push_back(plumb::ProductTerm{{{j, 1}}});
  }
  const plumb::FeatureMap map(parts);
  plumb::Executor executor(static_cast<unsigned>(number(1)));
  const plumb::LassoTrainer trainer;
  const bench::Stopwatch watch;
  const plumb::Trained fit = trainer.train({examples, map}, plumb::Run{executor});
  plumb::JsonWriter json;
  json.begin_object().member("seconds", watch.wall()).member("cpu", watch.cpu());
  json.member("gap", fit.record.certificate.value);
  for (const auto& [name, value] : fit.record.fit) json.member(name, value);
  json.end_object();
  std::puts(json.take().c_str());
  return 0;
}

}  // namespace

int main(int count, char** argument) {
  return bench::guarded("sparse_speed", [&] { return measure(count, argument); });
}
