// For the tests of this layer: small data sets as vectors, fitted in one call.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "plumb/base/random.h"
#include "plumb/train/least_squares.h"

namespace plumb {

struct Data {
  std::vector<std::vector<double>> x;
  std::vector<double> y;
  std::vector<double> s;  // empty: no weights
};

inline FeatureMap numbers(std::size_t p) {
  FeatureMap::Parts parts;
  for (std::uint32_t j = 0; j < p; ++j) {
    parts.inputs.push_back({"x" + std::to_string(j), Kind::number, {}});
    parts.terms.push_back(ProductTerm{{{j, 1}}});
  }
  return FeatureMap(parts);
}

// Cut into pieces of `cut` rows; sparse pieces store every number that is not zero.
inline Examples examples_of(const Data& data, std::size_t cut = 1000, bool sparse = false) {
  const auto p = static_cast<std::uint32_t>(data.x.empty() ? 0 : data.x[0].size());
  std::vector<Piece> pieces;
  for (std::size_t r = 0; r < data.x.size(); ++r) {
    if (r % cut == 0) {
      pieces.emplace_back();
      pieces.back().features = p;
      if (sparse) pieces.back().offsets.push_back(0);
    }
    Piece& piece = pieces.back();
    ++piece.rows;
    for (std::uint32_t j = 0; j < p; ++j) {
      if (sparse && data.x[r][j] == 0) continue;
      if (sparse) piece.index.push_back(j);
      piece.values.push(data.x[r][j]);
    }
    if (sparse) piece.offsets.push_back(piece.values.size());
    piece.targets.push_back(data.y[r]);
    if (!data.s.empty()) piece.weights.push_back(data.s[r]);
  }
  return Examples(std::move(pieces), p);
}

inline Trained fit(const Examples& examples, bool bias = true, unsigned threads = 1) {
  Executor executor(threads);
  return LeastSquaresTrainer({.bias = bias}).train({examples, numbers(examples.features())}, plumb::Run{executor});
}
inline Trained fit_with(const Data& data, LeastSquaresOptions options) {
  Executor executor(1);
  const Examples examples = examples_of(data);
  return LeastSquaresTrainer(std::move(options)).train({examples, numbers(examples.features())}, plumb::Run{executor});
}
inline Trained fit(const Data& data, bool bias = true) { return fit(examples_of(data), bias); }

inline double number_of(const Trained& fit, const std::string& name) {
  for (const auto& [key, value] : fit.record.fit)
    if (key == name) return value;
  ADD_FAILURE() << "no " << name;
  return 0;
}
inline std::vector<double> weights(const Trained& fit) {
  const In w = fit.model.parts().weights.dense_values();
  return {w.begin(), w.end()};
}

inline Data random_data(std::size_t n, std::size_t p, std::uint64_t seed) {
  Data data;
  const RandomKey key{seed, 0};
  std::uint64_t draw = 0;
  for (std::size_t r = 0; r < n; ++r) {
    data.x.emplace_back();
    double y = 3;
    for (std::size_t j = 0; j < p; ++j) {
      data.x[r].push_back(2 * key.uniform(draw++) - 1);
      y += static_cast<double>(j + 1) * data.x[r][j];
    }
    data.y.push_back(y + 0.1 * (key.uniform(draw++) - 0.5));
  }
  return data;
}

inline void expect_close(double value, double expected, double relative) {
  EXPECT_LE(std::abs(value - expected), relative * std::abs(expected)) << value << " against " << expected;
}

}  // namespace plumb
