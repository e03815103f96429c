#include "plumb/evaluate/model_margin.h"

#include <cmath>
#include <limits>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/math/dense.h"

namespace plumb {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// |w_r - w_s| of each two rows; for a single row, its norm.
std::vector<double> boundary_norms(const LinearModel& model) {
  const std::size_t rows = model.rows(), p = model.features();
  std::vector<double> all(rows * p);
  for (std::size_t r = 0; r < rows; ++r) model.parts().weights.row_after(r, Out(all).subspan(r * p, p));
  if (rows == 1) return {std::sqrt(math::dot(all, all))};
  std::vector<double> norms(rows * rows);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t s = 0; s < r; ++s) {
      double square = 0.0;
      for (std::size_t j = 0; j < p; ++j) {
        const double difference = all[r * p + j] - all[s * p + j];
        square += difference * difference;
      }
      norms[r * rows + s] = norms[s * rows + r] = std::sqrt(square);
    }
  return norms;
}

}  // namespace

ModelMargin model_margin(const LinearModel& model, const Examples& examples, const Run& run) {
  const Link link = model.parts().link;
  if (model.predicts_numbers() || link == Link::vote)
    throw Error(ErrorCode::usage,
                link == Link::vote ? "a voted perceptron has no single boundary"
                                   : "the model predicts numbers, so it has no boundary",
                link == Link::vote ? "plumb train with --variant averaged makes a model of one boundary"
                                   : "plumb train with -m logistic makes a model of classes");
  const std::vector<double> norms = boundary_norms(model);
  const std::size_t planes = model.rows();
  // Least margin, its row, rows, rows on the wrong side, and the first row with an unknown label.
  std::vector<double> found = {kInfinite, 0.0, 0.0, 0.0, kInfinite};
  const auto margin_of = [&](In scores, std::size_t label, bool& behind) {
    if (planes == 1) return (label == 1 ? scores[0] : -scores[0]) / norms[0];
    double least = kInfinite;
    for (std::size_t r = 0; r < planes; ++r) {
      if (r == label) continue;
      // Hyperplanes with equal weights have no boundary: one of the two is ahead everywhere.
      if (const double norm = norms[label * planes + r]; norm > 0.0) {
        least = std::min(least, (scores[label] - scores[r]) / norm);
      } else if (scores[label] < scores[r] || (scores[label] == scores[r] && r > label)) {
        behind = true;
      }
    }
    return least;
  };
  const auto combine = [](std::span<double> left, std::span<const double> right) {
    if (right[2] > 0.0 && (left[2] == 0.0 || right[0] < left[0])) {
      left[0] = right[0];
      left[1] = right[1];
    }
    left[2] += right[2];
    left[3] += right[3];
    left[4] = left[4] == 0.0 ? right[4] : left[4];
  };
  run.reduce(
      Phase::evaluating, examples.blocks(), found,
      [&](std::size_t b, std::span<double> out) {
        std::vector<double> scores(planes);
        examples.block(b).for_each([&](const Example& example) {
          const auto label = static_cast<std::size_t>(example.target);
          if (example.weight == 0.0) return;
          if (label >= model.parts().labels.size()) {
            if (out[4] == 0.0) out[4] = static_cast<double>(example.number + 1);
            return;
          }
          model.scores(example.x, scores);
          bool behind = false;
          const double margin = margin_of(scores, label, behind);
          if (out[2] == 0.0 || margin < out[0]) {
            out[0] = margin;
            out[1] = static_cast<double>(example.number);
          }
          out[2] += 1.0;
          if (behind || !(margin >= 0.0)) out[3] += 1.0;
        });
      },
      combine);
  if (found[4] > 0.0)
    throw Error(ErrorCode::data, "row " + std::to_string(static_cast<std::uint64_t>(found[4])) +
                                     " has a label that the model does not know");
  if (found[2] == 0.0) throw Error(ErrorCode::data, "there are no rows");
  if (!std::isfinite(found[0]))
    throw Error(ErrorCode::data, "the model gives every row the same score, so it has no boundary");
  return {found[0], static_cast<std::uint64_t>(found[1]), static_cast<std::uint64_t>(found[2]),
          static_cast<std::uint64_t>(found[3])};
}

}  // namespace plumb
