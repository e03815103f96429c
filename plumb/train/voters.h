// The hypotheses of a voted perceptron as they arise: each is the one before plus a step along a row, and has as many
// votes as rows it survived. A model with Link::vote stores them as increments (plumb/model/model.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "plumb/base/span.h"
#include "plumb/data/examples.h"
#include "plumb/model/model.h"
#include "plumb/solver/online.h"

namespace plumb {

class Voters {
 public:
  explicit Voters(std::uint32_t planes) : bias_(planes) {}
  // Those of a model that is trained further.
  Voters(const LinearModel::Parts& model, std::uint32_t planes)
      : bias_(planes),
        changes_(model.weights.sparse_values()),
        chains_(model.weights.chains()),
        biases_(model.bias),
        votes_(model.votes) {
    for (std::size_t r = 0; r < biases_.size(); ++r) bias_[chain(r)] = biases_[r];
  }

  // The first. One hyperplane of zeros needs no row: it has no vote, since the first example is a mistake.
  void begin(const Planes& start) {
    if (start.planes == 1 && start.bias[0] == 0.0 &&
        std::all_of(start.weights.begin(), start.weights.end(), [](double w) { return w == 0.0; }))
      return;
    std::vector<double> w(start.weights.size() / start.planes);
    for (std::uint32_t k = 0; k < start.planes; ++k) {
      for (std::size_t j = 0; j < w.size(); ++j) w[j] = start.weights[j * start.planes + k];
      add_row({{}, w}, 1.0, k, start.bias[k]);
    }
  }

  // The next: w += steps[k] x in hyperplane k.
  void add(const Row& x, In steps, bool bias) {
    for (std::uint32_t k = 0; k < steps.size(); ++k)
      if (steps[k] != 0.0) add_row(x, steps[k], k, bias ? steps[k] : 0.0);
  }

  std::size_t size() const noexcept { return votes_.size(); }
  // Bytes in use while that many rows with that many entries are added: a growing array keeps its old memory, too,
  // until the new one is filled.
  std::uint64_t bytes_with(std::size_t rows, std::size_t entries) const {
    const auto of = [](const auto& values, std::size_t more) {
      const std::size_t room = values.capacity(), needed = values.size() + more;
      return sizeof(values[0]) * (needed <= room ? room : room + std::max(2 * values.size(), needed));
    };
    return of(changes_.index, entries) + of(changes_.values, entries) + of(changes_.offsets, rows) +
           (bias_.size() > 1 ? of(chains_, rows) : 0) + of(biases_, rows) + of(votes_, rows);
  }

  // Rows that the last hypothesis has seen without a change, including the one it arose from.
  void survive(std::size_t rows) {
    if (!votes_.empty()) votes_.back() += static_cast<double>(rows);
  }

  // The last one.
  Planes last(std::uint32_t features) const {
    const auto planes = static_cast<std::uint32_t>(bias_.size());
    Planes last{planes, std::vector<double>(std::size_t{features} * planes), bias_};
    for (std::size_t r = 0; r < biases_.size(); ++r) {
      const auto index = changes_.row_index(r);
      const auto values = changes_.row_values(r);
      for (std::size_t i = 0; i < index.size(); ++i)
        last.weights[std::size_t{index[i]} * planes + chain(r)] += values[i];
    }
    return last;
  }

  void move_to(LinearModel::Parts& parts, std::uint32_t features) {
    if (votes_.empty()) add_row({}, 0.0, 0, 0.0);  // no update at all: zeros
    parts.bias = std::move(biases_);
    parts.votes = std::move(votes_);
    parts.weights = Weights::increments(parts.votes.size(), features, std::move(changes_), std::move(chains_));
  }

 private:
  std::uint32_t chain(std::size_t r) const { return chains_.empty() ? 0 : chains_[r]; }

  void add_row(const Row& x, double step, std::uint32_t plane, double bias_step) {
    for (std::size_t t = 0; t < x.value.size(); ++t) {
      if (x.value[t] == 0.0) continue;
      changes_.index.push_back(x.dense() ? static_cast<std::uint32_t>(t) : x.index[t]);
      changes_.values.push_back(step * x.value[t]);
    }
    changes_.offsets.push_back(changes_.values.size());
    if (bias_.size() > 1) chains_.push_back(plane);
    biases_.push_back(bias_[plane] += bias_step);
    votes_.push_back(0.0);
  }

  std::vector<double> bias_;  // of each hyperplane, now
  SparseRows<double> changes_{{0}, {}, {}};
  std::vector<std::uint32_t> chains_;  // more than two labels: the hyperplane of each row
  std::vector<double> biases_, votes_;
};

}  // namespace plumb
