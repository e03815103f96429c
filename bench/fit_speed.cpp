// One least-squares fit from memory, as one line of JSON: fit_speed THREADS ROWS COLUMNS [DIGITS [SPREAD]] y is a sum
// of all columns and noise; column j is 10^-SPREAD times something new plus the column before it, so the condition
// number is about 10^SPREAD. DIGITS 0 is the default of users.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/fma_peak.h"
#include "bench/library.h"
#include "bench/measure.h"

namespace {

double number(char** argument, int count, int i, double otherwise) {
  return i < count ? plumb::parse_number(argument[i]).value : otherwise;
}

plumb::Examples made(std::uint64_t rows, std::uint32_t columns, double spread) {
  constexpr std::uint64_t kPiece = 65536;
  const double share = std::pow(10.0, -spread);
  std::uint64_t state = 1;
  const auto uniform = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-52 - 1.0;
  };
  std::vector<plumb::Piece> pieces;
  for (std::uint64_t begin = 0; begin < rows; begin += kPiece) {
    plumb::Piece piece;
    piece.rows = std::min(kPiece, rows - begin);
    piece.features = columns;
    std::vector<double> values(piece.rows * columns);
    for (std::uint64_t r = 0; r < piece.rows; ++r) {
      double y = uniform();
      for (std::uint32_t j = 0; j < columns; ++j) {
        double& x = values[r * columns + j];
        x = spread > 0 && j > 0 ? values[r * columns + j - 1] + share * uniform() : uniform();
        y += x;
      }
      piece.targets.push_back(y);
    }
    piece.values = plumb::Values::of(std::move(values));
    pieces.push_back(std::move(piece));
  }
  return plumb::Examples(std::move(pieces), columns);
}

int measure(int count, char** argument) {
  if (count < 4) throw std::runtime_error("fit_speed THREADS ROWS COLUMNS [DIGITS [SPREAD]]");
  const auto threads = static_cast<unsigned>(number(argument, count, 1, 1));
  const auto rows = static_cast<std::uint64_t>(number(argument, count, 2, 0));
  const auto columns = static_cast<std::uint32_t>(number(argument, count, 3, 0));
  const plumb::Examples examples = made(rows, columns, number(argument, count, 5, 0));
  plumb::FeatureMap::Parts parts;
  for (std::uint32_t j = 0; j < columns; ++j) {
    parts.inputs.push_back({"x" + std::to_string(j), plumb::Kind::number, {}});
    parts.terms.push_back(plumb::ProductTerm{{{j, 1}}});
  }
  const plumb::FeatureMap map(parts);
  plumb::Executor executor(threads);
  const plumb::LeastSquaresTrainer trainer({.digits = number(argument, count, 4, 0)});
  const bench::Stopwatch watch;
  const plumb::Trained fit = trainer.train({examples, map}, plumb::Run{executor});
  plumb::JsonWriter json;
  const double seconds = watch.wall();
  json.begin_object().member("seconds", seconds).member("cpu", watch.cpu());
  // For the Gram matrix alone, with bias and target, half of it; per core.
  const double width = static_cast<double>(examples.features()) + 2;
  const double flops = static_cast<double>(examples.size()) * width * (width + 1);
  json.member("fma_share", flops / 1e9 / seconds / threads / bench::fma_peak(plumb::math::kernels().simd));
  for (const auto& [name, value] : fit.record.fit)
    if (name == "digits" || name == "condition_number") json.member(name, value);
  json.member("passes", fit.record.iterations).end_object();
  std::puts(json.take().c_str());
  return 0;
}

}  // namespace

int main(int count, char** argument) {
  return bench::guarded("fit_speed", [&] { return measure(count, argument); });
}
